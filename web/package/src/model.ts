// Models: from a URDF, a BVH, a definition in JavaScript, or a built-in scene.
import { Core, SinewError, View, core } from './module.js';
import { add, rotate } from './rotation.js';
import { readXml } from './xml.js';

export type Vector = ArrayLike<number>;

export const jointKinds = [
  'fixed',
  'revolute',
  'continuous',
  'prismatic',
  'screw',
  'spherical',
  'euler',
  'universal',
  'cylindrical',
  'planar',
  'channels',
  'free',
] as const;
export type JointKind = (typeof jointKinds)[number];

/** A joint of a definition. Angles in radians, lengths in metres. */
export interface JointDefinition {
  name: string;
  kind: JointKind;
  /** Index of the link that carries it, and of the link that it moves. */
  parent: number;
  child: number;
  /** The joint's frame in the parent link; default: the identity. Rotation: w, x, y, z. */
  position?: Vector;
  rotation?: Vector;
  /** In the joint's frame; default x, and y for the second axis of a universal joint. */
  axis?: Vector;
  axis2?: Vector;
  pitch?: number;
  /** One letter for each value of an euler or channels joint: "ZXY". */
  channels?: string;
  /** Limits and largest speeds, one value for each degree of freedom. Default: none. */
  lower?: Vector;
  upper?: Vector;
  velocity?: Vector;
  /** A coupled joint follows another: value = ratio * driver + offset. */
  driver?: number;
  ratio?: number;
  offset?: number;
}

export interface ModelDefinition {
  name?: string;
  /** Names of the links; the root is the one that no joint moves. */
  links: string[];
  joints: JointDefinition[];
}

/** A joint of a model: what its definition says, and where its values stand. */
export interface Joint extends Required<Omit<JointDefinition, 'lower' | 'upper' | 'velocity'>> {
  /** Its values in q, and its degrees of freedom in v; 0 where fixed or coupled. */
  qIndex: number;
  nq: number;
  vIndex: number;
  nv: number;
}

/** A collision shape of the file: all points within radius of the segment from a to b. */
export interface Shape {
  link: number;
  a: number[];
  b: number[];
  radius: number;
}

/** The motion of a BVH: frames x nq values. */
export interface Motion {
  frames: number;
  frameTime: number;
  q: Float64Array;
}

export interface ReadOptions {
  /** The file's name, for messages. */
  name?: string;
  /** URDF: adds a free joint between the root link and a new root link "world". */
  floatingBase?: boolean;
}

const JOINT_VALUES = 38;

function jointRow(joint: JointDefinition): number[] {
  const vector = (values: Vector | undefined, fill: number[]): number[] =>
    fill.map((value, i) => values?.[i] ?? value);
  const six = (value: number) => new Array<number>(6).fill(value);
  return [
    jointKinds.indexOf(joint.kind),
    joint.parent,
    joint.child,
    ...vector(joint.position, [0, 0, 0]),
    ...vector(joint.rotation, [1, 0, 0, 0]),
    ...vector(joint.axis, [1, 0, 0]),
    ...vector(joint.axis2, [0, 1, 0]),
    joint.pitch ?? 0,
    ...vector(joint.lower, six(-Infinity)),
    ...vector(joint.upper, six(Infinity)),
    ...vector(joint.velocity, six(Infinity)),
    joint.driver ?? -1,
    joint.ratio ?? 1,
    joint.offset ?? 0,
  ];
}

/** A validated tree of links and joints. */
export class Model {
  readonly name: string;
  readonly links: readonly string[];
  readonly joints: readonly Joint[];
  /** Number of values of a configuration q, and of degrees of freedom. */
  readonly nq: number;
  readonly nv: number;
  /** The link that no joint moves: poses and targets are in its frame. */
  readonly root: number;
  /** The longest path from the root to a link [m]. */
  readonly size: number;
  /** The limits in force and the largest speeds, nv values each. */
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  readonly velocity: Float64Array;
  readonly shapes: readonly Shape[];
  /** The motion of a BVH. */
  readonly motion: Motion | null = null;
  /** What was ignored or assumed. */
  readonly warnings: readonly string[];
  /** @internal */ readonly core: Core;
  /** @internal */ address: number;
  private state: number;
  private readonly scratch: View; // q, then poses
  private readonly linkIndex = new Map<string, number>();
  private readonly jointIndex = new Map<string, number>();

