// The tracking law, that of the default method: into how many parts and steps an update is divided,
// how much a step is damped, and how far it may differ from the last one. docs/tracking.md says how
// the constants were chosen.
//
// Symbols: e the error in sizes of the model, E = |e|^2 / 2, g = J^T e, n the number of degrees of
// freedom, s the number of updates since a target last moved (0: one has moved in this update), dt
// the time step, 0 where it is not known.
//
// An update follows the targets' motion since the last one in parts:
//
//   m     = max over targets of sqrt((w_p |dp| / size)^2 + (ANGLE w_r angle)^2), at most
//           MOST_MOTION; weights w relative to the largest
//   R     = max(m, JUMP_DECAY R_last)                        recent motion
//   jump  : m > JUMP and m > JUMP_RATIO R_last
//   S     = clamp(ceil((m + m_last) / 2 / PART), 1, MOST_PARTS), 1 for a jump, and at least
//           ceil(dt / TIME)
//   rho   = TIME S / dt where dt is known, else 1            >= 1
//
// In the first update after creation, a reset or new tasks m is not known, and S = 1. The motion in
// the second one is no jump, since R_last is not known. m_last is m where it is not known, and
// after a jump.
//
// Part p = 1 .. S has the targets at the share p / S of their motion, and those of a jump. A step
// of it damps by
//
//   G     = max(|g|, GRADIENT_DECAY G_last), 0 where s = 0           decaying maximum of |g|
//   mu_e  = rho DAMPING scale |e| sqrt(min(|e|, 1) + NEAR_ERROR)     damping by the error
//   mu_0  = mu_e + floor                                             s = 0
//         = min(T / (T + s) mu_e, T / s k G) + floor                 s > 0, T = SETTLE_UPDATES,
//                                                                    k = GRADIENT_DAMPING / sqrt(n)
// and is
//
//   predict    x' damped least squares for PREDICTOR_DAMPING_FACTOR mu_0, e' = e - J x',
//              r = min(|e'| / |e|, 1)
//   or keep    e' = e - d, d = J x' of the last predictor
//   curvature  H at e'; e'_1 the part of e' of tasks whose curvature is not part of H
//   step       (H + mu I) x = g,  mu = max(mu_0 (M + (1 - M) r^2), FIRST_ORDER_DAMPING |e'_1|),
//              M = MIN_DAMPING_SHARE; repeated with more damping while a joint turns too far
//
// except after a step with r <= IN_REACH, in a part that is not the last or in a further step:
//
//   in reach   x damped least squares for M mu_0, r = |e - J x| / |e|, if r <= PREDICTED
//
// and, of figures with limits of swing and twist, in the first step of the last part too after one
// with r <= IN_REACH_FIRST, if r <= IN_REACH_FIRST again.
//
// With e_p and d = J x' of the last predictor, and d_p of the one before it, the first step of a
// part takes this d instead of a predictor of its own where s = 0, the update is not the first
// after a reset, there are no hard tasks, all rows are along axes that do not move (no targets in
// the frame of a link, directions and free axes), and
//
//   |d - d_p| <= KEPT_DRIFT |e_p|,  |e_p - d| >= KEPT_RATIO |e_p|,
//   |e - e_p| <= KEPT_CHANGE |e|,   |e - d| >= KEPT_RATIO |e|
//
// but in no more than KEPT_STEPS - 1 steps that follow each other.
//
// The last part has up to MOST_STEPS steps. Another one follows where |e| > LEAST_ERROR and
//
//   r <= PREDICTED, or r <= PROSPECT and |e| after the step is at most REDUCED times |e| before it
//
// The sum X of the steps of a part differs from that of the last part by at most b in norm, and
// where there are limits, each joint's by at most b / sqrt(n) as it brakes ahead of a limit:
//
//   limit      X <- X_last + a (X - X_last),  a = min(1, b / |X - X_last|),
//              b = max_change clamp(n / CHANGE_DOFS, 1, MOST_CHANGE) / rho
//
// A jump is spread over several parts. Until one of them is limited no more, but for at most
// SPREAD_PARTS, X ahead of that is the way to the targets, which the figure approaches such that it
// can come to rest there with motions that differ by at most b:
//
//   spread     X <- X min(1, v(|X|) / |X|),   v as of a joint ahead of a limit: tracking_brake()
#ifndef SINEW_POLICY_TRACKING_H
#define SINEW_POLICY_TRACKING_H

