// The solving side: runs in the worker.
import {
  Crowd,
  Model,
  Scene,
  Solver,
  Tracker,
  init,
  version,
  type Joint,
  type Method,
  type Report,
  type Settings,
  type Target,
  type Task,
} from 'sinew-ik';
import type {
  Frame,
  FrameRequest,
  ModelInfo,
  Name,
  Replies,
  Requests,
  Setup,
  Source,
  TaskInfo,
  TaskKind,
} from './protocol.js';
import { taskOf } from './kinds.js';
import { type Reach, findReach } from './reach.js';
import { placeInCrowd } from './places.js';

// Updates by another method than the default overshoot where nothing bounds them: the clamp and the
// damping that Buss (2009) chose for his figures, as shares of their size.
const CLAMP = 0.1;
const DAMPING = 0.2;

// A crowd: figures of a scene, each at its own time.
const CROWD = { name: 'crowd', figures: 1000, scene: 'double-y-25', apart: 37 };

interface Loaded {
  model: Model;
  scene: Scene | null;
  figures: number;
  robot: boolean; // z is up
}

const hasMass = (model: Model) =>
  model.links.some((_name, link) => model.linkMass(link).mass > 0);

const isBvh = ({ text = '' }: Source) => /^[\s\uFEFF]*HIERARCHY/.test(text);

function copyTarget(kind: Task['kind'], row: Float64Array, at: number): Target {
  switch (kind) {
    case 'position':
      return { position: [...row.subarray(at, at + 3)] };
    case 'orientation':
      return { rotation: [...row.subarray(at, at + 4)] };
    case 'direction':
      return { direction: [...row.subarray(at, at + 3)] };
    case 'yaw':
      return { direction: [...row.subarray(at, at + 3)] };
    case 'look_at':
      return { position: [...row.subarray(at, at + 3)] };
    case 'line':
    case 'plane':
      return {
        position: [...row.subarray(at, at + 3)],
        direction: [...row.subarray(at + 3, at + 6)],
      };
    case 'distance':
      return { position: [...row.subarray(at, at + 3)], distance: row[at + 3]! };
    default:
      return {
        position: [...row.subarray(at, at + 3)],
        rotation: [...row.subarray(at + 3, at + 7)],
      };
  }
}

// The ends of the limbs: links that joints move and that have no child joint. Several on the same
// moved link, such as sensors, count as that link, and those that carry a limb are left out.
function effectors(model: Model): number[] {
  const joints = new Map(model.joints.map((joint) => [joint.child, joint]));
  const parents = new Set(model.joints.map((joint) => joint.parent));
  const carrier = (link: number): number => {
    let at = link;
    for (let joint = joints.get(at); joint; joint = joints.get(at)) {
      if (joint.nv > 0 || joint.driver >= 0) return at;
      at = joint.parent;
    }
    return -1; // no joint moves it
  };
  const groups = new Map<number, number[]>();
  model.links.forEach((_name, link) => {
    const at = parents.has(link) ? -1 : carrier(link);
    if (at >= 0) groups.set(at, [...(groups.get(at) ?? []), link]);
  });
  const carrying = new Set<number>();
  for (const end of groups.keys())
    for (let joint = joints.get(end); joint; joint = joints.get(joint.parent))
      carrying.add(joint.parent);
  return [...groups]
    .filter(([end]) => !carrying.has(end))
    .map(([end, leaves]) => (leaves.length === 1 ? leaves[0]! : end));
}

// Hands, feet and head by the names that characters have: of Mixamo, VRM, Rigify, Biped. The first
// of each side, without fingers and toes.
function characterEnds(links: readonly string[]): number[] {
  const side = (name: string) =>
    /left|(^|[^a-z])l([^a-z]|$)/i.test(name)
      ? 'l'
      : /right|(^|[^a-z])r([^a-z]|$)/i.test(name)
        ? 'r'
        : '';
  const found = new Map<string, number>();
  links.forEach((name, link) => {
    const part =
      /(hand|wrist|foot|ankle|head)(?!.*(finger|thumb|index|middle|ring|little|pinky|toe|end|top|nub|ik|pole))/i.exec(
        name,
      )?.[1];
    if (!part) return;
    const kind = /hand|wrist/i.test(part) ? 'hand' : /foot|ankle/i.test(part) ? 'foot' : 'head';
    const of = side(name);
    if ((of === '') !== (kind === 'head')) return;
    const key = kind + of;
    if (!found.has(key)) found.set(key, link);
  });
  return [...found.values()];
}

