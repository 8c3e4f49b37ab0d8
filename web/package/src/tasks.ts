// Tasks, targets and settings as rows of doubles: web/module/module.h.
import { Model, type Vector } from './model.js';
import { Core, SinewError } from './module.js';

export const taskKinds = [
  'position',
  'orientation',
  'pose',
  'direction',
  'look_at',
  'plane',
  'line',
  'distance',
  'yaw',
] as const;
export type TaskKind = (typeof taskKinds)[number];

export const methods = ['default', 'transpose', 'pseudoinverse', 'dls', 'sdls', 'newton'] as const;
export type Method = (typeof methods)[number];

const freeAxes = ['x', 'y', 'z', 'rx', 'ry', 'rz'] as const;
export type FreeAxis = (typeof freeAxes)[number];

const weightAxes = ['target', 'tool', 'frame'] as const;
export type WeightAxes = (typeof weightAxes)[number];

/** What an end effector should do. */
export interface Task {
  /** A link, by name or index. */
  link: string | number;
  /** Default: "pose". */
  kind?: TaskKind;
  /** The task's point in the link [m]. Default: its origin. */
  point?: Vector;
  /** direction, look_at, yaw: the axis of the tool. Default z. */
  axis?: Vector;
  /** The tool's axes in the link: w, x, y, z. Default: the link's axes. */
  rotation?: Vector;
  /** Axes of the target's frame along (x) or about (rx) which the error does not count. */
  free?: FreeAxis[];
  /** Default 1; 0: the part is ignored. */
  positionWeight?: number;
  orientationWeight?: number;
  /** position, orientation, pose: factors on the weight along (0-2) and about (3-5) each axis; 0:
   * the axis is neither controlled nor checked. Default 1. */
  axisWeights?: Vector;
  /** position, orientation, pose: along and about each axis the tool may be anywhere between target +
   * lower and target + upper. plane: of the height, distance: of the distance, at 0. Default 0. */
  rangeLower?: Vector;
  rangeUpper?: Vector;
  /** The axes of weights and ranges: the target's (default), the tool's own, or those of the frame in
   * which targets are given. */
  weightAxes?: WeightAxes;
  /** direction, look_at: any direction within it is met [rad]. Default 0. */
  coneAngle?: number;
  /** look_at: the axis of the tool that points up; yaw: the axis about which headings are measured. */
  upAxis?: Vector;
  /** Only joints below this link move. */
  chainRoot?: string | number;
  /** Priority, 0 (default) first. */
  level?: number;
  /** Whether the outcome counts the task. Default: at level 0 yes, below no. */
  required?: boolean;
  /** Targets are given in this link's frame and move with it. Default: the root link. */
  frame?: string | number;
  /** position, plane, line, distance: of the centre of mass of the whole figure. */
  centerOfMass?: boolean;
  /** How far the task goes, 0 to 1. Default 1. */
  influence?: number;
  /** Joints that the task does not move, at most 16; other tasks may move them. */
  excludedJoints?: readonly (string | number)[];
  /** The share of its error that an update aims to remove, above 0 to 1. Solves do not read it.
   * Default 1. */
  gain?: number;
  /** Updates keep ranges and coneAngle as inequalities that other tasks yield to, whatever the
   * weights. */
  hard?: boolean;
}