#include "policy/damping.h"

#include <math.h>
#include <stdbool.h>

// mu_e. Near the target the figure lags less than with Newton's damping, and away from it the
// motion is as smooth. Below NEAR_ERROR mu_e is proportional to |e|, as Newton's damping is, and
// not smaller: a limb that straightens towards a target which is leaving its reach turns faster if
// it lags less, and then stops abruptly. Beyond one size of the figure mu_e is again proportional
// to |e|, as H and g are, so that the distance of a target does not matter.
#define TRACKING_DAMPING 0.7
#define TRACKING_NEAR_ERROR 0.02

// While no target moves, smooth motion needs no damping: mu_e falls to a half after SETTLE_UPDATES
// and to a third after twice as many, and a figure in an almost flat valley of E converges in half
// the time. Damping must vanish as the figure comes to rest, and so it is bounded by the gradient.
// While targets move there is no such bound: without damping a figure would follow each of their
// motions at once in directions that hardly reduce the error. The bound becomes effective slowly,
// so that damping does not alternate if targets move in every second update.
#define TRACKING_SETTLE_UPDATES 20.0
// After so many updates figures with limits of swing and twist have slowed down.
#define TRACKING_CONES_SETTLE 40.0
// From then on, where the cosine between a step and the last motion is above CARRIED_COSINE, the
// step is longer by CARRIED of that motion (Polyak's heavy ball). Of the curvature of limits only
// what is positive is part of the step's matrix: where a figure leaves a saddle of E, or comes to a
// minimum, along limits of negative curvature, steps are too short, all in one direction.
#define TRACKING_CARRIED 0.9
#define TRACKING_CARRIED_COSINE 0.98
// Where hard tasks hold the figure and curvature is left out, FIRST_ORDER_DAMPING may be a thousand
// times too large along a valley of E. Where the cosine is above VALLEY_COSINE and the step is
// longer than VALLEY_LEAST, more than rounding errors, the secant method finds the end of the
// valley from this step's length and the last one's; the motion grows by at most VALLEY_FASTER of
// itself.
#define TRACKING_VALLEY_COSINE 0.9995
#define TRACKING_VALLEY_LEAST 1e-8
#define TRACKING_VALLEY_FASTER 1.5

// Their damping at rest has a factor: after an update that has raised E it is MORE_CAUTION times as
// large, after others LESS_CAUTION times. With half instead a figure can go to and fro for ever, up
// in each third update and twice down.
#define TRACKING_MORE_CAUTION 4.0
#define TRACKING_LESS_CAUTION 0.84
#define TRACKING_MOST_CAUTION 1e6

// The bound falls with n: where H is nearly 0, a step is g / mu, of length 1 / k, and the norm of n
// equal angles is sqrt(n) times one of them. With k = GRADIENT_DAMPING / sqrt(n) a joint may turn
// as far in a long chain as in a short one; with a constant k a coiled chain of 100 spherical
// joints needs hundreds of updates to uncoil.
#define TRACKING_GRADIENT_DAMPING 50.0

// The maximum of |g| decays slowly: otherwise the damping vanishes at the bottom of a curved valley
// of E, the next step leaves the valley, and the figure oscillates.
#define TRACKING_GRADIENT_DECAY 0.6

// Where a step is predicted to remove the error, damping only delays it. mu falls to this share of
// itself where r = 0 and stays whole where r = 1. With r^2 it is below half of itself where half of
// the error is predicted to remain, and it is restored in time as a target leaves reach.
#define TRACKING_MIN_DAMPING_SHARE 0.3

// The curvature is taken at the predicted residual. The prediction's damping is this many times as
// large, so that only the error along well-conditioned directions is predicted to vanish.
#define TRACKING_PREDICTOR_DAMPING_FACTOR 10.0

// The predictor of a figure whose targets are out of reach, or whose limits keep it from them,
// would remove nearly the same of the error in each update: that is kept for KEPT_STEPS steps, its
// own among them, as long as e changes by no more than KEPT_CHANGE. The last two predictors must
// have agreed within KEPT_DRIFT: a limb that begins to bend as its target comes back into reach
// removes more with each update. KEPT_RATIO is PROSPECT, so that no further step follows such a
// step.
#define TRACKING_KEPT_STEPS 8.0
#define TRACKING_KEPT_CHANGE 0.1
#define TRACKING_KEPT_DRIFT 0.01
#define TRACKING_KEPT_RATIO TRACKING_PROSPECT

