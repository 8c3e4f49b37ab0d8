// Bounds of a chain's workspace by branch and bound over intervals of its joints.
//
// U_j is the set of all places of the point in the frame of joint j, before its motion. For a
// joint that turns about z by q,
//
//   U_j = { R_z(q) x : x in T_j, q within its limits },   T_j = P_{j+1} U_{j+1}
//
// with P_{j+1} the placement of the next joint. The distance of the point from a place c on the
// axis does not depend on q, so that shells around such places bound U_j and T_j alike:
//
//   nearest <= |x - c| <= furthest
//
// A place b of the root link's frame is moved into the frame of each joint in turn, for the middles
// of intervals of the joints before it. At joint j each shell gives a bound for all of a box of
// intervals:
//
//   |x - b| >= o - r,  o = max(nearest - |b - c|, |b - c| - furthest),
//   r = sum over l < j of 2 sin(w_l / 4) min(a_l(b), a_l(c))
//
// w_l is the width of an interval, a_l(b) the distance of b from the axis of joint l, and a_l(c)
// the largest distance of c from it: when joint l alone moves from the middle of its interval, |b -
// c| changes by no more than either of the two moves. For the first prismatic joint the least and
// the largest |b - c| are known exactly. A box that is not excluded is divided into two.
//
// The shells are found from the tip to the root by the same bounds, of the smallest and of the
// largest |x - c|.
#define SINEW_CALLS
#include "solve/workspace.h"
#include "math/vector.h"

#include <string.h>

// Joints whose intervals are divided.
#define DIVIDED 6

// Boxes that wait to be divided, at most.
#define WAITING (DIVIDED * SINEW_WORKSPACE_DEPTH + 2)

// Boxes for one bound of a shell, of which there are six for each joint.
#define SHELL_BOXES 33

// Where no shell excludes a box's middle, its joints are divided in turn: the weight of the part of
// r of a joint against that of the joint before it.
#define DEEPER 0.8

// A box whose r is below this share of the chain's size is not divided any more.
#define FINEST 1e-4

// A box of intervals, of the joint first and those after it.
typedef struct joint_box {
  double turn[DIVIDED][2]; // cosine and sine of the middles
  double middle[DIVIDED];
  int depth[DIVIDED]; // how often each was divided
  double value;       // the bound: larger is better
  double r;           // of the joints passed
  int divide;         // which joint, or -1
} joint_box;

// What is asked: a lower bound of |x - place|, or, far, of -|x - place|.
typedef struct question {
  const sinew_workspace *workspace;
  int first; // joint, in whose frame the place is
  double place[3];
  bool far;
  double enough; // a bound above this is good enough
} question;

// ------------------------------------------------------------------- frames

static void into(const sinew_workspace_joint *joint, const double x[3], double out[3]) {
  const double v[3] = {x[0] - joint->from[0], x[1] - joint->from[1], x[2] - joint->from[2]};
  for (int i = 0; i < 3; ++i) {
    out[i] = joint->to[3 * i] * v[0] + joint->to[3 * i + 1] * v[1] + joint->to[3 * i + 2] * v[2];
  }
}

static void turn_into(const sinew_workspace_joint *joint, double v[3]) {
  const double x[3] = {v[0] + joint->from[0], v[1] + joint->from[1], v[2] + joint->from[2]};
  into(joint, x, v);
}

static void out_of(const sinew_workspace_joint *joint, double x[3]) {
  const double v[3] = {x[0], x[1], x[2]};
  for (int i = 0; i < 3; ++i) {
    x[i] = joint->to[i] * v[0] + joint->to[3 + i] * v[1] + joint->to[6 + i] * v[2] + joint->from[i];
  }
}

// v <- R_z^-1 v
static void turn_back(const double turn[2], double v[3]) {
  const double x = v[0], y = v[1];
  v[0] = turn[0] * x + turn[1] * y;
  v[1] = turn[0] * y - turn[1] * x;
}

// ---------------------------------------------------------- the bound of a box

// A joint, as seen from a place b.
typedef struct passed {
  double arm;  // the distance of b from the axis
  double turn; // 2 sin(w / 4)
  double move; // how far every point moves along the axis, at most
} passed;

