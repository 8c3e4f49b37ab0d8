// sinew-ik/three: what the model says is where three.js has the bones and links.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, test } from 'node:test';
import {
  Bone,
  BufferGeometry,
  Group,
  MeshBasicMaterial,
  Object3D,
  Quaternion,
  Skeleton,
  SkinnedMesh,
  Vector3,
} from 'three';
import { URDFJoint, URDFLink, URDFMimicJoint, URDFRobot } from 'urdf-loader/src/URDFClasses.js';
import { dist } from './common.mjs';

const { init, Model } = await import(join(dist, 'index.js'));
const { describeSkeleton, robotRig, skeletonRig } = await import(join(dist, 'three.js'));
before(() => init());

// A trunk of two bones with two arms of three, at rest not aligned, in a scene that is moved,
// turned and scaled.
function makeCharacter() {
  const bones = [];
  const add = (name, parent, position) => {
    const bone = new Bone();
    bone.name = name;
    bone.position.set(...position);
    bone.quaternion.set(0.1 * bones.length, 0.05, -0.02 * bones.length, 1).normalize();
    parent?.add(bone);
    bones.push(bone);
    return bone;
  };
  const hips = add('hips', null, [0, 1, 0]);
  const chest = add('chest', hips, [0, 0.5, 0]);
  for (const [side, sign] of [
    ['left', 1],
    ['right', -1],
  ]) {
    const upper = add(`${side}Upper`, chest, [0.2 * sign, 0.1, 0]);
    const lower = add(`${side}Lower`, upper, [0.3 * sign, 0, 0]);
    add(`${side}Hand`, lower, [0.25 * sign, 0, 0]);
  }
  const mesh = new SkinnedMesh(new BufferGeometry(), new MeshBasicMaterial());
  mesh.add(hips);
  mesh.bind(new Skeleton(bones));
  const scene = new Group();
  scene.position.set(1, 2, 3);
  scene.rotation.set(0.3, -0.8, 0.2);
  scene.scale.setScalar(0.01);
  scene.add(mesh);
  scene.updateMatrixWorld(true);
  return { mesh, scene, bones };
}

// Bones in the frame of the rig, by three.js.
function inFrame(rig, object) {
  object.updateWorldMatrix(true, false);
  rig.frame.updateWorldMatrix(true, false);
  const matrix = rig.frame.matrixWorld.clone().invert().multiply(object.matrixWorld);
  const [p, q, s] = [new Vector3(), new Quaternion(), new Vector3()];
  matrix.decompose(p, q, s);
  return [...p.toArray(), q.w, q.x, q.y, q.z];
}

function expectPose(rig, q, objects) {
  const poses = rig.model.poses(q);
  for (const [name, object] of objects) {
    const link = rig.model.link(name);
    const wanted = inFrame(rig, object);
    const found = [...poses.subarray(7 * link, 7 * link + 7)];
    const sign = Math.sign(wanted.slice(3).reduce((sum, v, i) => sum + v * found[3 + i], 0));
    wanted.forEach((value, i) =>
      assert.ok(Math.abs(value - (i < 3 ? 1 : sign) * found[i]) < 1e-6, `${name} ${i}`),
    );
  }
}

const limits = { leftLower: { order: 'YXZ', lower: [-1, -0.5, -0.2], upper: [1, 0.5, 0.2] } };

test('a skeleton is read and posed as three.js has it', () => {
  for (const options of [{}, { floating: true, limits }, { fixed: ['hips'], limits }]) {
    const { mesh, bones } = makeCharacter();
    using rig = skeletonRig(mesh, options);
    const objects = bones.map((bone) => [bone.name, bone]);
    expectPose(rig, rig.read(), objects);
    for (let i = 0; i < 5; i++) {
      const q = rig.model.random(1, i);
      rig.write(q);
      expectPose(rig, q, objects);
      const again = rig.read();
      rig.write(again);
      expectPose(rig, again, objects);
    }
  }
});

test('bones with scales, plain objects between them, and two root bones', () => {
  for (const options of [{}, { limits }, { fixed: ['chest'] }]) {
    const { mesh, bones } = makeCharacter();
    const [hips, , leftUpper, , leftHand] = bones;
    hips.scale.setScalar(0.5);
    leftUpper.scale.setScalar(3);
    const between = new Object3D();
    between.position.set(0.1, 0.2, 0.3);
    between.rotation.set(0.2, -0.1, 0.4);
    between.scale.setScalar(0.7);
    leftHand.parent.add(between);
    between.add(leftHand);
    const other = new Bone();
    other.name = 'other';
    other.position.set(1, 0, 0);
    const holder = new Object3D();
    holder.rotation.set(0, 1, 0);
    holder.add(other);
    mesh.add(holder);
    using rig = skeletonRig(mesh.parent, options);
    assert.equal(rig.frame, mesh);
    const objects = [...bones, other].map((bone) => [bone.name, bone]);
    expectPose(rig, rig.read(), objects);
    for (let i = 0; i < 5; i++) {
      const q = rig.model.random(1, i);
      rig.write(q);
      expectPose(rig, q, objects);
    }
  }
});