// The middle of the limits, with each joint bent a little: many arms are straight there, and then
// singular.
function bent(model: Model): Float64Array {
  const q = model.middle();
  for (const { kind, qIndex, vIndex, nv } of model.joints) {
    const range = Math.min(Math.PI, model.upper[vIndex]! - model.lower[vIndex]!);
    if (nv === 1 && (kind === 'revolute' || kind === 'continuous'))
      q[qIndex]! += (vIndex % 2 === 0 ? 0.1 : -0.1) * range;
  }
  return q;
}

export class Engine {
  private loaded: Loaded | null = null;
  private tasks: Task[] = [];
  private trackers: Tracker[] = [];
  private solver: Solver | null = null;
  private crowd: Crowd | null = null;
  private still: (joint: Joint) => boolean = () => false; // pinned, or driven by one that is

  async handle<N extends Name>(name: N, value: Requests[N]): Promise<Replies[N]> {
    const run = this[name] as (value: Requests[N]) => Replies[N] | Promise<Replies[N]>;
    return run.call(this, value);
  }

  async start({ wasm, simd }: Requests['start']): Promise<Replies['start']> {
    await init(wasm === null ? { simd } : { wasm, simd });
    const scenes = Scene.names().flatMap((name) => {
      if (name.includes('N')) return []; // a family
      using scene = new Scene(name);
      return [{ name, title: scene.title }];
    });
    scenes.push({ name: CROWD.name, title: `${CROWD.figures} double-Ys` });
    return { version: version().version, scenes };
  }

  load(source: Source): ModelInfo {
    const next: Loaded =
      source.scene !== undefined
        ? (() => {
            const many = source.scene === CROWD.name;
            const scene = new Scene(many ? CROWD.scene : source.scene);
            const robot = /^arm/.test(scene.name);
            return { scene, robot, model: scene.model, figures: many ? CROWD.figures : 1 };
          })()
        : {
            scene: null,
            figures: 1,
            robot: !source.definition && !isBvh(source),
            model: source.definition
              ? Model.fromDefinition(source.definition)
              : Model.fromText(source.text ?? '', {
                  name: source.name ?? 'input',
                  floatingBase: source.floatingBase ?? false,
                }),
          };
    if (source.motion) this.readMotion(next.model, source.motion);
    this.free(); // the old figure stays until the new one is read
    this.loaded = next;
    const { model, scene, figures } = next;
    const tasks: TaskInfo[] =
      figures > 1
        ? []
        : scene
          ? scene.tasks.map((task) => ({
              link: model.link(String(task.link)),
              kind: (task.kind ?? 'pose') as TaskKind,
              weight: 1,
            }))
          : this.firstTasks(model);
    return {
      name: figures > 1 ? CROWD.name : model.name || source.name || source.scene || 'model',
      title:
        figures > 1
          ? `${figures.toLocaleString('en')} figures, each with its own targets`
          : (scene?.title ?? ''),
      format: scene ? 'scene' : source.definition ? 'gltf' : isBvh(source) ? 'bvh' : 'urdf',
      robot: next.robot,
      links: [...model.links],
      joints: [...model.joints],
      root: model.root,
      size: model.size,
      nq: model.nq,
      nv: model.nv,
      lower: model.lower,
      upper: model.upper,
      warnings: [...model.warnings],
      massive: hasMass(model),
      motion: model.motion && { frames: model.motion.frames, frameTime: model.motion.frameTime },
      tasks,
      timeStep: scene?.timeStep ?? 1 / 60,
      moves: scene !== null,
      figures,
      around: scene && figures === 1 ? this.around(scene) : new Float64Array(0),
      q: model.motion
        ? model.motion.q.slice(0, model.nq)
        : tasks.length > 1
          ? model.start()
          : bent(model),
    };
  }

  // Where the targets of a scene come by.
  private around(scene: Scene): Float64Array {
    const points: number[] = [];
    for (let step = 0; step < 600; step += 15) {
      const row = scene.targetsAt(step * scene.timeStep);
      let at = 0;
      for (const { kind = 'pose' } of scene.tasks) {
        if (kind === 'position' || kind === 'pose') points.push(...row.subarray(at, at + 3));
        at += { position: 3, orientation: 4, pose: 7 }[kind as string] ?? 3;
      }
    }
    return Float64Array.from(points);
  }