  /** @internal Use Model.fromURDF() and the like. */
  constructor(definition: number, warnings: string[], motion: Motion | null) {
    const c = (this.core = core());
    this.address = c.create('model_create', definition);
    const call = c.call;
    const counts = c.within(20, (out) => {
      call.model_counts!(this.address, out);
      return [...c.ints(out, 5)] as [number, number, number, number, number];
    });
    const [linkCount, jointCount, nq, nv, root] = counts;
    this.nq = nq;
    this.nv = nv;
    this.root = root;
    this.motion = motion;
    this.name = c.text(call.model_name!(this.address))!;
    this.size = call.model_size!(this.address);
    this.lower = c.doubles(call.model_lower!(this.address), nv).slice();
    this.upper = c.doubles(call.model_upper!(this.address), nv).slice();
    this.velocity = c.doubles(call.model_velocity!(this.address), nv).slice();
    this.links = Array.from({ length: linkCount }, (_, i) => {
      const name = c.text(call.model_link_name!(this.address, i))!;
      this.linkIndex.set(name, i);
      return name;
    });
    this.joints = c.within(8 * JOINT_VALUES + 48, (out) =>
      Array.from({ length: jointCount }, (_, i) => this.readJoint(definition, i, out)),
    );
    this.shapes = c.within(64, (out) =>
      Array.from({ length: call.model_def_shape_count!(definition) }, (_, i) => {
        call.model_def_shape!(definition, i, out);
        const row = [...c.doubles(out, 8)];
        return { link: row[0]!, a: row.slice(1, 4), b: row.slice(4, 7), radius: row[7]! };
      }),
    );
    this.warnings = [...warnings];
    for (let i = 0, text; (text = c.text(call.model_warning!(this.address, i))) !== null; i++)
      (this.warnings as string[]).push(text);
    this.state = c.create('state_create', this.address);
    const size = nq + 7 * linkCount;
    this.scratch = new View(c, c.take(8 * size), size);
  }

  private readJoint(definition: number, index: number, out: number): Joint {
    const { core: c } = this;
    const numbers = out + 8 * JOINT_VALUES;
    const name = c.text(c.call.model_joint!(this.address, index, numbers, numbers + 32))!;
    c.call.model_def_joint!(definition, index, out);
    const [kind, parent, child, qIndex, nq, vIndex, nv, driver] = c.ints(numbers, 8);
    const coupling = c.doubles(numbers + 32, 2);
    const row = c.doubles(out, JOINT_VALUES);
    this.jointIndex.set(name, index);
    return {
      name,
      kind: jointKinds[kind!]!,
      parent: parent!,
      child: child!,
      position: [...row.subarray(3, 6)],
      rotation: [...row.subarray(6, 10)],
      axis: [...row.subarray(10, 13)],
      axis2: [...row.subarray(13, 16)],
      pitch: row[16]!,
      channels: c.text(c.call.model_def_channels!(definition, index))!,
      qIndex: qIndex!,
      nq: nq!,
      vIndex: vIndex!,
      nv: nv!,
      driver: driver!,
      ratio: coupling[0]!,
      offset: coupling[1]!,
    };
  }

  /** Reads a URDF. Throws a SinewError with file, line and element. */
  static fromURDF(text: string, options: ReadOptions = {}): Model {
    return Model.fromDocument(readXml(core(), text, options));
  }

  /** Reads a BVH with its motion. Lengths keep the file's unit. */
  static fromBVH(text: string, options: ReadOptions = {}): Model {
    const c = core();
    const bytes = new TextEncoder().encode(text);
    const document = c.within(bytes.length, (address) => {
      new Uint8Array(c.memory.buffer, address, bytes.length).set(bytes);
      return c.create('bvh_read', address, bytes.length, c.put(options.name ?? 'input'));
    });
    return Model.fromDocument(document);
  }

  /** Reads a URDF or a BVH, as its content says. */
  static fromText(text: string, options: ReadOptions = {}): Model {
    return /^[\s\uFEFF]*HIERARCHY\b/.test(text)
      ? Model.fromBVH(text, options)
      : Model.fromURDF(text, options);
  }

  private static fromDocument(document: number): Model {
    const c = core();
    try {
      const warnings: string[] = [];
      for (let i = 0; c.call.document_warning!(document, i) !== 0; i++)
        warnings.push(c.text(c.call.error_text!())!);
      const definition = c.call.document_model!(document);
      const model = new Model(definition, warnings, null);
      const frames = c.call.document_frame_count!(document);
      if (frames > 0)
        (model as { motion: Motion }).motion = {
          frames,
          frameTime: c.call.document_frame_time!(document),
          q: c.doubles(c.call.document_motion!(document), frames * model.nq).slice(),
        };
      return model;
    } finally {
      c.call.document_destroy!(document);
    }
  }