// The evaluation of a box, up to the present joint.
typedef struct evaluation {
  const question *asked;
  double b[3];
  passed passed[DIVIDED];
  int count;             // of joints passed
  int slide;             // the first prismatic one of them, or -1
  double along[3], half; // its axis in the present frame, and half its interval
  double value;          // the best bound so far
  double share, part;    // which joint to divide: see consider() and pass()
  double weight;         // of the present joint's part of r: DEEPER
  int j;                 // the present joint, in whose frame b is
  int next, fallback;
} evaluation;

// o of one shell; over the interval of the slide, but for the middles of all others. loss: how much
// less that is than for its middle too.
SINEW_ALWAYS_INLINE double bound_of(const evaluation *at, const sinew_shell *shell, double *loss) {
  const double *c = shell->centre, v[3] = {at->b[0] - c[0], at->b[1] - c[1], at->b[2] - c[2]};
  const double d2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2], d = sqrt(d2);
  double least = d, most = d;
  if (at->slide >= 0) {
    const double *a = at->along, s = sinew_dot(v, a), p = fabs(s);
    const double across[3] = {v[0] - s * a[0], v[1] - s * a[1], v[2] - s * a[2]};
    const double beyond = sinew_max(p - at->half, 0.0);
    least = sqrt(sinew_dot(across, across) + beyond * beyond);
    most = sqrt(d2 + (2.0 * p + at->half) * at->half);
  }
  if (at->asked->far) {
    *loss = most - d;
    return -(most + shell->furthest);
  }
  const double o = sinew_max(shell->nearest - most, least - shell->furthest);
  *loss = sinew_max(shell->nearest - d, d - shell->furthest) - o;
  return o;
}

// Whether a place is within a shell, which then gives no bound.
SINEW_ALWAYS_INLINE bool is_within(const double b[3], const sinew_shell *s) {
  const double v[3] = {b[0] - s->centre[0], b[1] - s->centre[1], b[2] - s->centre[2]};
  const double d2 = sinew_dot(v, v);
  return d2 >= s->nearest * s->nearest && d2 <= s->furthest * s->furthest;
}

// The bound by one shell. The shell whose o / r is largest needs the fewest divisions: of the joint
// with the largest part of r.
SINEW_ALWAYS_INLINE void consider(evaluation *at, const sinew_shell *s, const double *arms) {
  double r = 0.0, most = 0.0, loss;
  int largest = -1;
  if (!at->asked->far && at->slide < 0 && is_within(at->b, s)) {
    return;
  }
  const double o = bound_of(at, s, &loss);
  if (o <= at->value && o + loss <= 0.0) {
    return;
  }
  for (int l = 0; l < at->count; ++l) {
    const passed *p = &at->passed[l];
    const double part = p->turn * sinew_min(p->arm, arms[l]) + p->move;
    r += part;
    largest = part > most ? l : largest;
    most = sinew_max(most, part);
  }
  at->value = sinew_max(at->value, o - r);
  largest = loss > most ? at->slide : largest;
  if (o + loss > at->share * (r + loss) && largest >= 0) {
    at->share = (o + loss) / (r + loss);
    at->next = largest;
  }
}

// Moves b into the moved frame of joint l of a box.
SINEW_ALWAYS_INLINE void pass(evaluation *at, const sinew_workspace_joint *joint,
                              const joint_box *box, double weight) {
  const int l = at->count++;
  const double half = joint->half / (double)(1 << box->depth[l]);
  passed *p = &at->passed[l];
  double all;
  if (joint->kind == SINEW_NODE_PRISMATIC) {
    at->b[2] -= box->middle[l];
    *p = (passed){.move = at->slide < 0 ? 0.0 : half};
    all = half;
    if (at->slide < 0) {
      at->slide = l;
      at->half = half;
      at->along[0] = at->along[1] = 0.0;
      at->along[2] = 1.0;
    }
  } else {
    const double x = at->along[0], y = at->along[1];
    const double *turns = at->asked->workspace->turns[at->asked->first + l][box->depth[l] + 1];
    *p = (passed){sqrt(at->b[0] * at->b[0] + at->b[1] * at->b[1]),
                  half < SINEW_PI ? 2.0 * turns[1] : 2.0, fabs(joint->pitch) * half};
    turn_back(box->turn[l], at->b);
    at->b[2] -= joint->pitch * box->middle[l];
    if (at->slide >= 0) { // over the slide's interval
      p->arm += at->half * sqrt(x * x + y * y);
      turn_back(box->turn[l], at->along);
    }
    all = p->turn * p->arm + p->move;
  }
  if (weight * all > at->part) {
    at->part = weight * all;
    at->fallback = l;
  }
}

