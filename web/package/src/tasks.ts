// Tasks, targets and settings as rows of doubles: web/module/module.h.
import { Model, type Vector } from './model.js';
import { SinewError } from './module.js';

export const taskKinds = ['position', 'orientation', 'pose', 'direction'] as const;
export type TaskKind = (typeof taskKinds)[number];

export const methods = [
  'default',
  'transpose',
  'pseudoinverse',
  'dls',
  'sdls',
  'newton',
] as const;
export type Method = (typeof methods)[number];

const freeAxes = ['x', 'y', 'z', 'rx', 'ry', 'rz'] as const;
export type FreeAxis = (typeof freeAxes)[number];

/** What an end effector should do. */
export interface Task {
  /** A link, by name or index. */
  link: string | number;
  /** Default: "pose". */
  kind?: TaskKind;
  /** Position and pose: the point of the link [m]. Default: its origin. */
  point?: Vector;
  /** Direction: the axis of the link. Default z. */
  axis?: Vector;
  /** Axes of the target's frame along (x) or about (rx) which the error does not count. */
  free?: FreeAxis[];
  /** Default 1; 0: the part is ignored. */
  positionWeight?: number;
  orientationWeight?: number;
  /** Only joints below this link move. */
  chainRoot?: string | number;
}

/** Where a task's point and axes should be, in the root link's frame. */
export interface Target {
  position?: Vector;
  /** w, x, y, z. */
  rotation?: Vector;
  direction?: Vector;
}

/** Settings of a solver, a tracker or a crowd; see solver.h for their defaults. */
export interface Settings {
  method?: Method;
  damping?: number;
  errorDamping?: number;
  dampingFloor?: number;
  dampingScale?: number;
  errorClamp?: number;
  errorClampAdaptive?: boolean;
  maxTurn?: number;
  singularCut?: number;
  targetJacobian?: boolean;
  /** Between updates [s]: speed limits are then kept. */
  timeStep?: number;
  errorGain?: number;
  maxChange?: number;
  /** Leave local minima. */
  escape?: boolean;
  /** [m] and [rad]; default 1e-6. */
  positionTolerance?: number;
  orientationTolerance?: number;
  /** Of a local solve. */
  maxSteps?: number;
  maxStarts?: number;
  lanes?: number;
}

const settingNames = [
  'method',
  'damping',
  'errorDamping',
  'dampingFloor',
  'dampingScale',
  'errorClamp',
  'errorClampAdaptive',
  'maxTurn',
  'singularCut',
  'targetJacobian',
  'timeStep',
  'errorGain',
  'maxChange',
  'escape',
  'positionTolerance',
  'orientationTolerance',
  'maxSteps',
  'maxStarts',
  'lanes',
] as const satisfies readonly (keyof Settings)[];

export function settingsRow(settings: Settings): Float64Array {
  for (const key of Object.keys(settings))
    if (!(settingNames as readonly string[]).includes(key))
      throw new SinewError(`there is no setting '${key}'`, 'invalid argument');
  return Float64Array.from(settingNames, (name) => {
    const value = settings[name];
    if (value === undefined) return NaN;
    if (name !== 'method') {
      const number = Number(value);
      if (Number.isNaN(number)) throw new SinewError(`${name} is not a number`, 'not finite');
      return number;
    }
    const index = methods.indexOf(value as Method);
    if (index < 0) throw new SinewError(`there is no method '${value}'`, 'invalid argument');
    return index;
  });
}

export const TASK_VALUES = 12;

function linkIndex(model: Model, link: string | number): number {
  return typeof link === 'string' ? model.link(link) : link;
}

export function taskRows(model: Model, tasks: readonly Task[]): Float64Array {
  const rows = new Float64Array(TASK_VALUES * tasks.length);
  tasks.forEach((task, i) => {
    const kind = taskKinds.indexOf(task.kind ?? 'pose');
    if (kind < 0)
      throw new SinewError(`task ${i}: there is no kind '${task.kind}'`, 'invalid argument');
    const free = (task.free ?? []).reduce((bits, axis) => {
      const bit = freeAxes.indexOf(axis);
      if (bit < 0) throw new SinewError(`task ${i}: there is no axis '${axis}'`, 'invalid argument');
      return bits | (1 << bit);
    }, 0);
    const point = task.point ?? [0, 0, 0];
    const axis = task.axis ?? [0, 0, 1];
    rows.set(
      [
        kind,
        linkIndex(model, task.link),
        point[0]!,
        point[1]!,
        point[2]!,
        axis[0]!,
        axis[1]!,
        axis[2]!,
        free,
        task.positionWeight ?? 1,
        task.orientationWeight ?? 1,
        task.chainRoot === undefined ? -1 : linkIndex(model, task.chainRoot),
      ],
      TASK_VALUES * i,
    );
  });
  return rows;
}

/** The parts of a target that a task reads, in the order of its row. */
export function targetParts(task: Task): (keyof Target)[] {
  switch (task.kind ?? 'pose') {
    case 'position':
      return (task.free ?? []).length > 0 ? ['position', 'rotation'] : ['position'];
    case 'orientation':
      return ['rotation'];
    case 'pose':
      return ['position', 'rotation'];
    default:
      return ['direction'];
  }
}

export function partSize(part: keyof Target): number {
  return part === 'rotation' ? 4 : 3;
}

/** Writes a target into a row; parts that it does not name stay as they are. */
export function writeTarget(task: Task, target: Target, row: Float64Array, at: number): void {
  for (const part of targetParts(task)) {
    const values = target[part];
    const size = partSize(part);
    if (values !== undefined) {
      if (values.length !== size)
        throw new SinewError(`${part} has ${values.length} values, not ${size}`, 'invalid argument');
      for (let i = 0; i < size; i++) row[at + i] = values[i]!;
    }
    at += size;
  }
}

export function targetSize(task: Task): number {
  return targetParts(task).reduce((sum, part) => sum + partSize(part), 0);
}
