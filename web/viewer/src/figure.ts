// A figure drawn from its joints: one instanced mesh for bones, one for joints, so that a model of
// thousands of links costs two draw calls.
import {
  BufferGeometry,
  CapsuleGeometry,
  Color,
  CylinderGeometry,
  Group,
  InstancedMesh,
  Matrix4,
  MeshStandardMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from 'three';
import type { ModelInfo } from './protocol.js';

const BONE_RADIUS = 0.022; // of the model's size
const JOINT = 1.3; // radius of a joint, of that of a bone
const DRUM = 1.1; // length of a joint with an axis, of its radius, between its caps
const SHORT = 0.02; // bones below this length are not drawn

export interface Look {
  bone: number;
  joint: number;
  opacity: number;
}

const y = new Vector3(0, 1, 0);

// Shared by all figures and never freed, so that no program is compiled twice.
const materials = new Map<string, MeshStandardMaterial>();

function material(color: number, roughness: number, opacity: number): MeshStandardMaterial {
  const key = `${color} ${roughness} ${opacity}`;
  let found = materials.get(key);
  if (found === undefined) {
    const ghost = opacity < 1;
    found = new MeshStandardMaterial({
      color: new Color(color),
      roughness,
      metalness: 0.1,
      transparent: ghost,
      opacity,
      depthWrite: !ghost,
    });
    materials.set(key, found);
  }
  return found;
}

export class Figure {
  readonly group = new Group();
  private readonly bones: InstancedMesh;
  private readonly balls: InstancedMesh;
  private readonly drums: InstancedMesh;
  private readonly pairs: [number, number][]; // links at both ends of a bone
  private readonly axes: { link: number; axis: Vector3 }[] = [];
  private readonly moved: number[] = [];
  private readonly radius: number;
  private readonly meshes: [InstancedMesh, color: keyof Look, roughness: number][] = [];
  poses: Float64Array = new Float64Array(0);

  constructor(
    private readonly info: ModelInfo,
    look: Look,
  ) {
    const { joints, size } = info;
    // Thinner where there are many links: a hand is not a heap of balls.
    const lengths = joints.map((j) => Math.hypot(...Array.from(j.position)));
    const used = lengths.filter((length) => length > SHORT * size).sort((a, b) => a - b);
    const usual = used[used.length >> 1] ?? size;
    this.radius = Math.min(BONE_RADIUS * size, 0.2 * usual);
    // The way from the world to a figure is no bone, but that from a robot's base is one.
    const floats = (kind: string) => kind === 'free' || kind === 'planar';
    // Nor is that to a frame that is fixed to a link beside the next joint, such as a sensor's.
    const parents = new Map<number, number>();
    for (const { parent } of joints) parents.set(parent, (parents.get(parent) ?? 0) + 1);
    this.pairs = joints
      .filter(
        ({ kind, parent, child }) =>
          kind !== 'fixed' || parents.has(child) || parents.get(parent) === 1,
      )
      .filter((joint) => Math.hypot(...Array.from(joint.position)) > 1e-3 * size)
      .filter((joint) => !floats(joint.kind))
      .filter((joint) => joint.parent !== info.root || info.robot)
      .map((joint) => [joint.parent, joint.child]);
    for (const joint of joints) {
      if (joint.kind === 'fixed') continue;
      this.moved.push(joint.child);
      const single = ['revolute', 'continuous', 'prismatic', 'screw'].includes(joint.kind);
      if (single && info.robot)
        this.axes.push({
          link: joint.child,
          axis: new Vector3(...(joint.axis as [number, number, number])).normalize(),
        });
    }
    const ghost = look.opacity < 1;
    const make = (
      geometry: BufferGeometry,
      color: 'bone' | 'joint',
      roughness: number,
      count: number,
    ) => {
      const mesh = new InstancedMesh(
        geometry,
        material(look[color], roughness, look.opacity),
        Math.max(1, count),
      );
      mesh.count = count;
      mesh.castShadow = mesh.receiveShadow = !ghost;
      mesh.frustumCulled = false;
      this.group.add(mesh);
      this.meshes.push([mesh, color, roughness]);
      return mesh;
    };
    const plain = joints.length > 500;
    this.bones = make(
      plain ? new CylinderGeometry(1, 1, 1, 6) : new CylinderGeometry(0.72, 1, 1, 14),
      'bone',
      0.55,
      this.pairs.length,
    );
    this.balls = make(
      new SphereGeometry(1, plain ? 6 : 18, plain ? 4 : 12),
      'joint',
      0.4,
      this.axes.length > 0 ? 0 : this.moved.length,
    );
    this.drums = make(
      new CapsuleGeometry(1, DRUM, plain ? 2 : 4, plain ? 6 : 14),
      'joint',
      0.35,
      this.axes.length,
    );
  }

  set look(look: Look) {
    for (const [mesh, color, roughness] of this.meshes)
      mesh.material = material(look[color], roughness, look.opacity);
  }

  set(poses: Float64Array): void {
    this.poses = poses;
    const matrix = new Matrix4();
    const scale = new Vector3();
    const turn = new Quaternion();
    const a = new Vector3();
    const b = new Vector3();
    const along = new Vector3();
    const { radius } = this;
    this.pairs.forEach(([from, to], i) => {
      a.fromArray(poses, 7 * from);
      b.fromArray(poses, 7 * to);
      along.subVectors(b, a);
      const length = along.length();
      turn.setFromUnitVectors(y, length > 0 ? along.divideScalar(length) : y);
      scale.set(radius, length, radius);
      matrix.compose(a.add(b).multiplyScalar(0.5), turn, scale);
      this.bones.setMatrixAt(i, matrix);
    });
    const ball = 1.25 * radius;
    if (this.axes.length === 0)
      this.moved.forEach((link, i) => {
        matrix.compose(a.fromArray(poses, 7 * link), turn.identity(), scale.setScalar(ball));
        this.balls.setMatrixAt(i, matrix);
      });
    this.axes.forEach(({ link, axis }, i) => {
      const [, , , w, qx, qy, qz] = poses.subarray(7 * link, 7 * link + 7);
      turn.set(qx!, qy!, qz!, w!);
      along.copy(axis).applyQuaternion(turn);
      turn.setFromUnitVectors(y, along);
      matrix.compose(a.fromArray(poses, 7 * link), turn, scale.setScalar(JOINT * radius));
      this.drums.setMatrixAt(i, matrix);
    });
    for (const mesh of [this.bones, this.balls, this.drums]) {
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null; // a ray would be tested against where the figure was
    }
  }

  /** How far bones and joints reach beyond the places of the links, across a joint's axis. */
  get thickness(): number {
    return JOINT * this.radius;
  }

  /** And along it. */
  get width(): number {
    return this.thickness * (this.axes.length > 0 ? 1 + DRUM / 2 : 1);
  }

  /** The links that joints move: those one can drag. */
  get draggable(): number[] {
    const children = new Set(this.moved);
    let grew = true;
    while (grew) {
      grew = false;
      for (const joint of this.info.joints)
        if (children.has(joint.parent) && !children.has(joint.child)) {
          children.add(joint.child);
          grew = true;
        }
    }
    return [...children];
  }

  dispose(): void {
    for (const mesh of [this.bones, this.balls, this.drums]) {
      mesh.geometry.dispose();
      mesh.dispose();
    }
    this.group.removeFromParent();
  }
}
