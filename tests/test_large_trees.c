// Trees of 10,000 joints, chains and bushes: created, placed and differentiated in a thread whose
// stack a recursion over the tree would overflow.
#include "kinematic_scene.h"
#include "link.h"

#include <pthread.h>
#include <stdbool.h>

enum { JOINTS = 10000 };

// 10,000 frames of a recursive function need at least 32 bytes each, 320 KiB; sanitizers make all
// frames larger, also those of other functions.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SMALL_STACK (256 * 1024)
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SMALL_STACK (256 * 1024)
#endif
#endif
#ifndef SMALL_STACK
#define SMALL_STACK (64 * 1024)
#endif

typedef struct large_tree {
  sinew_link_def links[JOINTS + 1];
  sinew_joint_def joints[JOINTS];
  char link_names[JOINTS + 1][8], joint_names[JOINTS][8];
  sinew_model_def def;
} large_tree;

static large_tree tree;

typedef enum shape { CHAIN, REVERSED_CHAIN, STAR, BUSH, COUPLED_CHAIN } shape;

static int parent_of(shape form, random_stream *stream, int k) {
  switch (form) {
  case STAR:
    return 0;
  case BUSH:
    return random_below(stream, k + 1);
  default:
    return k;
  }
}

// Revolute and prismatic joints; joint k moves link k + 1. Reversed: the definition has the tip
// first.
static void make_large(shape form) {
  random_stream stream = random_stream_of((uint64_t)form);
  memset(&tree, 0, sizeof tree);
  for (int k = 0; k <= JOINTS; ++k) {
    snprintf(tree.link_names[k], sizeof tree.link_names[k], "l%d", k);
    tree.links[k] = (sinew_link_def)LINK(tree.link_names[k]);
  }
  for (int k = 0; k < JOINTS; ++k) {
    const int at = form == REVERSED_CHAIN ? JOINTS - 1 - k : k;
    sinew_joint_def *joint = &tree.joints[at];
    snprintf(tree.joint_names[at], sizeof tree.joint_names[at], "j%d", at);
    *joint = sinew_default_joint_def();
    joint->name = tree.joint_names[at];
    joint->kind = k % 7 == 3 ? SINEW_JOINT_PRISMATIC : SINEW_JOINT_REVOLUTE;
    joint->parent = parent_of(form, &stream, k);
    joint->child = k + 1;
    random_unit(&stream, 3, joint->axis);
    for (int i = 0; i < 3; ++i) {
      joint->placement.position[i] = random_between(&stream, -0.01, 0.01);
    }
    if (form == COUPLED_CHAIN && k + 1 < JOINTS) { // each follows the next, 9999 in a chain
      joint->driver = k + 1;
      joint->ratio = k % 2 == 0 ? -1.0 : 1.0;
      joint->offset = 1e-3;
    }
  }
  tree.def = sinew_default_model_def();
  tree.def.links = tree.links;
  tree.def.link_count = JOINTS + 1;
  tree.def.joints = tree.joints;
  tree.def.joint_count = JOINTS;
}

// The thread's work; the test asserts, since cmocka's failures jump.
typedef struct work {
  const double *q;
  const double *v;
  sinew_model *model;
  sinew_state *state;
  double *J, *q_out;
  double twist[6];
  sinew_result created, stated, placed, derived, moved;
  sinew_error error;
} work;

static void *do_work(void *context) {
  work *w = context;
  w->created = sinew_model_create(&tree.def, &w->model, &w->error);
  if (w->created != SINEW_OK) {
    return NULL;
  }
  w->stated = sinew_state_create(w->model, NULL, &w->state, NULL);
  if (w->stated != SINEW_OK) {
    return NULL;
  }
  w->placed = sinew_state_forward(w->state, w->q);
  w->derived = sinew_state_jacobian(w->state, JOINTS, NULL, 0, w->J);
  w->moved = sinew_state_twist(w->state, JOINTS, NULL, w->v, w->twist);
  sinew_configuration_integrate(w->model, w->q, w->v, w->q_out);
  sinew_configuration_difference(w->model, w->q, w->q_out, w->q_out);
  return NULL;
}