// The smallest step [rad] along a direction of negative curvature. A chain that was straight,
// towards a target beyond its reach, has no gradient that bends it when the target comes back;
// bending only by rounding errors, it would bend late and then abruptly.
#define TRACKING_NEGATIVE_CURVATURE_STEP 5e-3

// Parts. What the damping does out of reach depends on how far a target moves in a step. It was
// chosen for targets that move by less than PART in an update, sizes of the figure, and a part does
// not move by more than that, so that a limb which straightens is damped as much at 25 frames a
// second as at 120. A rotation of the target moves few joints, near its end effector: an angle of
// 1 rad counts as a motion of ANGLE sizes.
#define TRACKING_PART 0.016
#define TRACKING_ANGLE 0.35
#define TRACKING_MOST_PARTS 24

// The time of a part at which the damping and max_change are as given. Shorter parts are damped
// more and may change less, so that the figure's speed does not depend on the number of updates a
// second; longer ones are divided.
#define TRACKING_TIME (1.0 / 60.0)

// Shorter times and smaller bounds on change count as these, so that no number over- or underflows.
#define TRACKING_LEAST_TIME 1e-9
#define TRACKING_LEAST_CHANGE 1e-100

// A motion of the targets is a jump if it is longer than JUMP and JUMP_RATIO times as long as
// recent ones. Motion-capture clips at 10 frames a second reach a ratio of 3.
#define TRACKING_JUMP 0.1
#define TRACKING_MOST_MOTION 10.0
#define TRACKING_JUMP_RATIO 4.0
#define TRACKING_JUMP_DECAY 0.8

// Further steps. r alone is a bound from above on what remains: its step is damped
// PREDICTOR_DAMPING_FACTOR times as much, and the larger the error, the less it removes. So where r
// is not small, what the step has in fact removed decides. Larger values of REDUCED arrive in more
// cases, and let limbs reach the boundary of the workspace at a higher speed.
#define TRACKING_MOST_STEPS 3
#define TRACKING_PREDICTED 0.5
#define TRACKING_PROSPECT 0.9
#define TRACKING_REDUCED 0.28
#define TRACKING_LEAST_ERROR 1e-5

// Steps in reach. Where the last step was predicted to leave less than this share of the error,
// curvature does not matter: half of the work of a step is saved.
#define TRACKING_IN_REACH 0.2

// Of figures with limits of swing and twist, whose steps take several systems each, the first step
// of the last part is one in reach where both steps remove nearly all of the error. On 300 paths of
// tests/test_cone_paths.c the largest change of a path is as without (.0534 rad in the mean) up to
// .02, and .058 where each of .2 and PREDICTED is enough.
#define TRACKING_IN_REACH_FIRST 0.01

// The first update after a reset takes up to MOST_PARTS steps without a bound on their change, as
// long as each leaves less than this share of |e|.
#define TRACKING_CUT_REDUCED 0.9

// An |e| below this one consists of rounding errors: r would be a random number.
#define TRACKING_ROUNDING 1e-12

// Where a floating base has been registered in it (solve/registration.h), so many steps are taken
// if an error remains. Without them some figures come to their targets 10 updates later than
// without registration.
#define TRACKING_REGISTERED_STEPS 12.0

// max_change is a norm over all joints, for figures of up to CHANGE_DOFS degrees of freedom. Bodies
// have more limbs, which change their motion at the same time.
#define TRACKING_CHANGE_DOFS 25.0
#define TRACKING_MOST_CHANGE 3.0

// A jump across a figure takes some 10 to 40 parts. Targets that move on so fast that the figure
// needs motions beyond b are followed as without a jump after so many.
#define TRACKING_SPREAD_PARTS 60.0

// The largest value of s.
#define TRACKING_MAX_REST 10000.0

// Rounds in which the share of a change is computed again because bounds keep some joints from
// changing less.
#define TRACKING_CHANGE_ROUNDS 8
#define TRACKING_CHANGE_SLACK (1.0 + 1e-12)

// A step's bound nearer than this [rad or sizes] is 0, so that rounding errors of a joint's way to
// its limit do not decide which bounds are active.
#define TRACKING_BOUND_EPSILON 1e-12

// Rounds of Newton's method for the gain of a part, which gains near 1 need. Below LINEAR_GAIN the
// gain of a part is the gain over the number of parts.
#define TRACKING_GAIN_ROUNDS 48
#define TRACKING_LINEAR_GAIN 1e-9