test('a description makes the same model elsewhere', () => {
  const { mesh, bones } = makeCharacter();
  const { definition, frame, bind } = describeSkeleton(mesh, { floating: true, limits });
  using model = Model.fromDefinition(JSON.parse(JSON.stringify(definition)));
  const binding = bind(model.joints);
  const q = model.random(1, 1);
  binding.write(q);
  expectPose(
    { model, frame },
    q,
    bones.map((bone) => [bone.name, bone]),
  );
  binding.write(binding.read(new Float64Array(model.nq)));
  expectPose(
    { model, frame },
    q,
    bones.map((bone) => [bone.name, bone]),
  );
});

test('a hand follows an object, and limits are kept', () => {
  const { mesh, scene, bones } = makeCharacter();
  using rig = skeletonRig(mesh, { fixed: ['hips'], limits });
  using tracker = rig.track([{ link: 'leftHand', kind: 'position' }]);
  const hand = bones.find((bone) => bone.name === 'leftHand');
  const goal = new Object3D();
  scene.add(goal);
  const joint = rig.model.joints[rig.model.joint('leftLower')];
  goal.position.set(...inFrame(rig, hand).slice(0, 3));
  for (let i = 0; i < 200; i++) {
    goal.position.x -= 0.001;
    goal.position.z += 0.002;
    rig.aim(tracker, 0, goal);
    rig.update(tracker);
    for (let k = 0; k < 3; k++) {
      const value = tracker.q[joint.qIndex + k];
      assert.ok(value >= limits.leftLower.lower[k] && value <= limits.leftLower.upper[k]);
    }
  }
  const missed = hand
    .getWorldPosition(new Vector3())
    .distanceTo(goal.getWorldPosition(new Vector3()));
  assert.ok(missed < 1e-5, `${missed}`); // of 0.01 world units a metre
  rig.aim(tracker, 0, goal.getWorldPosition(new Vector3()));
  assert.ok(Math.abs(tracker.targets[0] - goal.position.x) < 1e-9);
});

function makeRobot() {
  const robot = new URDFRobot();
  robot.name = robot.robotName = 'arm';
  robot.links = { base: robot };
  robot.joints = {};
  let above = robot;
  const add = (Kind, name, type, position, axis, limit) => {
    const joint = new Kind();
    joint.jointType = type;
    joint.position.set(...position);
    joint.rotation.set(0.3, 0.2, -0.1);
    joint.axis.set(...axis);
    if (limit) Object.assign(joint.limit, { lower: limit[0], upper: limit[1] });
    const link = new URDFLink();
    above.add(joint);
    joint.add(link);
    robot.links[`${name}_link`] = link;
    robot.joints[name] = joint;
    above = link;
    return joint;
  };
  add(URDFJoint, 'turn', 'continuous', [0, 0, 0.3], [0, 0, 1]);
  const lift = add(URDFJoint, 'lift', 'revolute', [0, 0, 0.2], [0, 1, 0], [-1, 1]);
  add(URDFJoint, 'slide', 'prismatic', [0.4, 0, 0], [1, 0, 0], [0, 0.2]);
  const mimic = add(URDFMimicJoint, 'tilt', 'revolute', [0.1, 0, 0], [0, 1, 0], [-2, 2]);
  mimic.mimicJoint = 'lift';
  mimic.multiplier = -0.5;
  mimic.offset = 0.1;
  lift.mimicJoints = [mimic];
  add(URDFJoint, 'tool', 'fixed', [0, 0, 0.1], [1, 0, 0]);
  return robot;
}

test('a robot of urdf-loader is posed as it says, with limits and a coupled joint', () => {
  const robot = makeRobot();
  using rig = robotRig(robot);
  assert.equal(rig.model.nq, 3);
  const { vIndex } = rig.model.joints[rig.model.joint('lift')];
  assert.deepEqual([rig.model.lower[vIndex], rig.model.upper[vIndex]], [-1, 1]);
  for (let i = 0; i < 5; i++) {
    const q = rig.model.random(1, i);
    rig.write(q);
    expectPose(rig, q, Object.entries(robot.links));
    assert.deepEqual([...rig.read()], [...q]);
  }
  using again = robotRig(robot); // a robot that is posed
  expectPose(again, again.read(), Object.entries(robot.links));
});

test('what is not supported is refused by name', () => {
  const { mesh, bones } = makeCharacter();
  bones[2].scale.set(1, 2, 1);
  assert.throws(() => skeletonRig(mesh), /leftUpper: bones whose scale differs/);
  assert.throws(() => skeletonRig(new Group()), /no bones/);
  const apart = new Skeleton([new Bone(), new Bone()]);
  assert.throws(() => skeletonRig(apart), /2 root bones, and no object above/);
  const robot = makeRobot();
  robot.joints.turn.jointType = 'floating';
  assert.throws(() => robotRig(robot), /turn: joints of type floating/);
});