// The bounds of the present joint's shells.
SINEW_ALWAYS_INLINE void consider_shells(evaluation *at) {
  const int j = at->j;
  const sinew_workspace *w = at->asked->workspace;
  for (int i = 0; i < SINEW_WORKSPACE_SHELLS; ++i) {
    consider(at, &w->shells[j][i], w->arms[j][i] + at->asked->first);
  }
}

// Passes the present joint and considers the shells of the next. False: no more are considered.
SINEW_ALWAYS_INLINE bool pass_joint(evaluation *at, const joint_box *box) {
  const question *asked = at->asked;
  const sinew_workspace_chain *chain = &asked->workspace->chain;
  const sinew_workspace_joint *joint = &chain->joints[at->j];
  if (at->value > asked->enough || at->count == DIVIDED || !joint->divides) {
    return false;
  }
  pass(at, joint, box, at->weight);
  at->weight *= DEEPER;
  if (++at->j == chain->count) {
    consider(at, &chain->tip, asked->workspace->arms[at->j][0] + asked->first);
    return false;
  }
  into(++joint, at->b, at->b);
  if (at->slide >= 0) {
    turn_into(joint, at->along);
  }
  consider_shells(at);
  return true;
}

// Before the first joint, for all boxes.
static evaluation begin_joints(const question *asked) {
  evaluation at = {.asked = asked,
                   .slide = -1,
                   .next = -1,
                   .fallback = -1,
                   .value = -INFINITY,
                   .weight = 1.0,
                   .j = asked->first};
  memcpy(at.b, asked->place, sizeof at.b);
  consider_shells(&at);
  return at;
}

// The rest of the joints of a box.
static void evaluate(evaluation *at, joint_box *box) {
  while (pass_joint(at, box)) {
  }
  box->value = at->asked->far ? at->value : sinew_max(at->value, -at->part);
  box->divide = at->next >= 0 ? at->next : at->fallback;
  box->r = at->part;
}

// ------------------------------------------------------------ branch and bound

static void begin(const question *asked, joint_box *box) {
  const sinew_workspace *w = asked->workspace;
  memset(box, 0, sizeof *box);
  for (int l = 0; l < DIVIDED && asked->first + l < w->chain.count; ++l) {
    const sinew_workspace_joint *joint = &w->chain.joints[asked->first + l];
    box->middle[l] = joint->middle;
    box->turn[l][0] = cos(joint->middle);
    box->turn[l][1] = sin(joint->middle);
  }
  evaluation at = begin_joints(asked);
  evaluate(&at, box);
}

// Divides a box into itself and another one, which have the joints before the divided one in
// common. False where it cannot be.
static bool divide(const question *asked, joint_box *a, joint_box *b) {
  const sinew_workspace *w = asked->workspace;
  const int l = a->divide;
  if (l < 0 || a->depth[l] + 1 >= SINEW_WORKSPACE_DEPTH) {
    return false;
  }
  const int j = asked->first + l;
  const double *by = w->turns[j][a->depth[l] + 1], c = a->turn[l][0], s = a->turn[l][1];
  const double half = w->chain.joints[j].half / (double)(2 << a->depth[l]), value = a->value;
  a->depth[l] += 1;
  *b = *a;
  a->middle[l] -= half;
  a->turn[l][0] = c * by[0] + s * by[1];
  a->turn[l][1] = s * by[0] - c * by[1];
  b->middle[l] += half;
  b->turn[l][0] = c * by[0] - s * by[1];
  b->turn[l][1] = s * by[0] + c * by[1];
  evaluation at = begin_joints(asked);
  while (at.count < l && pass_joint(&at, a)) {
  }
  evaluation other = at;
  evaluate(&at, a);
  evaluate(&other, b);
  a->value = sinew_max(a->value, value);
  b->value = sinew_max(b->value, value);
  return true;
}