// The integer at or above a, for 0 <= a < 2^50.
LANE lane tracking_ceil(lane a) {
  const lane shift = lane_of(6755399441055744.0); // 1.5 2^52: sums have no fraction
  const lane nearest = (a + shift) - shift;
  return lane_select(lane_less(nearest, a), nearest + lane_of(1.0), nearest);
}

// ---------------------------------------------------------------------- parts

// |m|^2 of one target; linear: (w_p |dp| / size)^2, angular: (w_r angle)^2.
LANE lane tracking_square_motion(lane linear, lane angular) {
  return lane_fma(lane_of(TRACKING_ANGLE * TRACKING_ANGLE), angular, linear);
}

// m; square: the largest |m|^2 of a target.
LANE lane tracking_motion(lane square) {
  return lane_min(lane_sqrt(square), lane_of(TRACKING_MOST_MOTION));
}

// (m + m_last) / 2; last: m of the last update, -1 where it is not known. Targets that move in
// every second update only are so followed as evenly as possible.
LANE lane tracking_mean_motion(lane motion, lane last) {
  const lane_mask known = lane_less_equal(lane_of(0.0), last);
  return lane_select(known, lane_of(0.5) * (motion + last), motion);
}

// R; last: R of the last update, -1 where it is not known.
LANE lane tracking_recent(lane motion, lane last) {
  return lane_max(motion, lane_of(TRACKING_JUMP_DECAY) * last);
}

LANE lane_mask tracking_is_jump(lane motion, lane last) {
  const lane_mask known = lane_less_equal(lane_of(0.0), last);
  const lane_mask far = lane_less(lane_of(TRACKING_JUMP), motion);
  return mask_and(known, mask_and(far, lane_less(lane_of(TRACKING_JUMP_RATIO) * last, motion)));
}

// ceil(dt / TIME), 1 where dt is 0. The margin allows for dt that were divided and rounded.
static inline double tracking_least_parts(double time_step) {
  const double parts = ceil(time_step / TRACKING_TIME - 1e-6);
  return parts > 1.0 ? (parts < TRACKING_MOST_PARTS ? parts : TRACKING_MOST_PARTS) : 1.0;
}

// S; motion: (m + m_last) / 2.
LANE lane tracking_parts(lane motion, double least) {
  const lane most = lane_of(TRACKING_MOST_PARTS);
  return lane_max(tracking_ceil(lane_min(motion * lane_of(1.0 / TRACKING_PART), most)),
                  lane_of(least));
}

// rho
LANE lane tracking_rate(lane parts, double time_step) {
  const double once =
      TRACKING_TIME / (time_step > TRACKING_LEAST_TIME ? time_step : TRACKING_LEAST_TIME);
  return time_step > 0.0 ? lane_max(parts * lane_of(once), lane_of(1.0)) : lane_of(1.0);
}

// The share k of the error that each part removes, so that all of them leave 1 - gain of it:
// (1 - k)^parts = 1 - gain, by Newton's method from below.
static inline double tracking_part_gain(double gain, int parts) {
  if (gain >= 1.0 || parts == 1) {
    return gain;
  }
  double k = gain / parts;
  for (int round = 0; gain > TRACKING_LINEAR_GAIN && round < TRACKING_GAIN_ROUNDS; ++round) {
    double power = 1.0; // (1 - k)^(parts - 1)
    for (int i = 1; i < parts; ++i) {
      power *= 1.0 - k;
    }
    k += (power * (1.0 - k) - (1.0 - gain)) / (parts * power);
  }
  return k;
}

// b; rate: rho.
LANE lane tracking_max_change(double max_change, int n, lane rate) {
  const double limbs = n / TRACKING_CHANGE_DOFS;
  const double many = limbs < 1.0                    ? 1.0
                      : limbs < TRACKING_MOST_CHANGE ? limbs
                                                     : TRACKING_MOST_CHANGE;
  return lane_max(lane_of(max_change * many) / rate, lane_of(TRACKING_LEAST_CHANGE));
}

// ---------------------------------------------------------------------- steps

// Whether the step after one with this r is taken as in reach. first: it is the first of the last
// part; cones: of a figure with limits of swing and twist.
LANE lane_mask tracking_is_in_reach(lane predicted, bool first, bool cones) {
  const double most = !first ? TRACKING_IN_REACH : cones ? TRACKING_IN_REACH_FIRST : -1.0;
  return lane_less_equal(predicted, lane_of(most));
}

