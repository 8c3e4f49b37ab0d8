// Limits of joints in the report of sinew track.
#include "bounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/text.h"
#include "json.h"
#include "message.h"
#include "scenes/expect.h"

cli_bounds cli_bounds_create(const sinew_model *model) {
  return (cli_bounds){.counts =
                          cli_allocate((size_t)sinew_model_nv(model), sizeof(cli_bound_count))};
}

void cli_bounds_destroy(cli_bounds *bounds) {
  free(bounds->counts);
}

void cli_bounds_count(const sinew_model *model, const sinew_solver *solver, const double *q,
                      int frame, cli_bounds *bounds) {
  bool held[CLI_BOUND_KINDS] = {false};
  for (int v = 0; v < sinew_model_nv(model); ++v) {
    sinew_bound_report report;
    cli_bound_count *count = &bounds->counts[v];
    sinew_expect_ok(sinew_solver_bound(solver, q, v, &report));
    held[report.bound] = true;
    ++count->held[report.bound];
    count->at_lower += report.bound == SINEW_BOUND_POSITION && report.side < 0;
    count->at_upper += report.bound == SINEW_BOUND_POSITION && report.side > 0;
    count->yielding += report.yielded > 0;
    if (report.yielded > count->worst) {
      count->worst = report.yielded;
      count->frame = frame;
    }
  }
  for (int b = 0; b < CLI_BOUND_KINDS; ++b)
    bounds->held[b] += held[b];
}

// ---- Reports ----

// A joint with its number and that of the first of its degrees of freedom.
static sinew_joint joint_at(const sinew_model *model, int j) {
  sinew_joint joint;
  sinew_expect_ok(sinew_model_joint(model, j, &joint));
  return joint;
}

static int joint_of(const sinew_model *model, int v) {
  int found = 0;
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    const sinew_joint joint = joint_at(model, j);
    if (joint.driver < 0 && joint.nv > 0 && joint.v_index <= v && v < joint.v_index + joint.nv)
      found = j;
  }
  return found;
}

static bool is_distance(const cli_figure *figure, int v) {
  const int j = joint_of(figure->model, v);
  return cli_figure_slides(figure, j, v - joint_at(figure->model, j).v_index);
}

static json_t *count_json(const cli_figure *figure, const cli_bound_count *count, int v) {
  json_t *object = json_object();
  const int j = joint_of(figure->model, v);
  const sinew_joint joint = joint_at(figure->model, j);
  cli_json_set(object, "joint", cli_json_text(figure->document->model.joints[j].name));
  if (joint.nv > 1)
    cli_json_set(object, "part", json_integer(v - joint.v_index));
  cli_json_set(object, "at_lower", json_integer(count->at_lower));
  cli_json_set(object, "at_upper", json_integer(count->at_upper));
  for (int b = SINEW_BOUND_SPEED; b < CLI_BOUND_KINDS; ++b)
    cli_json_set(object, sinew_bound_string((sinew_bound)b), json_integer(count->held[b]));
  cli_json_set(object, "yielding", json_integer(count->yielding));
  if (count->yielding > 0) {
    char unit[32];
    snprintf(unit, sizeof unit, "%s/s^2", is_distance(figure, v) ? figure->length_unit : "rad");
    cli_json_set(object, "worst", cli_json_number(count->worst));
    cli_json_set(object, "unit", json_string(unit));
    cli_json_set(object, "frame", json_integer(count->frame));
  }
  return object;
}

static bool is_held(const cli_bound_count *count) {
  int sum = count->yielding;
  for (int b = SINEW_BOUND_POSITION; b < CLI_BOUND_KINDS; ++b)
    sum += count->held[b];
  return sum > 0;
}

json_t *cli_bounds_json(const cli_figure *figure, const cli_bounds *bounds) {
  json_t *limits = json_array();
  for (int v = 0; v < sinew_model_nv(figure->model); ++v)
    if (is_held(&bounds->counts[v]))
      json_array_append_new(limits, count_json(figure, &bounds->counts[v], v));
  return limits;
}

static void print_joint(const cli_figure *figure, int v) {
  text_print(stderr, figure->document->model.joints[joint_of(figure->model, v)].name, 0);
}

// The largest of angles, or of distances, whose units differ.
static void print_yielded(const cli_figure *figure, const cli_bounds *bounds, bool slides) {
  int worst = -1;
  for (int v = 0; v < sinew_model_nv(figure->model); ++v)
    if (bounds->counts[v].worst > (worst < 0 ? 0 : bounds->counts[worst].worst) &&
        is_distance(figure, v) == slides)
      worst = v;
  if (worst < 0)
    return;
  fprintf(stderr, "limits of acceleration yielded by at most %.3g %s/s^2 (",
          bounds->counts[worst].worst, slides ? figure->length_unit : "rad");
  print_joint(figure, worst);
  const sinew_joint joint = joint_at(figure->model, joint_of(figure->model, worst));
  if (joint.nv > 1)
    fprintf(stderr, ", part %d", worst - joint.v_index);
  fprintf(stderr, ", frame %d)\n", bounds->counts[worst].frame);
}

void cli_bounds_print(const cli_figure *figure, const cli_bounds *bounds) {
  static const char *const names[CLI_BOUND_KINDS] = {[SINEW_BOUND_POSITION] = "limits of position",
                                                     [SINEW_BOUND_SPEED] = "limits of speed",
                                                     [SINEW_BOUND_BRAKING] = "braking",
                                                     [SINEW_BOUND_ACCELERATION] =
                                                         "limits of acceleration"};
  const int nv = sinew_model_nv(figure->model);
  for (int b = SINEW_BOUND_POSITION; b < CLI_BOUND_KINDS; ++b) {
    int most = 0;
    for (int v = 1; v < nv; ++v)
      most = bounds->counts[v].held[b] > bounds->counts[most].held[b] ? v : most;
    if (bounds->held[b] == 0)
      continue;
    fprintf(stderr, "updates in which %s held joints: %d, most often ", names[b], bounds->held[b]);
    print_joint(figure, most);
    fprintf(stderr, " (%d)\n", bounds->counts[most].held[b]);
  }
  print_yielded(figure, bounds, false);
  print_yielded(figure, bounds, true);
}
