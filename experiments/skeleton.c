// Skeletons: the poses of their links, and their pictures.
#include "experiments/skeleton.h"
#include "scenes/expect.h"

#include <math.h>

// The viewing direction [rad]: from the front, a little from the right and above.
#define AZIMUTH 0.5
#define ELEVATION 0.3

// Of what a view shows: around the largest square that holds something [share of it].
#define MARGIN 0.06

void skeleton_poses(sinew_state *state, const double *q, sinew_pose *poses) {
  const int count = sinew_model_link_count(sinew_state_model(state));
  sinew_expect_ok(sinew_state_forward(state, q));
  for (int l = 0; l < count; ++l) {
    sinew_expect_ok(sinew_state_link_pose(state, l, &poses[l]));
  }
}

void skeleton_project(const double p[3], double out[2]) {
  const double across = cos(AZIMUTH) * p[0] - sin(AZIMUTH) * p[2];
  const double near = sin(AZIMUTH) * p[0] + cos(AZIMUTH) * p[2];
  out[0] = across;
  out[1] = cos(ELEVATION) * p[1] - sin(ELEVATION) * near;
}

skeleton_bounds skeleton_bounds_empty(void) {
  return (skeleton_bounds){{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
}

void skeleton_include(skeleton_bounds *bounds, const double p[3]) {
  double at[2];
  skeleton_project(p, at);
  for (int i = 0; i < 2; ++i) {
    bounds->least[i] = fmin(bounds->least[i], at[i]);
    bounds->most[i] = fmax(bounds->most[i], at[i]);
  }
}

void skeleton_include_links(skeleton_bounds *bounds, const sinew_model *model,
                            const sinew_pose *poses) {
  for (int link = 0; link < sinew_model_link_count(model); ++link) {
    skeleton_include(bounds, poses[link].position);
  }
}

skeleton_view skeleton_view_of(const skeleton_bounds *bounds) {
  const double *least = bounds->least, *most = bounds->most;
  return (skeleton_view){0.5 * (least[0] + most[0]), 0.5 * (least[1] + most[1]),
                         0.5 * (1.0 + MARGIN) * fmax(most[0] - least[0], most[1] - least[1])};
}

void skeleton_put(FILE *out, const char *block, const sinew_model *model, const sinew_pose *poses) {
  fprintf(out, "$%s << END\n", block);
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    sinew_joint joint;
    double a[2], b[2];
    sinew_expect_ok(sinew_model_joint(model, j, &joint));
    if (sinew_model_link_joint(model, joint.parent) < 0) {
      continue;
    }
    skeleton_project(poses[joint.parent].position, a);
    skeleton_project(poses[joint.child].position, b);
    fprintf(out, "%.5g %.5g\n%.5g %.5g\n\n", a[0], a[1], b[0], b[1]);
  }
  fputs("END\n", out);
}
