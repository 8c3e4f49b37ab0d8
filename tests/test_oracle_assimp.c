// BVH clips against another program: the world position of every joint and End Site as assimp
// (Debian's libassimp 5.2, its C interface) computes it.
//
// assimp gives a tree of nodes and, for each joint, a key of position and of rotation a frame; here
// they are multiplied from the root outward. Its numbers are floats: an angle of up to 180 degrees
// is off by up to 1e-5 degrees, 1.3e-7 rad, a product of matrices by some 1e-7, and such errors add
// up along a chain of n joints. So positions must agree to n 2e-7 of the sum of the figure's size
// and the distance from the origin; the largest difference measured is a quarter of that.
// the distance from the origin together; the largest seen is a quarter of it.
#include "bvh_shared.h"
#include "sinew/formats.h"
#include "sinew/sinew.h"

#include <assimp/types.h> // before the others: it defines their ai_real
#include <assimp/anim.h>
#include <assimp/cimport.h>
#include <assimp/matrix4x4.h>
#include <assimp/quaternion.h>
#include <assimp/scene.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MAX_CLIPS 64
#define MAX_NODES 256
#define FRAMES 12 // compared of each clip, spread over it

// assimp's tree, parents before children.
typedef struct oracle_node {
  const struct aiNode *node;
  const struct aiNodeAnim *keys; // NULL: an End Site
  int parent, depth;
  int link; // in sinew's model
  double R[9], p[3];
} oracle_node;

typedef struct oracle {
  const struct aiScene *scene;
  oracle_node nodes[MAX_NODES];
  int count;
} oracle;

static const struct aiNodeAnim *find_keys(const struct aiScene *scene, const struct aiNode *node) {
  const struct aiAnimation *animation = scene->mAnimations[0];
  for (unsigned i = 0; i < animation->mNumChannels; i++) {
    if (strcmp(animation->mChannels[i]->mNodeName.data, node->mName.data) == 0) {
      return animation->mChannels[i];
    }
  }
  return NULL;
}

// assimp calls an End Site EndSite_PARENT, sinew PARENT_end.
static int find_link(const sinew_model *model, const struct aiNode *node) {
  char name[1100];
  if (strncmp(node->mName.data, "EndSite_", 8) == 0) {
    snprintf(name, sizeof name, "%s_end", node->mName.data + 8);
  } else {
    snprintf(name, sizeof name, "%s", node->mName.data);
  }
  return sinew_model_find_link(model, name);
}

static void add_node(oracle *o, const sinew_model *model, const struct aiNode *node, int parent) {
  assert_true(o->count < MAX_NODES);
  oracle_node *n = &o->nodes[o->count++];
  n->node = node;
  n->keys = find_keys(o->scene, node);
  n->parent = parent;
  n->depth = parent < 0 ? 1 : o->nodes[parent].depth + 1;
  n->link = find_link(model, node);
  assert_true(n->link >= 0);
}

// Breadth first: each node's children are added after the existing nodes.
static void open_oracle(oracle *o, const sinew_model *model, const char *path) {
  o->count = 0;
  o->scene = aiImportFile(path, 0);
  if (o->scene == NULL) {
    fail_msg("%s: %s", path, aiGetErrorString());
  }
  add_node(o, model, o->scene->mRootNode, -1);
  for (int i = 0; i < o->count; i++) {
    const struct aiNode *node = o->nodes[i].node;
    for (unsigned c = 0; c < node->mNumChildren; c++) {
      add_node(o, model, node->mChildren[c], i);
    }
  }
}

static void quaternion_matrix(const struct aiQuaternion *key, double R[9]) {
  double w = (double)key->w, x = (double)key->x, y = (double)key->y, z = (double)key->z;
  double n = 1 / sqrt(w * w + x * x + y * y + z * z);
  w *= n, x *= n, y *= n, z *= n;
  R[0] = 1 - 2 * (y * y + z * z), R[1] = 2 * (x * y - w * z), R[2] = 2 * (x * z + w * y);
  R[3] = 2 * (x * y + w * z), R[4] = 1 - 2 * (x * x + z * z), R[5] = 2 * (y * z - w * x);
  R[6] = 2 * (x * z - w * y), R[7] = 2 * (y * z + w * x), R[8] = 1 - 2 * (x * x + y * y);
}

