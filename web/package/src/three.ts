// sinew-ik/three: models from three.js skeletons and from robots of urdf-loader, and poses back.
import type { Bone, Object3D, Quaternion, Skeleton, Vector3 } from 'three';
import {
  Model,
  SinewError,
  Tracker,
  type Joint,
  type JointDefinition,
  type ModelDefinition,
  type Report,
  type Settings,
  type Task,
} from './index.js';

// Values of a bone's Euler angles, as three.js counts them: R = Rx Ry Rz for the order XYZ.
export interface BoneLimits {
  /** Default "XYZ". */
  order?: 'XYZ' | 'XZY' | 'YXZ' | 'YZX' | 'ZXY' | 'ZYX';
  /** Of the angles in that order [rad], of the bone's whole rotation in its parent. */
  lower: ArrayLike<number>;
  upper: ArrayLike<number>;
}

export interface SkeletonOptions {
  /** Whether the root bone also translates. Default false. */
  floating?: boolean;
  /** Limits by the name of a bone. Others turn freely. */
  limits?: Record<string, BoneLimits>;
  /** Bones that do not turn, by name. */
  fixed?: string[];
}

/** What this module uses of a robot of urdf-loader. */
export interface URDFRobotLike extends Object3D {
  links: Record<string, Object3D>;
  joints: Record<string, URDFJointLike>;
}

export interface URDFJointLike extends Object3D {
  jointType: string;
  axis: Vector3;
  limit: { lower: number; upper: number; velocity?: number };
  jointValue: number[];
  ignoreLimits: boolean;
  setJointValue(...values: (number | null)[]): boolean;
}

/** @internal */
export interface Part {
  /** Reads the object's present values into q, and writes q to the object. */
  read(q: Float64Array, at: number): void;
  write(q: Float64Array, at: number): void;
}

/** Joint values read from objects and written to them. */
export class Binding {
  private readonly parts: { part: Part; at: number }[] = [];

  /** @internal Use SkeletonDescription.bind(). */
  constructor(
    joints: readonly Pick<Joint, 'name' | 'nq' | 'qIndex'>[],
    parts: ReadonlyMap<string, Part>,
  ) {
    for (const joint of joints) {
      const part = parts.get(joint.name);
      if (part !== undefined && joint.nq > 0) this.parts.push({ part, at: joint.qIndex });
    }
  }

  /** The present pose of the objects as joint values. */
  read(q: Float64Array): Float64Array {
    for (const { part, at } of this.parts) part.read(q, at);
    return q;
  }

  /** Poses the objects. */
  write(q: Float64Array): void {
    for (const { part, at } of this.parts) part.write(q, at);
  }
}

/** A model whose joints are objects of three.js. Its frame is that of `frame`. */
export class Rig {
  /** @internal Use skeletonRig() or robotRig(). */
  constructor(
    readonly model: Model,
    /** Targets are in the coordinates of this object; null: of the world. */
    readonly frame: Object3D | null,
    private readonly binding: Binding,
  ) {}

  /** The present pose of the objects as joint values. */
  read(q: Float64Array = new Float64Array(this.model.nq)): Float64Array {
    return this.binding.read(q);
  }

  /** Poses the objects. */
  write(q: Float64Array): void {
    this.binding.write(q);
  }

  /** A tracker that begins at the present pose, with its targets where the links are. */
  track(tasks: readonly Task[], settings: Settings = {}): Tracker {
    const tracker = new Tracker(this.model, tasks, settings);
    this.read(tracker.q);
    tracker.targetsFromPoses();
    return tracker;
  }

  /** Sets a target to where an object is, or to a point of the world. */
  aim(tracker: Tracker, task: number, where: Object3D | Vector3): void {
    this.frame?.updateWorldMatrix(true, false);
    if (!('isObject3D' in where)) {
      const point = where.clone();
      tracker.setTarget(task, { position: (this.frame?.worldToLocal(point) ?? point).toArray() });
      return;
    }
    where.updateWorldMatrix(true, false);
    const position = where.position.clone().setFromMatrixPosition(where.matrixWorld);
    const rotation = where.getWorldQuaternion(where.quaternion.clone());
    if (this.frame) {
      this.frame.worldToLocal(position);
      rotation.premultiply(this.frame.getWorldQuaternion(where.quaternion.clone()).invert());
    }
    const { x, y, z, w } = rotation;
    tracker.setTarget(task, { position: position.toArray(), rotation: [w, x, y, z] });
  }

  /** One update of a tracker, written to the objects. */
  update(tracker: Tracker): Report {
    const report = tracker.update();
    this.write(tracker.q);
    return report;
  }

  /** Frees the model; free its trackers first. */
  free(): void {
    this.model.free();
  }

