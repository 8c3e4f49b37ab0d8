// Twists, spines and planted legs: the rotations, applied to the rest pose, give what was asked
// for. One at a time and in lanes.
#include "each_set.h"
#include "fixtures.h"
#include "inspect.h"
#include "sinew/limb.h"
#include "sample.h"

enum { CASES = SAMPLE_OF(500), ROWS = 37 };

static void direction(random_stream *random, double v[3]) {
  do {
    random_vector(random, 1.0, v);
  } while (!(sinew_norm(v) > 0.1));
  sinew_unit(v, v);
}

static void about(const double axis[3], double angle, double q[4]) {
  const double w[3] = {angle * axis[0], angle * axis[1], angle * axis[2]};
  q[0] = cos(0.5 * angle);
  for (int i = 0; i < 3; ++i) {
    q[1 + i] = angle != 0.0 ? sin(0.5 * angle) / angle * w[i] : 0.0;
  }
}

static void across(random_stream *random, const double axis[3], double out[3]) {
  double v[3];
  direction(random, v);
  sinew_cross(axis, v, out);
  sinew_unit(out, out);
}

// v += by * a
static void add(double by, const double a[3], double v[3]) {
  for (int i = 0; i < 3; ++i) {
    v[i] += by * a[i];
  }
}

// The largest difference of two rotations: of the entries of q, or of -q.
static double rotations_apart(const double a[4], const double b[4]) {
  double same = 0.0, other = 0.0;
  for (int i = 0; i < 4; ++i) {
    same = fmax(same, fabs(a[i] - b[i]));
    other = fmax(other, fabs(a[i] + b[i]));
  }
  return fmin(same, other);
}

static void back(const double q[4], double out[4]) {
  for (int i = 0; i < 4; ++i) {
    out[i] = i == 0 ? q[i] : -q[i];
  }
}