  // The motion of another file of the same skeleton.
  private readMotion(model: Model, { name, text }: { name: string; text: string }): void {
    using other = Model.fromText(text, { name });
    if (other.nq !== model.nq || !other.motion)
      throw new Error(`${name}: not a motion of this model: its joints differ`);
    (model as { motion: Model['motion'] }).motion = other.motion;
  }

  // An arm follows a pose; other figures the positions of the ends of their longest limbs.
  private firstTasks(model: Model): TaskInfo[] {
    const joints = new Map(model.joints.map((joint) => [joint.child, joint]));
    const path = (link: number): number[] => {
      const links = [link];
      for (let joint = joints.get(link); joint; joint = joints.get(joint.parent))
        links.unshift(joint.parent);
      return links;
    };
    const dofs = (links: number[]) =>
      links.reduce((sum, link) => sum + (joints.get(link)?.nv ?? 0), 0);
    const limbs = characterEnds(model.links);
    if (limbs.length > 1) return limbs.map((link) => ({ link, kind: 'position', weight: 1 }));
    const ends = effectors(model);
    // A gripper is one end: where its fingers part.
    const paths = ends.map(path);
    const shared = (paths[0] ?? []).filter((link) => paths.every((one) => one.includes(link)));
    const arm = dofs(shared);
    if (shared.length > 0 && arm >= 5 && model.nv - arm <= 6)
      return [{ link: shared.at(-1)!, kind: arm >= 6 ? 'pose' : 'position', weight: 1 }];
    const length = (link: number) => dofs(path(link));
    return ends
      .sort((a, b) => length(b) - length(a))
      .slice(0, 5)
      .map((link) => ({ link, kind: 'position', weight: 1 }));
  }

  setup(setup: Setup): null {
    const { model, scene, figures } = this.need();
    if (figures > 1) {
      const crowd = new Crowd(model, scene!.tasks, figures, this.settings(setup.methods[0]!));
      if (this.crowd) crowd.q.set(this.crowd.q);
      else for (let f = 0; f < figures; f++) crowd.q.set(model.start(), f * model.nq);
      this.crowd?.free();
      this.crowd = crowd;
    }
    const tasks = setup.tasks.map((task) => taskOf(task, this.need().robot ? 'z' : 'y'));
    const before = this.trackers.map((tracker) => tracker.q.slice());
    const make = (method: Method) => {
      const escape = method === 'default';
      const tracker = new Tracker(model, tasks, { ...this.settings(method), escape });
      this.restrict(tracker, setup);
      return tracker;
    };
    const next = setup.methods.map(make);
    const solver = new Solver(model, tasks);
    this.restrict(solver, setup);
    next.forEach((tracker, i) => {
      const q = before[i] ?? before[0];
      if (q) tracker.q.set(q);
    });
    this.trackers.forEach((tracker) => tracker.free());
    this.solver?.free();
    this.trackers = next;
    this.solver = solver;
    this.tasks = tasks;
    const pinned = new Set(setup.pinned);
    this.still = (joint) =>
      joint.driver >= 0
        ? this.still(model.joints[joint.driver]!)
        : pinned.has(model.joints.indexOf(joint));
    return null;
  }

  private settings(method: Method): Settings {
    const { model } = this.need();
    if (method === 'default' || method === 'newton') return { method };
    return method === 'dls'
      ? { method, errorDamping: 0, damping: DAMPING * model.size }
      : { method, errorClamp: CLAMP * model.size };
  }

  private restrict(solver: Tracker | Solver, { limits, pinned }: Setup): void {
    const { model } = this.need();
    if (!limits)
      solver.setLimits(
        new Float64Array(model.nv).fill(-Infinity),
        new Float64Array(model.nv).fill(Infinity),
      );
    if (pinned.length > 0) {
      const frozen = new Uint8Array(model.nv);
      for (const index of pinned) {
        const joint = model.joints[index]!;
        frozen.fill(1, joint.vIndex, joint.vIndex + joint.nv);
      }
      solver.setFrozen(frozen);
    }
  }