// The best bound that most boxes prove: the box with the worst one is divided.
static double find_bound(const question *asked, int most) {
  joint_box boxes[WAITING];
  int worst = 0;
  begin(asked, &boxes[0]);
  for (int count = 1; 2 * count + 1 <= most && count < WAITING; ++count) {
    if (!divide(asked, &boxes[worst], &boxes[count])) {
      break;
    }
    worst = 0;
    for (int i = 1; i <= count; ++i) {
      worst = boxes[i].value < boxes[worst].value ? i : worst;
    }
  }
  return boxes[worst].value;
}

// Whether all boxes are excluded. The worse half of a box comes first, so that a place that can be
// reached is found out soon.
static bool excludes(const question *asked, double finest, int most) {
  joint_box boxes[WAITING];
  int count = 1;
  begin(asked, &boxes[0]);
  count = boxes[0].value > asked->enough ? 0 : 1;
  for (int used = 1; count > 0; used += 2) {
    joint_box *a = &boxes[count - 1], *b = &boxes[count];
    if (used + 2 > most || count == WAITING || a->r < finest || !divide(asked, a, b)) {
      return false;
    }
    if (a->value < b->value) {
      const joint_box swap = *a;
      *a = *b;
      *b = swap;
    }
    // b is the worse one
    if (b->value > asked->enough) {
      --count;
    } else if (a->value > asked->enough) {
      *a = *b;
    } else {
      ++count;
    }
  }
  return true;
}

// ------------------------------------------------------------------- shells

// Bounds of |x - centre| over T_j, the centre in the moved frame of joint j.
static sinew_shell shell_around(const sinew_workspace *w, int j, const double centre[3]) {
  sinew_shell s = {.centre = {centre[0], centre[1], centre[2]}};
  question asked = {.workspace = w, .first = j + 1, .enough = INFINITY};
  memcpy(asked.place, centre, sizeof s.centre);
  if (j + 1 == w->chain.count) {
    const evaluation near = {.asked = &asked, .b = {centre[0], centre[1], centre[2]}, .slide = -1};
    double loss;
    s.nearest = sinew_max(0.0, bound_of(&near, &w->chain.tip, &loss));
    asked.far = true;
    s.furthest = -bound_of(&near, &w->chain.tip, &loss);
    return s;
  }
  into(&w->chain.joints[j + 1], centre, asked.place);
  s.nearest = sinew_max(0.0, find_bound(&asked, SHELL_BOXES));
  asked.far = true;
  s.furthest = -find_bound(&asked, SHELL_BOXES);
  return s;
}

// From the moved frame of a joint to the one before its motion.
static void shell_before(const sinew_workspace_joint *joint, sinew_shell *s) {
  const double per_value = joint->kind == SINEW_NODE_PRISMATIC ? 1.0 : joint->pitch;
  if (per_value != 0.0) {
    const double half = fabs(per_value) * joint->half;
    s->centre[2] += per_value * joint->middle;
    s->nearest = sinew_max(0.0, s->nearest - half);
    s->furthest += half;
  }
}

// The largest distances of a centre, in the moved frame of joint last, from the axes.
static void find_arms(const sinew_workspace *w, int last, const double centre[3], double *arms) {
  double c[3] = {centre[0], centre[1], centre[2]}, r = 0.0; // it is within r of c
  for (int l = last; l >= 0; --l) {
    const sinew_workspace_joint *joint = &w->chain.joints[l];
    const double arm = sqrt(c[0] * c[0] + c[1] * c[1]);
    arms[l] = arm + r;
    if (joint->kind == SINEW_NODE_PRISMATIC) {
      r += joint->half;
      c[2] += joint->middle;
    } else if (joint->kind == SINEW_NODE_SPHERICAL) {
      r += sinew_norm_safe(c);
      c[0] = c[1] = c[2] = 0.0;
    } else {
      r += arm + (joint->pitch != 0.0 ? fabs(joint->pitch) * joint->half : 0.0);
      c[0] = c[1] = 0.0;
      c[2] += joint->pitch * joint->middle;
    }
    out_of(joint, c);
  }
}

