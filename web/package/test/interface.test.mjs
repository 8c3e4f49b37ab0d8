// The interface: readers, errors, memory, freeing.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { armText, dist, largestDifference, skeletonText } from './common.mjs';

const { init, Model, Solver, Tracker, Crowd, Scene, SinewError, version } = await import(
  join(dist, 'index.js')
);

test('before init() nothing can be made', () => {
  assert.throws(() => Model.fromURDF(armText), /call init\(\) first/);
});

test('init() may be called again', async () => {
  await Promise.all([init(), init()]);
  await init();
  assert.match(version().version, /^\d+\.\d+\.\d+$/);
});

test('the five lines of the README', () => {
  using model = Model.fromURDF(armText);
  using solver = new Solver(model, [{ link: 'flange' }]);
  const q = model.middle();
  const report = solver.solve([{ position: [0.4, 0.1, 0.5], rotation: [0, 1, 0, 0] }], q);
  assert.equal(report.outcome, 'converged');
  assert.deepEqual(
    Array.from(q, (value) => value.toFixed(4)),
    ['0.1312', '-0.4605', '0.0981', '-2.3574', '0.0460', '1.8985', '0.2044'],
  );
});

test('a model says what its file says', () => {
  using model = Model.fromURDF(armText);
  assert.equal(model.name, 'arm7');
  assert.equal(model.nq, 7);
  assert.equal(model.links[model.root], 'link0');
  const joint = model.joints[model.joint('joint4')];
  assert.equal(joint.kind, 'revolute');
  assert.equal(model.links[joint.child], 'link4');
  assert.ok(Math.abs(model.upper[joint.vIndex] + 0.0698) < 1e-4);
  assert.throws(() => model.link('nobody'), /there is no link 'nobody'/);

  using skeleton = Model.fromBVH(skeletonText);
  assert.equal(skeleton.motion.q.length, skeleton.motion.frames * skeleton.nq);
  using same = Model.fromText(skeletonText);
  assert.equal(same.nq, skeleton.nq);
});

test('a floating base is a joint of the model', () => {
  using model = Model.fromURDF(armText, { floatingBase: true });
  assert.equal(model.joints[0].name, 'floating_base');
  assert.equal(model.nq, 14);
  assert.equal(model.nv, 13);
});

// JavaScript's own sines and cosines reduce angles by other code.
test('angles of any size', () => {
  const wheel = `<robot name="r"><link name="base"/><link name="wheel"/><joint name="j"
    type="continuous"><parent link="base"/><child link="wheel"/><axis xyz="0 0 1"/></joint></robot>`;
  using model = Model.fromURDF(wheel);
  const angles = [1e6, 3.3e6, 1e7, 1e22];
  for (let e = 20; e < 330; e++) angles.push((1 + Math.abs(Math.sin(e))) * 2 ** e, -3.1 * 2 ** (e - 1));
  for (const angle of angles) {
    const [, , , w, x, y, z] = model.poses([angle]).subarray(7 * model.link('wheel'));
    assert.ok(x === 0 && y === 0);
    // the rotation's matrix, since w and z may both have the other sign
    assert.ok(Math.abs(w * w - z * z - (1 - 2 * Math.sin(angle / 2) ** 2)) < 1e-14, `${angle}`);
    assert.ok(Math.abs(2 * w * z - 2 * Math.sin(angle / 2) * Math.cos(angle / 2)) < 1e-14, `${angle}`);
  }
});

test('a definition in JavaScript is the model of the file', () => {
  using model = Model.fromURDF(armText);
  using copy = Model.fromDefinition({
    name: model.name,
    links: [...model.links],
    joints: model.joints.map((joint) => ({
      ...joint,
      lower: model.lower.slice(joint.vIndex, joint.vIndex + joint.nv),
      upper: model.upper.slice(joint.vIndex, joint.vIndex + joint.nv),
    })),
  });
  const q = model.random(3, 4);
  assert.equal(largestDifference(model.poses(q).slice(), copy.poses(q)), 0);
  assert.throws(
    () => Model.fromDefinition({ links: ['a', 'b'], joints: [] }),
    (error) => error instanceof SinewError && error.code === 'invalid model definition',
  );
});

