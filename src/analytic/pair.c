// Six axes of which 2 and 3 are parallel, and 4 and 5 meet in a point C. See branches.h.
//
// With g the angle of joint 6, x = p - P_0 - R P_6 - R R_6^T P_5 is C from axis 1, and
// y = R R_6^T h_5 the direction of axis 5; both are linear in the cosine and sine of g. With n =
// h_2
//
//   n . R_1^T x = n . (P_1 + P_2 + P_3) = d                                                    (1)
//
// is an equation a c_1 + b s_1 = d for joint 1, a and b linear in those of g: a curve of g and
// joint 1, with both joints where D = a^2 + b^2 - d^2 >= 0. In the plane across n, as complex
// numbers,
//
//   w = R_1^T x - P_1 = e^(i q_2) (P_2 + e^(i q_3) P_3),    L = |w|^2,
//
// so that with K = P_2* P_3, K e^(i q_3) = m +- i sqrt(E), m = (L - |P_2|^2 - |P_3|^2) / 2,
// E = |K|^2 - m^2. What joints 1 to 3 and 6 leave to joints 4 and 5 exists if
// f = h_4 . R_3^T R_2^T R_1^T y - h_4 . h_5 = 0; and
//
//   e^(-i (q_2 + q_3)) = w* P_3 (1 + (m -+ i sqrt(E)) / |P_3|^2) / L,
//   f L = A +- B sqrt(E),    T = h_4* P_3 y w*,    B = Im T / |P_3|^2,
//   A = (h_4n y_n - h_4 . h_5) L + Re T (1 + m / |P_3|^2),
//   N = A^2 - B^2 E
//
// is a real function of the curve (1) without poles or ends: of an arc between two zeros of D the
// curve is a loop, g = middle + half cos(t), on which sqrt(D) changes its sign smoothly; where D
// has no zero there are two. N is evaluated on a grid. Solutions are where its sign changes, and
// perhaps where it has a minimum that touches 0.
#define SINEW_CALLS
#define SINEW_LANES 4
#define SINEW_LANE_FUSED 0
#include "analytic/branches.h"
#include "analytic/pair_curve.h"

// Values of t on an arc, and of g on a circle: N has harmonics of g up to about the 12th.
#define GRID 128
// Where E changes its sign or joint 1 turns far, each distance of the grid is divided by so many;
// where it turns by more than the angle with this cosine, again, and so where E may change it
// twice.
#define FINER 16
#define FAR_TURN 0.95
#define DEEPEST 6
#define DEEPEST_DIP 2
#define TURN (2.0 * SINEW_PI)
#define NEWTON_STEPS 8
#define EXACT 1e-10
// A function with so many zeros is 0 everywhere: a continuum.
#define MOST_TRIES 64
// Solutions whose angles' chords are nearer than this are one.
#define DISTINCT 1e-5
// A minimum is searched for if the nearer of two values is below this share of the second
// difference around them (a parabola is below it by an eighth at most); and starts Newton's method
// if the function is there below this share of it, or below its rounding errors, which are so many
// times epsilon of its terms.
#define NEAR_MINIMUM 0.25
#define TOUCHES 1e-6
#define ROUNDING 100.0
#define MINIMUM_STEPS 12
// A zero is known to this share of the grid's distance; Newton's method does the rest.
#define SHORT 1e-7
#define BRACKET_STEPS 16
// Both elbows are tried where their f differ by less than this share.
#define STRAIGHT 1e-3

// ------------------------------------------------------------------- solutions

typedef struct search {
  const sinew_arm_work *w;
  curve curve;
  const double *R, *p; // the target in own's direction
  sinew_arm_solution *out;
  int count, tries;
} search;