/** Where a task's point and axes should be, in the root link's frame or that of its frame. */
export interface Target {
  position?: Vector;
  /** w, x, y, z. */
  rotation?: Vector;
  /** direction, yaw; the normal of a plane, along a line, up of a look_at. */
  direction?: Vector;
  /** [m] */
  distance?: number;
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
  /** In the first update and after a reset too a floating base moves to its targets by steps. */
  keepBase?: boolean;
  /** [m] and [rad]; default 1e-6. */
  positionTolerance?: number;
  orientationTolerance?: number;
  /** Of a local solve. */
  maxSteps?: number;
  maxStarts?: number;
  lanes?: number;
  /** Levels below 0. Default: as many as the tasks have. */
  levels?: number;
  /** Room for objectives, and for rows of those of kinds coupling and pole. */
  objectives?: number;
  objectiveRows?: number;
  /** How many different influences between 0 and 1 there may be at a time. Default: as many as the
   * tasks have. */
  influences?: number;
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
  'levels',
  'objectives',
  'objectiveRows',
  'influences',
  'keepBase',
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

export const TASK_VALUES = 62;
const MOST_EXCLUDED = 16;

export function linkIndex(model: Model, link: string | number): number {
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
      if (bit < 0)
        throw new SinewError(`task ${i}: there is no axis '${axis}'`, 'invalid argument');
      return bits | (1 << bit);
    }, 0);
    const vector = (name: keyof Task, fill: number[]): number[] => {
      const values = task[name] as Vector | undefined;
      if (values !== undefined && values.length !== fill.length)
        throw new SinewError(
          `task ${i}: ${name} has ${values.length} values, not ${fill.length}`,
          'invalid argument',
        );
      return values === undefined ? fill : Array.from(values);
    };
    const axesOfWeights = weightAxes.indexOf(task.weightAxes ?? 'target');
    if (axesOfWeights < 0)
      throw new SinewError(
        `task ${i}: weightAxes '${task.weightAxes}' is none of ${weightAxes.join(', ')}`,
        'invalid argument',
      );
    const six = (value: number) => new Array<number>(6).fill(value);
    const link = (value: string | number | undefined) =>
      value === undefined ? -1 : linkIndex(model, value);
    const joints = task.excludedJoints ?? [];
    if (joints.length > MOST_EXCLUDED)
      throw new SinewError(
        `task ${i}: excludedJoints has more than ${MOST_EXCLUDED} joints`,
        'invalid argument',
      );
    const excluded = new Array<number>(MOST_EXCLUDED).fill(-1);
    joints.forEach((joint, k) => {
      excluded[k] = typeof joint === 'string' ? model.joint(joint) : joint;
    });
    rows.set(
      [
        kind,
        linkIndex(model, task.link),
        ...vector('point', [0, 0, 0]),
        ...vector('axis', [0, 0, 1]),
        free,
        task.positionWeight ?? 1,
        task.orientationWeight ?? 1,
        link(task.chainRoot),
        ...vector('rotation', [1, 0, 0, 0]),
        ...vector('axisWeights', six(1)),
        ...vector('rangeLower', six(0)),
        ...vector('rangeUpper', six(0)),
        axesOfWeights,
        task.coneAngle ?? 0,
        ...vector('upAxis', [0, 0, 0]),
        task.level ?? 0,
        task.required === undefined ? 0 : task.required ? 1 : 2,
        link(task.frame),
        task.centerOfMass ? 1 : 0,
        task.influence ?? 1,
        task.hard ? 1 : 0,
        task.gain ?? 1,
        ...excluded,
      ],
      TASK_VALUES * i,
    );
  });
  return rows;
}

const parts = ['position', 'rotation', 'direction', 'distance'] as const;
export type Part = (typeof parts)[number];

/** The parts of a target that a task reads, in the order of its row.
 * @param address of the task's row in the module's memory */
export function targetParts(core: Core, address: number): Part[] {
  const fields = core.call.task_fields!(address);
  return parts.filter((_part, bit) => fields & (1 << bit));
}

export function partSize(part: Part): number {
  return { position: 3, rotation: 4, direction: 3, distance: 1 }[part];
}

/** Writes a target into a row; parts that it does not name stay as they are. */
export function writeTarget(
  read: readonly Part[],
  target: Target,
  row: Float64Array,
  at: number,
): void {
  for (const part of read) {
    const value = target[part];
    const size = partSize(part);
    if (value !== undefined) {
      const values = typeof value === 'number' ? [value] : value;
      if (values.length !== size)
        throw new SinewError(
          `${part} has ${values.length} values, not ${size}`,
          'invalid argument',
        );
      for (let i = 0; i < size; i++) row[at + i] = values[i]!;
    }
    at += size;
  }
}

