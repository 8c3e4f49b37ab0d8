// The support polygon of contacts on one level plane, as tasks that keep the centre of mass above
// it: one half-space for each edge of the contacts' convex hull.
//
//   n_i . (c - p_i) >= margin,   n_i level, across the edge from the corner p_i, inward
//
// Sources: Jarvis, On the identification of the convex hull of a finite set of points in the plane,
// 1973. Bretl and Lall, Testing static equilibrium for legged robots, 2008: the polygon is right
// only for contacts on one level plane, and others are refused.
#include "base/error.h"
#include "math/vector.h"
#include "sinew/task.h"

// Heights that differ by less than this share of the contacts' extent are level.
#define LEVEL 1e-6

// The contacts and the axes of the level plane.
typedef struct ground {
  const double *contacts;
  int count;
  double u[3], v[3], up[3];
  double extent; // the largest distance of a contact from the first
} ground;

static void between(const ground *g, int from, int to, double out[2]) {
  double d[3];
  for (int i = 0; i < 3; ++i) {
    d[i] = g->contacts[3 * to + i] - g->contacts[3 * from + i];
  }
  out[0] = sinew_dot(d, g->u);
  out[1] = sinew_dot(d, g->v);
}

static double length_of(const double d[2]) {
  const double v[3] = {d[0], d[1], 0.0};
  return sinew_norm_safe(v);
}

static sinew_result check_contacts(ground *g, sinew_error *error) {
  for (int i = 0; i < 3 * g->count; ++i) {
    if (!sinew_is_usable(g->contacts[i])) {
      return sinew_error_set(error, SINEW_ERROR_NOT_FINITE, "contacts", "contact %d is not finite",
                             i / 3);
    }
  }
  g->extent = 0.0;
  for (int k = 1; k < g->count; ++k) {
    double d[2];
    between(g, 0, k, d);
    g->extent = sinew_max(g->extent, length_of(d));
  }
  for (int k = 1; k < g->count; ++k) {
    double height = 0.0;
    for (int i = 0; i < 3; ++i) {
      height += (g->contacts[3 * k + i] - g->contacts[i]) * g->up[i];
    }
    if (!(fabs(height) <= LEVEL * g->extent)) {
      return sinew_error_set(error, SINEW_ERROR_ARGUMENT, "contacts",
                             "contact %d is %g m higher than contact 0: a support polygon needs "
                             "contacts on one level plane",
                             k, height);
    }
  }
  return SINEW_OK;
}

// The corner after one, counterclockwise: all contacts are on the left of the edge to it. Of those
// on one line, the farthest.
static int next_corner(const ground *g, int corner) {
  int next = -1;
  double best[2] = {0.0, 0.0};
  for (int k = 0; k < g->count; ++k) {
    double d[2];
    between(g, corner, k, d);
    const double length = length_of(d), most = length_of(best);
    if (!(length > LEVEL * g->extent)) {
      continue; // the same contact
    }
    const double turn = best[0] * d[1] - best[1] * d[0];
    const double same = LEVEL * length * most;
    if (next < 0 || turn < -same || (turn <= same && length > most)) {
      next = k;
      best[0] = d[0];
      best[1] = d[1];
    }
  }
  return next;
}

// The first corner: the lowest along v, of those the first along u.
static int first_corner(const ground *g) {
  int first = 0;
  for (int k = 1; k < g->count; ++k) {
    double d[2];
    between(g, first, k, d);
    const double same = LEVEL * g->extent;
    first = d[1] < -same || (d[1] <= same && d[0] < -same) ? k : first;
  }
  return first;
}

static void set_edge(const ground *g, int corner, int next, double margin, sinew_task *task,
                     sinew_target *target) {
  double d[2];
  between(g, corner, next, d);
  const double length = length_of(d);
  task->kind = SINEW_TASK_PLANE;
  task->center_of_mass = true;
  task->range_lower[0] = margin;
  task->range_upper[0] = INFINITY;
  *target = sinew_default_target();
  for (int i = 0; i < 3; ++i) {
    target->position[i] = g->contacts[3 * corner + i];
    target->direction[i] = (d[0] * g->v[i] - d[1] * g->u[i]) / length;
  }
}