// Joints 4 and 5 for the others, then Newton's method; keeps a solution that is not known.
static void try_angles(search *s, sinew_angle *a) {
  if (++s->tries > MOST_TRIES) {
    return;
  }
  const sinew_arm_plan *plan = s->w->plan;
  const sinew_arm *arm = s->w->arm;
  double v[3], z[3], left[3], *const ends[2] = {v, z};
  memcpy(v, arm->h[4], sizeof v);
  memcpy(z, plan->y, sizeof z);
  for (int e = 0; e < 2; ++e) {
    sinew_rotate_about(arm->h[5], sinew_angle_back(a[5]), ends[e], ends[e]);
    sinew_rotate(s->w->R, ends[e], ends[e]);
    for (int i = 0; i < 3; ++i) {
      sinew_rotate_about(arm->h[i], sinew_angle_back(a[i]), ends[e], ends[e]);
    }
  }
  sinew_subproblem1(arm->h[3], arm->h[4], v, s->w->preferred[3], &a[3]);
  sinew_rotate_about(arm->h[3], sinew_angle_back(a[3]), z, left);
  a[4] = sinew_angle_between(arm->h[4], plan->y, left);
  sinew_arm_solution found = {.branch = (unsigned)s->count};
  for (int i = 0; i < 6; ++i) {
    found.a[sinew_arm_own_index(plan, i)] = plan->opposite[i] ? sinew_angle_back(a[i]) : a[i];
  }
  found.error = sinew_arm_refine(&plan->own, plan->size, s->R, s->p, NEWTON_STEPS, found.a);
  bool known = !(found.error <= EXACT) || s->count == SINEW_ARM_SOLUTIONS;
  for (int i = 0; i < s->count && !known; ++i) {
    double far = 0.0;
    for (int j = 0; j < 6; ++j) {
      far = sinew_max(far, fabs(found.a[j].c - s->out[i].a[j].c));
      far = sinew_max(far, fabs(found.a[j].s - s->out[i].a[j].s));
    }
    known = far < DISTINCT;
  }
  if (!known) {
    s->out[s->count++] = found;
  }
}

// A function of the curve whose zeros are solutions.
typedef enum function {
  BOTH,  // N
  PLUS,  // A + B sqrt(E): the elbow of K e^(i q_3) = m + i sqrt(E)
  MINUS, // A - B sqrt(E)
  FUNCTIONS
} function;

// Its values at four points.
LANE lane value_of(const points *at, function which) {
  const lane root = at->B * lane_sqrt(lane_max(at->E, lane_of(0.0)));
  return which == BOTH ? at->N : which == PLUS ? at->A + root : at->A - root;
}

// One elbow at the first of four points.
static void try_elbow(search *s, const points *at, double sign) {
  const curve *c = &s->curve;
  const double root = sign * sqrt(sinew_max(at->E[0], 0.0)), m = at->m[0];
  const double w[2] = {at->w[0][0], at->w[1][0]};
  sinew_angle a[6];
  // e^(i q_3) = (m + i root) / K, e^(i q_2) = w / (P_2 + e^(i q_3) P_3)
  const double re = m * c->K[0] + root * c->K[1], im = root * c->K[0] - m * c->K[1];
  const double length = sqrt(re * re + im * im);
  a[2] = (sinew_angle){re / length, im / length};
  const double u[2] = {c->P2[0] + a[2].c * c->P3[0] - a[2].s * c->P3[1],
                       c->P2[1] + a[2].c * c->P3[1] + a[2].s * c->P3[0]};
  const double x = w[0] * u[0] + w[1] * u[1], y = w[1] * u[0] - w[0] * u[1];
  const double both = sqrt(x * x + y * y);
  if (length > 0.0 && both > 0.0) {
    a[1] = (sinew_angle){x / both, y / both};
    a[0] = (sinew_angle){at->c1[0], at->s1[0]};
    a[5] = (sinew_angle){at->cg[0], at->sg[0]};
    try_angles(s, a);
  }
}

// The elbow whose function is 0 at the first of four points; of N both, if they are alike.
static void try_point(search *s, const points *at, function which) {
  const double plus = fabs(value_of(at, PLUS)[0]), minus = fabs(value_of(at, MINUS)[0]);
  const double alike = STRAIGHT * s->curve.PP;
  if (which == PLUS || (which == BOTH && plus - minus <= alike)) {
    try_elbow(s, at, 1.0);
  }
  if (which == MINUS || (which == BOTH && minus - plus <= alike)) {
    try_elbow(s, at, -1.0);
  }
}

// ------------------------------------------------------------------ one loop

// A function with different signs at two values of t.
typedef struct bracket {
  function which;
  double t[2], f[2];
} bracket;

