// The components of a problem: the connected parts of the graph of its tasks and columns, with an
// edge where a column's degree of freedom moves the link of a task, against its frame. A joint
// above a task's chain root has no entry in its rows, but moves its link too. So the errors of a
// component's tasks depend on the values of its columns alone.
#include "kinematics/jacobian.h"
#include "problem/problem.h"

// Union-find over columns: parent[c] <= c, and parent[c] == c for the first column of a set.
static int first_of(int *parent, int column) {
  while (parent[column] != column) {
    parent[column] = parent[parent[column]];
    column = parent[column];
  }
  return column;
}

static int unite(int *parent, int a, int b) {
  const int x = first_of(parent, a), y = first_of(parent, b);
  parent[x > y ? x : y] = x > y ? y : x;
  return x > y ? y : x;
}

// Unites all columns that move a task's link. Returns one of them, or -1.
static int unite_columns(const sinew_problem *problem, int t, int *parent) {
  const sinew_model *model = problem->model;
  int column = -1;
  sinew_task_path path = sinew_task_path_of(&problem->tasks[t], model);
  for (; !sinew_task_path_ends(&path); sinew_task_path_next(&path)) {
    const sinew_node *node = &model->nodes[path.node];
    for (int i = 0; i < sinew_node_columns(node); ++i) {
      const int other = problem->column_of_dof[node->v + i];
      if (other >= 0) {
        column = column < 0 ? first_of(parent, other) : unite(parent, column, other);
      }
    }
  }
  return column;
}

// Numbers the sets: parent[c] becomes the component of column c. Returns how many there are.
static int number_sets(int columns, int *parent) {
  int count = 0;
  for (int c = 0; c < columns; ++c) { // the parent of a column has been numbered, as ~number
    parent[c] = parent[c] == c ? ~count++ : parent[parent[c]];
  }
  for (int c = 0; c < columns; ++c) {
    parent[c] = ~parent[c];
  }
  return count;
}

void sinew_problem_find_components(sinew_problem *problem) {
  const int columns = problem->pattern.dof_count;
  int *of_column = problem->component_of_column, *of_task = problem->component_of_task;
  int *start = problem->component_start, moved = 0;
  for (int c = 0; c < columns; ++c) {
    of_column[c] = c;
  }
  for (int t = 0; t < problem->count; ++t) {
    of_task[t] = problem->tasks[t].row_count > 0 ? unite_columns(problem, t, of_column) : -1;
  }
  problem->component_count = number_sets(columns, of_column);
  for (int k = 0; k <= problem->component_count; ++k) {
    start[k] = 0;
  }
  for (int t = 0; t < problem->count; ++t) {
    of_task[t] = of_task[t] >= 0 ? of_column[of_task[t]] : -1;
    moved += of_task[t] >= 0;
    start[of_task[t] >= 0 ? of_task[t] : problem->component_count] += of_task[t] >= 0;
  }
  for (int k = 0; k < problem->component_count; ++k) {
    start[k + 1] += start[k]; // where component k ends
  }
  start[problem->component_count] = moved;
  for (int t = problem->count; t-- > 0;) { // from the last, so that start ends where each begins
    if (of_task[t] >= 0) {
      problem->component_tasks[--start[of_task[t]]] = t;
    }
  }
  problem->separable = problem->component_count > 1 || (moved > 0 && moved < problem->counted);
}

int sinew_problem_most_components(const sinew_model *model, int capacity) {
  int most = 0;
  // In a tree's order, parents first, the next of a node is no child of it where it is a leaf.
  for (int n = 0; n < model->node_count; ++n) {
    most += n + 1 == model->node_count || model->nodes[n + 1].parent != n;
  }
  return most < capacity ? most : capacity;
}
