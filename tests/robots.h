// Arms of the project and of the optional data, for tests that try many.
#ifndef TESTS_ROBOTS_H
#define TESTS_ROBOTS_H

#include "fixtures.h"
#include "shared_data.h"
#include "sinew/formats.h"

enum { ROBOT_OWN_ARMS = 2, ROBOT_SHARED_ARMS = 10 };

static const char *const robot_own_arms[ROBOT_OWN_ARMS] = {"models/arm6.urdf", "models/arm7.urdf"};
static const char *const robot_shared_arms[ROBOT_SHARED_ARMS] = {
    "baxter", "fetch7", "fetch8", "gen3", "iiwa14", "jaco2", "panda", "pr2", "tiago8", "ur5"};

// A robot, and the tip named in the first comment of its file, or its last link.
static inline sinew_model *robot_open(const char *path, int *tip) {
  char line[512] = "", name[128];
  sinew_document *document = NULL;
  sinew_model *model = NULL;
  assert_ok(sinew_document_open(path, NULL, &document, NULL));
  assert_ok(sinew_model_create(&document->model, &model, NULL));
  sinew_document_destroy(document);
  FILE *text = fopen(path, "rb");
  assert_non_null(text);
  *tip = -1;
  while (*tip < 0 && fgets(line, sizeof line, text) != NULL) {
    const char *found = strstr(line, "tip=");
    if (found != NULL && sscanf(found + 4, "%127[^; ]", name) == 1) {
      *tip = sinew_model_find_link(model, name);
    }
  }
  fclose(text);
  *tip = *tip < 0 ? sinew_model_link_count(model) - 1 : *tip;
  return model;
}

#endif
