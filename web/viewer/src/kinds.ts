// The kinds of targets that the page offers, and the tasks of the package that they are.
import type { Target, Task } from 'sinew-ik';
import type { ModelInfo, TaskInfo, TaskKind } from './protocol.js';

/** What a person can set of a kind besides the place of its handle. */
export type Field = 'axis' | 'normal' | 'distance' | 'cone';

interface Kind {
  title: string;
  task: NonNullable<Task['kind']>;
  fields: Field[];
  /** The handle gives a direction from the link rather than a point. */
  aims?: boolean;
}

export const kinds: Record<TaskKind, Kind> = {
  position: { title: 'position', task: 'position', fields: [] },
  pose: { title: 'pose', task: 'pose', fields: [] },
  orientation: { title: 'orientation', task: 'orientation', fields: [] },
  direction: { title: 'direction', task: 'direction', fields: ['axis'], aims: true },
  cone: { title: 'within a cone', task: 'direction', fields: ['axis', 'cone'], aims: true },
  yaw: { title: 'heading (yaw)', task: 'yaw', fields: ['axis'], aims: true },
  look_at: { title: 'look at', task: 'look_at', fields: ['axis'] },
  distance: { title: 'distance', task: 'distance', fields: ['distance'] },
  line: { title: 'on a line', task: 'line', fields: ['normal'] },
  plane: { title: 'on a plane', task: 'plane', fields: ['normal'] },
  height: { title: 'height', task: 'plane', fields: [] },
  com: { title: 'centre of mass', task: 'position', fields: [] },
};

export const axisNames = ['x', 'y', 'z', '-x', '-y', '-z'] as const;
export type AxisName = (typeof axisNames)[number];

export function axisOf(name: AxisName): number[] {
  const axis = ['x', 'y', 'z'].map((letter) => (name.endsWith(letter) ? 1 : 0));
  return name.startsWith('-') ? axis.map((value) => -value || 0) : axis;
}

export function isKind(name: unknown): name is TaskKind {
  return typeof name === 'string' && Object.hasOwn(kinds, name);
}

const DEGREE = Math.PI / 180;

/** The values of fields where none are set: up is an axis of the model. */
export function defaults(info: Pick<ModelInfo, 'robot' | 'size'>): Required<
  Pick<TaskInfo, 'axis' | 'normal' | 'distance' | 'cone'>
> {
  return { axis: 'z', normal: info.robot ? 'z' : 'y', distance: 0.2 * info.size, cone: 30 };
}

/** @param up an axis of the model */
export function taskOf(info: TaskInfo, up: AxisName): Task {
  const { link, kind, weight, axis = 'z', cone = 30 } = info;
  const task: Task = {
    link,
    kind: kinds[kind].task,
    positionWeight: weight,
    orientationWeight: weight,
  };
  if (kinds[kind].fields.includes('axis')) task.axis = axisOf(axis);
  if (kind === 'cone') task.coneAngle = cone * DEGREE;
  if (kind === 'yaw') task.upAxis = axisOf(up);
  if (kind === 'com') task.centerOfMass = true;
  return task;
}

/** A target of a new kind, where the link is: the task is then met. */
export function targetAt(task: TaskInfo, pose: Float64Array, info: ModelInfo): Target {
  const usual = defaults(info);
  const [x, y, z, w, i, j, k] = pose as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [a, b, c] = axisOf(task.axis ?? usual.axis) as [number, number, number];
  // The axis rotated by (w, i, j, k): v + w t + u x t with t = 2 u x v.
  const t = [2 * (j * c - k * b), 2 * (k * a - i * c), 2 * (i * b - j * a)] as const;
  const aim = [
    a + w * t[0] + j * t[2] - k * t[1],
    b + w * t[1] + k * t[0] - i * t[2],
    c + w * t[2] + i * t[1] - j * t[0],
  ];
  const ahead = (length: number) => [x, y, z].map((value, n) => value + length * aim[n]!);
  const normal = axisOf(task.kind === 'height' ? usual.normal : (task.normal ?? usual.normal));
  const distance = task.distance ?? usual.distance;
  switch (task.kind) {
    case 'position':
    case 'com':
      return { position: [x, y, z] };
    case 'orientation':
      return { rotation: [w, i, j, k] };
    case 'pose':
      return { position: [x, y, z], rotation: [w, i, j, k] };
    case 'look_at':
      return { position: ahead(0.3 * info.size) };
    case 'distance':
      return { position: ahead(distance), distance };
    case 'line':
    case 'plane':
    case 'height':
      return { position: [x, y, z], direction: normal };
    default:
      return { direction: aim };
  }
}

/** A field's value in a target, where it has one. */
export function withField(target: Target, task: TaskInfo): Target {
  if (task.kind === 'distance' && task.distance !== undefined)
    return { ...target, distance: task.distance };
  if ((task.kind === 'line' || task.kind === 'plane') && task.normal !== undefined)
    return { ...target, direction: axisOf(task.normal) };
  return target;
}

/** What a handle that was moved says to a task. */
export function movedTarget(task: TaskInfo, moved: Target, link: ArrayLike<number>): Target {
  if (!kinds[task.kind].aims || !moved.position) return moved;
  const away = Array.from(moved.position, (value, i) => value - link[i]!);
  const length = Math.hypot(...away);
  return length > 0 ? { direction: away.map((value) => value / length) } : {};
}

const turning: readonly TaskKind[] = [
  'pose',
  'orientation',
  'direction',
  'cone',
  'yaw',
  'look_at',
];

/** Whether a target of a kind can be missed by an angle; by a length. */
export const hasAngle = (kind: TaskKind) => turning.includes(kind);
export const hasLength = (kind: TaskKind) => kind === 'pose' || !turning.includes(kind);
