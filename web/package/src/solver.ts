// Solvers, which find poses, and trackers, which follow moving targets.
import { Model, type Vector } from './model.js';
import { Core, SinewError, View } from './module.js';
import { add, inverse, multiply, rotate } from './rotation.js';
import {
  type Objective,
  type Part,
  type Settings,
  TASK_VALUES,
  type Target,
  type Task,
  linkIndex,
  objectiveRows,
  partSize,
  settingsRow,
  targetParts,
  taskRows,
  writeTarget,
} from './tasks.js';

export const outcomes = [
  'converged',
  'out_of_reach',
  'blocked_by_limits',
  'stalled',
  'step_limit',
  'time_limit',
  'bad_input',
  'no_task',
  'rejected',
] as const;
export type Outcome = (typeof outcomes)[number];

/** How a call ended. None of the outcomes is an error. */
export interface Report {
  outcome: Outcome;
  /** Largest of a task [m] and [rad]. Of an update: before it. */
  positionError: number;
  orientationError: number;
  steps: number;
  /** blocked_by_limits: the joint whose limit blocks most of the error, or null. */
  limitingJoint: string | null;
  worstTask: number;
  countedTasks: number;
  /** out_of_reach: a task that cannot be met, how far the chain reaches [m], and the distance
   * asked for; else -1. */
  reachTask: number;
  reach: number;
  targetDistance: number;
  /** Of solve() and solveAll(): whether the solutions found, or chosen from, are all there are. */
  completeness: Completeness;
  /** Of solveAll(): how many of the solutions are one of a continuum, as at a straight wrist. */
  continuum: number;
}

/** Found by a search, which may miss some; on a grid; or by a closed form. */
export const completenesses = ['searched', 'complete to a grid', 'complete'] as const;
export type Completeness = (typeof completenesses)[number];

/** Which of the solutions of an arm with a closed form a configuration is, for example
 * { shoulder: 'left', elbow: 'up', wrist: 'no flip' }: see docs/closed_forms.md. Empty: the arm has
 * none. */
export type Branch = Readonly<Record<string, string>>;

/** The ranks of inequalities, the sooner one yields the later: see qp.h. */
const ranks = [
  'speed',
  'position',
  'cone',
  'clearance',
  'polygon',
  'acceleration',
  'interval',
] as const;

/** An inequality of a hard task in the last step of an update, or at the answer of a solve. */
export interface HardRow {
  /** The number of its task. */
  task: number;
  /** Of a position, an orientation or a pose: as in rangeLower; else 0. */
  axis: number;
  rank: (typeof ranks)[number];
  /** 1: its upper end kept the figure from where other tasks pull it, -1: its lower end, 0: neither.
   * After a solve: at which end it is. */
  side: number;
  /** By how much it is beyond its end, since it contradicts limits or inequalities that yield later
   * [m or rad]: > 0 above the upper end, < 0 below the lower. */
  yielded: number;
}

/** How far an objective is from being met, whatever its gain and the size of its weights. Without a
 * value where its kind has none, no joint has a weight above 0, or a pole has no side; damping and
 * little motion have none of the three. */
export interface ObjectiveReport {
  /** A posture: the largest difference of joints with a weight that rotate [rad]; limits: the same
   * from the middle; a pole: the angle from its side. */
  angle?: number;
  /** A posture or limits: the largest difference of joints that translate [m]. */
  distance?: number;
  /** A coupling: the difference from its value, in its unit; manipulability: the more the better. */
  value?: number;
}

export interface SearchOptions {
  /** "first" solution found (default), the "nearest" to the seed, or the "best" by
   * manipulability. */
  mode?: 'first' | 'nearest' | 'best';
  maxStarts?: number;
  bank?: Bank;
}

export interface AllOptions {
  maxStarts?: number;
  bank?: Bank;
  /** Solutions that differ by less in every joint are the same [rad]. Default 0.01. */
  distinct?: number;
  /** Whole revolutions count as well. */
  images?: boolean;
}

