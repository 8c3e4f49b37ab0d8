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

static bool entry_is_required(const cli_task_list *list, int e) {
  return cli_task_is_required(&list->tasks[list->entries[e].first]);
}

// Whether some tasks are not required, so that errors say which tasks they are of.
static bool has_soft_tasks(const cli_task_list *list) {
  bool some = false;
  for (int e = 0; e < list->entry_count; ++e)
    some = some || !entry_is_required(list, e);
  return some;
}

static void print_errors(const cli_tracking *work, const char *what, const char *unit,
                         const cli_score *errors) {
  if (errors->count > 0) {
    fprintf(stderr, "%s%s: mean %.3g %s, worst %.3g %s (", what,
            has_soft_tasks(work->targets->list) ? " of required tasks" : "", mean_of(errors), unit,
            errors->worst.value, unit);
    text_print(stderr, name_of(work, &errors->worst), 0);
    fprintf(stderr, ", frame %d)\n", errors->worst.frame);
  }
}

// One of the parts of a line: " position error mean 1 m, worst 2 m (frame 3)".
// @param parts how many there were before; counted
static void print_part(const char *what, const char *unit, const char *worst,
                       const cli_score *score, int *parts) {
  if (score->count > 0)
    fprintf(stderr, "%s%s mean %.3g%s%s, %s %.3g%s%s (frame %d)", (*parts)++ > 0 ? ";" : "", what,
            mean_of(score), unit[0] != '\0' ? " " : "", unit, worst, score->worst.value,
            unit[0] != '\0' ? " " : "", unit, score->worst.frame);
}

static void print_soft_tasks(const cli_tracking *work) {
  const cli_task_list *list = work->targets->list;
  for (int e = 0; e < list->entry_count; ++e) {
    const cli_entry_score *score = &work->entries[e];
    int parts = 0;
    if (entry_is_required(list, e) || score->position.count + score->rotation.count == 0)
      continue;
    fputs("not required: ", stderr);
    text_print(stderr, list->entries[e].name, 0);
    fprintf(stderr, ", level %d:", list->tasks[list->entries[e].first].level);
    print_part(" position error", work->figure->length_unit, "worst", &score->position, &parts);
    print_part(" orientation error", "rad", "worst", &score->rotation, &parts);
    fputc('\n', stderr);
  }
}

static void print_objectives(const cli_tracking *work) {
  const cli_task_list *list = work->targets->list;
  for (int i = 0; i < list->objective_count; ++i) {
    const cli_objective_score *score = &work->objectives[i];
    const sinew_objective *objective = &list->objectives[i];
    const bool more_is_better = objective->kind == SINEW_OBJECTIVE_MANIPULABILITY;
    int parts = 0;
    if (score->angle.count + score->distance.count + score->value.count == 0)
      continue;
    fprintf(stderr, "objective %s, level %d:", sinew_objective_kind_name(objective->kind),
            objective->level);
    print_part(" remaining angle", "rad", "worst", &score->angle, &parts);
    print_part(" remaining distance", work->figure->length_unit, "worst", &score->distance, &parts);
    print_part(more_is_better ? "" : " remaining difference", "",
               more_is_better ? "least" : "worst", &score->value, &parts);
    fputc('\n', stderr);
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
  print_soft_tasks(work);
  print_objectives(work);
  print_change(work, "largest change of an angle in a frame", "rad", &work->turn);
  print_change(work, "largest change of a distance in a frame", length, &work->slide);
  cli_bounds_print(work->figure, &work->bounds);
  cli_hard_counts_print(work->targets->list, work->solver, length, work->hard);
}

// @param link the name of what has the worst error; NULL: the object has it
static void set_score(json_t *object, const char *name, const char *link, const cli_score *score) {
  if (score->count == 0)
    return;
  json_t *part = json_object();
  cli_json_set(part, "mean", cli_json_number(mean_of(score)));
  cli_json_set(part, "worst", cli_json_number(score->worst.value));
  if (link)
    cli_json_set(part, "link", cli_json_text(link));
  cli_json_set(part, "frame", json_integer(score->worst.frame));
  cli_json_set(object, name, part);
}

static void set_errors(json_t *object, const char *name, const cli_tracking *work,
                       const cli_score *errors) {
  if (errors->count > 0)
    set_score(object, name, name_of(work, &errors->worst), errors);
}

static json_t *tasks_json(const cli_tracking *work) {
  const cli_task_list *list = work->targets->list;
  json_t *tasks = json_array();
  for (int e = 0; e < list->entry_count; ++e) {
    json_t *object = json_object();
    cli_json_set(object, "name", cli_json_text(list->entries[e].name));
    cli_json_set(object, "level", json_integer(list->tasks[list->entries[e].first].level));
    cli_json_set(object, "required", json_boolean(entry_is_required(list, e)));
    set_score(object, "position_error", NULL, &work->entries[e].position);
    set_score(object, "orientation_error", NULL, &work->entries[e].rotation);
    json_array_append_new(tasks, object);
  }
  return tasks;
}

static json_t *objectives_json(const cli_tracking *work) {
  const cli_task_list *list = work->targets->list;
  json_t *objectives = json_array();
  for (int i = 0; i < list->objective_count; ++i) {
    const cli_objective_score *score = &work->objectives[i];
    json_t *object = json_object();
    cli_json_set(object, "kind", json_string(sinew_objective_kind_name(list->objectives[i].kind)));
    cli_json_set(object, "level", json_integer(list->objectives[i].level));
    set_score(object, "angle", NULL, &score->angle);
    set_score(object, "distance", NULL, &score->distance);
    set_score(object, "value", NULL, &score->value);
    json_array_append_new(objectives, object);
  }
  return objectives;
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
  cli_json_set(object, "tasks", tasks_json(work));
  if (work->targets->list->objective_count > 0)
    cli_json_set(object, "objectives", objectives_json(work));
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
