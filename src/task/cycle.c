// Frames of tasks that are relative to each other in a cycle: one hand given relative to the other,
// and that relative to the first. Such tasks say twice, or against each other, how two links are
// placed, and place neither.
//
// A search in depth along the edges from a task's link to its frame. A link may have several tasks,
// so that a task's successors are all tasks of its frame link. Each task is entered once:
// O(count^2).
// Source: Tarjan, Depth-first search and linear graph algorithms, 1972.
#include "base/error.h"
#include "model/model.h"
#include "task/task.h"

enum { NEW = 0, OPEN, CLOSED };

static bool is_relative(const sinew_task *task, const sinew_model *model) {
  return task->frame_link >= 0 && task->frame_link != model->root && !task->center_of_mass;
}

// A task that is relative, of the link, and not closed; -1: none.
static int next_task(const sinew_task *tasks, int count, const sinew_model *model, int link,
                     const unsigned char *state) {
  for (int t = 0; t < count; ++t) {
    if (tasks[t].link == link && state[t] != CLOSED && is_relative(&tasks[t], model)) {
      return t;
    }
  }
  return -1;
}

static sinew_result refuse(const sinew_task *tasks, int task, const sinew_model *model,
                           sinew_error *error) {
  const char *link = sinew_model_link_name(model, tasks[task].link);
  return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL,
                         "task %d: frame_link: '%s' is relative to '%s', and that again to '%s', "
                         "in a cycle",
                         task, link, sinew_model_link_name(model, tasks[task].frame_link), link);
}

sinew_result sinew_task_check_frames(const sinew_task *tasks, int count, const sinew_model *model,
                                     sinew_error *error) {
  unsigned char state[SINEW_MOST_TASKS] = {NEW};
  short path[SINEW_MOST_TASKS];
  if (count > SINEW_MOST_TASKS) {
    return SINEW_OK; // more than a solver takes: refused there
  }
  for (int t = 0; t < count; ++t) {
    int length = 0;
    if (state[t] == NEW && is_relative(&tasks[t], model)) {
      state[t] = OPEN;
      path[length++] = (short)t;
    }
    while (length > 0) {
      const int at = path[length - 1];
      const int next = next_task(tasks, count, model, tasks[at].frame_link, state);
      if (next >= 0 && state[next] == OPEN) {
        return refuse(tasks, at, model, error);
      }
      if (next >= 0) {
        state[next] = OPEN;
        path[length++] = (short)next;
      } else {
        state[at] = CLOSED;
        --length;
      }
    }
  }
  return SINEW_OK;
}