const REPORT_VALUES = 12;
const BRANCH_SIGNS = 3;

/** What solvers and trackers share: tasks, targets, joint values. */
export class TaskSolver {
  readonly tasks: readonly Task[];
  /** @internal */ readonly core: Core;
  /** @internal */ address: number;
  private readonly qView: View;
  private readonly targetsView: View;
  private readonly twistsView: View;
  private readonly reportView: View;
  private readonly starts: number[] = []; // of each task's values in targets
  private readonly parts: readonly Part[][]; // that it reads
  private objectiveCount = 0;

  constructor(
    readonly model: Model,
    tasks: readonly Task[],
    settings: Settings = {},
  ) {
    model.alive();
    const c = (this.core = model.core);
    const rows = taskRows(model, tasks);
    // Room for what the tasks have.
    const levels = Math.max(0, ...tasks.map(({ level = 0 }) => level));
    const influences = new Set(tasks.map(({ influence = 1 }) => influence));
    influences.delete(1);
    const row = settingsRow({ levels, influences: influences.size, ...settings });
    this.tasks = tasks.map((task) => ({ ...task }));
    const parts: Part[][] = [];
    this.address = c.within(8 * (rows.length + row.length), (at) => {
      c.doubles(at, rows.length).set(rows);
      c.doubles(at + 8 * rows.length, row.length).set(row);
      tasks.forEach((_task, i) => parts.push(targetParts(c, at + 8 * TASK_VALUES * i)));
      return c.create('solver_create', model.address, at, tasks.length, at + 8 * rows.length);
    });
    const [q, targets, twists, report, size] = c.within(20, (out) => {
      c.call.solver_arrays!(this.address, out);
      return [...c.ints(out, 5)] as [number, number, number, number, number];
    });
    this.qView = new View(c, q, model.nq);
    this.targetsView = new View(c, targets, size);
    this.twistsView = new View(c, twists, 6 * tasks.length);
    this.reportView = new View(c, report, REPORT_VALUES);
    this.parts = parts;
    let start = 0;
    for (const read of parts) {
      this.starts.push(start);
      for (const part of read) start += partSize(part);
    }
    this.targetsFromPoses();
  }

  /** The joint values, in the module's memory: write the seed here, read the result. A call that
   * takes memory, such as creating a model, may replace the array: read the property again. */
  get q(): Float64Array {
    this.alive();
    return this.qView.array;
  }

  /** The targets, task by task, in the module's memory: of each the parts that it reads, in the order
   * position (3 values), rotation (w, x, y, z), direction (3), distance (1): targetParts(). */
  get targets(): Float64Array {
    this.alive();
    return this.targetsView.array;
  }

  /** The targets' own velocities, 6 values each (linear, angular); with a timeStep they are fed
   * forward. */
  get twists(): Float64Array {
    this.alive();
    return this.twistsView.array;
  }

  /** Where the values of a task begin in targets. */
  targetIndex(task: number): number {
    const start = this.starts[task];
    if (start === undefined) throw new SinewError(`there is no task ${task}`, 'invalid argument');
    return start;
  }

  /** The parts of a target that a task reads: those of its kind, and the rotation where an axis is
   * free or where weights or ranges are in the target's axes. */
  targetParts(task: number): readonly Part[] {
    this.targetIndex(task);
    return this.parts[task]!;
  }

  /** Sets a target; parts that are not given stay as they are. */
  setTarget(task: number, target: Target): void {
    writeTarget(this.targetParts(task), target, this.targets, this.targetIndex(task));
  }