static void find_turns(const sinew_workspace_joint *joint, double (*turns)[2]) {
  double half = joint->kind == SINEW_NODE_SPHERICAL || !joint->divides ? 0.0 : joint->half;
  for (int d = 0; d <= SINEW_WORKSPACE_DEPTH; ++d, half *= 0.5) {
    turns[d][0] = cos(half);
    turns[d][1] = sin(half);
  }
}

// The shells of joint j: around the place on its axis that is nearest to the centre of the next
// joint's, and around the two places at the furthest distance from it along the axis.
static void fill_joint(sinew_workspace *w, int j) {
  const sinew_workspace_joint *joint = &w->chain.joints[j];
  const bool last = j + 1 == w->chain.count;
  const sinew_shell *next = last ? &w->chain.tip : w->shells[j + 1];
  double centre[3] = {next->centre[0], next->centre[1], next->centre[2]}, apart = 0.0;
  if (!last) {
    out_of(&w->chain.joints[j + 1], centre);
  }
  for (int i = 0; i < SINEW_WORKSPACE_SHELLS; ++i) {
    double at[3] = {centre[0], centre[1], centre[2]};
    if (joint->kind != SINEW_NODE_PRISMATIC) {
      at[0] = at[1] = 0.0;
      at[2] += i == 1 ? apart : i == 2 ? -apart : 0.0;
      at[2] = joint->kind == SINEW_NODE_SPHERICAL ? 0.0 : at[2];
    }
    sinew_shell s = shell_around(w, j, at);
    shell_before(joint, &s);
    w->shells[j][i] = s;
    memcpy(at, s.centre, sizeof at);
    out_of(joint, at);
    find_arms(w, j - 1, at, w->arms[j][i]);
    apart = i == 0 && s.furthest < INFINITY ? s.furthest : apart;
  }
}

static void fill(sinew_workspace *w) {
  if (w->filled) {
    return;
  }
  find_arms(w, w->chain.count - 1, w->chain.tip.centre, w->arms[w->chain.count][0]);
  for (int j = w->chain.count - 1; j >= 0; --j) {
    find_turns(&w->chain.joints[j], w->turns[j]);
    fill_joint(w, j);
  }
  w->filled = true;
}

// -------------------------------------------------------------------- calls

void sinew_workspace_set(sinew_workspace *workspace, const sinew_workspace_chain *chain) {
  if (!workspace->filled || memcmp(&workspace->chain, chain, sizeof *chain) != 0) {
    memcpy(&workspace->chain, chain, sizeof *chain);
    workspace->filled = false;
  }
}

// A bound of the distance from a place in the root link's frame. enough: see question.
static question ask(sinew_workspace *w, const double place[3], double enough) {
  question asked = {.workspace = w, .enough = enough};
  fill(w);
  memcpy(asked.place, place, sizeof asked.place);
  if (w->chain.count > 0) {
    into(&w->chain.joints[0], place, asked.place);
  }
  return asked;
}

// The same for a chain without joints.
static double distance_from_tip(const question *asked) {
  const double *b = asked->place;
  const evaluation at = {.asked = asked, .b = {b[0], b[1], b[2]}, .slide = -1};
  double loss;
  return bound_of(&at, &asked->workspace->chain.tip, &loss);
}

bool sinew_workspace_excludes(sinew_workspace *w, const double place[3], double distance,
                              int boxes) {
  const question asked = ask(w, place, distance);
  return w->chain.count > 0 ? excludes(&asked, FINEST * w->shells[0][0].furthest, boxes)
                            : distance_from_tip(&asked) > distance;
}

double sinew_workspace_bound(sinew_workspace *w, const double place[3], int boxes) {
  const question asked = ask(w, place, INFINITY);
  const double bound = w->chain.count > 0 ? find_bound(&asked, boxes) : distance_from_tip(&asked);
  return sinew_max(0.0, bound);
}

void sinew_workspace_centre(sinew_workspace *w, double centre[3]) {
  fill(w);
  memcpy(centre, w->chain.count > 0 ? w->shells[0][0].centre : w->chain.tip.centre,
         3 * sizeof *centre);
  if (w->chain.count > 0) {
    out_of(&w->chain.joints[0], centre);
  }
}

double sinew_workspace_radius(sinew_workspace *w) {
  fill(w);
  return w->chain.count > 0 ? w->shells[0][0].furthest : w->chain.tip.furthest;
}
