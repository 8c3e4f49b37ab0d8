/// sinew.Task as the core's tasks.
#ifndef SINEW_PYTHON_TASK_H
#define SINEW_PYTHON_TASK_H

#include "model.h"

#include "sinew/task.h"

namespace sinew::python {

/// Reads a task: a link's name, or a sinew.Task.
/// @param kind of a link's name: from the shape of its targets
sinew_task read_task(const Model &model, nb::handle link, sinew_task_kind kind);

/// Whether link is one end effector: a str or a sinew.Task, not a sequence of them.
bool is_one_effector(nb::handle link);

/// The end effectors of a sequence. Throws TypeError where it is none, and ValueError where it is
/// empty.
nb::list read_effectors(nb::handle link);

/// The tasks of one end effector or of a sequence. A name alone means a pose.
std::vector<sinew_task> read_tasks(const Model &model, nb::handle link);

/// Appends what a task is, so that equal tasks append the same bytes.
void append_task(const sinew_task &task, std::string *key);

/// What sinew_solver_def.influences must be: different influences between 0 and 1. Of more than it
/// may be, the solver refuses the tasks.
int count_influences(const std::vector<sinew_task> &tasks);

/// The support polygon of contacts (n, 3): an array (edges, 6) of targets, and a dict of the fields
/// of sinew.Task that their tasks have.
nb::tuple support_polygon(nb::handle contacts, nb::handle up, double margin);

/// A dict from the attributes of sinew.Task to the members of sinew_task.
nb::dict describe_task();

} // namespace sinew::python

#endif