  /** Sets every target to where its link is at q: the tasks are then met. Normals of planes and
   * directions of lines, and the centres of distances, stay as they are. */
  targetsFromPoses(q: Vector = this.q): void {
    const { model, targets } = this;
    const poses = model.poses(q);
    const center = this.tasks.some(({ centerOfMass }) => centerOfMass)
      ? model.centerOfMass(poses)
      : [];
    this.tasks.forEach((task, i) => {
      const index = linkIndex(model, task.link);
      const pose = poses.subarray(7 * index, 7 * index + 7);
      const frame = linkIndex(model, task.frame ?? model.root);
      const origin = poses.subarray(7 * frame, 7 * frame + 7);
      const tool = multiply([...pose.subarray(3)], task.rotation ?? [1, 0, 0, 0]);
      const turn = multiply(inverse(origin), tool);
      const along = (axis: Vector) => rotate([0, 0, 0, ...turn], axis);
      const where = task.centerOfMass ? center : add(pose, rotate(pose, task.point ?? [0, 0, 0]));
      const point = rotate(
        [0, 0, 0, ...inverse(origin)],
        where.map((value, k) => value - origin[k]!),
      );
      let at = this.starts[i]!;
      const kind = task.kind ?? 'pose';
      const aims = kind === 'look_at';
      const old = targets.slice(at, at + 3);
      for (const part of this.parts[i]!) {
        if (part === 'rotation') targets.set(turn, at);
        else if (part === 'distance')
          targets[at] = Math.hypot(...old.map((value, k) => value - point[k]!));
        else if (part === 'position' && aims) {
          const axis = along(task.axis ?? [0, 0, 1]);
          const ahead = model.size / Math.hypot(...axis);
          targets.set(
            point.map((value, k) => value + ahead * axis[k]!),
            at,
          );
        } else if (part === 'position') {
          if (kind !== 'distance') targets.set(point, at);
        } else if (aims) targets.set(along(task.upAxis ?? [0, 0, 1]), at);
        else if (kind === 'direction' || kind === 'yaw')
          targets.set(along(task.axis ?? [0, 0, 1]), at);
        at += partSize(part);
      }
    });
  }

  /** What joints should do where tasks leave them a choice; replaces earlier ones. The setting
   * objectives must leave room for them. */
  setObjectives(objectives: readonly Objective[]): void {
    this.alive();
    const { core: c } = this;
    const rows = objectiveRows(this.model, objectives);
    c.within(8 * rows.length, (at) => {
      c.doubles(at, rows.length).set(rows);
      c.check(c.call.solver_set_objectives!(this.address, at, objectives.length));
    });
    this.objectiveCount = objectives.length;
  }

  /** How far each objective is from being met at q. */
  objectiveReports(): ObjectiveReport[] {
    this.alive();
    const { core: c, objectiveCount: count } = this;
    return c.within(24 * count, (at) => {
      c.check(c.call.solver_objective_reports!(this.address, at, count));
      return Array.from({ length: count }, (_report, i) => {
        const [angle, distance, value] = c.doubles(at + 24 * i, 3);
        const all = Object.entries({ angle, distance, value });
        return Object.fromEntries(all.filter(([, of]) => of !== -1));
      });
    });
  }

  /** Changes how far each task goes, 0 to 1, while targets are followed. */
  setInfluences(influences: Vector): void {
    this.withRows([influences], this.tasks.length, (a) =>
      this.core.call.solver_set_influences!(this.address, a!),
    );
  }

  /** Joint limits instead of the model's; null: the model's. nv values each. */
  setLimits(lower: Vector | null, upper: Vector | null): void {
    const { nv } = this.model;
    this.withRows([lower, upper], nv, (a, b) =>
      this.core.call.solver_set_limits!(this.address, a!, b!),
    );
  }

  /** Gains, one for each degree of freedom; null: all 1. */
  setGains(gains: Vector | null): void {
    this.withRows([gains], this.model.nv, (a) =>
      this.core.call.solver_set_gains!(this.address, a!),
    );
  }

  /** Degrees of freedom that do not move: nv values, true where frozen; null: none. */
  setFrozen(frozen: ArrayLike<boolean | number> | null): void {
    this.alive();
    const { core: c, model } = this;
    if (frozen === null) {
      c.check(c.call.solver_set_frozen!(this.address, 0));
      return;
    }
    expectLength('frozen', frozen.length, model.nv);
    c.within(model.nv, (at) => {
      new Uint8Array(c.memory.buffer, at, model.nv).set(Array.from(frozen, Number));
      c.check(c.call.solver_set_frozen!(this.address, at));
    });
  }