static double distance(const double a[3], const double b[3]) {
  const double v[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return sinew_norm_safe(v);
}

// ------------------------------------------------------------------- twists

static sinew_twist_def random_twist(random_stream *random) {
  sinew_twist_def def = sinew_default_twist_def();
  direction(random, def.axis);
  sinew_scale(random_between(random, 0.1, 5.0), def.axis, def.axis);
  for (int i = 0; i < 4; ++i) {
    def.rest[i] = random_between(random, -1.0, 1.0);
  }
  def.bones = 1 + (int)random_between(random, 0.0, 7.99);
  for (int i = 0; i < def.bones; ++i) {
    def.shares[i] = random_between(random, -2.0, 2.0);
  }
  return def;
}

// The joint's rotation with a twist after a swing.
static void make_joint(const sinew_twist_def *def, const double swing[4], double angle,
                       double joint[4]) {
  double axis[3], rest[4], turn[4];
  sinew_unit(def->axis, axis);
  memcpy(rest, def->rest, sizeof rest);
  sinew_quaternion_normalize(rest);
  about(axis, angle, turn);
  sinew_quaternion_multiply(turn, rest, joint);
  sinew_quaternion_multiply(swing, joint, joint);
}

// req: D17
static void twist_is_shared_out(void **state) {
  (void)state;
  random_stream random = random_stream_of(1);
  for (int i = 0; i < CASES; ++i) {
    const sinew_twist_def def = random_twist(&random);
    sinew_twist twist;
    double axis[3], side[3], swing[4], joint[4], got[SINEW_TWIST_BONES][4], found[4], expected[4];
    const double angle = random_between(&random, -3.1, 3.1);
    double out = 0.0;
    assert_ok(sinew_twist_init(&twist, &def, NULL));
    sinew_unit(def.axis, axis);
    across(&random, axis, side);
    about(side, random_between(&random, 0.0, 3.1), swing);
    make_joint(&def, swing, angle, joint);
    for (int j = 0; j < 4; ++j) {
      joint[j] *= pow(10.0, (double)(i % 9) - 4.0);
    }
    assert_ok(sinew_twist_solve(&twist, joint, i % 2 == 0 ? &out : NULL, got[0], found));
    assert_near(i % 2 == 0 ? out : angle, angle, 1e-12);
    assert_at_most(rotations_apart(found, swing), 1e-13);
    for (int bone = 0; bone < def.bones; ++bone) {
      about(axis, def.shares[bone] * angle, expected);
      assert_at_most(rotations_apart(got[bone], expected), 1e-13);
    }
  }
}

// With the last twist a roll bone follows any number of turns, whatever the swing; half a turn of
// swing leaves it as it is.
static void twist_follows_turns(void **state) {
  (void)state;
  random_stream random = random_stream_of(2);
  for (int i = 0; i < 20; ++i) {
    const sinew_twist_def def = random_twist(&random);
    sinew_twist twist;
    double axis[3], side[3], swing[4], joint[4], got[SINEW_TWIST_BONES][4], angle = 0.0;
    assert_ok(sinew_twist_init(&twist, &def, NULL));
    sinew_unit(def.axis, axis);
    for (double wanted = 0.0; wanted < 20.0; wanted += 0.7) {
      across(&random, axis, side);
      about(side, random_between(&random, 0.0, 3.0), swing);
      make_joint(&def, swing, wanted, joint);
      assert_ok(sinew_twist_solve(&twist, joint, &angle, got[0], NULL));
      assert_near(angle, wanted, 1e-11);
    }
    const double before = angle;
    about(side, PI, swing);
    swing[0] = 0.0;
    make_joint(&def, swing, 1.0, joint);
    assert_ok(sinew_twist_solve(&twist, joint, &angle, got[0], NULL));
    assert_true(angle == before);
  }
}

// ------------------------------------------------------------------- spines

static sinew_spine_def random_spine(random_stream *random, int i, double *length) {
  sinew_spine_def def = sinew_default_spine_def();
  const double size = pow(10.0, random_between(random, -3.0, 3.0));
  double along[3];
  *length = 0.0;
  direction(random, along);
  def.bones = 1 + i % SINEW_SPINE_BONES;
  for (int j = 0; j < 3; ++j) {
    def.joints[0][j] = random_between(random, -size, size);
  }
  for (int bone = 0; bone < def.bones; ++bone) {
    double step[3];
    const double one = size * random_between(random, 0.3, 1.5) / def.bones;
    random_vector(random, 0.3, step);
    add(1.0, along, step);
    sinew_unit(step, along);
    *length += one;
    for (int j = 0; j < 3; ++j) {
      def.joints[bone + 1][j] = def.joints[bone][j] + one * along[j];
    }
  }
  return def;
}

// A bent curve of about `times` the length.
static void random_curve(random_stream *random, double length, double times, double curve[4][3]) {
  double along[3], step[3];
  direction(random, along);
  random_vector(random, length, curve[0]);
  for (int k = 1; k < 4; ++k) {
    random_vector(random, 0.5, step);
    add(1.0, along, step);
    for (int j = 0; j < 3; ++j) {
      curve[k][j] = curve[k - 1][j] + length * times / 3.0 * step[j];
    }
  }
}

static void point_of(double (*c)[3], double t, double out[3]) {
  const double s = 1.0 - t;
  for (int j = 0; j < 3; ++j) {
    out[j] = s * s * s * c[0][j] + 3.0 * s * s * t * c[1][j] + 3.0 * s * t * t * c[2][j] +
             t * t * t * c[3][j];
  }
}

// The value of t from `from` on at which the curve, or beyond 1 its tangent, is nearest to p.
static double nearest_of(double (*c)[3], const double p[3], double from, double *gap) {
  double at[3], best = from, tangent[3];
  *gap = INFINITY;
  for (int k = 0; k <= 4000; ++k) {
    const double t = from + (1.0 - from) * k / 4000.0;
    point_of(c, t, at);
    const double d = distance(at, p);
    best = d < *gap ? t : best;
    *gap = fmin(*gap, d);
  }
  double low = fmax(from, best - 1.0 / 4000.0), high = fmin(1.0, best + 1.0 / 4000.0);
  for (int step = 0; step < 100; ++step) {
    const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
    double at_b[3];
    point_of(c, a, at);
    point_of(c, b, at_b);
    if (distance(at, p) < distance(at_b, p)) {
      high = b;
    } else {
      low = a;
    }
  }
  point_of(c, low, at);
  *gap = distance(at, p);
  for (int j = 0; j < 3; ++j) {
    tangent[j] = c[3][j] - c[2][j];
    at[j] = p[j] - c[3][j];
  }
  sinew_unit(tangent, tangent);
  const double ahead = sinew_dot(at, tangent);
  if (ahead >= 0.0) {
    add(-ahead, tangent, at);
    if (sinew_norm_safe(at) < *gap) {
      *gap = sinew_norm_safe(at);
      return 1.0;
    }
  }
  return low;
}

// req: D17
static void bones_are_on_the_curve(void **state) {
  (void)state;
  random_stream random = random_stream_of(3);
  for (int i = 0; i < CASES; ++i) {
    double curve[4][3], length, t = 0.0, gap;
    const sinew_spine_def def = random_spine(&random, i, &length);
    sinew_spine spine;
    sinew_spine_pose pose;
    assert_ok(sinew_spine_init(&spine, &def, NULL));
    random_curve(&random, length, i % 3 == 0 ? 0.3 : 1.5, curve);
    assert_ok(sinew_spine_solve(&spine, curve[0], NULL, NULL, &pose));
    assert_at_most(distance(pose.joints[0], curve[0]), 1e-14 * length);
    assert_near(pose.miss, distance(pose.joints[def.bones], curve[3]), 1e-13 * length);
    for (int bone = 0; bone < def.bones; ++bone) {
      const double *from = pose.joints[bone], *to = pose.joints[bone + 1];
      double rest[3], now[3], at[3];
      const double one = distance(def.joints[bone], def.joints[bone + 1]);
      assert_near(distance(from, to), one, 1e-13 * length);
      const double before = t;
      t = nearest_of(curve, to, before, &gap);
      assert_at_most(gap, 1e-9 * length);
      for (int k = 1; k < 20 && before < 1.0; ++k) { // the first point at that distance
        point_of(curve, before + (t - before) * k / 20.0, at);
        assert_at_most(distance(at, from), one * (1.0 + 1e-9));
      }
      for (int j = 0; j < 3; ++j) {
        rest[j] = def.joints[bone + 1][j] - def.joints[bone][j];
        now[j] = to[j] - from[j];
      }
      sinew_quaternion_rotate(pose.rotations[bone], rest, rest);
      assert_at_most(distance(rest, now), 1e-13 * length);
    }
  }
}

// From bone to bone there is no twist but the share of the one that was asked for; the last bone
// has the wanted rotation about its direction.
static void spines_twist_evenly(void **state) {
  (void)state;
  random_stream random = random_stream_of(4);
  for (int i = 0; i < CASES; ++i) {
    double curve[4][3], length, end[4], so_far = 0.0, twist = 0.0;
    const sinew_spine_def def = random_spine(&random, i, &length);
    sinew_spine spine;
    sinew_spine_pose plain, pose;
    assert_ok(sinew_spine_init(&spine, &def, NULL));
    random_curve(&random, length, 1.2, curve);
    for (int j = 0; j < 4; ++j) {
      end[j] = random_between(&random, -1.0, 1.0);
    }
    assert_ok(sinew_spine_solve(&spine, curve[0], NULL, NULL, &plain));
    assert_ok(sinew_spine_solve(&spine, curve[0], end, &twist, &pose));
    sinew_quaternion_normalize(end);
    for (int bone = 0; bone < def.bones; ++bone) {
      double u[3], along[3], inverse[4], step[4], expected[4];
      const double one = distance(def.joints[bone], def.joints[bone + 1]);
      for (int j = 0; j < 3; ++j) {
        u[j] = (def.joints[bone + 1][j] - def.joints[bone][j]) / one;
        along[j] = (pose.joints[bone + 1][j] - pose.joints[bone][j]) / one;
      }
      if (bone > 0) { // the shortest: about an axis across the bone, carried by the one before
        back(plain.rotations[bone - 1], inverse);
        sinew_quaternion_multiply(plain.rotations[bone], inverse, step);
        sinew_quaternion_rotate(plain.rotations[bone - 1], u, u);
      } else {
        memcpy(step, plain.rotations[0], sizeof step);
      }
      assert_near(sinew_dot(step + 1, u), 0.0, 1e-13);
      so_far += one / length;
      about(along, so_far * twist, step);
      sinew_quaternion_multiply(step, plain.rotations[bone], expected);
      assert_at_most(rotations_apart(expected, pose.rotations[bone]), 1e-12);
      if (bone + 1 == def.bones) {
        back(pose.rotations[bone], inverse);
        sinew_quaternion_multiply(end, inverse, step);
        assert_near(sinew_dot(step + 1, along), 0.0, 1e-12);
      }
    }
  }
}

static void spines_rest_on_their_rest(void **state) {
  (void)state;
  const sinew_spine_def def = sinew_default_spine_def();
  sinew_spine spine;
  sinew_spine_pose pose;
  const double identity[4] = {1.0, 0.0, 0.0, 0.0};
  double curve[4][3] = {{0.0}}, twist = 0.0;
  assert_ok(sinew_spine_init(&spine, &def, NULL));
  for (int k = 0; k < 4; ++k) {
    curve[k][2] = k;
  }
  assert_ok(sinew_spine_solve(&spine, curve[0], identity, &twist, &pose));
  assert_near(pose.miss, 0.0, 1e-14);
  assert_near(twist, 0.0, 1e-14);
  for (int bone = 0; bone < 3; ++bone) {
    assert_at_most(rotations_apart(pose.rotations[bone], identity), 1e-14);
  }
  // Several turns of the end: the twist goes on
  for (double wanted = 0.0; wanted < 20.0; wanted += 0.5) {
    double end[4];
    about((double[3]){0.0, 0.0, 1.0}, wanted, end);
    assert_ok(sinew_spine_solve(&spine, curve[0], end, &twist, &pose));
    assert_near(twist, wanted, 1e-12);
    about((double[3]){0.0, 0.0, 1.0}, wanted / 3.0, end);
    assert_at_most(rotations_apart(pose.rotations[0], end), 1e-12);
  }
}

// Curves that are a point, or turn back on themselves: always finite, and bones keep their lengths.
static void hostile_curves(void **state) {
  (void)state;
  random_stream random = random_stream_of(5);
  static const double values[] = {0.0, 0.0, 1.0, -1.0, 1e-160, 1e-12, 1e49};
  for (int i = 0; i < CASES; ++i) {
    const sinew_spine_def def = sinew_default_spine_def();
    sinew_spine spine;
    sinew_spine_pose pose;
    double curve[12], most = 1.0;
    assert_ok(sinew_spine_init(&spine, &def, NULL));
    for (int j = 0; j < 12; ++j) {
      curve[j] = values[(int)random_between(&random, 0.0, i % 2 == 0 ? 3.99 : 6.99)];
      most = fmax(most, fabs(curve[j]));
    }
    assert_ok(sinew_spine_solve(&spine, curve, NULL, NULL, &pose));
    for (int bone = 0; bone < 3; ++bone) {
      assert_near(distance(pose.joints[bone], pose.joints[bone + 1]), 1.0, 1e-13 * most);
      assert_near(sinew_length(4, pose.rotations[bone]), 1.0, 1e-13);
    }
  }
}

// -------------------------------------------------------------------- legs

typedef struct stand {
  sinew_limb limbs[SINEW_PLANT_LEGS];
  sinew_plant_def def;
  sinew_plant plant;
  double size, up[3];
} stand;

static void random_stand(random_stream *random, int i, stand *s) {
  s->size = pow(10.0, random_between(random, -2.0, 2.0));
  s->def = sinew_default_plant_def();
  direction(random, s->up);
  sinew_scale(3.0, s->up, s->def.up);
  s->def.legs = 1 + i % SINEW_PLANT_LEGS;
  s->def.sole = i % 3 == 0 ? 0.0 : 0.1 * s->size;
  s->def.max_drop = s->def.max_rise = i % 4 == 0 ? 0.05 : 2.0;
  for (int leg = 0; leg < s->def.legs; ++leg) {
    sinew_limb_def limb = sinew_default_limb_def();
    double side[3];
    across(random, s->up, side);
    for (int j = 0; j < 3; ++j) {
      limb.shoulder[j] = s->size * 0.3 * side[j];
      limb.elbow[j] = limb.shoulder[j] - s->size * (0.5 * s->up[j] - 0.1 * side[j]);
      limb.wrist[j] = limb.elbow[j] - s->size * random_between(random, 0.5, 0.8) * s->up[j];
    }
    limb.soft = i % 2 == 0 ? 0.0 : 0.05;
    assert_ok(sinew_limb_init(&s->limbs[leg], &limb, NULL));
  }
  assert_ok(sinew_plant_init(&s->plant, &s->def, s->limbs, NULL));
}

// Ground somewhere below the hips.
static void random_ground(random_stream *random, const stand *s, double contacts[][3],
                          double normals[][3]) {
  for (int leg = 0; leg < s->def.legs; ++leg) {
    double side[3];
    across(random, s->up, side);
    const double wide = random_between(random, 0.0, 0.5), below = random_between(random, 0.7, 1.5);
    for (int j = 0; j < 3; ++j) {
      contacts[leg][j] = s->limbs[leg].shoulder[j] + s->size * (wide * side[j] - below * s->up[j]);
      normals[leg][j] = 2.0 * (s->up[j] + random_between(random, 0.0, 2.0) * side[j]);
    }
  }
}

// Whether all planted ankles are in reach from above with the pelvis at a height.
static bool is_reached(const stand *s, double (*ankles)[3], const unsigned char *planted,
                       double height) {
  for (int leg = 0; leg < s->def.legs; ++leg) {
    const sinew_limb *limb = &s->limbs[leg];
    double from[3];
    for (int j = 0; j < 3; ++j) {
      from[j] = ankles[leg][j] - limb->shoulder[j] - height * s->up[j];
    }
    const double d = sinew_norm_safe(from);
    if (planted[leg] != 0 &&
        (d > limb->length[0] + limb->length[1] - limb->zone ||
         d < fabs(limb->length[0] - limb->length[1]) || sinew_dot(from, s->up) > 0.0)) {
      return false;
    }
  }
  return true;
}

// The height is the smallest that works, by trial; the limbs then reach the ankles.
// req: D17
static void pelvis_moves_as_little_as_possible(void **state) {
  (void)state;
  random_stream random = random_stream_of(6);
  int reached = 0, moved = 0;
  for (int i = 0; i < CASES; ++i) {
    stand s;
    double contacts[SINEW_PLANT_LEGS][3], normals[SINEW_PLANT_LEGS][3], ankles[SINEW_PLANT_LEGS][3];
    unsigned char planted[SINEW_PLANT_LEGS];
    sinew_plant_pose pose;
    random_stand(&random, i, &s);
    random_ground(&random, &s, contacts, normals);
    for (int leg = 0; leg < SINEW_PLANT_LEGS; ++leg) {
      planted[leg] = i % 5 != 0 || random_between(&random, 0.0, 1.0) < 0.5;
    }
    const sinew_plant_goal goal = {contacts[0], i % 2 ? normals[0] : NULL, planted};
    assert_ok(sinew_plant_solve(&s.plant, &goal, &pose));
    double shortest = INFINITY;
    for (int leg = 0; leg < s.def.legs; ++leg) {
      const sinew_limb *limb = &s.limbs[leg];
      double normal[3], tilted[3];
      // The ankle is above the contact, along up tilted towards the normal by 45 degrees at most
      memcpy(normal, i % 2 ? normals[leg] : s.up, sizeof normal);
      sinew_unit(normal, normal);
      sinew_quaternion_rotate(pose.tilts[leg], s.up, tilted);
      assert_near(acos(fmin(1.0, sinew_dot(tilted, s.up))),
                  fmin(PI / 4.0, acos(fmin(1.0, sinew_dot(normal, s.up)))), 1e-7);
      if (sinew_dot(normal, s.up) > 0.71) {
        assert_at_most(distance(normal, tilted), 1e-13);
      }
      for (int j = 0; j < 3; ++j) {
        ankles[leg][j] = contacts[leg][j] + s.def.sole * tilted[j];
        assert_near(pose.ankles[leg][j], ankles[leg][j] - pose.height * s.up[j], 1e-13 * s.size);
      }
      shortest = fmin(shortest, limb->length[0] + limb->length[1] - limb->zone);
    }
    const double bound = shortest * s.def.max_drop;
    assert_at_most(fabs(pose.height), bound * (1.0 + 1e-13));
    // Nothing nearer to 0 works
    const double step = 1e-3 * s.size, size = fabs(pose.height);
    for (double h = 0.0; h < size - step; h += step) {
      assert_false(is_reached(&s, ankles, planted, h) || is_reached(&s, ankles, planted, -h));
    }
    const double inside = pose.height + (pose.height > 0.0 ? 1e-9 : -1e-9) * s.size;
    const bool all = is_reached(&s, ankles, planted, size > 0.0 ? inside : 0.0);
    if (!all) { // then no height works
      for (double h = -bound; h < bound; h += 20.0 * step) {
        assert_false(is_reached(&s, ankles, planted, h));
      }
    }
    reached += all;
    moved += all && size > 0.0;
    for (int leg = 0; leg < s.def.legs; ++leg) {
      const sinew_limb_goal to = {
          .target = {pose.ankles[leg][0], pose.ankles[leg][1], pose.ankles[leg][2]}};
      sinew_limb_pose limb;
      assert_ok(sinew_limb_solve(&s.limbs[leg], &to, NULL, &limb));
      if (all && planted[leg] != 0) {
        assert_at_most(pose.misses[leg], 1e-12 * s.size);
        assert_at_most(limb.miss, 1e-12 * s.size);
      } else if (s.limbs[leg].zone == 0.0) {
        assert_near(limb.miss, pose.misses[leg], 1e-12 * s.size);
      }
    }
  }
  assert_true(reached > CASES / 4 && moved > CASES / 8 && reached < CASES);
}

// No height jumps where the ground changes little, reached or not.
static void heights_are_continuous(void **state) {
  (void)state;
  random_stream random = random_stream_of(7);
  for (int i = 0; i < CASES; ++i) {
    stand s;
    double contacts[SINEW_PLANT_LEGS][3], normals[SINEW_PLANT_LEGS][3], last = 0.0;
    random_stand(&random, i, &s);
    random_ground(&random, &s, contacts, normals);
    const int leg = i % s.def.legs;
    double side[3], start[3];
    direction(&random, side);
    memcpy(start, contacts[leg], sizeof start);
    for (int k = 0; k < 400; ++k) {
      sinew_plant_pose pose;
      for (int j = 0; j < 3; ++j) {
        contacts[leg][j] = start[j] + s.size * 0.004 * k * side[j];
      }
      const sinew_plant_goal goal = {contacts[0], normals[0], NULL};
      assert_ok(sinew_plant_solve(&s.plant, &goal, &pose));
      // sqrt(far^2 - r^2) falls by sqrt(2 far dr) at most
      assert_true(k == 0 || fabs(pose.height - last) < s.size * sqrt(2.0 * 1.4 * 0.004) * 1.1);
      last = pose.height;
    }
  }
}

// --------------------------------------------------------------------- lanes

// Rows in lanes are those one at a time; a row that cannot be used changes no other.
static void lanes_agree_with_one(void **state) {
  const sinew_limb_kernel *kernel = sinew_limb_kernel_of(set_of_state(state));
  random_stream random = random_stream_of(8);
  static double joints[ROWS][4], angles[ROWS], turns[ROWS * SINEW_TWIST_BONES][4], swings[ROWS][4];
  static double curves[ROWS][12], rotations[ROWS * SINEW_SPINE_BONES][4];
  static double places[ROWS * (SINEW_SPINE_BONES + 1)][3], misses[ROWS * SINEW_PLANT_LEGS];
  static double contacts[ROWS * SINEW_PLANT_LEGS][3], normals[ROWS * SINEW_PLANT_LEGS][3];
  static double heights[ROWS], ankles[ROWS * SINEW_PLANT_LEGS][3],
      tilts[ROWS * SINEW_PLANT_LEGS][4];
  static unsigned char planted[ROWS * SINEW_PLANT_LEGS];
  for (int run = 0; run < 34; ++run) {
    const int bad = run % 2 == 0 ? run : ROWS;
    double length, curve[4][3];
    const sinew_twist_def twist_def = random_twist(&random);
    const sinew_spine_def spine_def = random_spine(&random, run, &length);
    sinew_twist twist;
    sinew_spine spine;
    stand s;
    assert_ok(sinew_twist_init(&twist, &twist_def, NULL));
    assert_ok(sinew_spine_init(&spine, &spine_def, NULL));
    random_stand(&random, run, &s);
    const int bones = twist.bones, links = spine.bones, legs = s.def.legs;
    double last[ROWS];
    for (int i = 0; i < ROWS; ++i) {
      for (int j = 0; j < 4; ++j) {
        joints[i][j] = random_between(&random, -1.0, 1.0);
      }
      last[i] = angles[i] = random_between(&random, -20.0, 20.0);
      random_curve(&random, length, 1.0, curve);
      memcpy(curves[i], curve, sizeof curve);
      random_ground(&random, &s, contacts + i * legs, normals + i * legs);
      for (int leg = 0; leg < legs; ++leg) {
        planted[i * legs + leg] = random_between(&random, 0.0, 1.0) < 0.8;
      }
    }
    if (bad < ROWS) {
      joints[bad][1] = NAN;
      curves[bad][run % 12] = 1e51;
      contacts[bad * legs][2] = INFINITY;
    }
    const sinew_twist_arrays twists = {joints[0], angles, turns[0], swings[0]};
    assert_int_equal(kernel->twists(&twist, ROWS, &twists), bad == ROWS);
    for (int i = 0; i < ROWS; ++i) {
      double got[SINEW_TWIST_BONES][4], swing[4], angle = last[i];
      assert_int_equal(sinew_twist_solve(&twist, joints[i], &angle, got[0], swing),
                       i == bad ? SINEW_ERROR_NOT_FINITE : SINEW_OK);
      assert_near(angles[i], angle, 1e-12);
      assert_true(i != bad || (angle == last[i] && got[0][0] == 1.0 && swing[0] == 1.0));
      assert_at_most(rotations_apart(swing, swings[i]), 1e-13);
      for (int bone = 0; bone < bones; ++bone) {
        assert_at_most(rotations_apart(got[bone], turns[i * bones + bone]), 2e-12);
      }
      last[i] = angle;
    }
    // The spines' ends are the joints' rotations
    memcpy(angles, last, sizeof last);
    const sinew_spine_arrays spines = {curves[0],    joints[0], angles,
                                       rotations[0], places[0], misses};
    assert_int_equal(kernel->spines(&spine, ROWS, &spines), bad == ROWS);
    for (int i = 0; i < ROWS; ++i) {
      sinew_spine_pose pose;
      assert_int_equal(sinew_spine_solve(&spine, curves[i], joints[i], &last[i], &pose),
                       i == bad ? SINEW_ERROR_NOT_FINITE : SINEW_OK);
      assert_near(misses[i], pose.miss, 1e-12 * length);
      assert_true((pose.miss == -1.0) == (i == bad));
      for (int bone = 0; bone <= links; ++bone) {
        assert_at_most(distance(pose.joints[bone], places[i * (links + 1) + bone]), 1e-12 * length);
        if (bone < links) {
          assert_at_most(rotations_apart(pose.rotations[bone], rotations[i * links + bone]), 1e-11);
        }
      }
    }
    const sinew_plant_arrays plants = {contacts[0], normals[0], planted, heights,
                                       ankles[0],   tilts[0],   misses};
    assert_int_equal(kernel->plants(&s.plant, ROWS, &plants), bad == ROWS);
    for (int i = 0; i < ROWS; ++i) {
      sinew_plant_pose pose;
      const sinew_plant_goal goal = {contacts[i * legs], normals[i * legs], planted + i * legs};
      assert_int_equal(sinew_plant_solve(&s.plant, &goal, &pose),
                       i == bad ? SINEW_ERROR_NOT_FINITE : SINEW_OK);
      assert_near(heights[i], pose.height, 1e-11 * s.size);
      for (int leg = 0; leg < legs; ++leg) {
        assert_at_most(distance(pose.ankles[leg], ankles[i * legs + leg]), 1e-11 * s.size);
        assert_at_most(rotations_apart(pose.tilts[leg], tilts[i * legs + leg]), 1e-13);
        assert_near(pose.misses[leg], misses[i * legs + leg], 1e-11 * s.size);
        assert_true((pose.misses[leg] == -1.0) == (i == bad));
      }
    }
  }
}

// Arrays of float: what arrays of double with the same numbers give, rounded once.
static void assert_rounded(const float *values, const double *expected, int count) {
  for (int i = 0; i < count; ++i) {
    if (values[i] != (float)expected[i]) {
      fail_msg("value %d: %.9g is not %.17g rounded", i, (double)values[i], expected[i]);
    }
  }
}

static void to_floats(float *values, double *same, int count) {
  for (int i = 0; i < count; ++i) {
    values[i] = (float)same[i];
    same[i] = (double)values[i];
  }
}

static void floats_are_rounded_doubles(void **state) {
  const sinew_limb_kernel *kernel = sinew_limb_kernel_of(set_of_state(state));
  random_stream random = random_stream_of(10);
  enum { MOST = ROWS * 3 * (SINEW_SPINE_BONES + 1) };
  static double in[4][MOST], out[7][ROWS * 4 * SINEW_SPINE_BONES];
  static float in_f[4][MOST], out_f[7][ROWS * 4 * SINEW_SPINE_BONES];
  static sinew_limb_memory memories[2][ROWS];
  for (int run = 0; run < 18; ++run) {
    stand s;
    double length;
    const sinew_twist_def twist_def = random_twist(&random);
    const sinew_spine_def spine_def = random_spine(&random, run, &length);
    sinew_aim_def aim_def = sinew_default_aim_def();
    sinew_limb_def limb_def = sinew_default_limb_def();
    sinew_twist twist;
    sinew_spine spine;
    sinew_limb limb;
    sinew_aim aim;
    random_stand(&random, run, &s);
    random_vector(&random, 0.1, aim_def.eye);
    limb_def.bend_axis[0] = 1.0;
    limb_def.bend = (sinew_limb_bend)(run % 3);
    limb_def.stretch = 0.5;
    assert_ok(sinew_twist_init(&twist, &twist_def, NULL));
    assert_ok(sinew_spine_init(&spine, &spine_def, NULL));
    assert_ok(sinew_limb_init(&limb, &limb_def, NULL));
    assert_ok(sinew_aim_init(&aim, &aim_def, NULL));
    for (int k = 0; k < 4; ++k) {
      for (int i = 0; i < MOST; ++i) {
        in[k][i] = random_between(&random, -2.0, 2.0);
      }
      in[k][30] = run % 4 == k ? 2e37 : in[k][30]; // refused, in float only
      to_floats(in_f[k], in[k], MOST);
      in[k][30] = run % 4 == k ? NAN : in[k][30];
    }
    memset(memories, 0, sizeof memories);
    const int bones = spine.bones, legs = s.def.legs;
    const sinew_limb_arrays limbs = {in[0],  in[1],  in[2],  memories[0], out[0],
                                     out[1], out[2], out[3], out[4],      out[5]};
    const sinew_limb_arrays_float limbs_f = {in_f[0],  in_f[1],  in_f[2],  memories[1], out_f[0],
                                             out_f[1], out_f[2], out_f[3], out_f[4],    out_f[5]};
    const bool limbs_good = kernel->limbs(&limb, ROWS, &limbs);
    assert_int_equal(kernel->limbs_float(&limb, ROWS, &limbs_f), limbs_good);
    assert_true(limbs_good == (run % 4 == 3 || (run % 4 == 1 && run % 3 == 0)));
    for (int k = 0; k < 6; ++k) {
      assert_rounded(out_f[k], out[k], ROWS * (k < 2 ? 4 : k < 4 ? 3 : 1));
    }
    assert_memory_equal(memories[0], memories[1], sizeof memories[0]);

    const sinew_aim_arrays aims = {in[0], in[1], out[0], out[1]};
    const sinew_aim_arrays_float aims_f = {in_f[0], in_f[1], out_f[0], out_f[1]};
    assert_int_equal(kernel->aims(&aim, ROWS, &aims), kernel->aims_float(&aim, ROWS, &aims_f));
    assert_rounded(out_f[0], out[0], 4 * ROWS);
    assert_rounded(out_f[1], out[1], ROWS);

    memcpy(out[2], in[2], ROWS * sizeof *out[2]);
    memcpy(out_f[2], in_f[2], ROWS * sizeof *out_f[2]);
    const sinew_twist_arrays twists = {in[0], out[2], out[0], out[1]};
    const sinew_twist_arrays_float twists_f = {in_f[0], out_f[2], out_f[0], out_f[1]};
    assert_int_equal(kernel->twists(&twist, ROWS, &twists),
                     kernel->twists_float(&twist, ROWS, &twists_f));
    assert_rounded(out_f[0], out[0], 4 * ROWS * twist.bones);
    assert_rounded(out_f[1], out[1], 4 * ROWS);
    assert_rounded(out_f[2], out[2], run % 4 == 2 ? 30 : ROWS);

    memcpy(out[2], in[2], ROWS * sizeof *out[2]);
    memcpy(out_f[2], in_f[2], ROWS * sizeof *out_f[2]);
    const sinew_spine_arrays spines = {in[3], in[0], out[2], out[0], out[1], out[3]};
    const sinew_spine_arrays_float spines_f = {in_f[3],  in_f[0],  out_f[2],
                                               out_f[0], out_f[1], out_f[3]};
    assert_int_equal(kernel->spines(&spine, ROWS, &spines),
                     kernel->spines_float(&spine, ROWS, &spines_f));
    assert_rounded(out_f[0], out[0], 4 * ROWS * bones);
    assert_rounded(out_f[1], out[1], 3 * ROWS * (bones + 1));
    assert_rounded(out_f[3], out[3], ROWS);

    static unsigned char planted[ROWS * SINEW_PLANT_LEGS];
    for (int i = 0; i < ROWS * SINEW_PLANT_LEGS; ++i) {
      planted[i] = i % 3 != 0;
    }
    const sinew_plant_arrays plants = {in[0], in[1], planted, out[0], out[1], out[2], out[3]};
    const sinew_plant_arrays_float plants_f = {in_f[0],  in_f[1],  planted, out_f[0],
                                               out_f[1], out_f[2], out_f[3]};
    assert_int_equal(kernel->plants(&s.plant, ROWS, &plants),
                     kernel->plants_float(&s.plant, ROWS, &plants_f));
    assert_rounded(out_f[0], out[0], ROWS);
    assert_rounded(out_f[1], out[1], 3 * ROWS * legs);
    assert_rounded(out_f[2], out[2], 4 * ROWS * legs);
    assert_rounded(out_f[3], out[3], ROWS * legs);
  }
}

// Public functions, one figure, and numbers that float cannot hold.
static void floats_are_bounded(void **state) {
  (void)state;
  sinew_limb_def def = sinew_default_limb_def();
  sinew_limb limb;
  float target[3] = {1e37f, 1e37f, 1e37f}, upper[4], lower[4], wrist[3], miss;
  def.bend_axis[0] = 1.0;
  def.stretch = 1.0;
  for (int i = 0; i < 3; ++i) { // the limb is farther away than float goes
    def.shoulder[i] += 1e50;
    def.elbow[i] += 1e50 + 1e48 * i;
    def.wrist[i] += 1e50 + 3e48 * i;
  }
  assert_ok(sinew_limb_init(&limb, &def, NULL));
  const sinew_limb_arrays_float arrays = {
      .targets = target, .upper = upper, .lower = lower, .wrists = wrist, .misses = &miss};
  assert_ok(sinew_limbs_solve_float(&limb, 1, &arrays));
  for (int i = 0; i < 3; ++i) {
    assert_true(isfinite(wrist[i]) && isfinite(upper[i]));
  }
  assert_true(isfinite(miss));
  assert_int_equal(sinew_limbs_solve_float(&limb, 1, &(sinew_limb_arrays_float){0}),
                   SINEW_ERROR_ARGUMENT);
  target[1] = 2e37f;
  assert_int_equal(sinew_limbs_solve_float(&limb, 1, &arrays), SINEW_ERROR_NOT_FINITE);
  assert_true(miss == -1.0f);
}

// ----------------------------------------------------------------- bad input

static void definitions_are_refused_by_name(void **state) {
  (void)state;
  sinew_error error;
  sinew_twist twist;
  sinew_twist_def twist_def = sinew_default_twist_def();
  assert_ok(sinew_twist_init(&twist, &twist_def, NULL));
  twist_def.bones = 9;
  assert_int_equal(sinew_twist_init(&twist, &twist_def, &error), SINEW_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "sinew_twist_def.bones"));
  twist_def = sinew_default_twist_def();
  twist_def.axis[0] = 0.0;
  assert_int_equal(sinew_twist_init(&twist, &twist_def, &error), SINEW_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "axis"));
  twist_def = sinew_default_twist_def();
  twist_def.rest[2] = NAN;
  assert_int_equal(sinew_twist_init(&twist, &twist_def, &error), SINEW_ERROR_NOT_FINITE);
  assert_non_null(strstr(error.message, "rest"));
  twist_def = sinew_default_twist_def();
  twist_def.shares[0] = 11.0;
  assert_int_equal(sinew_twist_init(&twist, &twist_def, &error), SINEW_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "shares"));
  twist_def.cookie = 0;
  assert_int_equal(sinew_twist_init(&twist, &twist_def, &error), SINEW_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "sinew_default_twist_def"));

  sinew_spine spine;
  sinew_spine_def spine_def = sinew_default_spine_def();
  spine_def.bones = 0;
  assert_int_equal(sinew_spine_init(&spine, &spine_def, &error), SINEW_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "sinew_spine_def.bones"));
  spine_def = sinew_default_spine_def();
  spine_def.joints[2][2] = 1.0;
  assert_int_equal(sinew_spine_init(&spine, &spine_def, &error), SINEW_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "joints[2]"));
  spine_def.joints[2][2] = NAN;
  assert_int_equal(sinew_spine_init(&spine, &spine_def, &error), SINEW_ERROR_NOT_FINITE);

  sinew_plant plant;
  sinew_plant_def plant_def = sinew_default_plant_def();
  random_stream random = random_stream_of(9);
  stand s;
  random_stand(&random, 1, &s);
  plant_def.legs = 0;
  assert_int_equal(sinew_plant_init(&plant, &plant_def, s.limbs, &error), SINEW_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "sinew_plant_def.legs"));
  plant_def = sinew_default_plant_def();
  plant_def.up[2] = 0.0;
  assert_int_equal(sinew_plant_init(&plant, &plant_def, s.limbs, &error), SINEW_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "up"));
  plant_def = sinew_default_plant_def();
  plant_def.max_tilt = 2.0;
  assert_int_equal(sinew_plant_init(&plant, &plant_def, s.limbs, &error), SINEW_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "max_tilt"));
  plant_def = sinew_default_plant_def();
  plant_def.sole = INFINITY;
  assert_int_equal(sinew_plant_init(&plant, &plant_def, s.limbs, &error), SINEW_ERROR_NOT_FINITE);
  assert_non_null(strstr(error.message, "sole"));

  assert_int_equal(sinew_twists_solve(&twist, 1, &(sinew_twist_arrays){0}), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_spines_solve(&spine, 1, &(sinew_spine_arrays){0}), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_plants_solve(&plant, 1, &(sinew_plant_arrays){0}), SINEW_ERROR_ARGUMENT);
  assert_ok(sinew_plants_solve(&plant, 0, &(sinew_plant_arrays){0}));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(twist_is_shared_out),
      cmocka_unit_test(twist_follows_turns),
      cmocka_unit_test(bones_are_on_the_curve),
      cmocka_unit_test(spines_twist_evenly),
      cmocka_unit_test(spines_rest_on_their_rest),
      cmocka_unit_test(hostile_curves),
      cmocka_unit_test(pelvis_moves_as_little_as_possible),
      cmocka_unit_test(heights_are_continuous),
      ON_EACH_SET(lanes_agree_with_one),
      ON_EACH_SET(floats_are_rounded_doubles),
      cmocka_unit_test(floats_are_bounded),
      cmocka_unit_test(definitions_are_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
