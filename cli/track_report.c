// The report of sinew track: errors of the targets and the largest changes of joint values.
#include "track.h"

#include <stdio.h>

#include "json.h"
#include "experiments/text.h"

static double mean_of(const cli_score *errors) {
  return errors->count > 0 ? errors->sum / errors->count : 0;
}

static const char *name_of(const cli_tracking *work, const cli_peak *worst) {
  return work->targets->list->entries[worst->index].name;
}

static const char *joint_of(const cli_tracking *work, const cli_peak *most) {
  return work->figure->document->model.joints[most->index].name;
}

static void print_errors(const cli_tracking *work, const char *what, const char *unit,
                         const cli_score *errors) {
  if (errors->count > 0) {
    fprintf(stderr, "%s: mean %.3g %s, worst %.3g %s (", what, mean_of(errors), unit,
            errors->worst.value, unit);
    text_print(stderr, name_of(work, &errors->worst), 0);
    fprintf(stderr, ", frame %d)\n", errors->worst.frame);
  }
}

static void print_change(const cli_tracking *work, const char *what, const char *unit,
                         const cli_peak *most) {
  if (most->frame >= 0) {
    fprintf(stderr, "%s: %.3g %s (", what, most->value, unit);
    text_print(stderr, joint_of(work, most), 0);
    fprintf(stderr, ", frame %d)\n", most->frame);
  }
}

static void print_report(const cli_tracking *work) {
  const char *length = work->figure->length_unit;
  int frames = work->targets->frame_count, effectors = work->targets->list->entry_count;
  fprintf(stderr, "%d frame%s, %d effector%s", frames, frames == 1 ? "" : "s", effectors,
          effectors == 1 ? "" : "s");
  if (work->cuts > 0)
    fprintf(stderr, ", %d cut%s, the first at frame %d", work->cuts, work->cuts > 1 ? "s" : "",
            work->first_cut);
  fputc('\n', stderr);
  print_errors(work, "position error", length, &work->position);
  print_errors(work, "orientation error", "rad", &work->rotation);
  print_change(work, "largest change of an angle in a frame", "rad", &work->turn);
  print_change(work, "largest change of a distance in a frame", length, &work->slide);
  cli_bounds_print(work->figure, &work->bounds);
  cli_hard_counts_print(work->targets->list, work->solver, length, work->hard);
}

static void set_errors(json_t *object, const char *name, const cli_tracking *work,
                       const cli_score *errors) {
  if (errors->count == 0)
    return;
  json_t *part = json_object();
  cli_json_set(part, "mean", cli_json_number(mean_of(errors)));
  cli_json_set(part, "worst", cli_json_number(errors->worst.value));
  cli_json_set(part, "link", cli_json_text(name_of(work, &errors->worst)));
  cli_json_set(part, "frame", json_integer(errors->worst.frame));
  cli_json_set(object, name, part);
}

static void set_change(json_t *object, const char *name, const cli_tracking *work,
                       const cli_peak *most) {
  if (most->frame < 0)
    return;
  json_t *part = json_object();
  cli_json_set(part, "worst", cli_json_number(most->value));
  cli_json_set(part, "joint", cli_json_text(joint_of(work, most)));
  cli_json_set(part, "frame", json_integer(most->frame));
  cli_json_set(object, name, part);
}

static void print_json(const cli_tracking *work) {
  json_t *object = json_object();
  cli_json_set(object, "frames", json_integer(work->targets->frame_count));
  cli_json_set(object, "cuts", json_integer(work->cuts));
  set_errors(object, "position_error", work, &work->position);
  set_errors(object, "orientation_error", work, &work->rotation);
  set_change(object, "turn", work, &work->turn);
  set_change(object, "slide", work, &work->slide);
  cli_json_set(object, "limits", cli_bounds_json(work->figure, &work->bounds));
  if (sinew_solver_hard_row_count(work->solver) > 0)
    cli_json_set(object, "hard_rows",
                 cli_hard_counts_json(work->targets->list, work->solver, work->hard));
  cli_json_print(object);
}

void cli_track_report(const cli_tracking *work, bool as_json) {
  if (as_json)
    print_json(work);
  else
    print_report(work);
}
