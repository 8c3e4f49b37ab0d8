// The measurements of run.mjs that need no page: sinew-ik beside other solvers, in any engine.
import * as ik from 'closed-chain-ik/src/core/index.js'; // the rest needs an older three.js
import { init, Crowd, Model, Scene, Solver, Tracker } from 'sinew-ik';
import * as THREE from 'three';
import { CCDIKSolver } from 'three/addons/animation/CCDIKSolver.js';

const ROUNDS = 15;
const REACHED = 1e-3; // [m]: closed-chain-ik's own default

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

/** The time of a call [us], in the fastest round: call(i) is called count times. */
function time(count, call) {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const began = performance.now();
    for (let i = 0; i < count; i++) call(i);
    return ((performance.now() - began) * 1e3) / count;
  });
  return Math.min(...rounds);
}

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

/** Configurations within the limits of a model of revolute joints. */
function configurations(model, count, seed) {
  const next = random(seed);
  const { lower, upper } = model;
  return Array.from({ length: count }, () =>
    Float64Array.from(lower, (low, v) => low + (upper[v] - low) * next()),
  );
}

const poseOf = (model, q, link) => {
  const at = 7 * model.link(link);
  return [...model.poses(q).subarray(at, at + 7)];
};

// ---- sinew ----

function globalSolve(arm, link) {
  const solver = new Solver(arm, [{ link }]);
  const bank = solver.createBank();
  const targets = configurations(arm, 1000, 1).map((q) => Float64Array.from(poseOf(arm, q, link)));
  const seeds = configurations(arm, 1000, 2);
  let solved = 0;
  const us = time(targets.length, (i) => {
    solver.q.set(seeds[i]);
    solved += solver.solve(targets[i], undefined, { bank }).outcome === 'converged';
  });
  return { us, solved: solved / (ROUNDS * targets.length) };
}

/** Four poses of hands and feet, which move on circles of 5 cm in a second. */
function humanoidUpdate(figure, links) {
  const tracker = new Tracker(figure, links.map((link) => ({ link })));
  tracker.q.set(figure.middle());
  tracker.targetsFromPoses();
  const start = tracker.targets.slice();
  return time(2000, (i) => {
    const angle = (2 * Math.PI * i) / 60;
    const { targets } = tracker;
    targets.set(start);
    for (let t = 0; t < links.length; t++) {
      targets[7 * t] += 0.05 * Math.cos(angle + t) - 0.05;
      targets[7 * t + 2] += 0.05 * Math.sin(angle + t);
    }
    tracker.update();
  });
}

function sceneUpdate(name) {
  const scene = new Scene(name);
  const tracker = new Tracker(scene.model, scene.tasks);
  tracker.q.set(scene.model.middle());
  return time(5000, (i) => {
    tracker.targets.set(scene.targetsAt(i * scene.timeStep));
    tracker.update();
  });
}

/** A frame of a crowd [ms]; its targets are computed before. */
function crowdFrame(name, figures) {
  const scene = new Scene(name);
  const crowd = new Crowd(scene.model, scene.tasks, figures);
  const middle = scene.model.middle();
  for (let i = 0; i < figures; i++) crowd.q.set(middle, i * scene.model.nq);
  const frames = Array.from({ length: 60 }, (_, frame) => {
    const rows = new Float64Array(figures * crowd.targetSize);
    for (let i = 0; i < figures; i++)
      rows.set(scene.targetsAt((frame + 7 * i) * scene.timeStep), i * crowd.targetSize);
    return rows;
  });
  return (
    time(frames.length, (frame) => {
      crowd.targets.set(frames[frame]);
      crowd.update();
    }) / 1e3
  );
}

// ---- the same chain for each solver ----

/** The joints from the root to a link, in order. */
function chainTo(model, link) {
  const path = [];
  for (let at = model.link(link); at !== model.root; ) {
    const joint = model.joints.find(({ child }) => child === at);
    path.unshift(joint);
    at = joint.parent;
  }
  return path;
}

const quaternion = ({ rotation: [w, x, y, z] }) => new THREE.Quaternion(x, y, z, w);

function sinewChain(arm, link) {
  const solver = new Solver(arm, [{ link, kind: 'position' }]);
  const tracker = new Tracker(arm, [{ link, kind: 'position' }]);
  return {
    name: 'sinew-ik',
    start: (q) => (solver.q.set(q), tracker.q.set(q), tracker.reset()),
    solve: (p) => (solver.targets.set(p), solver.solve()),
    follow: (p) => (tracker.targets.set(p), tracker.update()),
    solved: () => poseOf(arm, solver.q, link),
    followed: () => poseOf(arm, tracker.q, link),
  };
}