// Whether a step in reach with this r is replaced by one with curvature.
LANE lane_mask tracking_leaves_reach(lane predicted, bool first) {
  return lane_less(lane_of(first ? TRACKING_IN_REACH_FIRST : TRACKING_PREDICTED), predicted);
}

// In how many steps the prediction of a predictor may be kept; square, after, drift: |e|^2, |e'|^2
// and |d - d_p|^2.
LANE lane tracking_keeps(lane square, lane after, lane drift) {
  const lane most = lane_of(TRACKING_KEPT_DRIFT * TRACKING_KEPT_DRIFT) * square;
  const lane least = lane_of(TRACKING_KEPT_RATIO * TRACKING_KEPT_RATIO) * square;
  const lane_mask same = mask_and(lane_less_equal(drift, most), lane_less_equal(least, after));
  return lane_keep(same, lane_of(TRACKING_KEPT_STEPS - 1.0));
}

// Whether a step keeps it; keeps: in how many more steps it may be kept; square, change, after:
// |e|^2, |e - e_p|^2, |e - d|^2.
LANE lane_mask tracking_keeps_prediction(lane keeps, lane square, lane change, lane after) {
  const lane most = lane_of(TRACKING_KEPT_CHANGE * TRACKING_KEPT_CHANGE) * square;
  const lane least = lane_of(TRACKING_KEPT_RATIO * TRACKING_KEPT_RATIO) * square;
  return mask_and(lane_less(lane_of(0.0), keeps),
                  mask_and(lane_less_equal(change, most), lane_less_equal(least, after)));
}

// Whether another step may follow, before E after the step is known; before: E before it.
LANE lane_mask tracking_may_continue(lane predicted, lane before) {
  const lane least = lane_of(TRACKING_LEAST_ERROR * TRACKING_LEAST_ERROR);
  return mask_not(mask_or(lane_less(lane_of(TRACKING_PROSPECT), predicted),
                          lane_less_equal(lane_of(2.0) * before, least)));
}

// The same in the first update after a reset.
LANE lane_mask tracking_cut_continues(lane before, lane after) {
  const double rounding = 0.5 * TRACKING_ROUNDING * TRACKING_ROUNDING;
  const lane less = lane_of(TRACKING_CUT_REDUCED * TRACKING_CUT_REDUCED) * before;
  return mask_and(lane_less(after, less), lane_less(lane_of(rounding), after));
}

// The same where a floating base has been registered in it, after so many steps: limbs that have to
// turn far may raise the error at first.
LANE lane_mask tracking_registered_continues(lane step, lane after) {
  const lane least = lane_of(TRACKING_LEAST_ERROR * TRACKING_LEAST_ERROR);
  return mask_and(lane_less(step, lane_of(TRACKING_REGISTERED_STEPS)),
                  lane_less(least, lane_of(2.0) * after));
}

// Whether a step left so little that another one may follow; before, after: E before and after it.
LANE lane_mask tracking_continues(lane predicted, lane before, lane after) {
  const lane_mask reduced =
      lane_less_equal(after, lane_of(TRACKING_REDUCED * TRACKING_REDUCED) * before);
  const lane_mask good = mask_or(lane_less_equal(predicted, lane_of(TRACKING_PREDICTED)), reduced);
  const double least = 0.5 * TRACKING_LEAST_ERROR * TRACKING_LEAST_ERROR;
  return mask_and(lane_less(lane_of(least), after), good);
}

// s of this update; moved: whether a target differs from that of the last update; last: s of that
// update, -1 before the first.
LANE lane tracking_rest(lane_mask moved, lane last) {
  const lane longer = lane_min(last + lane_of(1.0), lane_of(TRACKING_MAX_REST));
  return lane_select(moved, lane_of(0.0), longer);
}

LANE lane_mask tracking_moves(lane rest) {
  return lane_less(rest, lane_of(0.5));
}

// The share of the last motion X that is added to a step x of a figure that comes to rest; xx, ll,
// xl: x . x, X . X and x . X; caution: the damping's factor.
LANE lane tracking_carried(lane xx, lane ll, lane xl, lane caution) {
  const lane least = lane_of(TRACKING_CARRIED_COSINE * TRACKING_CARRIED_COSINE) * xx * ll;
  const lane_mask along = mask_and(lane_less(lane_of(0.0), xl), lane_less(least, xl * xl));
  return lane_keep(mask_and(along, lane_less_equal(caution, lane_of(1.0))),
                   lane_of(TRACKING_CARRIED));
}