// Whether a place has all edges at a margin. Those that have are a convex polygon, on whose border
// is a part of some edge's line, moved inward: the points from low to high along it,
//
//   a = p_i + margin n_i + t d_i,   n_j . (a - p_j) >= margin for all j
static bool leaves_some(const ground *g, const sinew_target *edges, int count, double margin) {
  bool some = false;
  for (int i = 0; i < count && !some; ++i) {
    double along[3], low = -INFINITY, high = INFINITY;
    sinew_cross(edges[i].direction, g->up, along);
    for (int j = 0; j < count; ++j) {
      double from[3];
      sinew_subtract(edges[i].position, edges[j].position, from);
      const double slope = sinew_dot(along, edges[j].direction);
      const double left = margin - sinew_dot(from, edges[j].direction) -
                          margin * sinew_dot(edges[i].direction, edges[j].direction);
      if (fabs(slope) > LEVEL) {
        low = slope > 0.0 ? sinew_max(low, left / slope) : low;
        high = slope < 0.0 ? sinew_min(high, left / slope) : high;
      } else if (left > LEVEL * g->extent) { // parallel, and on the wrong side
        low = INFINITY;
      }
    }
    some = low <= high + LEVEL * g->extent;
  }
  return some;
}

// The largest margin that leaves a place: the radius of the largest circle within the edges.
static double largest_margin(const ground *g, const sinew_target *edges, int count) {
  double low = 0.0, high = g->extent;
  for (int round = 0; round < 40; ++round) {
    const double middle = 0.5 * (low + high);
    const bool some = leaves_some(g, edges, count, middle);
    low = some ? middle : low;
    high = some ? high : middle;
  }
  return low;
}

// Whether two contacts count as one.
static bool is_same(const ground *g, int a, int b) {
  double d[2];
  between(g, a, b, d);
  return length_of(d) <= LEVEL * g->extent;
}

sinew_result sinew_support_polygon(const sinew_support_def *def, sinew_task *tasks,
                                   sinew_target *targets, int *edges, sinew_error *error) {
  if (edges != NULL) {
    *edges = 0;
  }
  if (def == NULL || tasks == NULL || targets == NULL || edges == NULL || def->contacts == NULL) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "an argument is NULL");
  }
  if (!sinew_is_usable3(def->up) || !(sinew_norm_safe(def->up) > 1e-100)) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, "up", "up is zero or not finite");
  }
  if (!(def->margin >= 0.0 && def->margin <= SINEW_HUGE)) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, "margin", "%g is not >= 0", def->margin);
  }
  ground g = {.contacts = def->contacts, .count = def->count};
  sinew_unit(def->up, g.up);
  sinew_basis_perpendicular(g.up, g.u, g.v);
  sinew_cross(g.up, g.u, g.v); // counterclockwise about up
  const sinew_result result = check_contacts(&g, error);
  if (result != SINEW_OK) {
    return result;
  }
  int corners = 0;
  const int first = def->count > 0 ? first_corner(&g) : 0;
  for (int at = first, next; corners < def->count; at = next, ++corners) {
    next = next_corner(&g, at);
    if (next < 0 || (corners > 0 && is_same(&g, at, first))) {
      break;
    }
    tasks[corners] = def->task;
    set_edge(&g, at, next, def->margin, &tasks[corners], &targets[corners]);
  }
  if (corners < 3) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, "contacts",
                           "%d contacts have %d corners: a support polygon needs three", def->count,
                           corners);
  }
  if (!leaves_some(&g, targets, corners, def->margin)) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, "margin",
                           "a margin of %g m leaves nothing of the support polygon: at most %.3g m "
                           "does",
                           def->margin, largest_margin(&g, targets, corners));
  }
  *edges = corners;
  return SINEW_OK;
}