function closedChain(arm, link) {
  const root = new ik.Link();
  let last = root;
  const joints = [];
  for (const joint of chainTo(arm, link)) {
    const placed = new ik.Joint(); // fixed: the joint's frame, with z along its axis
    placed.setPosition(...joint.position);
    const z = new THREE.Quaternion().setFromUnitVectors(
      new THREE.Vector3(0, 0, 1),
      new THREE.Vector3(...joint.axis).normalize(),
    );
    const turned = quaternion(joint).multiply(z);
    placed.setQuaternion(turned.x, turned.y, turned.z, turned.w);
    last.addChild(placed);
    last = new ik.Link();
    placed.addChild(last);
    if (joint.nv === 0) continue;
    const moving = new ik.Joint();
    moving.setDoF(ik.DOF.EZ);
    moving.setMinLimits(arm.lower[joint.vIndex]);
    moving.setMaxLimits(arm.upper[joint.vIndex]);
    last.addChild(moving);
    const back = new ik.Link();
    const inverse = z.clone().invert();
    back.setQuaternion(inverse.x, inverse.y, inverse.z, inverse.w);
    moving.addChild(back);
    joints.push(moving);
    last = back;
  }
  const goal = new ik.Goal();
  goal.setGoalDoF(ik.DOF.X, ik.DOF.Y, ik.DOF.Z);
  goal.makeClosure(last);
  const solver = new ik.Solver(root);
  const run = (iterations) => (p) => {
    solver.maxIterations = iterations;
    goal.setPosition(...p);
    solver.solve();
  };
  const at = () => (last.updateMatrixWorld(true), [...last.matrixWorld.subarray(12, 15)]);
  return {
    name: 'closed-chain-ik',
    start: (q) => joints.forEach((joint, v) => joint.setDoFValues(q[v])),
    solve: run(100),
    follow: run(5), // its default
    solved: at,
    followed: at,
  };
}

function ccdChain(arm, link) {
  const top = new THREE.Bone();
  const bones = [top];
  const turning = [];
  let last = top;
  for (const joint of chainTo(arm, link)) {
    const placed = new THREE.Object3D();
    placed.position.set(...joint.position);
    placed.quaternion.copy(quaternion(joint));
    last.add(placed);
    if (joint.nv === 0) {
      last = placed;
      continue;
    }
    const bone = new THREE.Bone();
    placed.add(bone);
    bones.push(bone);
    turning.push({ bone, axis: new THREE.Vector3(...joint.axis), v: joint.vIndex });
    last = bone;
  }
  const effector = new THREE.Bone();
  last.add(effector);
  const target = new THREE.Bone();
  bones.push(effector, target);
  const mesh = new THREE.SkinnedMesh(new THREE.BufferGeometry(), new THREE.Material());
  mesh.add(top, target);
  mesh.bind(new THREE.Skeleton(bones));
  const links = turning
    .map(({ bone, axis, v }) => ({
      index: bones.indexOf(bone),
      limitation: axis,
      rotationMin: axis.clone().multiplyScalar(arm.lower[v]),
      rotationMax: axis.clone().multiplyScalar(arm.upper[v]),
    }))
    .reverse();
  const chain = { effector: bones.indexOf(effector), target: bones.indexOf(target), links };
  const solver = new CCDIKSolver(mesh, [chain]);
  const run = (iterations) => (p) => {
    chain.iteration = iterations;
    target.position.set(...p);
    target.updateMatrixWorld(true);
    solver.update();
  };
  const at = () => effector.getWorldPosition(new THREE.Vector3()).toArray();
  return {
    name: 'CCDIKSolver',
    start: (q) => {
      turning.forEach(({ bone, axis, v }) => bone.quaternion.setFromAxisAngle(axis, q[v]));
      mesh.updateMatrixWorld(true);
    },
    solve: run(100),
    follow: run(5), // as closed-chain-ik
    solved: at,
    followed: at,
  };
}

const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

/** Positions of a link, from the middle of the limits and along a circle. */
function compare(arm, link) {
  const points = configurations(arm, 200, 3).map((q) => poseOf(arm, q, link).slice(0, 3));
  const middle = arm.middle();
  const home = poseOf(arm, middle, link);
  const circle = Array.from({ length: 600 }, (_, i) => {
    const angle = (2 * Math.PI * i) / 120;
    return [home[0] + 0.1 * Math.cos(angle) - 0.1, home[1], home[2] + 0.1 * Math.sin(angle)];
  });
  const quiet = console.warn; // CCDIKSolver has a remark on each bone
  console.warn = () => {};
  const rows = [sinewChain, closedChain, ccdChain].map((make) => {
    const solver = make(arm, link);
    const frame = [...middle];
    solver.start(frame);
    const placed = distance(solver.solved(), home);
    let reached = 0;
    const solve = time(points.length, (i) => {
      solver.start(frame);
      solver.solve(points[i]);
      reached += distance(solver.solved(), points[i]) < REACHED;
    });
    const errors = [];
    solver.start(frame);
    const follow = time(circle.length, (i) => solver.follow(circle[i]));
    solver.start(frame);
    for (const p of circle) {
      solver.follow(p);
      errors.push(distance(solver.followed(), p));
    }
    const share = reached / (ROUNDS * points.length);
    return { name: solver.name, placed, solve, share, follow, error: median(errors) };
  });
  console.warn = quiet;
  return rows;
}

/** @param files the texts of a Panda and a G1 */
export async function measure({ panda, g1 }, simd = true) {
  await init({ simd });
  const arm = Model.fromURDF(panda);
  const figure = Model.fromURDF(g1, { floatingBase: true });
  const links = ['rubber_hand', 'ankle_roll_link'].flatMap((end) => [`left_${end}`, `right_${end}`]);
  return {
    global: globalSolve(arm, 'panda_link8'),
    humanoid: humanoidUpdate(figure, links),
    scene: sceneUpdate('double-y-25'),
    crowd: crowdFrame('double-y-25', 1000),
    compare: compare(arm, 'panda_link8'),
  };
}