// A node in its parent at a frame; a single position key serves all frames.
static void local_frame(const oracle_node *n, unsigned frame, double R[9], double p[3]) {
  static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const struct aiMatrix4x4 *m = &n->node->mTransformation;
  memcpy(R, identity, sizeof identity);
  p[0] = (double)m->a4, p[1] = (double)m->b4, p[2] = (double)m->c4;
  if (n->keys != NULL) {
    const struct aiVectorKey *keys = n->keys->mPositionKeys;
    const struct aiVector3D *place = &keys[n->keys->mNumPositionKeys > 1 ? frame : 0].mValue;
    p[0] = (double)place->x, p[1] = (double)place->y, p[2] = (double)place->z;
    quaternion_matrix(&n->keys->mRotationKeys[frame].mValue, R);
  }
}

static void place_nodes(oracle *o, unsigned frame) {
  for (int i = 0; i < o->count; i++) {
    oracle_node *n = &o->nodes[i];
    double R[9], p[3];
    local_frame(n, frame, R, p);
    if (n->parent < 0) {
      memcpy(n->R, R, sizeof R);
      memcpy(n->p, p, sizeof p);
      continue;
    }
    const oracle_node *up = &o->nodes[n->parent];
    for (int r = 0; r < 3; r++) {
      n->p[r] = up->p[r];
      for (int k = 0; k < 3; k++) {
        n->p[r] += up->R[3 * r + k] * p[k];
        n->R[3 * r + k] = 0;
        for (int j = 0; j < 3; j++) {
          n->R[3 * r + k] += up->R[3 * r + j] * R[3 * j + k];
        }
      }
    }
  }
}

// The largest distance between assimp's nodes and sinew's links, divided by the bound.
static double worst_of_frame(const oracle *o, const sinew_state *state, double size) {
  double worst = 0;
  for (int i = 0; i < o->count; i++) {
    const oracle_node *n = &o->nodes[i];
    double p[3];
    assert_int_equal(sinew_state_link_frame(state, n->link, NULL, p), SINEW_OK);
    double distance = hypot(hypot(p[0] - n->p[0], p[1] - n->p[1]), p[2] - n->p[2]);
    double scale = size + hypot(hypot(p[0], p[1]), p[2]);
    worst = fmax(worst, distance / (n->depth * 2e-7 * scale));
  }
  return worst;
}

static void compare_clip(const char *file) {
  static oracle o;
  size_t size = 0;
  char path[1024], *text = bvh_read_shared(file, &size);
  sinew_document *document = NULL;
  sinew_model *model = NULL;
  sinew_state *state = NULL;
  assert_int_equal(sinew_bvh_read(text, size, NULL, &document, NULL), SINEW_OK);
  assert_int_equal(sinew_model_create(&document->model, &model, NULL), SINEW_OK);
  assert_int_equal(sinew_state_create(model, NULL, &state, NULL), SINEW_OK);
  bvh_shared_path(file, path, sizeof path);
  open_oracle(&o, model, path);
  assert_int_equal(o.count, document->model.joint_count);

  const sinew_motion *motion = &document->motion;
  double worst = 0;
  for (int i = 0; i < FRAMES; i++) {
    int frame = (int)((int64_t)i * (motion->frame_count - 1) / (FRAMES - 1));
    assert_int_equal(sinew_state_forward(state, motion->q + (size_t)frame * (size_t)motion->nq),
                     SINEW_OK);
    place_nodes(&o, (unsigned)frame);
    worst = fmax(worst, worst_of_frame(&o, state, sinew_model_size(model)));
  }
  if (!(worst <= 1)) {
    fail_msg("%s: %.3g times what rounding allows", file, worst);
  }
  aiReleaseImport(o.scene);
  sinew_state_destroy(state);
  sinew_model_destroy(model);
  sinew_document_destroy(document);
  free(text);
}

// No clip is left out: assimp reads all 15, also the rotation-first root and six channels on every
// joint, with the same meaning.
// req: A10 A3 B1
static void every_clip_agrees(void **state) {
  (void)state;
  static bvh_manifest_row rows[MAX_CLIPS];
  int count = bvh_manifest("bvh/", rows, MAX_CLIPS);
  for (int i = 0; i < count; i++) {
    compare_clip(rows[i].file);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_clip_agrees)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
