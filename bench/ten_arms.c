// The ten arms of the optional data.
#include "bench/ten_arms.h"
#include "scenes/optional_data.h"

#include <stdio.h>
#include <string.h>

const char *const ten_arms[TEN_ARMS] = {"baxter", "fetch7", "fetch8", "gen3",   "iiwa14",
                                        "jaco2",  "panda",  "pr2",    "tiago8", "ur5"};

bool ten_arms_file(int number, char *path, size_t size) {
  return optional_robot("arms", ten_arms[number], path, size);
}

int ten_arms_tip(const char *path, const sinew_model *model) {
  char line[512], name[128];
  int tip = -1;
  FILE *text = fopen(path, "rb");
  while (text != NULL && tip < 0 && fgets(line, sizeof line, text) != NULL) {
    const char *found = strstr(line, "tip=");
    if (found != NULL && sscanf(found + 4, "%127[^; ]", name) == 1) {
      tip = sinew_model_find_link(model, name);
    }
  }
  if (text != NULL) {
    fclose(text);
  }
  return tip;
}