  private withRows(
    rows: (Vector | null)[],
    length: number,
    call: (...addresses: number[]) => number,
  ): void {
    this.alive();
    const { core: c } = this;
    c.within(8 * length * rows.length, (at) => {
      const addresses = rows.map((row, i) => {
        if (row === null) return 0;
        expectLength('the array', row.length, length);
        c.doubles(at + 8 * length * i, length).set(row);
        return at + 8 * length * i;
      });
      c.check(call(...addresses));
    });
  }

  /** The errors of each task: position [m] and orientation [rad], -1 where it does not count. */
  taskErrors(): Float64Array {
    this.alive();
    const { core: c } = this;
    const size = 2 * this.tasks.length;
    return c.within(8 * size, (at) => {
      c.call.solver_task_errors!(this.address, at);
      return c.doubles(at, size).slice();
    });
  }

  /** The inequalities of hard tasks, in the order of the tasks and of axes. */
  hardRows(): HardRow[] {
    this.alive();
    const { core: c } = this;
    const count = c.call.solver_hard_row_count!(this.address);
    return c.within(40 * count, (at) => {
      c.call.solver_hard_rows!(this.address, at);
      return Array.from({ length: count }, (_row, i) => {
        const [task, axis, rank, side, yielded] = c.doubles(at + 40 * i, 5);
        return { task: task!, axis: axis!, rank: ranks[rank!]!, side: side!, yielded: yielded! };
      });
    });
  }

  free(): void {
    if (this.address === 0) return;
    this.core.call.solver_destroy!(this.address);
    this.address = 0;
  }

  [Symbol.dispose](): void {
    this.free();
  }

  /** @internal */
  alive(): void {
    if (this.address === 0) throw new SinewError('the solver was freed', 'invalid argument');
    this.model.alive();
  }

  /** Takes targets and q in, runs a call, and gives q back. Nothing is copied where the arrays are
   * this solver's own. */
  protected run(
    targets: readonly Target[] | Float64Array | undefined,
    q: Float64Array | number[] | undefined,
    call: () => number,
  ): Report {
    this.alive();
    if (targets instanceof Float64Array) {
      if (targets !== this.targetsView.array) {
        expectLength('targets', targets.length, this.targetsView.length);
        this.targetsView.array.set(targets);
      }
    } else if (targets !== undefined) {
      expectLength('targets', targets.length, this.tasks.length);
      targets.forEach((target, i) => this.setTarget(i, target));
    }
    const copies = q !== undefined && q !== this.qView.array;
    if (copies) {
      expectLength('q', q.length, this.model.nq);
      this.qView.array.set(q);
    }
    this.core.check(call());
    if (copies) for (let i = 0; i < q.length; i++) q[i] = this.qView.array[i]!;
    return this.report();
  }

  private report(): Report {
    const row = this.reportView.array;
    return {
      outcome: outcomes[row[0]!]!,
      positionError: row[1]!,
      orientationError: row[2]!,
      steps: row[3]!,
      limitingJoint: this.model.joints[row[4]!]?.name ?? null,
      worstTask: row[5]!,
      countedTasks: row[6]!,
      reachTask: row[7]!,
      reach: row[8]!,
      targetDistance: row[9]!,
      completeness: completenesses[row[10]!]!,
      continuum: row[11]!,
    };
  }
}

/** Finds joint values that meet the targets. */
export class Solver extends TaskSolver {
  /** Searches the whole configuration space.
   * @param targets default: those of the property targets
   * @param q the seed, and the answer; default: the property q */
  solve(
    targets?: readonly Target[] | Float64Array,
    q?: Float64Array | number[],
    { mode = 'first', maxStarts = 0, bank }: SearchOptions = {},
  ): Report {
    const number = ['first', 'nearest', 'best'].indexOf(mode);
    if (number < 0) throw new SinewError(`there is no mode '${mode}'`, 'invalid argument');
    return this.run(targets, q, () =>
      this.core.call.solver_search!(this.address, number, maxStarts, bank?.address ?? 0),
    );
  }

