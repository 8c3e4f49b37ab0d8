// Every kind of task and of objective, beside the C library: the cases of oracle.c.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { arm, armText, ask, dist, largestDifference, read } from './common.mjs';

const { init, Model, Solver, Tracker, objectiveKinds, taskKinds } = await import(
  join(dist, 'index.js')
);
await init({ simd: process.env.SINEW_TEST_SIMD !== '0' });

const STEPS = 40;
const folder = mkdtempSync(join(tmpdir(), 'sinew-kinds-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const link = (name, mass, x) =>
  `<link name="${name}"><inertial><origin xyz="${x} 0 0"/><mass value="${mass}"/>` +
  '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>';
const joint = (name, above, below, axis) =>
  `<joint name="${name}" type="revolute"><parent link="${above}"/><child link="${below}"/>` +
  `<origin xyz="0.4 0 0.1"/><axis xyz="${axis}"/><limit lower="-2" upper="2"/></joint>`;
const heavy =
  `<robot name="heavy">${link('base', 1, 0)}${link('upper', 2, 0.2)}${link('lower', 3, 0.1)}` +
  `${joint('a', 'base', 'upper', '0 1 0')}${joint('b', 'upper', 'lower', '0 0 1')}</robot>`;
const heavyFile = join(folder, 'heavy.urdf');
writeFileSync(heavyFile, heavy);

const tip = { link: 'flange' };
const cases = {
  look_at: {
    tasks: [
      {
        ...tip,
        kind: 'look_at',
        point: [0, 0.1, 0],
        axis: [1, 0, 1],
        upAxis: [0, 1, 0],
        coneAngle: 0.1,
      },
    ],
  },
  plane: {
    tasks: [
      {
        ...tip,
        kind: 'plane',
        rangeLower: [-Infinity, 0, 0, 0, 0, 0],
        rangeUpper: [-0.1, 0, 0, 0, 0, 0],
      },
    ],
  },
  line: { tasks: [{ ...tip, kind: 'line', chainRoot: 'link2' }] },
  distance: { tasks: [{ ...tip, kind: 'distance' }], distance: 0.2 },
  yaw: { tasks: [{ ...tip, kind: 'yaw', axis: [1, 0, 0], upAxis: [0, 0, 2] }] },
  cone: { tasks: [{ ...tip, kind: 'direction', coneAngle: 0.3 }] },
  tool: {
    tasks: [
      {
        ...tip,
        rotation: [0.5, 0.5, -0.5, 0.5],
        axisWeights: [1, 0, 2, 1, 3, 0],
        rangeLower: [-0.05, 0, 0, 0, 0, 0],
        rangeUpper: [0, 0, 0, 0, 0.2, 0],
        weightAxes: 'tool',
        positionWeight: 2,
      },
    ],
  },
  hard: {
    tasks: [
      { ...tip, kind: 'position', rangeUpper: [0, 0, 0.1, 0, 0, 0], hard: true },
      { ...tip, kind: 'direction', coneAngle: 0.3, hard: true },
      { link: 'link4', kind: 'position' },
    ],
  },
  levels: {
    tasks: [
      { ...tip, kind: 'position' },
      { link: 'link4', kind: 'plane', level: 1, required: true },
      { ...tip, kind: 'orientation', level: 2 },
    ],
  },
  influence: {
    tasks: [
      { ...tip, kind: 'position', influence: 0.5 },
      { link: 'link4', kind: 'position', required: false },
    ],
  },
  objectives: {
    tasks: [{ ...tip, kind: 'position' }],
    objectives: [
      {
        kind: 'posture',
        posture: Array.from({ length: 7 }, (_, i) => 0.1 * i),
        weights: [1, 2, 3, 4, 5, 6, 7],
        gain: 0.5,
      },
      {
        kind: 'manipulability',
        level: 2,
        weight: 0.3,
        task: { link: 'flange', kind: 'position', point: [0, 0, 0.1] },
      },
    ],
  },
  coupling: {
    tasks: [{ ...tip, kind: 'position' }],
    objectives: [
      { kind: 'coupling', coefficients: [1, 0, -2, 0, 0, 0, 0], value: 0.2 },
      {
        kind: 'pole',
        level: 2,
        limb: ['link2', 'link4', 'link6'],
        pole: [0, 1, 0.5],
        poleIsDirection: true,
      },
    ],
  },
  relative: {
    file: 'models/humanoid.bvh',
    text: read('models/humanoid.bvh'),
    tasks: [
      { link: 'LeftHand', frame: 'RightHand' },
      { link: 'RightHand', kind: 'position' },
    ],
    first: { position: [5, -2, 1], rotation: [1, 1, 0, 0] },
  },
  mass: {
    file: heavyFile,
    text: heavy,
    tasks: [
      { link: 'lower', kind: 'line', centerOfMass: true },
      { link: 'lower', kind: 'position', level: 1 },
    ],
    first: { direction: [0, 0, 1] },
  },
};

for (const [name, one] of Object.entries(cases))
  test(`${name}: updates are those of the C library`, () => {
    const { file = arm, text = armText, tasks, objectives = [], distance = 0, first = {} } = one;
    const rows = ask(['kind', file, name, String(STEPS)]);
    using model = Model.fromText(text);
    const settings = { levels: 2, objectives: 2, objectiveRows: 2, influences: 1 };
    using tracker = new Tracker(model, tasks, settings);
    const poses = model.poses(model.random(1, 0)).slice();
    tracker.setObjectives(objectives);
    const targets = tasks.map((task, i) => {
      const at = 7 * model.link(task.link);
      return {
        position: poses.slice(at, at + 3),
        rotation: poses.slice(at + 3, at + 7),
        direction: [0.6, 0, 0.8],
        distance,
        ...(i === 0 && first),
      };
    });
    tracker.q.set(model.random(2, 0));
    assert.equal(rows.length, STEPS);
    let moved = 0;
    rows.forEach((row, step) => {
      const before = tracker.q.slice();
      tracker.update(targets);
      moved += largestDifference(before, tracker.q);
      assert.ok(largestDifference(row, tracker.q) < 1e-8 * Math.max(1, model.size), `step ${step}`);
    });
    assert.ok(moved > 0.05, `${moved}`);
  });

test('tasks of every kind are met where their targets are taken from poses', () => {
  const up = { upAxis: [0, 1, 0] };
  for (const kind of taskKinds)
    for (const more of [
      {},
      { point: [0.1, 0, 0] },
      { frame: 'link3' },
      { rotation: [1, 1, 0, 0] },
    ]) {
      using model = Model.fromURDF(armText);
      const task = { link: 'flange', kind, ...more, ...(['look_at', 'yaw'].includes(kind) && up) };
      using solver = new Solver(model, [task]);
      const q = model.random(1, 3);
      solver.targetsFromPoses(q);
      if (kind === 'distance' || kind === 'plane' || kind === 'line') {
        // Their centre or place is free: through the task's point.
        using point = new Solver(model, [{ link: 'flange', kind: 'position', ...more }]);
        point.targetsFromPoses(q);
        const position = [...point.targets.subarray(0, 3)];
        if (kind === 'distance') {
          solver.setTarget(0, { position: [position[0] + 0.3, position[1], position[2]] });
          solver.targetsFromPoses(q);
          assert.ok(Math.abs(solver.targets[3] - 0.3) < 1e-12);
        } else solver.setTarget(0, { position });
      }
      const report = solver.solveLocal(undefined, q);
      const what = `${kind} ${JSON.stringify(more)}`;
      assert.equal(report.outcome, 'converged', what);
      assert.equal(report.steps, 0, what);
    }
});

test('the centre of mass is where the masses say', () => {
  using model = Model.fromURDF(heavy);
  using solver = new Solver(model, [{ link: 'lower', kind: 'position', centerOfMass: true }]);
  const q = [Math.PI / 2, 0];
  solver.targetsFromPoses(q);
  // The first joint, at (.4, 0, .1), turns x down to -z: upper's centre is .2 below it; lower's at
  // (.4, 0, .1) in upper and .1 along it.
  const x = (1 * 0 + 2 * 0.4 + 3 * (0.4 + 0.1)) / 6;
  const z = (1 * 0 + 2 * (0.1 - 0.2) + 3 * (0.1 - 0.5)) / 6;
  assert.ok(largestDifference([x, 0, z], solver.targets) < 1e-12, String(solver.targets));
  assert.equal(model.linkMass(2).mass, 3);
  const report = solver.solveLocal(undefined, Float64Array.from(q));
  assert.deepEqual([report.outcome, report.steps], ['converged', 0]);
});

test('influences change while targets are followed', () => {
  using model = Model.fromURDF(armText);
  using tracker = new Tracker(model, [{ link: 'flange', influence: 0.5 }]);
  tracker.setInfluences([0.25]);
  assert.throws(() => tracker.setInfluences([2]), /influence/);
  assert.throws(() => tracker.setInfluences([1, 1]), /2 values, not 1/);
});

test('objectives say how far they are from being met', () => {
  using model = Model.fromURDF(armText);
  using tracker = new Tracker(model, [{ link: 'flange' }], { levels: 1, objectives: 3, objectiveRows: 1 });
  assert.deepEqual(tracker.objectiveReports(), []);
  const q = model.random(2, 0).slice();
  tracker.q.set(q);
  tracker.setObjectives([
    { kind: 'posture', posture: q.map((value, i) => value - 0.05 * i) },
    { kind: 'coupling', coefficients: [1, 1, 0, 0, 0, 0, 0], value: 5 },
    { kind: 'damping' },
  ]);
  const [posture, coupling, damping] = tracker.objectiveReports();
  assert.ok(Math.abs(posture.angle - 0.3) < 1e-12, `${posture.angle}`);
  assert.deepEqual(Object.keys(posture), ['angle']);
  assert.ok(Math.abs(coupling.value - Math.abs(5 - q[0] - q[1])) < 1e-12, `${coupling.value}`);
  assert.deepEqual(damping, {});
});

test('hard tasks are kept, and say what they hold', () => {
  using model = Model.fromURDF(armText);
  const start = model.random(2, 0).slice();
  const [x, y, z] = model.poses(start).slice(7 * model.link('flange'), 7 * model.link('flange') + 3);
  const above = {
    link: 'flange',
    kind: 'plane',
    rangeUpper: [Infinity, 0, 0, 0, 0, 0],
    hard: true,
  };
  const tasks = [{ link: 'flange', kind: 'position' }, above, above];
  using tracker = new Tracker(model, tasks);
  tracker.q.set(start);
  const plane = (height, up) => ({ position: [0, 0, height], direction: [0, 0, up] });
  const targets = [{ position: [x, y, z - 0.2] }, plane(z - 0.05, 1), plane(z + 0.1, -1)];
  for (let i = 0; i < 200; i++) tracker.update(targets);
  const height = model.poses(tracker.q)[7 * model.link('flange') + 2];
  assert.ok(height >= z - 0.05 - 1e-9, `${height - z}`);
  const held = { task: 1, axis: 0, rank: 'clearance', side: -1, yielded: 0 };
  assert.deepEqual(tracker.hardRows(), [held, { ...held, task: 2, side: 0 }]);
  // The second one contradicts the first now, and yields.
  targets[2] = plane(z - 0.07, -1);
  for (let i = 0; i < 200; i++) tracker.update(targets);
  assert.ok(Math.abs(tracker.hardRows()[1].yielded + 0.02) < 1e-9, `${tracker.hardRows()[1].yielded}`);
  using none = new Tracker(model, [{ link: 'flange' }]);
  assert.deepEqual(none.hardRows(), []);
});

test('gains remove their share, and excluded joints stay', () => {
  using model = Model.fromURDF(armText);
  const start = model.random(2, 0).slice();
  const hand = (q) => model.poses(q).slice(7 * model.link('flange'), 7 * model.link('flange') + 3);
  const target = Array.from(hand(start), (value) => value + 0.01);
  const left = (q) => Math.hypot(...hand(q).map((value, i) => target[i] - value));
  const task = { link: 'flange', kind: 'position', gain: 0.25, excludedJoints: ['joint3', 4] };
  using tracker = new Tracker(model, [task]);
  tracker.q.set(start);
  const before = left(start);
  for (let n = 1; n <= 3; n++) {
    tracker.update([{ position: target }]);
    assert.ok(Math.abs(left(tracker.q) - 0.75 ** n * before) < 1e-4, `${left(tracker.q)}`);
  }
  for (const joint of [2, 4]) assert.equal(tracker.q[joint], start[joint]);
});

test('what is refused is named', () => {
  using model = Model.fromURDF(armText);
  const make = (task) => new Tracker(model, [{ link: 'flange', ...task }]);
  assert.throws(() => make({ kind: 'wish' }), /no kind 'wish'/);
  assert.throws(() => make({ point: [1, 2] }), /task 0: point has 2 values, not 3/);
  assert.throws(() => make({ axisWeights: [1] }), /task 0: axisWeights has 1 values, not 6/);
  assert.throws(() => make({ weightAxes: 'mine' }), /weightAxes 'mine'/);
  assert.throws(() => make({ gain: 0 }), /task 0: gain is not above 0/);
  assert.throws(() => make({ excludedJoints: ['no'] }), /no joint 'no'/);
  assert.throws(() => make({ excludedJoints: Array(17).fill(0) }), /more than 16 joints/);
  assert.throws(() => make({ frame: 'no' }), /no link 'no'/);
  assert.throws(() => make({ level: -1 }), /level/);
  assert.throws(() => make({ coneAngle: 4, kind: 'direction' }), /cone_angle/);
  assert.throws(() => make({ centerOfMass: true, kind: 'position' }), /mass/);
  using tracker = make({});
  assert.throws(() => tracker.setObjectives([{ kind: 'posture' }]), /objective/);
  assert.throws(() => tracker.setObjectives([{ kind: 'callback' }]), /no kind 'callback'/);
  assert.throws(() => tracker.setObjectives([{ kind: 'posture', weights: [1] }]), /not 7/);
  assert.equal(objectiveKinds.length, 8);
});