// The zero in a bracket, by four points at a time: close around the secant's zero as long as that
// shortens the bracket, else evenly spaced.
static void try_between(search *s, const closed_loop *loop, bracket b) {
  static const double around[4] = {-1.0, -0.1, 0.1, 1.0};
  const double least = SHORT * (b.t[1] - b.t[0]);
  double near = 0.0;
  points at;
  for (int step = 0; step < BRACKET_STEPS && b.t[1] - b.t[0] > least; ++step) {
    double t[4], f[4];
    const double width = b.t[1] - b.t[0], root = b.t[0] + width * b.f[0] / (b.f[0] - b.f[1]);
    for (int i = 0; i < 4; ++i) {
      t[i] = near > 0.0 ? root + near * width * around[i] : b.t[0] + width * (i + 1) / 5.0;
      t[i] = sinew_clamp(t[i], b.t[0], b.t[1]);
    }
    find_points(&s->curve, loop, lane_load(t), &at, NULL);
    lane_store(f, value_of(&at, b.which));
    for (int i = 0; i < 4; ++i) { // the first change of sign
      const int end = f[i] * b.f[0] > 0.0 ? 0 : 1;
      b.t[end] = t[i];
      b.f[end] = f[i];
      if (end == 1) {
        break;
      }
    }
    const bool shorter = b.t[1] - b.t[0] <= 0.21 * width;
    near = !shorter ? 0.0 : near > 0.0 ? 0.05 * near : 0.02;
  }
  const double by = b.f[0] != b.f[1] ? b.f[0] / (b.f[0] - b.f[1]) : 0.5;
  find_points(&s->curve, loop, lane_of(b.t[0] + (b.t[1] - b.t[0]) * by), &at, NULL);
  try_point(s, &at, b.which);
}

// How far from 0 rounding errors may leave a function at the first of four points. Joint 1 is known
// to epsilon / sqrt(D / (a^2 + b^2)), which is large everywhere on a short arc, and at an arc's end
// to the root of epsilon.
static double precision_of(const curve *c, const points *at, function which) {
  const double a = at_angle(&c->x[0].cosine, at->cg, at->sg)[0];
  const double b = at_angle(&c->x[0].sine, at->cg, at->sg)[0];
  const double sine = fabs(a * at->s1[0] - b * at->c1[0]) / sqrt(sinew_max(a * a + b * b, DBL_MIN));
  const double scale = which == BOTH ? c->PP * c->PP : c->PP; // N is a product of two functions
  return ROUNDING * DBL_EPSILON * scale / sinew_max(sine, sqrt(DBL_EPSILON));
}

// A minimum of the function's absolute value within a bracket whose ends have one sign: two zeros
// if it has the other sign somewhere between, one perhaps if it touches 0. second: its second
// difference.
static void try_minimum(search *s, const closed_loop *loop, bracket b, double second) {
  double ends[2] = {b.t[0], b.t[1]}, t[4], f[4];
  points at;
  int least = 0;
  for (int step = 0; step < MINIMUM_STEPS; ++step) {
    least = 0;
    for (int i = 0; i < 4; ++i) {
      t[i] = ends[0] + (ends[1] - ends[0]) * (i + 1) / 5.0;
    }
    find_points(&s->curve, loop, lane_load(t), &at, NULL);
    lane_store(f, value_of(&at, b.which));
    for (int i = 0; i < 4; ++i) {
      least = fabs(f[i]) < fabs(f[least]) ? i : least;
      if (f[i] * b.f[0] <= 0.0) {
        try_between(s, loop, (bracket){b.which, {b.t[0], t[i]}, {b.f[0], f[i]}});
        try_between(s, loop, (bracket){b.which, {t[i], b.t[1]}, {f[i], b.f[1]}});
        return;
      }
    }
    if (step >= 2 && fabs(f[least]) > 0.05 * second) {
      return;
    }
    ends[0] = least > 0 ? t[least - 1] : ends[0];
    ends[1] = least < 3 ? t[least + 1] : ends[1];
  }
  find_points(&s->curve, loop, lane_of(t[least]), &at, NULL);
  if (fabs(f[least]) <= TOUCHES * second + precision_of(&s->curve, &at, b.which)) {
    try_point(s, &at, b.which);
  }
}

// The functions at values of t, in their order, and joint 1.
typedef struct samples {
  double *t, *E, *f[FUNCTIONS], *c1, *s1;
} samples;

#define COLUMNS (4 + FUNCTIONS)

// Four places in a row.
typedef struct places {
  int before, i, after, then;
} places;

