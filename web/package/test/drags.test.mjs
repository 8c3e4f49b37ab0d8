// 10,000 random drags of a target, within reach and beyond: limits hold, nothing is NaN, and in a slow
// drag nothing jumps: the motion in an update differs from that in the last one by 0.1 rad at most.
//
// A joint itself moves by more in an update where a drag leads inwards from full stretch: between
// the ends of links of lengths a and b with the angle q from stretch, the distance is
// r(q) = a + b - a b q^2 / (2 (a + b)) + O(q^4), so that a follower without error takes
// q = sqrt(2 D (a + b) / (a b)) for the first D.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init, Model, Scene, Tracker } from 'sinew-ik';
import { armText } from './common.mjs';

const DRAGS = 10_000;
const UPDATES = 12; // of a drag; the next one goes on from there
const SLOW = 0.002; // of the figure's size, an update
const MOST = 0.1; // [rad], norm over all joints; a tracker's maxChange is 0.095
const LAG = 1.25; // over that q, as the figure lags before it leaves full stretch
const BEYOND = 0.02; // a target further off, in sizes, is out of reach

await init({ simd: process.env.SINEW_TEST_SIMD !== '0' });

// The same numbers everywhere: Mulberry32.
function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Drags one task's target at a time along straight lines.
 * @returns the largest jump, how often out of reach, the largest move of a joint [rad], and the joint
 *   values before and after each update in which one moved by more than MOST */
function drag(model, tasks, drags, speed, seed) {
  const next = random(seed);
  const tracker = new Tracker(model, tasks);
  tracker.q.set(model.middle());
  tracker.targetsFromPoses();
  const home = tracker.targets.slice();
  const last = new Float64Array(model.nq);
  let [largest, beyond, own] = [0, 0, 0];
  const moves = [];
  for (let i = 0; i < drags; i++) {
    const task = Math.floor(next() * tasks.length);
    const at = tracker.targetIndex(task);
    const step = Array.from({ length: 3 }, () => (2 * next() - 1) * speed * model.size);
    // Back towards the figure where the drag has left its reach by far.
    const away = Math.hypot(...[0, 1, 2].map((k) => tracker.targets[at + k] - home[at + k]));
    if (away > 1.5 * model.size)
      for (let k = 0; k < 3; k++)
        step[k] = ((home[at + k] - tracker.targets[at + k]) / away) * speed * model.size;
    for (let j = 0; j < UPDATES; j++) {
      for (let k = 0; k < 3; k++) tracker.targets[at + k] += step[k];
      const before = tracker.q.slice();
      beyond += tracker.update().positionError > BEYOND * model.size;
      let [jump, most] = [0, 0];
      for (const { kind, qIndex, vIndex, nv, nq } of model.joints) {
        if (nv !== nq) continue; // a quaternion
        for (let k = 0; k < nv; k++) {
          const value = tracker.q[qIndex + k];
          assert.ok(Number.isFinite(value));
          assert.ok(value >= model.lower[vIndex + k] && value <= model.upper[vIndex + k]);
          const moved = value - before[qIndex + k];
          if (kind !== 'prismatic' && kind !== 'free') {
            jump += (moved - last[qIndex + k]) ** 2;
            most = Math.max(most, Math.abs(moved));
          }
          last[qIndex + k] = moved;
        }
      }
      largest = Math.max(largest, Math.sqrt(jump));
      own = Math.max(own, most);
      if (most > MOST) moves.push([before, tracker.q.slice()]);
    }
  }
  tracker.free();
  return { largest, beyond, own, moves };
}

const arm = Model.fromURDF(armText);
const [upper, lower] = [Math.hypot(0.316, 0.0825), Math.hypot(0.384, 0.0825)]; // of the arm [m]
const STRETCHED = -Math.atan(0.0825 / 0.316) - Math.atan(0.0825 / 0.384); // its elbow, joint 4
const figures = [
  ['an arm, pose', arm, [{ link: 'flange' }]],
  ['an arm, position', arm, [{ link: 'flange', kind: 'position' }]],
  ...['double-y-25', 'humanoid'].map((name) => {
    const scene = new Scene(name);
    return [name, scene.model, scene.tasks];
  }),
];

for (const [name, model, tasks] of figures) {
  test(`slow drags: ${name}`, () => {
    const { largest, beyond, own, moves } = drag(
      model,
      tasks,
      DRAGS / (2 * figures.length),
      SLOW,
      1,
    );
    console.log(
      `largest jump ${largest.toFixed(3)} rad, move of a joint ${own.toFixed(3)} rad, ` +
        `${moves.length} above ${MOST}, ${beyond} updates out of reach`,
    );
    assert.ok(largest > 0 && largest <= MOST, `${largest} rad`);
    const walks = model.joints.some(({ kind }) => kind === 'free');
    assert.ok(walks || beyond > 100);
    // The other figures move by less than the elbow.
    const exact = Math.sqrt((2 * SLOW * arm.size * (upper + lower)) / (upper * lower));
    assert.ok(own <= LAG * exact, `${own} rad, exact ${exact}`);
    for (const [before, after] of name === 'an arm, pose' ? moves : [])
      assert.ok(
        Math.abs(before[3] - STRETCHED) < 0.6 && Math.abs(after[3] - before[3]) > MOST,
        `${before} to ${after}`,
      );
  });
  test(`fast drags: ${name}`, () => {
    drag(model, tasks, DRAGS / (2 * figures.length), 50 * SLOW, 2);
  });
}
