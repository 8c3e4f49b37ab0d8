// A forearm keeps 5 cm from a bar that comes at it, both of them capsules, while the hand stays.
#include "../cookbook/check.h"
#include <sinew/formats.h>
#include <sinew/reference.h>

typedef struct scene {
  sinew_state *state;
  sinew_reference_obstacle bar;
  sinew_reference_clearance nearest;
} scene;

static void too_near(void *context, const double *q, double *residual, double *jacobian) {
  scene *s = context;
  double work[6 * 7], slope[7];
  sinew_error error = {0};
  check(sinew_state_forward(s->state, q), &error);
  check(sinew_reference_clearance_find(s->state, &s->bar, 1, &s->nearest, work, slope), &error);
  residual[0] = s->nearest.distance < 0.05 ? 0.05 - s->nearest.distance : 0.0; // m
  for (int v = 0; jacobian != NULL && v < 7; ++v)
    jacobian[v] = residual[0] > 0.0 ? -slope[v] : 0.0;
}

int main(void) {
  sinew_error error;
  sinew_document *file;
  sinew_model *model;
  sinew_solver *solver;
  sinew_shape_def forearm = sinew_default_shape_def();
  check(sinew_document_open("models/arm7.urdf", NULL, &file, &error), &error);
  file->model.shapes = &forearm, file->model.shape_count = 1; // the file has none
  forearm.link = 5, forearm.a[2] = -0.384, forearm.radius = 0.06;
  check(sinew_model_create(&file->model, &model, &error), &error);
  scene s = {.bar = {.a = {0.2, 0.4, 0.3}, .b = {0.2, 0.4, 0.9}, .radius = 0.03}};
  check(sinew_state_create(model, NULL, &s.state, &error), &error);
  sinew_solver_def settings = sinew_default_solver_def();
  settings.lower.levels = settings.lower.objectives = settings.lower.rows = 1;
  check(sinew_solver_create(&settings, model, &solver, &error), &error);
  sinew_task hand = sinew_default_task();
  hand.link = sinew_model_find_link(model, "flange");
  check(sinew_solver_set_tasks(solver, &hand, 1, &error), &error);
  sinew_objective objective = sinew_default_objective();
  objective.kind = SINEW_OBJECTIVE_CALLBACK, objective.rows = 1;
  objective.function = too_near, objective.context = &s;
  check(sinew_solver_set_objectives(solver, &objective, 1, &error), &error);
  double q[7] = {0.0, 0.4, 0.0, -1.6, 0.0, 2.0, 0.0}, least = 1.0, residual;
  sinew_target target = sinew_default_target();
  sinew_report report;
  check(sinew_state_forward(s.state, q), &error);
  check(sinew_state_point(s.state, hand.link, NULL, target.position), &error);
  for (int frame = 0; frame < 200; ++frame) {
    s.bar.a[1] = s.bar.b[1] = 0.4 - 0.002 * frame; // to where the forearm was
    check(sinew_solver_update(solver, &target, 1, q, &report), sinew_solver_last_error(solver));
    too_near(&s, q, &residual, NULL);
    least = s.nearest.distance < least ? s.nearest.distance : least;
  }
  printf("bar at least %.1f cm away, hand %.0e m off\n", 100.0 * least, report.position_error);
  return sinew_solver_destroy(solver), sinew_state_destroy(s.state), sinew_model_destroy(model),
         sinew_document_destroy(file), least > 0.04 && report.position_error <= 1e-6 ? 0 : 1;
}