test('errors have the words of the core, with file and line', () => {
  let caught;
  try {
    Model.fromURDF(
      '<robot name="r">\n<link name="a"/>\n<joint name="j" type="wrong">\n' +
        '<parent link="a"/><child link="b"/></joint><link name="b"/></robot>',
      { name: 'r.urdf' },
    );
  } catch (error) {
    caught = error;
  }
  assert.ok(caught instanceof SinewError);
  assert.match(caught.message, /^r\.urdf:3: j: /);
  assert.equal(caught.line, 3);
  assert.equal(caught.element, 'j');

  assert.throws(() => Model.fromURDF('<robot name="r">\n\n<link name="a"></robot>'), /input:3: /);
  assert.throws(() => Model.fromURDF('<robot name="r">'), /input:1: /);
  assert.throws(() => Model.fromURDF('nothing'), SinewError);
  assert.throws(() => Model.fromURDF(''), SinewError);
  assert.throws(() => Model.fromBVH('HIERARCHY\nROOT a\n{\nOFFSET 0 0 x\n}\n'), /input:4: /);
  assert.throws(
    () => Model.fromURDF('<!DOCTYPE r [<!ENTITY e "x">]><robot name="r"><link name="a"/></robot>'),
    /declar/,
  );
});

test('calls that are wrong are refused, and the solver still works', () => {
  using model = Model.fromURDF(armText);
  assert.throws(() => new Solver(model, [{ link: 'flange', kind: 'wish' }]), /no kind 'wish'/);
  assert.throws(() => new Solver(model, [{ link: 'flange' }], { speed: 1 }), /no setting 'speed'/);
  assert.throws(() => new Solver(model, [{ link: 99 }]), SinewError);
  assert.throws(() => new Solver(model, [{ link: 'flange' }], { maxTurn: -1 }), /max_turn/);
  using solver = new Solver(model, [{ link: 'flange' }]);
  const q = model.middle();
  assert.throws(() => solver.solve([{ position: [0, NaN, 0] }], q), /target 0/);
  assert.deepEqual(q, model.middle());
  assert.throws(() => solver.solve([], q), /targets has 0 values, not 1/);
  assert.throws(() => solver.solve(undefined, new Float64Array(3)), /q has 3 values, not 7/);
  assert.throws(() => solver.setLimits(new Float64Array(7).fill(1), new Float64Array(7)), /limits 1 and 0/);
  solver.setTarget(0, { position: [0.4, 0.1, 0.5], rotation: [0, 1, 0, 0] });
  assert.equal(solver.solve(undefined, q).outcome, 'converged');
});

test('out of reach is proven, and says how far the chain reaches', () => {
  using model = Model.fromURDF(armText);
  using solver = new Solver(model, [{ link: 'flange', kind: 'position' }]);
  const report = solver.solve([{ position: [3, 0, 0] }]);
  assert.equal(report.outcome, 'out_of_reach');
  assert.ok(report.reach > 0.5 && report.reach < report.targetDistance);
});

test('limits, frozen joints and gains are kept', () => {
  using model = Model.fromURDF(armText);
  using tracker = new Tracker(model, [{ link: 'flange', kind: 'position' }]);
  const before = tracker.q.slice();
  tracker.setFrozen([true, false, false, false, false, false, false]);
  tracker.targets[1] += 0.1;
  for (let i = 0; i < 20; i++) tracker.update();
  assert.equal(tracker.q[0], before[0]);
  assert.notEqual(tracker.q[1], before[1]);
  tracker.setFrozen(null);
  const lower = model.lower.slice();
  const upper = model.upper.slice();
  lower[1] = upper[1] = tracker.q[1];
  tracker.setLimits(lower, upper);
  tracker.targets[2] += 0.2;
  for (let i = 0; i < 20; i++) tracker.update();
  assert.equal(tracker.q[1], lower[1]);
  tracker.setLimits(null, null);
  tracker.setGains(new Float64Array(7).fill(0.5));
  tracker.update();
  assert.equal(tracker.taskErrors().length, 2);
});

test('memory grows, and the views are made anew', () => {
  using model = Model.fromURDF(armText);
  using tracker = new Tracker(model, [{ link: 'flange' }]);
  const before = tracker.q;
  const values = before.slice();
  const crowds = [];
  using scene = new Scene('double-y-25');
  while (tracker.q === before) crowds.push(new Crowd(scene.model, scene.tasks, 1000));
  assert.equal(before.length, 0); // detached
  assert.deepEqual(tracker.q, values);
  tracker.targets[0] += 0.01;
  tracker.update();
  assert.notDeepEqual(tracker.q, values);
  crowds.forEach((crowd) => crowd.free());
});