/** A task as it was given, from its row. */
export function taskOfRow(row: ArrayLike<number>, links: readonly string[]): Task {
  const values = Array.from(row);
  const [kind, link] = values;
  const task: Task = {
    kind: taskKinds[kind!]!,
    link: links[link!]!,
    point: values.slice(2, 5),
    axis: values.slice(5, 8),
    free: freeAxes.filter((_axis, bit) => values[8]! & (1 << bit)),
    positionWeight: values[9]!,
    orientationWeight: values[10]!,
    rotation: values.slice(12, 16),
    axisWeights: values.slice(16, 22),
    rangeLower: values.slice(22, 28),
    rangeUpper: values.slice(28, 34),
    weightAxes: weightAxes[values[34]!]!,
    coneAngle: values[35]!,
    upAxis: values.slice(36, 39),
    level: values[39]!,
    centerOfMass: values[42] !== 0,
    influence: values[43]!,
    hard: values[44] !== 0,
    gain: values[45]!,
    excludedJoints: values.slice(46, 62).filter((joint) => joint >= 0),
  };
  if (values[11]! >= 0) task.chainRoot = links[values[11]!]!;
  if (values[40] !== 0) task.required = values[40] === 1;
  if (values[41]! >= 0) task.frame = links[values[41]!]!;
  return task;
}

export const objectiveKinds = [
  'posture',
  'damping',
  'low_change',
  'limits',
  'coupling',
  'manipulability',
  'callback',
  'pole',
] as const;
/** Callbacks are of C alone. */
export type ObjectiveKind = Exclude<(typeof objectiveKinds)[number], 'callback'>;

/** What joints should do where tasks leave them a choice; see objective.h. */
export interface Objective {
  kind: ObjectiveKind;
  /** 1 (default) to the solver's levels. */
  level?: number;
  /** Default 1. */
  weight?: number;
  /** The share of the way in an update, in (0, 1]. Default 1. */
  gain?: number;
  /** Factors on the weight, nv values. */
  weights?: Vector;
  /** posture, pole: nq values. Default: the start. */
  posture?: Vector;
  /** coupling: coefficients . q = value; nv values. */
  coefficients?: Vector;
  value?: number;
  /** manipulability: of this task's point. */
  task?: Pick<Task, 'link' | 'kind' | 'point'>;
  /** pole: the limb's root, middle and end. */
  limb?: (string | number)[];
  /** pole: a point in the root link's frame [m], or a direction. */
  pole?: Vector;
  poleIsDirection?: boolean;
}

/** Rows of objectives, and their arrays after them: web/module/solver.c. */
export function objectiveRows(model: Model, objectives: readonly Objective[]): number[] {
  const arrays: number[] = [];
  const rows = objectives.flatMap((objective, i) => {
    const kind = objectiveKinds.indexOf(objective.kind);
    if (kind < 0 || (objective.kind as string) === 'callback')
      throw new SinewError(
        `objective ${i}: there is no kind '${objective.kind}'`,
        'invalid argument',
      );
    const array = (name: 'weights' | 'posture' | 'coefficients', size: number) => {
      const values = objective[name];
      if (values === undefined) return 0;
      if (values.length !== size)
        throw new SinewError(
          `objective ${i}: ${name} has ${values.length} values, not ${size}`,
          'invalid argument',
        );
      arrays.push(...Array.from(values));
      return 1;
    };
    const { task, limb = [] } = objective;
    const three = (values: Vector | undefined) => [0, 1, 2].map((k) => values?.[k] ?? 0);
    return [
      kind,
      objective.level ?? 1,
      objective.weight ?? 1,
      objective.gain ?? 1,
      objective.value ?? 0,
      taskKinds.indexOf(task?.kind ?? 'pose'),
      task === undefined ? -1 : linkIndex(model, task.link),
      ...three(task?.point),
      ...[0, 1, 2].map((k) => (limb[k] === undefined ? -1 : linkIndex(model, limb[k]!))),
      ...three(objective.pole),
      objective.poleIsDirection ? 1 : 0,
      array('weights', model.nv),
      array('posture', model.nq),
      array('coefficients', model.nv),
    ];
  });
  return [...rows, ...arrays];
}