  /** Makes a model from links and joints. */
  static fromDefinition(definition: ModelDefinition): Model {
    const c = core();
    const { links, joints } = definition;
    joints.forEach((joint) => {
      if (!jointKinds.includes(joint.kind))
        throw new SinewError(`${joint.name}: there is no joint kind '${joint.kind}'`, 'invalid');
    });
    const address = c.call.definition_create!(
      c.put(definition.name ?? ''),
      links.length,
      joints.length,
    );
    if (address === 0) throw new SinewError('there is no memory left', 'out of memory');
    try {
      links.forEach((name, i) => c.call.definition_link!(address, i, c.put(name)));
      c.within(8 * JOINT_VALUES, (row) => {
        joints.forEach((joint, i) => {
          c.doubles(row, JOINT_VALUES).set(jointRow(joint));
          const name = c.put(joint.name, joint.channels ?? '');
          const channels = name + new TextEncoder().encode(joint.name).length + 1;
          c.call.definition_joint!(address, i, name, channels, row);
        });
      });
      return new Model(c.call.definition_model!(address), [], null);
    } finally {
      c.call.definition_destroy!(address);
    }
  }

  /** The index of a link or joint. Throws if there is none of this name. */
  link(name: string): number {
    const index = this.linkIndex.get(name);
    if (index === undefined) throw new SinewError(`there is no link '${name}'`, 'invalid argument');
    return index;
  }

  joint(name: string): number {
    const index = this.jointIndex.get(name);
    if (index === undefined)
      throw new SinewError(`there is no joint '${name}'`, 'invalid argument');
    return index;
  }

  private configuration(name: string, ...values: number[]): Float64Array {
    this.alive();
    this.core.call[name]!(this.address, ...values, this.scratch.address);
    return this.scratch.array.slice(0, this.nq);
  }

  /** q = 0 clamped into the limits. */
  start(): Float64Array {
    return this.configuration('configuration_start');
  }

  /** q = the middle of the limits, or 0 where one is missing. */
  middle(): Float64Array {
    return this.configuration('configuration_middle');
  }

  /** A random configuration within the limits: the same for the same seed and counter. */
  random(seed: number, counter: number): Float64Array {
    return this.configuration('configuration_random', seed, counter);
  }

  /** The values of every joint of one value, coupled ones too, in the order of joints. */
  jointValues(q: Vector): Float64Array {
    this.alive();
    const { core: c } = this;
    this.scratch.array.set(q);
    const count = c.call.model_joint_values!(this.address, this.scratch.address, 0);
    return c.within(8 * count, (values) => {
      c.call.model_joint_values!(this.address, this.scratch.address, values);
      return c.doubles(values, count).slice();
    });
  }

  /** The poses of all links at q: x, y, z, w, x, y, z each. The array is overwritten by the next
   * call.
   * @param out where to write them instead: 7 values for each link */
  poses(q: Vector, out?: Float64Array): Float64Array {
    this.alive();
    const { scratch } = this;
    if (q.length !== this.nq)
      throw new SinewError(`q has ${q.length} values, not ${this.nq}`, 'invalid argument');
    scratch.array.set(q);
    const at = scratch.address + 8 * this.nq;
    this.core.check(this.core.call.state_poses!(this.state, scratch.address, at));
    const poses = scratch.array.subarray(this.nq);
    if (out === undefined) return poses;
    out.set(poses);
    return out;
  }

  /** The mass of a link [kg], and its centre of mass in the link's frame [m]. */
  linkMass(link: number): { mass: number; center: Float64Array } {
    this.alive();
    const { core: c } = this;
    if (!(link in this.links)) throw new SinewError(`there is no link ${link}`, 'invalid argument');
    return c.within(24, (at) => {
      const mass = c.call.model_link_mass!(this.address, link, at);
      return { mass, center: c.doubles(at, 3).slice() };
    });
  }

  /** The centre of mass of the whole figure, in the root link's frame [m]; NaN where it has no mass.
   * @param poses of all links: poses() */
  centerOfMass(poses: Vector): number[] {
    let total = 0;
    const sum = [0, 0, 0];
    this.links.forEach((_name, link) => {
      const { mass, center } = this.linkMass(link);
      const pose = Array.from({ length: 7 }, (_, k) => poses[7 * link + k]!);
      add(pose, rotate(pose, center)).forEach((value, k) => {
        sum[k]! += mass * value;
      });
      total += mass;
    });
    return sum.map((value) => value / total);
  }

  /** Frees its memory. Free solvers, trackers and crowds of it first. */
  free(): void {
    if (this.address === 0) return;
    this.core.release(this.scratch.address);
    this.core.call.state_destroy!(this.state);
    this.core.call.model_destroy!(this.address);
    this.address = this.state = 0;
  }

  [Symbol.dispose](): void {
    this.free();
  }

  /** @internal */
  get stateAddress(): number {
    return this.state;
  }

  /** @internal */
  alive(): void {
    if (this.address === 0) throw new SinewError('the model was freed', 'invalid argument');
  }
}