  frame({ targets, follow, time, q, snap = false, solve }: FrameRequest): Frame {
    const { model, scene } = this.need();
    if (this.crowd) return this.crowdFrame(this.crowd, time, solve);
    const { motion } = model;
    const first = this.trackers[0]!;
    if (q !== undefined)
      for (const tracker of this.trackers) {
        tracker.q.set(q);
        tracker.reset();
      }
    if (snap) this.trackers.forEach((tracker) => tracker.targetsFromPoses());
    else if (follow === 'scene' && scene && this.tasks.length === scene.tasks.length) {
      const row = scene.targetsAt(time);
      this.trackers.forEach((tracker) => tracker.targets.set(row));
    } else if (follow === 'motion' && motion) {
      const index = Math.floor(time / motion.frameTime) % motion.frames;
      const at = motion.q.subarray(index * model.nq, (index + 1) * model.nq);
      this.trackers.forEach((tracker) => tracker.targetsFromPoses(at));
    } else {
      this.trackers.forEach((tracker) =>
        targets.forEach((target, i) => {
          if (i < this.tasks.length) tracker.setTarget(i, target);
        }),
      );
    }
    const figures = this.trackers.map((tracker) => {
      const begun = performance.now();
      const report = solve && this.tasks.length > 0 ? tracker.update() : null;
      const microseconds = 1e3 * (performance.now() - begun);
      const poses = model.poses(tracker.q).slice();
      return {
        q: tracker.q.slice(),
        poses,
        report,
        errors: report ? tracker.taskErrors() : new Float64Array(2 * this.tasks.length),
        microseconds,
        reach: report && this.reach(tracker, poses, report),
      };
    });
    const used = this.tasks.map((task, i) =>
      copyTarget(task.kind, first.targets, first.targetIndex(i)),
    );
    return { figures, targets: used };
  }

  private reach(tracker: Tracker, poses: Float64Array, report: Report): Reach | null {
    const task = this.tasks[report.reachTask];
    if (!task) return null;
    const target = copyTarget(task.kind, tracker.targets, tracker.targetIndex(report.reachTask));
    const { model } = this.need();
    const link = Number(task.link);
    return findReach(model, tracker.q, poses, link, task, target, report, (j) => !this.still(j));
  }

  // The first figure of a crowd is reported, the others are drawn.
  private crowdFrame(crowd: Crowd, time: number, solve: boolean): Frame {
    const { model, scene, figures } = this.need();
    let microseconds = 0;
    if (solve) {
      const { targets } = crowd;
      for (let f = 0; f < figures; f++)
        targets.set(
          scene!.targetsAt(time + CROWD.apart * f * scene!.timeStep),
          f * crowd.targetSize,
        );
      const begun = performance.now();
      crowd.update();
      microseconds = 1e3 * (performance.now() - begun);
    }
    const points = new Float32Array(3 * figures * model.links.length);
    let at = 0;
    for (let f = 0; f < figures; f++) {
      const poses = model.poses(crowd.q.subarray(f * model.nq, (f + 1) * model.nq));
      const { x, z } = placeInCrowd(f, figures);
      for (let i = 0; i < poses.length; i += 7) {
        points[at++] = poses[i]! + x * model.size;
        points[at++] = poses[i + 1]!;
        points[at++] = poses[i + 2]! + z * model.size;
      }
    }
    const q = crowd.q.slice(0, model.nq);
    const figure = {
      q,
      poses: model.poses(q).slice(),
      report: null,
      errors: new Float64Array(0),
      microseconds,
      reach: null,
    };
    return { figures: [figure], targets: [], points };
  }

  all({ targets, q, capacity }: Requests['all']): Replies['all'] {
    const { model } = this.need();
    const { solutions, report } = this.solver!.solveAll(capacity, targets, [...q]);
    return { solutions, report, poses: solutions.map((s) => model.poses(s).slice()) };
  }

  solve({ targets, q }: Requests['solve']): Replies['solve'] {
    const answer = q.slice();
    const report = this.solver!.solve(targets, answer, { mode: 'nearest' });
    return { q: answer, report };
  }

  private need(): Loaded {
    if (this.loaded === null) throw new Error('there is no model');
    return this.loaded;
  }

  private free(): void {
    this.trackers.forEach((tracker) => tracker.free());
    this.solver?.free();
    this.crowd?.free();
    this.crowd = null;
    this.loaded?.scene?.free();
    this.loaded?.model.free();
    this.trackers = [];
    this.solver = null;
  }
}