static void run_on_small_stack(void *(*function)(void *), void *context) {
  pthread_t thread;
  pthread_attr_t attributes;
  assert_int_equal(pthread_attr_init(&attributes), 0);
  assert_int_equal(pthread_attr_setstacksize(&attributes, SMALL_STACK), 0);
  assert_int_equal(pthread_create(&thread, &attributes, function, context), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_int_equal(pthread_attr_destroy(&attributes), 0);
}

static void assert_large_tree(shape form) {
  static double q[JOINTS], v[JOINTS], J[6 * JOINTS], q_out[JOINTS];
  make_large(form);
  random_stream stream = random_stream_of(77);
  for (int i = 0; i < JOINTS; ++i) {
    q[i] = random_between(&stream, -0.1, 0.1);
    v[i] = random_between(&stream, -1.0, 1.0);
  }
  work w = {.q = q, .v = v, .J = J, .q_out = q_out};
  run_on_small_stack(do_work, &w);
  if (w.created != SINEW_OK) {
    fail_msg("refused: %s: %s", w.error.name, w.error.message);
  }
  assert_int_equal(w.stated, SINEW_OK);
  assert_int_equal(w.placed, SINEW_OK);
  assert_int_equal(w.derived, SINEW_OK);
  assert_int_equal(w.moved, SINEW_OK);
  const int nv = sinew_model_nv(w.model);
  assert_int_equal(nv, form == COUPLED_CHAIN ? 1 : JOINTS);
  assert_at_most(farthest(nv, q_out, v), 1e-15 * JOINTS);

  // 10,000 roundings of numbers up to the figure's extent
  naive *oracle = naive_create(&tree.def);
  naive_place(oracle, q);
  for (int link = 0; link <= JOINTS; link += 37) {
    double R[9], p[3], naive_R[9], naive_p[3];
    assert_int_equal(sinew_state_link_frame(w.state, link, R, p), SINEW_OK);
    naive_frame(oracle, link, naive_R, naive_p);
    assert_at_most(farthest(9, R, naive_R), 1e-11);
    assert_at_most(farthest(3, p, naive_p), 1e-11);
  }
  // a few columns; all of them together give the twist
  for (int i = 0; i < nv; i += nv / 5 + 1) {
    const double origin[3] = {0, 0, 0};
    double column[6];
    naive_derive(oracle, q, i);
    naive_column(oracle, JOINTS, origin, column);
    for (int r = 0; r < 6; ++r) { // 9999 coupled joints add up to a large column
      assert_near(J[r * nv + i], column[r], 1e-10 * (1.0 + fabs(column[r])));
    }
  }
  for (int r = 0; r < 6; ++r) {
    double sum = 0.0;
    for (int i = 0; i < nv; ++i) {
      sum += J[r * nv + i] * v[i];
    }
    assert_near(w.twist[r], sum, 1e-10 * (1.0 + fabs(sum)));
  }
  naive_destroy(oracle);
  sinew_state_destroy(w.state);
  sinew_model_destroy(w.model);
}

// req: A1
static void large_chain(void **unused) {
  (void)unused;
  assert_large_tree(CHAIN);
}

// req: A1
static void large_chain_with_its_tip_first(void **unused) {
  (void)unused;
  assert_large_tree(REVERSED_CHAIN);
}

// req: A1
static void large_star(void **unused) {
  (void)unused;
  assert_large_tree(STAR);
}

// req: A1
static void large_bush(void **unused) {
  (void)unused;
  assert_large_tree(BUSH);
}

// req: A1 A10
static void large_chain_of_coupled_joints(void **unused) {
  (void)unused;
  assert_large_tree(COUPLED_CHAIN);
}

// A loop of 10,000 joints, of links or of drivers, is found without recursion as well.
static void long_loops_are_refused(void **unused) {
  (void)unused;
  static double q[JOINTS], v[JOINTS], J[6 * JOINTS], q_out[JOINTS];
  make_large(CHAIN);
  tree.joints[0].parent = JOINTS; // the first link is a child of the last
  work w = {.q = q, .v = v, .J = J, .q_out = q_out};
  run_on_small_stack(do_work, &w);
  assert_int_equal(w.created, SINEW_ERROR_MODEL);
  assert_string_equal(w.error.name, "j0");
  make_large(COUPLED_CHAIN);
  tree.joints[JOINTS - 1].driver = 0;
  run_on_small_stack(do_work, &w);
  assert_int_equal(w.created, SINEW_ERROR_MODEL);
  assert_non_null(strstr(w.error.message, "loop"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(large_chain),
      cmocka_unit_test(large_chain_with_its_tip_first),
      cmocka_unit_test(large_star),
      cmocka_unit_test(large_bush),
      cmocka_unit_test(large_chain_of_coupled_joints),
      cmocka_unit_test(long_loops_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
