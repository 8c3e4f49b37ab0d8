// The built-in figures and their moving targets.
#include "module.h"

// NULL past the last.
EXPORT(scene_name_at) const char *web_scene_name_at(int index) {
  return sinew_scene_name(index);
}

// NULL: there is no such scene, or no memory.
EXPORT(scene_create) sinew_scene *web_scene_create(const char *name) {
  return sinew_scene_create(name);
}

EXPORT(scene_destroy) void web_scene_destroy(sinew_scene *scene) {
  sinew_scene_destroy(scene);
}

EXPORT(scene_title) const char *web_scene_title(const sinew_scene *scene) {
  return scene->title;
}

EXPORT(scene_model) const sinew_model_def *web_scene_model(const sinew_scene *scene) {
  return &scene->model;
}

EXPORT(scene_time_step) double web_scene_time_step(const sinew_scene *scene) {
  return scene->time_step;
}

EXPORT(scene_task_count) int web_scene_task_count(const sinew_scene *scene) {
  return scene->task_count;
}

EXPORT(scene_task) void web_scene_task(const sinew_scene *scene, int i, double *row) {
  web_task_row(&scene->tasks[i], row);
}

// The targets at a time, as rows of numbers, task by task; at most WEB_TARGET_VALUES a task.
EXPORT(scene_targets)
void web_scene_targets(const sinew_scene *scene, sinew_state *state, double time, double *rows) {
  sinew_target targets[16];
  for (int i = 0; i < 16; ++i)
    targets[i] = sinew_default_target();
  if (scene->task_count > 16)
    return;
  sinew_scene_targets(scene, state, time, targets);
  for (int i = 0; i < scene->task_count; ++i) {
    sinew_target_pack(&scene->tasks[i], &targets[i], rows);
    rows += sinew_task_target_size(&scene->tasks[i]);
  }
}