  [Symbol.dispose](): void {
    this.free();
  }
}

// ---- Skeletons ----

const axes = { X: 0, Y: 1, Z: 2 } as const;

function readTurn(bone: Object3D, q: Float64Array, at: number): void {
  const { x, y, z, w } = bone.quaternion;
  q.set([w, x, y, z], at);
}

function writeTurn(bone: Object3D, q: Float64Array, at: number): void {
  bone.quaternion.set(q[at + 1]!, q[at + 2]!, q[at + 3]!, q[at]!);
}

function turning(bone: Object3D): Part {
  return {
    read: (q, at) => readTurn(bone, q, at),
    write: (q, at) => writeTurn(bone, q, at),
  };
}

function floating(bone: Object3D): Part {
  return {
    read: (q, at) => {
      q.set(bone.position.toArray(), at);
      readTurn(bone, q, at + 3);
    },
    write: (q, at) => {
      bone.position.fromArray(q, at);
      writeTurn(bone, q, at + 3);
    },
  };
}

function bending(bone: Object3D, order: string): Part {
  const angles = bone.rotation.clone();
  const letters = [...order] as ('X' | 'Y' | 'Z')[];
  return {
    read: (q, at) => {
      angles.setFromQuaternion(bone.quaternion as Quaternion, order as never);
      letters.forEach((letter, i) => {
        q[at + i] = angles.toArray()[axes[letter]] as number;
      });
    },
    write: (q, at) => {
      const values = [0, 0, 0];
      letters.forEach((letter, i) => {
        values[axes[letter]] = q[at + i]!;
      });
      angles.set(values[0]!, values[1]!, values[2]!, order as never);
      bone.quaternion.setFromEuler(angles);
    },
  };
}

/** A skeleton as a model's definition, for a model that is made elsewhere, such as in a worker. */
export interface SkeletonDescription {
  definition: ModelDefinition;
  /** Poses and targets of the model are in the coordinates of this object; null: of the world. */
  frame: Object3D | null;
  /** Joint values from the bones, and back.
   * @param joints those of the model that was made from the definition */
  bind(joints: readonly Pick<Joint, 'name' | 'nq' | 'qIndex'>[]): Binding;
}

function findBones(source: Object3D | Skeleton): Object3D[] {
  const skeleton = (source as { skeleton?: Skeleton }).skeleton ?? (source as Skeleton);
  if (Array.isArray(skeleton.bones)) return skeleton.bones;
  const found: Bone[] = [];
  (source as Object3D).traverse((child) => {
    if ((child as Bone).isBone) found.push(child as Bone);
  });
  return found;
}

function ancestors(object: Object3D): Object3D[] {
  const found: Object3D[] = [];
  for (let one = object.parent; one; one = one.parent) found.push(one);
  return found;
}

// The object in whose frame the bones are: the parent of the root bone, or the nearest one above all
// root bones. Throws where there is none.
function findFrame(bones: Object3D[]): Object3D | null {
  const known = new Set(bones);
  const roots = bones.filter((bone) => !ancestors(bone).some((one) => known.has(one)));
  if (roots.length === 1) return roots[0]!.parent;
  const [first = [], ...others] = roots.map(ancestors);
  const common = first.find((one) => others.every((list) => list.includes(one)));
  if (common === undefined)
    throw new SinewError(
      `the skeleton has ${roots.length} root bones, and no object above them all`,
      'invalid argument',
    );
  return common;
}

// The bones and the plain objects between them and the frame, each after its parent.
function inOrder(bones: Object3D[], frame: Object3D | null): Object3D[] {
  const order = new Set<Object3D>();
  for (const bone of bones) {
    const path = [bone];
    for (let one = bone.parent; one !== frame && one; one = one.parent) path.unshift(one);
    path.forEach((object) => order.add(object));
  }
  return [...order];
}

/** What skeletonRig() makes its model from.
 * @param source a SkinnedMesh, its Skeleton, or an object with bones below it */
