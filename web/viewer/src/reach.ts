// Where a proof that a target is out of reach measures from: the centre of the workspace. The core
// reports distances alone; the centre follows from the axes at any configuration.
import type { Joint, Report, Target, Task } from 'sinew-ik';

/** What is drawn of a target out of reach, in the model's frame. */
export interface Reach {
  center: number[];
  /** Where the task's point, or the wrist of its pose, should be. */
  place: number[];
  /** How far the chain reaches from the centre towards the place, or how near it comes. */
  reach: number;
}

type Vec = [number, number, number];

const dot = (a: Vec, b: Vec) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const sub = (a: Vec, b: Vec): Vec => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const along = (a: Vec, s: number, d: Vec): Vec => [
  a[0] + s * d[0],
  a[1] + s * d[1],
  a[2] + s * d[2],
];

// v rotated by (w, x, y, z); back: by its inverse.
function rotate(r: ArrayLike<number>, v: Vec, back = false): Vec {
  const w = back ? -r[0]! : r[0]!;
  const u: Vec = [r[1]!, r[2]!, r[3]!];
  const cross = (a: Vec, b: Vec): Vec => [
    a[1] * b[2] - a[2] * b[1],
    a[2] * b[0] - a[0] * b[2],
    a[0] * b[1] - a[1] * b[0],
  ];
  const t = cross(u, v).map((x) => 2 * x) as Vec;
  return along(along(v, w, t), 1, cross(u, t));
}

/** A joint at a configuration: its origin and axis in the model's frame. */
interface Placed {
  joint: Joint;
  origin: Vec;
  axis: Vec;
  slide: number; // from here to the middle of its limits, of a prismatic joint
}

const turns = (kind: string) => kind === 'revolute' || kind === 'continuous';
const pivots = (kind: string) => ['spherical', 'euler', 'universal'].includes(kind);

// The place that all joints from the last to the first leave where it is, one after another; null
// where a joint can take it anywhere.
function fixedPoint(joints: Placed[], from: Vec): Vec | null {
  let c = from;
  for (const { joint, origin, axis, slide } of joints) {
    if (turns(joint.kind)) c = along(origin, dot(sub(c, origin), axis), axis);
    else if (pivots(joint.kind)) c = origin;
    else if (joint.kind === 'prismatic') c = along(c, slide, axis);
    else return null;
  }
  return c;
}

// The wrist: the place on the last joint's axis that is nearest to the axis before it.
function wrist([last, before]: Placed[]): Vec | null {
  if (!last || !(turns(last.joint.kind) || pivots(last.joint.kind))) return null;
  if (!before || pivots(last.joint.kind)) return last.origin;
  const apart = sub(last.origin, before.origin);
  const cos = dot(last.axis, before.axis);
  const across = 1 - cos * cos;
  if (across <= 1e-12) return last.origin;
  const s = (cos * dot(apart, before.axis) - dot(apart, last.axis)) / across;
  return along(last.origin, s, last.axis);
}

/** The centre and place that a proof has, or null where it is of another kind: of two targets that
 * are too far apart, for example.
 * @param moves whether a joint may move */
export function findReach(
  model: {
    joints: readonly Joint[];
    lower: ArrayLike<number>;
    upper: ArrayLike<number>;
    size: number;
  },
  q: ArrayLike<number>,
  poses: Float64Array,
  link: number,
  task: Task,
  target: Target,
  report: Report,
  moves: (joint: Joint) => boolean,
): Reach | null {
  if (report.outcome !== 'out_of_reach' || !target.position) return null;
  const vec = (values: ArrayLike<number>): Vec => [values[0]!, values[1]!, values[2]!];
  const above = new Map(model.joints.map((joint) => [joint.child, joint]));
  const chain: Placed[] = [];
  for (let joint = above.get(link); joint; joint = above.get(joint.parent)) {
    if (joint.kind === 'fixed' || !moves(joint)) continue;
    const pose = poses.subarray(7 * joint.child, 7 * joint.child + 7);
    const axis = rotate(pose.subarray(3), vec(joint.axis));
    const length = Math.hypot(...axis);
    const v = joint.vIndex;
    chain.push({
      joint,
      origin: vec(pose),
      axis: axis.map((x) => x / length) as Vec,
      slide: joint.nv === 1 ? 0.5 * (model.lower[v]! + model.upper[v]!) - q[joint.qIndex]! : 0,
    });
  }
  const tipPose = poses.subarray(7 * link, 7 * link + 7);
  const tip = along(vec(tipPose), 1, rotate(tipPose.subarray(3), vec(task.point ?? [0, 0, 0])));
  const measured = (joints: Placed[], at: Vec | null, place: Vec): Reach | null => {
    const center = at && fixedPoint(joints, at);
    if (!center) return null;
    const distance = Math.hypot(...sub(place, center));
    return Math.abs(distance - report.targetDistance) < 1e-6 * model.size
      ? { center, place, reach: report.reach }
      : null;
  };
  const aim = vec(target.position);
  const found = measured(chain, tip, aim);
  if (found || !target.rotation) return found;
  const at = wrist(chain);
  if (!at) return null;
  const offset = rotate(tipPose.subarray(3), sub(at, tip), true);
  const size = Math.hypot(...Array.from(target.rotation));
  const unit = Array.from(target.rotation, (x) => x / size);
  return measured(chain.slice(1), at, along(aim, 1, rotate(unit, offset)));
}