// The same along a valley; share: of tracking_carried(), before: the length of the last step.
LANE lane tracking_carried_in_valley(lane xx, lane ll, lane xl, lane before, lane share) {
  const lane zero = lane_of(0.0), one = lane_of(1.0), faster = lane_of(TRACKING_VALLEY_FASTER);
  const lane least = lane_of(TRACKING_VALLEY_COSINE * TRACKING_VALLEY_COSINE) * xx * ll;
  const lane a = lane_sqrt(xx), less = before - a, m = lane_sqrt(ll);
  const lane_mask straight = mask_and(lane_less(zero, share), lane_less(least, xl * xl));
  const lane_mask falls =
      mask_and(lane_less(zero, less), lane_less(lane_of(TRACKING_VALLEY_LEAST), a));
  const lane_mask finds = mask_and(straight, falls);
  // The step vanishes a m / less further on: that less the step itself, in units of m.
  const lane way = a / lane_select(finds, less, one) - a / lane_select(finds, m, one);
  return lane_select(finds, lane_min(lane_max(way, zero), faster), share);
}

// The damping's factor of an update at rest; caution, before: the factor and E of the last one; E:
// now. An E of rounding errors says nothing.
LANE lane tracking_caution(lane caution, lane before, lane E) {
  const lane least = lane_of(0.5 * TRACKING_ROUNDING * TRACKING_ROUNDING);
  const lane more =
      lane_min(lane_of(TRACKING_MORE_CAUTION) * caution, lane_of(TRACKING_MOST_CAUTION));
  const lane less = lane_max(lane_of(TRACKING_LESS_CAUTION) * caution, lane_of(1.0));
  const lane_mask raised =
      mask_and(lane_less(least, E), lane_less(lane_of(1.0 + 1e-9) * before, E));
  return lane_select(raised, more, less);
}

// By how much longer the parts of this update are than those of the last one, so that a motion goes
// on at the same speed; last: S of the last update, 0 where there is none; parts: S; rest: s. With
// targets at rest it is to end.
LANE lane tracking_part_ratio(lane last, lane parts, lane rest) {
  const lane_mask goes_on = mask_and(lane_less(lane_of(0.0), last), tracking_moves(rest));
  return lane_select(goes_on, last / parts, lane_of(1.0));
}

// G of this update; gradient: |g|, read where s > 0; last: G of the last update.
LANE lane tracking_gradient(lane rest, lane gradient, lane last) {
  const lane decayed = lane_max(gradient, lane_of(TRACKING_GRADIENT_DECAY) * last);
  return lane_select(tracking_moves(rest), lane_of(0.0), decayed);
}

// mu_0; scale: the caller's factor on mu_e, times rho; gradient: G.
LANE lane tracking_damping(lane scale, int n, lane E, lane rest, lane gradient) {
  const lane one = lane_of(1.0), settle = lane_of(TRACKING_SETTLE_UPDATES);
  const lane e = lane_sqrt(lane_of(2.0) * E), floor = lane_of(NEWTON_DAMPING_FLOOR);
  const lane root = lane_sqrt(lane_min(e, one) + lane_of(TRACKING_NEAR_ERROR));
  const lane by_error = lane_of(TRACKING_DAMPING) * scale * e * root;
  const lane k = lane_of(TRACKING_GRADIENT_DAMPING / sqrt(n > 0 ? n : 1));
  const lane by_gradient = settle / lane_max(rest, one) * k * gradient;
  const lane settled = lane_min(settle / (settle + rest) * by_error, by_gradient);
  return lane_select(tracking_moves(rest), by_error, settled) + floor;
}

// mu of the step; predicted: r; first_order: |e'_1|.
LANE lane tracking_step_damping(lane mu, lane predicted, lane first_order) {
  const lane rest = lane_of(1.0 - TRACKING_MIN_DAMPING_SHARE) * predicted;
  const lane share = lane_fma(rest, predicted, lane_of(TRACKING_MIN_DAMPING_SHARE));
  return lane_max(mu * share, lane_of(FIRST_ORDER_DAMPING) * first_order);
}

// ----------------------------------------------------------- bounds of a step