  /** Runs a local solver from the seed, and restarts elsewhere only if that fails. */
  solveLocal(targets?: readonly Target[] | Float64Array, q?: Float64Array | number[]): Report {
    return this.run(targets, q, () => this.core.call.solver_solve_local!(this.address));
  }

  /** All different solutions found, the nearest to the seed q first, at most capacity, and the branch
   * of each. q stays. */
  solveAll(
    capacity: number,
    targets?: readonly Target[] | Float64Array,
    q?: Float64Array | number[],
    { maxStarts = 0, bank, distinct = NaN, images = false }: AllOptions = {},
  ): { solutions: Float64Array[]; branches: Branch[]; report: Report } {
    const { core: c, model } = this;
    const size = 8 * capacity * model.nq;
    return c.within(size + 8, (at) => {
      const report = this.run(targets, q === undefined ? undefined : [...q], () =>
        c.call.solver_solve_all!(
          this.address,
          maxStarts,
          distinct,
          images ? 1 : 0,
          bank?.address ?? 0,
          capacity,
          at,
          at + size,
        ),
      );
      const found = c.ints(at + size, 1)[0]!;
      const solutions = Array.from({ length: found }, (_, i) =>
        c.doubles(at + 8 * i * model.nq, model.nq).slice(),
      );
      const branches = solutions.map((_, i) => this.branchAt(at + 8 * i * model.nq));
      return { solutions, branches, report };
    });
  }

  /** The branch of a configuration of the arm that the task moves; default: of the property q. */
  branch(q: Vector = this.q): Branch {
    this.alive();
    const { nq } = this.model;
    expectLength('q', q.length, nq);
    return this.core.within(8 * nq, (at) => {
      this.core.doubles(at, nq).set(q);
      return this.branchAt(at);
    });
  }

  private branchAt(q: number): Branch {
    const { core: c } = this;
    return c.within(8 * BRANCH_SIGNS + 4, (at) => {
      const end = at + 8 * BRANCH_SIGNS;
      c.check(c.call.solver_branch!(this.address, q, at, end));
      const count = c.ints(end, 1)[0]!;
      const words = Array.from(c.ints(at, 2 * count), (address) => c.text(address)!);
      return Object.fromEntries(
        Array.from({ length: count }, (_, i) => [words[2 * i], words[2 * i + 1]]),
      ) as Branch;
    });
  }

  /** A bank of postures for this solver's model and tasks, with which searches are faster. */
  createBank(postures = 0, randomSeed = NaN): Bank {
    this.alive();
    return new Bank(this.core, this.core.create('bank_create', this.address, postures, randomSeed));
  }
}

/** Stored postures: Solver.createBank(). */
export class Bank {
  /** @internal */
  constructor(
    private readonly core: Core,
    public address: number,
  ) {}

  free(): void {
    this.core.call.bank_destroy!(this.address);
    this.address = 0;
  }

  [Symbol.dispose](): void {
    this.free();
  }
}

/** Follows moving targets with one update a frame. */
export class Tracker extends TaskSolver {
  /** Moves q towards the targets by one update. The report's errors are those before it. */
  update(targets?: readonly Target[] | Float64Array, q?: Float64Array | number[]): Report {
    return this.run(targets, q, () => this.core.call.solver_update!(this.address));
  }

  /** Clears the history: at a cut, and before the first update if q is not at the targets. The next
   * update may then turn a floating base to its targets at once, as that of a new tracker: see the
   * setting keepBase. */
  reset(): void {
    this.alive();
    this.core.call.solver_reset!(this.address);
  }
}

function expectLength(what: string, length: number, wanted: number): void {
  if (length !== wanted)
    throw new SinewError(`${what} has ${length} values, not ${wanted}`, 'invalid argument');
}
