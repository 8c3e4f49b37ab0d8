// Both modules give the answers of the C library.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { arm, armText, ask, dist, largestDifference, read } from './common.mjs';

const simd = process.env.SINEW_TEST_SIMD !== '0';
const { init, Model, Scene, Solver, Tracker, Crowd, outcomes, version } = await import(
  join(dist, 'index.js')
);
await init({ simd });

// Rounding of libm and of fused operations grows along a track, most where the figure is nearly
// singular; 1e-9 rad is a billionth of what moves.
const CLOSE = 1e-9;

test('the module that was asked for runs, and imports nothing', () => {
  assert.equal(version().simd, simd);
  for (const file of ['sinew.wasm', 'sinew-simd.wasm']) {
    const module = new WebAssembly.Module(readFileSync(join(dist, file)));
    assert.equal(WebAssembly.Module.imports(module).length, 0, file);
  }
});

for (const [name, steps] of [
  ['y', 400],
  ['double-y-25', 400],
  ['double-y-16', 400],
  ['humanoid', 200],
  ['hand', 200],
])
  test(`updates of ${name} are those of the C library`, () => {
    const rows = ask(['updates', name, String(steps)]);
    using scene = new Scene(name);
    using tracker = new Tracker(scene.model, scene.tasks);
    assert.equal(rows.length, steps);
    rows.forEach((row, step) => {
      tracker.update(scene.targetsAt((step + 1) * scene.timeStep));
      assert.ok(largestDifference(row, tracker.q) < CLOSE, `step ${step}`);
    });
  });

test('a clip is followed as by the C library', () => {
  const tips = ['LeftHand', 'RightHand', 'LeftFoot', 'RightFoot', 'Head'];
  const stride = 4;
  const rows = ask(['clip', 'models/walk.bvh', String(stride), ...tips]);
  using model = Model.fromBVH(read('models/walk.bvh'));
  using tracker = new Tracker(
    model,
    tips.map((link) => ({ link, kind: 'position' })),
  );
  const { q, frames } = model.motion;
  assert.equal(rows.length, Math.ceil(frames / stride));
  tracker.q.set(q.subarray(0, model.nq));
  rows.forEach((row, i) => {
    tracker.targetsFromPoses(q.subarray(stride * i * model.nq, (stride * i + 1) * model.nq));
    tracker.update();
    assert.ok(largestDifference(row, tracker.q) < CLOSE * model.size, `frame ${i}`);
  });
});

test('global solves meet their targets, and 99 % are the native ones', () => {
  const count = 1000;
  const rows = ask(['solve', arm, 'flange', String(count)]);
  using model = Model.fromURDF(armText);
  using solver = new Solver(model, [{ link: 'flange' }]);
  let equal = 0;
  const answers = [];
  const wanted = [];
  for (let i = 0; i < count; i++) {
    solver.targetsFromPoses(model.random(1, i));
    wanted.push([...solver.targets]);
    const q = model.random(2, i);
    const report = solver.solve(undefined, q);
    assert.equal(report.outcome, 'converged');
    assert.equal(outcomes[rows[i][0]], 'converged');
    q.forEach((value, j) => assert.ok(value >= model.lower[j] && value <= model.upper[j]));
    if (largestDifference(rows[i].slice(1), q) < 1e-3) equal++;
    answers.push(q);
  }
  // The oracle's own forward kinematics: position, and |q1 . q2| = 1 for the rotation.
  const poses = ask(
    ['fk', arm, 'flange'],
    answers.map((q) => Array.from(q, String).join(' ')).join('\n'),
  );
  poses.forEach((pose, i) => {
    assert.ok(Math.hypot(...[0, 1, 2].map((k) => pose[k] - wanted[i][k])) < 1.001e-6);
    const dot = Math.abs([3, 4, 5, 6].reduce((sum, k) => sum + pose[k] * wanted[i][k], 0));
    assert.ok(dot > 1 - 1e-12);
  });
  // The native lanes use fused operations: a few searches take another branch.
  console.log(`${equal} of ${count} are the native solutions`);
  assert.ok(equal >= 0.99 * count, `${equal} of ${count}`);
});