// a; square: |X - X_last|^2; most: b.
LANE lane tracking_change_share(lane most, lane square) {
  const lane length = lane_sqrt(square);
  const lane_mask beyond = lane_less(most, length);
  return lane_select(beyond, most / length, lane_of(1.0));
}

// Bounds may keep some joints from changing as little as the others: these then change less.
// square: that of the change after it was limited and clamped to the bounds; most: b. Whether a
// smaller share is needed.
LANE lane_mask tracking_exceeds(lane most, lane square) {
  return lane_less(lane_of(TRACKING_CHANGE_SLACK) * most * most, square);
}

// a, smaller; clamped: the part of the square that the bounds determine.
LANE lane tracking_smaller_share(lane share, lane most, lane square, lane clamped) {
  const lane zero = lane_of(0.0), rest = square - clamped;
  const lane_mask some = lane_less(zero, rest);
  const lane allowed = lane_max(most * most - clamped, zero);
  const lane factor = lane_sqrt(allowed / lane_select(some, rest, lane_of(1.0)));
  return lane_select(some, share * factor, zero);
}

// X_last + a (X - X_last)
LANE lane tracking_limited(lane share, lane x, lane last) {
  return lane_fma(share, x - last, last);
}

// The longest motion of a joint at a distance from its limit after which it can come to rest at the
// limit if each motion is shorter than the last one by at most braking: v with
//
//   v + (v - c) + (v - 2 c) + .. = d,   k terms, k c < v + c
//
// c: braking > 0; distance: d. The distance itself where that is shorter than c, or negative.
LANE lane tracking_brake(lane distance, lane braking) {
  const lane one = lane_of(1.0), half = lane_of(0.5);
  const lane d = lane_max(distance, lane_of(0.0));
  const lane root = lane_sqrt(lane_fma(lane_of(8.0), d / braking, one));
  const lane k = lane_max(tracking_ceil(half * (root - one)), one);
  const lane v = (d + half * braking * k * (k - one)) / k;
  return lane_select(lane_less(distance, braking), distance, v);
}

// The share of the way to the targets that a part goes while a jump is spread; square: |X|^2, most:
// b. 1 where no more parts are needed.
LANE lane tracking_spread_share(lane most, lane square) {
  const lane way = lane_sqrt(square);
  const lane_mask far = lane_less(most, way);
  return lane_select(far, tracking_brake(way, most) / way, lane_of(1.0));
}

// Over how many more parts with targets in motion a jump may be spread, after one whose shares were
// spread and change. While the targets are at rest the figure may be slow to leave a saddle of E.
LANE lane tracking_spread(lane left, lane rest, lane spread, lane change) {
  const lane one = lane_of(1.0), less = lane_max(left - one, lane_of(0.0));
  const lane_mask whole = mask_and(lane_less_equal(one, spread), lane_less_equal(one, change));
  return lane_select(tracking_moves(rest), lane_select(whole, lane_of(0.0), less), left);
}

// A bound of a step.
LANE lane tracking_bound(lane bound) {
  const lane_mask none = lane_less(lane_abs(bound), lane_of(TRACKING_BOUND_EPSILON));
  return lane_select(none, lane_of(0.0), bound);
}

// The distance from a limit within which a joint may have to brake: further away tracking_brake()
// is not less than its longest motion towards the limit. last: its last motion; most: b; inverse: 1
// over its braking.
LANE lane tracking_braking_reach(lane last, lane most, lane inverse) {
  const lane longest = lane_max(last, lane_of(0.0)) + most;
  return lane_of(0.5) * longest * lane_fma(longest, inverse, lane_of(1.0));
}

// Whether a joint at that distance may have to brake.
LANE lane_mask tracking_may_brake(lane distance, lane last, lane most, lane inverse) {
  return lane_less(distance, tracking_braking_reach(last, most, inverse));
}

// How much joints may slow down from one part to the next.
typedef struct tracking_brakes {
  lane slower, inverse; // and 1 / slower
  lane max_change;      // b
} tracking_brakes;

// The longest motion in the direction of a limit; distance: to the limit, last: of the last part.
LANE lane tracking_longest(const tracking_brakes *by, lane distance, lane last) {
  const lane far = lane_of(INFINITY);
  const lane_mask near = tracking_may_brake(distance, last, by->max_change, by->inverse);
  return mask_bits(near) != 0 ? lane_select(near, tracking_brake(distance, by->slower), far) : far;
}

#endif