export function describeSkeleton(
  source: Object3D | Skeleton,
  options: SkeletonOptions = {},
): SkeletonDescription {
  const bones = findBones(source);
  if (bones.length === 0) throw new SinewError('there are no bones', 'invalid argument');
  const frame = findFrame(bones);
  const objects = inOrder(bones, frame);
  const turns = new Set(bones);
  const names = new Map<Object3D, string>();
  const scales = new Map<Object3D | null, number>([[frame, 1]]); // of lengths below an object
  const used = new Set(['world']);
  for (const object of objects) {
    const usual = object.name || 'bone';
    let name = usual;
    for (let i = 2; used.has(name); i++) name = `${usual}_${i}`;
    used.add(name);
    names.set(object, name);
    const { x, y, z } = object.scale;
    if (!(x > 0) || Math.abs(y - x) > 1e-3 * x || Math.abs(z - x) > 1e-3 * x)
      throw new SinewError(
        `${name}: bones whose scale differs between axes are not supported`,
        'unsupported',
      );
    scales.set(object, x * scales.get(object.parent)!);
  }
  const index = new Map<Object3D | null, number>(objects.map((object, i) => [object, i + 1]));
  index.set(frame, 0);
  const parts = new Map<string, Part>();
  const joints = objects.map((object): JointDefinition => {
    const name = names.get(object)!;
    const joint = { name, parent: index.get(object.parent)!, child: index.get(object)! };
    const scale = scales.get(object.parent)!;
    const position = object.position.clone().multiplyScalar(scale).toArray();
    const limits = options.limits?.[object.name];
    if (object === objects[0] && options.floating) {
      parts.set(name, floating(object));
      return { ...joint, kind: 'free' };
    }
    if (options.fixed?.includes(object.name) || !turns.has(object)) {
      const { x, y, z, w } = object.quaternion;
      return { ...joint, kind: 'fixed', position, rotation: [w, x, y, z] };
    }
    if (limits) {
      const channels = limits.order ?? 'XYZ';
      parts.set(name, bending(object, channels));
      const { lower, upper } = limits;
      return { ...joint, kind: 'euler', position, channels, lower, upper };
    }
    parts.set(name, turning(object));
    return { ...joint, kind: 'spherical', position };
  });
  const links = ['world', ...objects.map((object) => names.get(object)!)];
  const definition = { name: objects[0]!.name, links, joints };
  return { definition, frame, bind: (of) => new Binding(of, parts) };
}

/** A rig of a skeleton: each bone turns freely unless options say otherwise, and its link has its
 * name. glTF and VRM characters have such skeletons.
 * @param source a SkinnedMesh, its Skeleton, or an object with bones below it */
export function skeletonRig(source: Object3D | Skeleton, options: SkeletonOptions = {}): Rig {
  const { definition, frame, bind } = describeSkeleton(source, options);
  const model = Model.fromDefinition(definition);
  return new Rig(model, frame, bind(model.joints));
}

// ---- Robots ----

const kinds: Record<string, JointDefinition['kind']> = {
  fixed: 'fixed',
  revolute: 'revolute',
  continuous: 'continuous',
  prismatic: 'prismatic',
};

/** A rig of a robot of urdf-loader, with its limits and coupled joints. Joints are read at the
 * value 0 before the first pose is set. */
export function robotRig(robot: URDFRobotLike): Rig {
  const links = Object.keys(robot.links);
  const index = new Map(links.map((name, i) => [robot.links[name]!, i]));
  const names = Object.keys(robot.joints);
  const parts = new Map<string, Part>();
  const joints = names.map((name): JointDefinition => {
    const joint = robot.joints[name]!;
    const kind = kinds[joint.jointType];
    if (kind === undefined)
      throw new SinewError(
        `${name}: joints of type ${joint.jointType} are not read`,
        'unsupported',
      );
    const child = joint.children.find((one) => index.has(one));
    if (child === undefined || !index.has(joint.parent!))
      throw new SinewError(`${name}: has no link above or below it`, 'invalid model definition');
    const rest = joint as unknown as { origPosition?: Vector3; origQuaternion?: Quaternion };
    const position = rest.origPosition ?? joint.position;
    const { x, y, z, w } = rest.origQuaternion ?? joint.quaternion;
    const mimic = joint as unknown as { mimicJoint?: string; multiplier: number; offset: number };
    const limited = (kind === 'revolute' || kind === 'prismatic') && !joint.ignoreLimits;
    if (mimic.mimicJoint === undefined && kind !== 'fixed')
      parts.set(name, {
        read: (q, at) => {
          q[at] = joint.jointValue[0] ?? 0;
        },
        write: (q, at) => {
          joint.setJointValue(q[at]!);
        },
      });
    return {
      name,
      kind,
      parent: index.get(joint.parent!)!,
      child: index.get(child)!,
      position: position.toArray(),
      rotation: [w, x, y, z],
      ...(kind !== 'fixed' && { axis: joint.axis.toArray() }),
      ...(limited && { lower: [joint.limit.lower], upper: [joint.limit.upper] }),
      ...(mimic.mimicJoint !== undefined && {
        driver: names.indexOf(mimic.mimicJoint),
        ratio: mimic.multiplier,
        offset: mimic.offset,
      }),
    };
  });
  const model = Model.fromDefinition({ name: robot.name, links, joints });
  return new Rig(model, robot, new Binding(model.joints, parts));
}