// The larger of the second differences before and after value i, as far as they are known, by which
// a function that has one sign at i and at the next may have the other between; 0: it cannot.
static double bend_to_zero(const double *f, places at, bool before, bool then) {
  const double now = f[at.i], next = f[at.after];
  double second = 0.0;
  if (before) {
    const double bend = f[at.before] - 2.0 * now + next;
    second = bend * now > 0.0 ? fabs(bend) : 0.0;
  }
  if (then) {
    const double bend = now - 2.0 * next + f[at.then];
    second = bend * now > 0.0 ? sinew_max(second, fabs(bend)) : second;
  }
  return sinew_min(fabs(now), fabs(next)) <= NEAR_MINIMUM * second ? second : 0.0;
}

// The functions between value i and the next. Where both have one sign, there may be two zeros.
static void search_at(search *s, const closed_loop *loop, const samples *v, places at,
                      double step) {
  const double t = v->t[at.i];
  const bool real = v->E[at.i] > 0.0 && v->E[at.after] > 0.0;
  const bool before = v->E[at.before] > 0.0, then = v->E[at.then] > 0.0;
  // Beside the place where an elbow begins its function bends as a root does: N does not.
  const int last = real ? FUNCTIONS : PLUS;
  for (int k = real && before && then ? PLUS : BOTH; k < last; ++k) {
    const bool smooth = k == BOTH;
    const double *f = v->f[k], now = f[at.i], next = f[at.after];
    const bracket b = {(function)k, {t, t + step}, {now, next}};
    if (now * next <= 0.0) {
      if (now != 0.0 && !(real && smooth)) {
        try_between(s, loop, b);
      }
      continue;
    }
    const double second = bend_to_zero(f, at, smooth || before, smooth || then);
    if (second > 0.0) {
      try_minimum(s, loop, b, second);
    }
  }
}

// Values i to i + 3; if back is true, in reverse order to those from i down.
LANE void store_points(const points *at, bool back, int i, const samples *v) {
  const int to = back ? i - 3 : i;
  for (int k = 0; k < FUNCTIONS; ++k) {
    lane f = value_of(at, (function)k);
    f = back ? (lane){f[3], f[2], f[1], f[0]} : f;
    lane_store(v->f[k] + to, f);
  }
  const lane other[3] = {at->E, at->c1, at->s1};
  double *const columns[3] = {v->E, v->c1, v->s1};
  for (int k = 0; k < 3; ++k) {
    const lane u = other[k];
    lane_store(columns[k] + to, back ? (lane){u[3], u[2], u[1], u[0]} : u);
  }
}

static samples samples_of(double *values, int count, int first) {
  double *v = values + first;
  return (samples){
      v, v + count, {v + 2 * count, v + 3 * count, v + 4 * count}, v + 5 * count, v + 6 * count};
}

// Whether joint 1 turns far between two places: C passes near its axis.
static bool turns(const samples *v, int i, int k) {
  return v->c1[i] * v->c1[k] + v->s1[i] * v->s1[k] < FAR_TURN;
}

static void search_finer(search *s, const closed_loop *loop, double t, double step, int depth);

// Between two places, on a finer grid where it must be: where joint 1 turns far; once, where E
// changes its sign, so that the functions of one elbow begin or end, perhaps soon after a zero; and
// where E may change it twice.
static void search_cell(search *s, const closed_loop *loop, const samples *v, places at,
                        double step, int depth) {
  const bool real = v->E[at.i] > 0.0, next = v->E[at.after] > 0.0;
  const bool begins =
      real != next || real != (v->E[at.before] > 0.0) || next != (v->E[at.then] > 0.0);
  const bool far =
      turns(v, at.i, at.after) || turns(v, at.before, at.i) || turns(v, at.after, at.then);
  const bool dips = real == next && bend_to_zero(v->E, at, true, true) > 0.0;
  if ((begins && depth == 0) || (dips && depth < DEEPEST_DIP) || (far && depth < DEEPEST)) {
    search_finer(s, loop, v->t[at.i], step, depth + 1);
  } else {
    search_at(s, loop, v, at, step);
  }
}

// Between t and t + step on a finer grid.
static void search_finer(search *s, const closed_loop *loop, double t, double step, int depth) {
  enum { COUNT = FINER + 4 };
  double values[COLUMNS * COUNT];
  const samples v = samples_of(values, COUNT, 0);
  points at;
  for (int i = 0; i < COUNT; i += 4) {
    for (int k = i; k < i + 4; ++k) {
      v.t[k] = t + (k - 1) * step / FINER;
    }
    find_points(&s->curve, loop, lane_load(v.t + i), &at, NULL);
    store_points(&at, false, i, &v);
  }
  for (int i = 1; i <= FINER; ++i) {
    search_cell(s, loop, &v, (places){i - 1, i, i + 1, i + 2}, step / FINER, depth);
  }
}

