// Any bytes as a BVH: the reader refuses them with a message and a line, or returns a document
// whose model can be created and moved, and which is the same after it has been written and read
// again.
#include "sinew/formats.h"
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

static void move(const sinew_document *document) {
  sinew_model *model = NULL;
  sinew_state *state = NULL;
  require(sinew_model_create(&document->model, &model, NULL) == SINEW_OK);
  require(sinew_model_nq(model) == document->motion.nq);
  require(sinew_state_create(model, NULL, &state, NULL) == SINEW_OK);
  if (document->motion.frame_count > 0 && document->motion.nq > 0) {
    // Finite values can be too large for a state.
    sinew_result result = sinew_state_forward(state, document->motion.q);
    require(result == SINEW_OK || result == SINEW_ERROR_NOT_FINITE);
  }
  for (int link = 0; link < sinew_model_link_count(model); link++) {
    double p[3];
    require(sinew_state_link_frame(state, link, NULL, p) == SINEW_OK);
    require(isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]));
  }
  sinew_state_destroy(state);
  sinew_model_destroy(model);
}

// To 14 of the 15 digits that are written; beside is the OFFSET that was added.
static void require_near(double a, double b, double beside) {
  require(fabs(a - b) <= 1e-14 * (fabs(a) + fabs(beside)) + 1e-300);
}

static void require_same_joint(const sinew_joint_def *a, const sinew_joint_def *b) {
  require(a->parent == b->parent && a->child == b->child && a->kind == b->kind);
  require(strcmp(a->channels, b->channels) == 0);
  for (int i = 0; i < 3; i++) {
    require_near(a->placement.position[i], b->placement.position[i], 0);
  }
}

static void require_same_motion(const sinew_document *a, const sinew_document *b) {
  require(a->motion.frame_count == b->motion.frame_count && a->motion.nq == b->motion.nq);
  require_near(a->motion.frame_time, b->motion.frame_time, 0);
  size_t at = 0;
  for (int frame = 0; frame < a->motion.frame_count && a->motion.nq > 0; frame++) {
    for (int j = 0; j < a->model.joint_count; j++) {
      const sinew_joint_def *joint = &a->model.joints[j];
      for (const char *c = joint->channels; *c != '\0'; c++, at++) {
        double rest = *c >= 'x' ? joint->placement.position[*c - 'x'] : 0;
        require_near(a->motion.q[at], b->motion.q[at], rest);
      }
    }
  }
}

static int names_fit(const sinew_document *document) {
  for (int i = 0; i < document->model.joint_count; i++) {
    if (strlen(document->model.joints[i].name) > 255) {
      return 0; // of two joints with the same long name: the suffix makes it too long
    }
  }
  return 1;
}

static void write_and_read(const sinew_document *document, const sinew_read_def *def) {
  char *text = NULL;
  size_t size = 0;
  sinew_result result =
      sinew_bvh_write(&document->model, &document->motion, NULL, &text, &size, NULL);
  // An angle that is finite in radians may be infinite in degrees.
  require(result == SINEW_OK || result == SINEW_ERROR_NOT_FINITE);
  sinew_document *again = NULL;
  if (result == SINEW_OK && names_fit(document)) {
    require(sinew_bvh_read(text, size, def, &again, NULL) == SINEW_OK);
    require(again->model.joint_count == document->model.joint_count);
    for (int i = 0; i < again->model.joint_count; i++) {
      require_same_joint(&document->model.joints[i], &again->model.joints[i]);
    }
    require_same_motion(document, again);
  }
  sinew_document_destroy(again);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sinew_document *document = NULL;
  sinew_error error;
  memset(&error, 0, sizeof error);
  sinew_read_def def = sinew_default_read_def();
  def.max_depth = 32;
  sinew_result result = sinew_bvh_read((const char *)data, size, &def, &document, &error);
  if (result == SINEW_OK) {
    require(document->format == SINEW_FORMAT_BVH);
    move(document);
    def.max_bytes = SIZE_MAX;
    write_and_read(document, &def);
  } else {
    require(document == NULL && error.code == result && error.message[0] != '\0');
    require(error.line > 0 || result == SINEW_ERROR_MODEL || result == SINEW_ERROR_NOT_FINITE);
  }
  sinew_document_destroy(document);
  return 0;
}
