// Any bytes as the file of a network: the reader refuses them with a message, or returns a network
// whose starts are finite and within the limits.
//
// The head depends on the model. Bytes that do not begin with the name of the format are taken as
// what follows the right head, so that the layers are reached too.
#include "sinew/sinew.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds) {
  if (!holds) {
    abort();
  }
}

// Three joints: with limits, with none, spherical.
static sinew_model *make_model(void) {
  static const char *const names[4] = {"root", "a", "b", "c"};
  sinew_model_def def = sinew_default_model_def();
  sinew_link_def links[4];
  sinew_joint_def joints[3];
  sinew_model *model = NULL;
  for (int i = 0; i < 4; ++i) {
    links[i] = sinew_default_link_def();
    links[i].name = names[i];
  }
  for (int i = 0; i < 3; ++i) {
    joints[i] = sinew_default_joint_def();
    joints[i].name = names[i + 1];
    joints[i].kind = i == 0   ? SINEW_JOINT_REVOLUTE
                     : i == 1 ? SINEW_JOINT_CONTINUOUS
                              : SINEW_JOINT_SPHERICAL;
    joints[i].parent = i;
    joints[i].child = i + 1;
    joints[i].placement.position[0] = 0.5;
  }
  joints[0].lower[0] = -1.0;
  joints[0].upper[0] = 2.0;
  def.name = "fuzzed";
  def.links = links;
  def.link_count = 4;
  def.joints = joints;
  def.joint_count = 3;
  require(sinew_model_create(&def, &model, NULL) == SINEW_OK);
  return model;
}

static void check_starts(const sinew_network *network, const sinew_model *model) {
  for (uint64_t i = 0; i < 4; ++i) {
    double q0[8], q[8];
    sinew_target target = sinew_default_target();
    target.position[i % 3] = (double)i - 1.0;
    require(sinew_model_nq(model) <= 8);
    sinew_configuration_random(model, 1, i, q0);
    sinew_network_seed(network, &target, q0, q);
    for (int k = 0; k < sinew_model_nq(model); ++k) {
      require(isfinite(q[k]) != 0);
    }
    require(q[0] >= -1.0 && q[0] <= 2.0);
  }
}

static void check_read(const sinew_model *model, const sinew_task *task, const uint8_t *data,
                       size_t size) {
  sinew_network *network = NULL;
  sinew_error error;
  memset(&error, 0, sizeof error);
  const sinew_result result =
      sinew_network_read(data, size, "fuzz.net", NULL, model, task, 1, &network, &error);
  if (result == SINEW_OK) {
    check_starts(network, model);
  } else {
    require(network == NULL && error.code == result && error.message[0] != '\0');
  }
  sinew_network_destroy(network);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sinew_model *model = make_model();
  sinew_network *bare = NULL;
  sinew_task task = sinew_default_task();
  unsigned char head[SINEW_NETWORK_MAX_HEAD];
  task.kind = SINEW_TASK_POSE;
  task.link = 3;
  check_read(model, &task, data, size);
  if (size < 8 || memcmp(data, "SINEWNET", 8) != 0) {
    require(sinew_network_create(NULL, model, &task, 1, &bare, NULL) == SINEW_OK);
    const size_t length = sinew_network_head(bare, head);
    uint8_t *whole = malloc(length + size);
    require(whole != NULL);
    memcpy(whole, head, length);
    if (size > 0) {
      memcpy(whole + length, data, size);
    }
    check_read(model, &task, whole, length + size);
    free(whole);
    sinew_network_destroy(bare);
  }
  sinew_model_destroy(model);
  return 0;
}