// The values of a closed loop.
static void search_loop(search *s, const closed_loop *loop, const samples *v, int count,
                        double step) {
  for (int i = 0; i < count; ++i) {
    const places at = {(i + count - 1) % count, i, (i + 1) % count, (i + 2) % count};
    search_cell(s, loop, v, at, step, 0);
  }
}

// An arc, as one loop, or the circle, as two.
static void search_arc(search *s, const closed_loop *arc) {
  double values[COLUMNS * 2 * GRID];
  const samples v = samples_of(values, 2 * GRID, 0);
  points at, other;
  const double step = arc->arc ? SINEW_PI / GRID : TURN / GRID;
  for (int i = 0; i < GRID; i += 4) {
    for (int k = i; k < i + 4; ++k) {
      v.t[k] = (k + 0.5) * step;
      // The other sign of sqrt(D): t in the second half, from its end on
      v.t[arc->arc ? 2 * GRID - 1 - k : GRID + k] = arc->arc ? TURN - v.t[k] : v.t[k];
    }
    find_points(&s->curve, arc, lane_load(v.t + i), &at, &other);
    store_points(&at, false, i, &v);
    store_points(&other, arc->arc, arc->arc ? 2 * GRID - 1 - i : GRID + i, &v);
  }
  if (arc->arc) {
    search_loop(s, arc, &v, 2 * GRID, step);
    return;
  }
  closed_loop back = *arc;
  back.sign = -arc->sign;
  const samples half = samples_of(values, 2 * GRID, GRID);
  search_loop(s, arc, &v, GRID, step);
  search_loop(s, &back, &half, GRID, step);
}

// D of the curve at an angle.
static double D_of(const double D[5], double g) {
  return D[0] + D[1] * cos(g) + D[2] * sin(g) + D[3] * cos(2.0 * g) + D[4] * sin(2.0 * g);
}

// Adds sign v^2 to the harmonics of D.
static void add_square(const wave *v, double sign, double D[5]) {
  D[0] += sign * (v->k * v->k + 0.5 * (v->c * v->c + v->s * v->s));
  D[1] += sign * 2.0 * v->k * v->c;
  D[2] += sign * 2.0 * v->k * v->s;
  D[3] += sign * 0.5 * (v->c * v->c - v->s * v->s);
  D[4] += sign * v->c * v->s;
}

static void sort4(int count, double *v) {
  for (int i = 1; i < count; ++i) {
    for (int k = i; k > 0 && v[k - 1] > v[k]; --k) {
      const double kept = v[k];
      v[k] = v[k - 1];
      v[k - 1] = kept;
    }
  }
}

int sinew_arm_solve_pair(const sinew_arm_plan *plan, const double R[9], const double p[3],
                         sinew_arm_solution *out) {
  sinew_arm_work w;
  search s = {.w = &w, .R = R, .p = p, .out = out};
  double D[5] = {0.0}, zeros[5];
  sinew_angle found[4];
  sinew_arm_begin(&w, plan, R, p);
  make_curve(&w, &s.curve);
  add_square(&s.curve.x[0].cosine, 1.0, D);
  add_square(&s.curve.x[0].sine, 1.0, D);
  wave d = s.curve.x[0].constant;
  d.k -= s.curve.d;
  add_square(&d, -1.0, D);
  const sinew_roots roots = sinew_second_solve(D, w.preferred[5], found);
  const int count = roots.exact && !roots.any ? roots.count : 0;
  for (int i = 0; i < count; ++i) {
    zeros[i] = sinew_angle_value(found[i]);
  }
  if (count == 0) {
    if (D_of(D, 0.0) > 0.0) {
      const closed_loop circle = {.arc = false, .sign = 1.0};
      search_arc(&s, &circle);
    }
    return s.tries > MOST_TRIES ? 0 : s.count;
  }
  sort4(count, zeros);
  zeros[count] = zeros[0] + TURN;
  for (int i = 0; i < count; ++i) {
    const closed_loop arc = {.arc = true,
                             .middle = 0.5 * (zeros[i] + zeros[i + 1]),
                             .half = 0.5 * (zeros[i + 1] - zeros[i])};
    if (D_of(D, arc.middle) > 0.0) {
      search_arc(&s, &arc);
    }
  }
  return s.tries > MOST_TRIES ? 0 : s.count;
}
