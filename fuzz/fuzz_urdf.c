// Any bytes as a URDF: the reader refuses them with a message, or returns a document whose model
// can be created and moved, without a NaN.
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

static void check_pose(const sinew_pose *pose) {
  for (int i = 0; i < 3; ++i) {
    require(isfinite(pose->position[i]));
  }
  double square = 0.0;
  for (int i = 0; i < 4; ++i) {
    square += pose->rotation[i] * pose->rotation[i];
  }
  require(fabs(square - 1.0) < 1e-6);
}

static void move(const sinew_model *model) {
  sinew_state *state = NULL;
  double *q = calloc((size_t)sinew_model_nq(model) + 1, sizeof *q);
  require(q != NULL && sinew_state_create(model, NULL, &state, NULL) == SINEW_OK);
  for (uint64_t round = 0; round < 3; ++round) {
    if (round == 0) {
      sinew_configuration_middle(model, q);
    } else {
      sinew_configuration_random(model, 1, round, q);
    }
    // Random configurations of a robot of 1e100 m can be too large for a state.
    sinew_result result = sinew_state_forward(state, q);
    require(result == SINEW_OK ||
            (result == SINEW_ERROR_NOT_FINITE && round > 0 && sinew_model_size(model) > 1e99));
    for (int link = 0; link < sinew_model_link_count(model); ++link) {
      sinew_pose pose;
      require(sinew_state_link_pose(state, link, &pose) == SINEW_OK);
      check_pose(&pose);
    }
  }
  sinew_state_destroy(state);
  free(q);
}

static void check_document(const sinew_document *document) {
  require(document->format == SINEW_FORMAT_URDF && document->model.link_count >= 1);
  for (int i = 0; i < document->model.shape_count; ++i) {
    const sinew_shape_def *shape = &document->model.shapes[i];
    require(shape->radius > 0.0 && isfinite(shape->radius));
    for (int axis = 0; axis < 3; ++axis) {
      require(isfinite(shape->a[axis]) && isfinite(shape->b[axis]));
    }
  }
  for (int i = 0; i < document->warning_count; ++i) {
    require(document->warnings[i].message[0] != '\0');
  }
  sinew_model *model = NULL;
  require(sinew_model_create(&document->model, &model, NULL) == SINEW_OK);
  move(model);
  sinew_model_destroy(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sinew_document *document = NULL;
  sinew_error error;
  memset(&error, 0, sizeof error);
  sinew_read_def def = sinew_default_read_def();
  def.max_depth = 32;
  def.floating_base = size % 2 == 1;
  (void)sinew_format_detect((const char *)data, size);
  sinew_result result = sinew_urdf_read((const char *)data, size, &def, &document, &error);
  if (result == SINEW_OK) {
    check_document(document);
  } else {
    require(document == NULL && error.code == result && error.message[0] != '\0');
  }
  sinew_document_destroy(document);
  return 0;
}