test('what was freed is refused, and free() may be called twice', () => {
  const model = Model.fromURDF(armText);
  const solver = new Solver(model, [{ link: 'flange' }]);
  const bank = solver.createBank(256);
  assert.equal(solver.solve(undefined, model.middle(), { bank }).outcome, 'converged');
  bank.free();
  solver.free();
  solver.free();
  assert.throws(() => solver.solve(), /the solver was freed/);
  model.free();
  model.free();
  assert.throws(() => model.middle(), /the model was freed/);
});

test('making and freeing does not leak', () => {
  const round = () => {
    using model = Model.fromURDF(armText);
    using solver = new Solver(model, [{ link: 'flange' }]);
    using bank = solver.createBank(1024);
    solver.solve(undefined, model.random(1, 1), { bank });
    using scene = new Scene('y');
    using crowd = new Crowd(scene.model, scene.tasks, 10);
    crowd.update();
    assert.throws(() => Model.fromURDF('<robot'), SinewError);
    return model.core.memory.buffer.byteLength;
  };
  round();
  const size = round();
  for (let i = 0; i < 100; i++) round();
  assert.equal(round(), size);
});

test('a stack that overflows traps', async () => {
  for (const file of ['sinew.wasm', 'sinew-simd.wasm']) {
    const { instance } = await WebAssembly.instantiate(readFileSync(join(dist, file)), {});
    const { __stack_pointer: stack, scene_create, memory_take, memory } = instance.exports;
    const name = memory_take(8);
    new Uint8Array(memory.buffer).set([121, 0], name); // "y"
    assert.equal(stack.value, 262144); // all of it, below the data
    assert.notEqual(scene_create(name), 0);
    stack.value = 16;
    assert.throws(() => scene_create(name), WebAssembly.RuntimeError, file);
  }
});

// Of web/module/module.h: bytes of a task, values of settings.
const ROW = 8 * 62;
const SETTINGS = 24;

test('solves use less than half of the stack', async () => {
  const { instance } = await WebAssembly.instantiate(
    readFileSync(join(dist, 'sinew-simd.wasm')),
    {},
  );
  const c = instance.exports;
  const bytes = new Uint8Array(c.memory.buffer, 0, c.__stack_pointer.value);
  bytes.fill(0xa5);
  const put = (text) => {
    const at = c.memory_take(text.length + 1);
    new Uint8Array(c.memory.buffer).set([...new TextEncoder().encode(text), 0], at);
    return at;
  };
  const scene = c.scene_create(put('humanoid'));
  const out = c.memory_take(64);
  assert.equal(c.model_create(c.scene_model(scene), out), 0);
  const model = new Int32Array(c.memory.buffer, out, 1)[0];
  const count = c.scene_task_count(scene);
  const tasks = c.memory_take(ROW * count);
  for (let i = 0; i < count; i++) c.scene_task(scene, i, tasks + ROW * i);
  const settings = c.memory_take(8 * SETTINGS);
  new Float64Array(c.memory.buffer, settings, SETTINGS).fill(NaN);
  assert.equal(c.solver_create(model, tasks, count, settings, out), 0);
  const solver = new Int32Array(c.memory.buffer, out, 1)[0];
  assert.equal(c.solver_search(solver, 0, 0, 0), 0);
  assert.equal(c.solver_update(solver), 0);
  const stack = new Uint8Array(c.memory.buffer, 0, 262144);
  const lowest = stack.findIndex((byte) => byte !== 0xa5);
  console.log(`${262144 - lowest} bytes of stack used`);
  assert.ok(lowest > 131072, `${262144 - lowest} bytes used`);
});

test('the bytes may come from the caller', async () => {
  const worker = `
    import { parentPort, workerData } from 'node:worker_threads';
    const { init, version } = await import(workerData.index);
    await init({ wasm: workerData.bytes, simd: false });
    parentPort.postMessage(version());`;
  const { Worker } = await import('node:worker_threads');
  const answer = await new Promise((resolve, reject) => {
    const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(worker)}`), {
      workerData: { index: pathToFileURL(join(dist, 'index.js')).href, bytes: readFileSync(join(dist, 'sinew.wasm')) },
    });
    thread.on('message', resolve);
    thread.on('error', reject);
  });
  assert.equal(answer.simd, false);
});