test('all solutions of an arm of six joints are as many as in C', () => {
  const count = 50;
  const rows = ask(['all', 'models/arm6.urdf', 'flange', String(count)]);
  using model = Model.fromURDF(read('models/arm6.urdf'));
  using solver = new Solver(model, [{ link: 'flange' }]);
  let same = 0;
  for (let i = 0; i < count; i++) {
    solver.targetsFromPoses(model.random(1, i));
    const { solutions, report } = solver.solveAll(64, undefined, model.random(2, i));
    assert.equal(report.outcome, 'converged');
    const wanted = solver.targets.slice();
    for (const q of solutions) {
      solver.targetsFromPoses(q);
      assert.ok(largestDifference(solver.targets.subarray(0, 3), wanted) < 1e-6);
    }
    same += solutions.length === rows[i][0];
  }
  assert.ok(same >= 0.98 * count, `${same} of ${count}`);
});

// The signs that a branch's words stand for.
const signs = (branch) =>
  Object.values(branch).map((word) =>
    word === 'singular' ? 0 : ['left', 'up', 'no flip', 'positive'].includes(word) ? 1 : -1,
  );

test('the branch of each solution is that of the C library, and no two have the same', () => {
  const count = 50;
  using model = Model.fromURDF(read('models/arm6.urdf'));
  using solver = new Solver(model, [{ link: 'flange' }]);
  const all = [];
  for (let i = 0; i < count; i++) {
    solver.targetsFromPoses(model.random(1, i));
    const { solutions, branches, report } = solver.solveAll(64, undefined, model.random(2, i));
    assert.equal(report.completeness, 'complete');
    assert.equal(branches.length, solutions.length);
    assert.equal(new Set(branches.map((b) => JSON.stringify(b))).size, solutions.length);
    solutions.forEach((q, k) => {
      assert.deepEqual(Object.keys(branches[k]), ['shoulder', 'elbow', 'wrist']);
      assert.deepEqual(branches[k], solver.branch(q));
      all.push({ q, signs: signs(branches[k]) });
    });
  }
  const rows = ask(
    ['branch', 'models/arm6.urdf', 'flange'],
    all.map(({ q }) => Array.from(q, String).join(' ')).join('\n'),
  );
  assert.equal(rows.length, all.length);
  rows.forEach(([, ...row], i) => assert.deepEqual(all[i].signs, row));
  // Each word occurs: signs that are the wrong way round would differ above.
  for (const k of [0, 1, 2])
    assert.deepEqual([...new Set(all.map((one) => one.signs[k]))].sort(), [-1, 1]);
  assert.throws(() => solver.branch([0, 0, NaN, 0, 0, 0]), /not finite/);
  assert.throws(() => solver.branch([0]), /1 values, not 6/);
});

test('an arm without a closed form has no branch', () => {
  using scene = new Scene('double-y-25');
  using solver = new Solver(scene.model, scene.tasks);
  assert.deepEqual(solver.branch(), {});
});

test('a crowd does what a tracker does', () => {
  using scene = new Scene('double-y-25');
  const figures = 5;
  using crowd = new Crowd(scene.model, scene.tasks, figures);
  assert.equal(crowd.lanes, simd ? 2 : 1);
  const trackers = Array.from({ length: figures }, () => new Tracker(scene.model, scene.tasks));
  for (let step = 0; step < 100; step++) {
    trackers.forEach((tracker, f) => {
      const targets = scene.targetsAt((step + 7 * f + 1) * scene.timeStep);
      crowd.targets.set(targets, f * crowd.targetSize);
      tracker.update(targets);
    });
    crowd.update(0, figures, true);
    trackers.forEach((tracker, f) => {
      const { nq } = scene.model;
      const q = crowd.q.subarray(f * nq, (f + 1) * nq);
      assert.ok(largestDifference(q, tracker.q) < 1e-7, `step ${step}, figure ${f}`);
    });
    assert.ok(crowd.row(figures - 1).positionError >= 0);
  }
  trackers.forEach((tracker) => tracker.free());
  crowd.free();
});
