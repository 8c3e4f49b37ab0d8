// The viewer: one figure, its targets, and what the methods make of them.
import type { Method, Target } from 'sinew-ik';
import { byId, download, h, options, save } from './dom.js';
import { type Character, readCharacter } from './character.js';
import { type NamedFile, baseName, chosenFiles, droppedFiles, extension, pathOf } from './files.js';
import { type Looks, disposeObject, readLooks } from './meshes.js';
import {
  type AxisName,
  axisNames,
  defaults,
  hasAngle,
  hasLength,
  isKind,
  kinds,
  movedTarget,
  targetAt,
  withField,
} from './kinds.js';
import { Plot } from './plot.js';
import { readVisuals } from './visuals.js';
import type {
  FigureFrame,
  Frame,
  ModelInfo,
  Setup,
  Source,
  TaskInfo,
  TaskKind,
} from './protocol.js';
import { Recent } from './recent.js';
import { Remote, embedded } from './remote.js';
import type { Slopes } from './framing.js';
import { Stage } from './stage.js';
import type { Group } from 'three';
import { zip } from './zip.js';
import {
  angle,
  code,
  crowdWords,
  csv,
  length,
  plotUnit,
  poseJson,
  reason,
  weightText,
} from './words.js';

const FIRST = { bone: 0xd9dde3, joint: 0x3b6fe0, opacity: 1 };
const SECOND = { bone: 0xd6409f, joint: 0xd6409f, opacity: 0.42 };
const GHOST = { bone: 0x8b8d98, joint: 0x3b6fe0, opacity: 0.26 };
const CHOSEN = { bone: 0x3b6fe0, joint: 0x3b6fe0, opacity: 0.55 };

const METHODS: [Method, string][] = [
  ['default', 'damped Newton (default)'],
  ['transpose', 'Jacobian transpose'],
  ['pseudoinverse', 'pseudoinverse'],
  ['dls', 'damped least squares'],
  ['sdls', 'selectively damped'],
  ['newton', 'Newton'],
];

const titleOf = (method: Method) => METHODS.find(([one]) => one === method)![1];
const short = (value: number) => (value < 1e-12 ? '0' : value.toExponential(1));

// Whether a task, which may come from anywhere, is one of a model.
function fitsTask(task: Partial<TaskInfo> | null, info: ModelInfo): boolean {
  if (!task || !isKind(task.kind) || info.links[task.link!] === undefined) return false;
  const { kind, weight, axis = 'z', normal = 'z', distance = 0, cone = 0 } = task;
  return (
    Number.isFinite(weight) &&
    weight! > 0 &&
    axisNames.includes(axis) &&
    axisNames.includes(normal) &&
    Number.isFinite(distance) &&
    distance >= 0 &&
    cone >= 0 &&
    cone <= 180 &&
    (kind !== 'com' || info.massive)
  );
}

const START = 'double-y-25';
const SOLUTIONS = 16; // at most
const MOST_PICTURES = 1800; // half a minute

interface State {
  q: number[];
  tasks: TaskInfo[];
  targets: Target[];
  methods: Method[];
  limits: boolean;
  pinned: number[];
}

// Whether a state, which may come from anywhere, is one of a model.
function fitsModel(state: Partial<State> & { model?: string }, info: ModelInfo): boolean {
  const numbers = (values: unknown, size: number) =>
    Array.isArray(values) && values.length === size && values.every((one) => Number.isFinite(one));
  const { q, tasks, targets, methods, limits, pinned, model } = state;
  const known = (list: [string, string][], name: unknown) => list.some(([one]) => one === name);
  return (
    model === info.name &&
    numbers(q, info.nq) &&
    Array.isArray(tasks) &&
    tasks.every((task) => fitsTask(task, info)) &&
    Array.isArray(targets) &&
    targets.length === tasks.length &&
    targets.every(
      (target) =>
        numbers(target?.position ?? [0, 0, 0], 3) &&
        numbers(target.rotation ?? [1, 0, 0, 0], 4) &&
        numbers(target.direction ?? [0, 0, 1], 3) &&
        numbers([target.distance ?? 0], 1),
    ) &&
    Array.isArray(methods) &&
    (methods.length === 1 || methods.length === 2) &&
    methods.every((method) => known(METHODS, method)) &&
    typeof limits === 'boolean' &&
    Array.isArray(pinned) &&
    pinned.every((joint) => info.joints[joint] !== undefined)
  );
}

const GAP = 10; // pixels between a figure and what lies over the picture

// What is below the status, and above the buttons or right of them.
function freeParts(): Slopes[] {
  const { left, right, top, bottom, width, height } = byId('canvas').getBoundingClientRect();
  const status = document.querySelector('.overlay.top')!.getBoundingClientRect();
  const buttons = [...document.querySelectorAll('.overlay.bottom > :not([hidden])')].map((one) =>
    one.getBoundingClientRect(),
  );
  const x = (at: number) => (2 * (at - left)) / width - 1;
  const y = (at: number) => 1 - (2 * (at - top)) / height;
  const whole = {
    left: x(left + GAP),
    right: x(right - GAP),
    top: y(Math.min(status.bottom + GAP, top + 0.5 * height)),
    bottom: y(bottom - GAP),
  };
  const above = Math.min(...buttons.map((one) => one.top)) - GAP;
  const beside = Math.max(...buttons.map((one) => one.right)) + GAP;
  return [
    { ...whole, bottom: y(above) },
    { ...whole, left: x(Math.min(beside, left + width / 2)) },
  ];
}

/** What a page of `sinew view` holds. */
interface Embedded {
  model?: { name: string; text: string; floatingBase?: boolean };
  scene?: string;
  motion?: { name: string; text: string };
  /** Mesh files in base64, by the reference in the model. */
  files?: Record<string, string>;
}

class Viewer {
  private info: ModelInfo | null = null;
  private source: Source = { scene: START };
  private setup: Setup = { tasks: [], methods: ['default'], limits: true, pinned: [] };
  private targets: Target[] = [];
  private figures: FigureFrame[] = [];
  private points: Float32Array | undefined; // of a crowd
  private files: readonly NamedFile[] = []; // that came with the model, or after it
  private character: Character | null = null;
  private characterFile: NamedFile | null = null;
  private looks: Looks | null = null;
  private solutions: Float64Array[] = [];
  private follow: 'page' | 'scene' | 'motion' = 'page';
  private playing = false;
  private time = 0;
  private before = 0;
  private selected = -1;
  private mode: 'translate' | 'rotate' | null = null;
  private replace: Float64Array | undefined;
  private snap = false;
  private busy = false;
  private opening = 0; // models that are being opened: no update is asked for meanwhile
  private still = 0; // frames since anything changed
  private generation = 0; // of the model and setup: late answers are dropped
  private readonly past: string[] = [];
  private future: string[] = [];
  private readonly times = [new Recent(), new Recent()]; // of updates, by figure [us]
  private commitNext = false;
  private recording: Float64Array[] | null = null;
  private pictures: Promise<Blob | null>[] | null = null;
  private readonly stage: Stage;
  private readonly plot = new Plot(byId<HTMLCanvasElement>('plot'));

  constructor(private readonly remote: Remote) {
    this.stage = new Stage(byId<HTMLCanvasElement>('canvas'), {
      take: (link) => this.take(link),
      select: (task) => this.select(task),
      move: (task, target) => this.move(task, target),
      drop: () => this.commit(),
      hover: (link) => this.hover(link),
      choose: (ghost) => this.choose(ghost),
      view: () => this.view(),
      free: freeParts,
    });
    this.stage.theme();
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.stage.theme());
    this.wire();
  }

  // ---- Models ----

  // A glTF or VRM file's skeleton becomes the model.
  private async openCharacter(file: NamedFile, floatingBase: boolean): Promise<void> {
    try {
      const character = await readCharacter(file, this.files, floatingBase);
      const { definition } = character;
      const source = { name: baseName(file.path), definition, floatingBase };
      if (await this.open(source, undefined, character)) this.characterFile = file;
      else character.dispose();
    } catch (error) {
      this.say((error as Error).message, true);
    }
  }

  async open(
    source: Source,
    state?: Partial<State>,
    character: Character | null = null,
  ): Promise<boolean> {
    let info: ModelInfo;
    try {
      info = await this.remote.ask('load', source);
      if (character) {
        info.q = character.bind(info.joints, info.nq);
        info.around = character.corners;
        info.name = source.name!;
      }
    } catch (error) {
      this.say((error as Error).message, true);
      return false;
    }
    this.opening++;
    try {
      await this.showModel(source, info, state, character);
    } finally {
      this.opening--;
    }
    this.wake();
    return true;
  }

  private async showModel(
    source: Source,
    info: ModelInfo,
    state: Partial<State> | undefined,
    character: Character | null,
  ): Promise<void> {
    const fits = !state || fitsModel(state, info);
    if (!fits) state = undefined;
    this.source = source;
    this.info = info;
    this.character?.dispose();
    this.character = character;
    this.forgetLooks();
    this.generation++;
    this.past.length = this.future.length = 0;
    this.figures = [];
    this.follow = info.moves ? 'scene' : 'page';
    this.playing = info.moves;
    this.time = 0;
    this.recording = null;
    this.targets = [];
    this.setup = {
      tasks: state?.tasks ?? info.tasks,
      methods: state?.methods ?? this.setup.methods,
      limits: state?.limits ?? true,
      pinned: state?.pinned ?? [],
    };
    if (state?.targets) {
      this.targets = state.targets;
      this.follow = 'page';
      this.playing = false;
    }
    this.replace = state?.q ? Float64Array.from(state.q) : info.q;
    if (this.replace.length !== info.nq) this.replace = info.q;
    this.selected = -1;
    this.forgetErrors();
    const asked = this.remote.ask('setup', this.setup);
    const frame = await this.remote.ask('frame', {
      targets: this.targets,
      follow: this.follow,
      time: 0,
      q: this.replace,
      snap: !state?.targets && !info.moves,
      solve: false,
    });
    await asked;
    byId<HTMLInputElement>('z-up').checked = info.robot;
    this.points = frame.points;
    this.setGhosts([], []);
    this.figures = frame.figures;
    this.stage.setModel(info, character?.turn ?? info.robot);
    if (character) this.stage.setLooks(new Map(), character.object);
    else if (info.format === 'urdf') await this.readMeshes();
    this.dress();
    character?.write(this.figures[0]!.q);
    this.showLooks();
    // Targets can be moved before the first update has been answered.
    this.targets = state?.targets ?? frame.targets;
    this.stage.setTargets(this.setup.tasks, this.targets);
    this.commit();
    this.plot.clear();
    this.plot.lengthUnit = plotUnit(info);
    this.fill();
    this.sayWarnings();
    this.stage.ground();
    this.stage.frame(); // beside what has been said
    if (!fits) this.say('The state in the address is of another model.', true);
    document.title = `${info.name} · sinew`;
  }

  /** Opens the model among files; meshes without one are those of the present robot. */
  async openFiles(files: readonly NamedFile[]): Promise<void> {
    const depth = (file: NamedFile) => file.path.split('/').length;
    const first = (...endings: string[]) =>
      files
        .filter((file) => endings.includes(extension(file.path)))
        .sort((a, b) => depth(a) - depth(b))[0];
    // The .xml files of a package are seldom a robot.
    const text = first('.urdf', '.bvh') ?? (files.length === 1 ? first('.xml', '') : undefined);
    const character = first('.vrm', '.glb', '.gltf');
    const mesh = first('.stl', '.obj', '.dae') ?? (this.missing > 0 ? character : undefined);
    if (text) {
      this.files = files;
      const name = baseName(text.path);
      await this.open({ name, text: new TextDecoder().decode(await text.bytes()) });
    } else if (mesh && this.info?.format === 'urdf') {
      this.files = [...this.files, ...files];
      await this.readMeshes();
    } else if (character) {
      this.files = files;
      await this.openCharacter(character, false);
    } else
      this.say(
        'Drop a URDF, BVH, glTF or VRM file, or a folder with a robot and its meshes.',
        true,
      );
  }

  private get missing(): number {
    return this.looks?.missing.length ?? 0;
  }

  private forgetLooks(): void {
    for (const object of this.looks?.links.values() ?? []) disposeObject(object);
    this.looks = null;
  }

  // The shapes of the links of a URDF, and its meshes where they are found.
  private async readMeshes(): Promise<void> {
    const { info, generation } = this;
    const visuals = readVisuals(this.source.text ?? '');
    if (!info || visuals.length === 0) return;
    const looks = await readLooks(visuals, this.files);
    if (info !== this.info) return; // another model was opened meanwhile
    this.forgetLooks();
    this.looks = looks;
    const links = new Map<number, Group>();
    info.links.forEach((name, i) => {
      const group = looks.links.get(name);
      if (group) links.set(i, group);
    });
    this.stage.setLooks(links, null);
    const poses = this.figures[0]?.poses;
    if (poses && generation === this.generation) this.stage.setPoses(0, poses);
    this.showLooks();
    this.stage.ground();
    this.stage.settle();
    this.sayWarnings();
  }

  private showLooks(): void {
    const { checked } = byId<HTMLInputElement>('looks');
    const some = this.character !== null || (this.looks?.links.size ?? 0) > 0;
    byId('looks-row').hidden = !some;
    this.stage.showLooks(checked, !some || !checked || this.missing > 0);
  }

  private sayWarnings(): void {
    const { warnings } = this.info!;
    const notes: string[] = [];
    if (warnings.length > 0) notes.push(`Read with warnings: ${warnings[0]}`);
    if (this.missing > 0)
      notes.push(
        `Mesh files not found: ${this.missing}, such as ${this.looks!.missing[0]}. Drop the ` +
          'folder that has them.',
      );
    const broken = this.looks?.broken ?? [];
    if (broken.length > 0) notes.push(`Not read: ${broken[0]}`);
    this.say(notes.join(' '), warnings.length > 0 || broken.length > 0); // missing: no fault yet
  }

  private dress(): void {
    this.stage.setFigures(this.setup.methods.length > 1 ? [FIRST, SECOND] : [FIRST]);
    this.figures.forEach((figure, i) => this.stage.setPoses(i, figure.poses));
  }

  // What a view contains: the links that are drawn, and where the targets come by; the middle of a
  // crowd.
  private view(): number[] {
    const { root, robot, around } = this.info!;
    const { poses } = this.figures[0]!;
    if (this.points) {
      const third = Math.floor(this.points.length / 9);
      return [...this.points.subarray(3 * third, 6 * third)];
    }
    const links = Array.from(poses).filter(
      (_value, i) => i % 7 < 3 && (robot || Math.floor(i / 7) !== root),
    );
    return [...links, ...around];
  }

  /** Sends changed tasks, methods or limits to the worker. */
  private async resetup(): Promise<void> {
    this.generation++;
    this.forgetErrors();
    this.plot.trim(this.setup.methods.length);
    try {
      await this.remote.ask('setup', this.setup);
    } catch (error) {
      this.say((error as Error).message, true);
    }
    this.dress();
    this.fill();
    this.wake();
  }

  // ---- Targets ----

  private take(link: number): number {
    const { info } = this;
    if (!info) return -1;
    this.detach();
    let task = this.setup.tasks.findIndex(
      (one) => one.link === link && (one.kind === 'position' || one.kind === 'pose'),
    );
    if (task < 0) task = this.add(link, 'position');
    this.select(task);
    return task;
  }

  private add(link: number, kind: TaskKind): number {
    const poses = this.figures[0]?.poses;
    if (!poses) return -1;
    const pose = poses.subarray(7 * link, 7 * link + 7);
    this.setup.tasks = [...this.setup.tasks, { link, kind, weight: 1 }];
    this.targets = [
      ...this.targets,
      { position: [...pose.subarray(0, 3)], rotation: [...pose.subarray(3)] },
    ];
    this.stage.setTargets(this.setup.tasks, this.targets);
    void this.resetup();
    return this.setup.tasks.length - 1;
  }

  private removeTask(task: number): void {
    this.detach();
    this.setup.tasks = this.setup.tasks.filter((_one, i) => i !== task);
    this.targets = this.targets.filter((_one, i) => i !== task);
    this.select(-1);
    void this.resetup();
    this.commit();
  }

  // The targets stop following the scene or the motion, and stay where they are.
  private detach(): void {
    if (this.follow === 'page') return;
    this.follow = 'page';
    this.playing = false;
    this.fillPlay();
  }

  private select(task: number): void {
    this.selected = task;
    this.stage.select(task);
    this.stage.setGizmo(task < 0 ? null : this.mode);
    this.fillTargets();
  }

  private move(task: number, target: Target): void {
    this.detach();
    const old = this.targets[task];
    if (!old) return;
    const { link } = this.setup.tasks[task]!;
    const at = this.figures[0]!.poses.subarray(7 * link, 7 * link + 3);
    const moved = movedTarget(this.setup.tasks[task]!, target, at);
    this.targets = this.targets.map((one, i) => (i === task ? { ...one, ...moved } : one));
    this.setGhosts([], []);
    this.wake();
  }

  private hover(link: number): void {
    const { info } = this;
    const canvas = byId('canvas');
    canvas.style.cursor = link >= 0 ? 'grab' : '';
    const tip = byId('tip');
    tip.hidden = link < 0 || !info;
    if (link < 0 || !info) return;
    const joint = info.joints.find((one) => one.child === link);
    const lines = [info.links[link]!];
    if (joint && joint.nv === 1) {
      const [low, high] = [info.lower[joint.vIndex]!, info.upper[joint.vIndex]!];
      const show = (value: number) =>
        !Number.isFinite(value)
          ? '∞'
          : joint.kind === 'prismatic'
            ? length(value, info)
            : `${((value * 180) / Math.PI).toFixed(0)}°`;
      lines.push(`${joint.name}: ${joint.kind}, ${show(low)} to ${show(high)}`);
    } else if (joint) lines.push(`${joint.name}: ${joint.kind}`);
    tip.replaceChildren(...lines.map((line) => h('div', {}, line)));
    const poses = this.figures[0]?.poses;
    if (!poses) return;
    const at = this.stage.screen(poses.subarray(7 * link, 7 * link + 3));
    tip.style.left = `${Math.min(innerWidth - 220, at.x + 16)}px`;
    tip.style.top = `${at.y - 12}px`;
  }

  // ---- Undo ----

  private state(): State {
    return {
      q: [...(this.figures[0]?.q ?? [])],
      tasks: this.setup.tasks,
      targets: this.targets.map(({ position, rotation, direction, distance }) => ({
        ...(position && { position: [...Array.from(position)] }),
        ...(rotation && { rotation: [...Array.from(rotation)] }),
        ...(direction && { direction: [...Array.from(direction)] }),
        ...(distance !== undefined && { distance }),
      })),
      methods: this.setup.methods,
      limits: this.setup.limits,
      pinned: this.setup.pinned,
    };
  }

  /** Keeps the present state, so that undo returns to the one before. */
  private commit(): void {
    const now = JSON.stringify(this.state());
    if (this.past.at(-1) !== now) this.past.push(now);
    if (this.past.length > 100) this.past.shift();
    this.future = [];
    this.fillHistory();
  }

  private restore(text: string): void {
    const state = JSON.parse(text) as State;
    this.detach();
    this.setup = {
      tasks: state.tasks,
      methods: state.methods,
      limits: state.limits,
      pinned: state.pinned,
    };
    this.targets = state.targets;
    this.replace = Float64Array.from(state.q);
    this.select(-1);
    this.setGhosts([], []);
    void this.resetup();
    this.fillHistory();
  }

  private undo(): void {
    if (this.past.length < 2) return;
    this.future.push(this.past.pop()!);
    this.restore(this.past.at(-1)!);
  }

  private redo(): void {
    const next = this.future.pop();
    if (next === undefined) return;
    this.past.push(next);
    this.restore(next);
  }

  // ---- Frames ----

  private wake(): void {
    this.still = 0;
  }

  tick(now: number): void {
    const dt = Math.min(0.1, (now - this.before) / 1e3);
    this.before = now;
    const drawn = this.stage.draw();
    if (drawn && this.pictures && this.pictures.length < MOST_PICTURES)
      this.pictures.push(this.picture()); // now, before the canvas is cleared
    if (!this.info || this.busy || this.opening > 0) return;
    if (this.playing) {
      this.time += this.follow === 'scene' ? this.info.timeStep : dt;
      this.wake();
    }
    if (this.still > 40) return;
    this.busy = true;
    const { generation, replace, snap, commitNext } = this;
    this.commitNext = false;
    this.replace = undefined;
    this.snap = false;
    this.remote
      .ask('frame', {
        targets: this.targets,
        follow: this.playing || this.targets.length === 0 ? this.follow : 'page',
        time: this.time,
        q: replace,
        snap,
        solve: true,
      })
      .then((frame) => {
        this.busy = false;
        if (generation === this.generation) this.show(frame, snap, commitNext);
        else {
          this.commitNext ||= commitNext;
          this.replace ??= replace;
          this.snap ||= snap;
        }
      })
      .catch((error: Error) => {
        this.busy = false;
        this.still = 1000;
        this.say(error.message, true);
      });
  }

  private show(frame: Frame, snap: boolean, commit: boolean): void {
    const info = this.info!;
    const moved = frame.figures.some((figure, i) => {
      const before = this.figures[i];
      return !before || figure.q.some((value, k) => Math.abs(value - before.q[k]!) > 1e-9);
    });
    this.still = moved ? 0 : this.still + 1;
    this.figures = frame.figures;
    this.points = frame.points;
    if (frame.points) this.stage.setCrowd(frame.points);
    this.stage.setReach(frame.figures[0]!.reach);
    if (this.playing || snap || this.targets.length !== frame.targets.length)
      this.targets = frame.targets;
    frame.figures.forEach((figure, i) => {
      if (moved && i === 0) this.character?.write(figure.q);
      if (moved) this.stage.setPoses(i, figure.poses);
      const largest = (has: (kind: TaskKind) => boolean, which: number) =>
        this.setup.tasks.reduce(
          (most, { kind }, k) =>
            has(kind) ? Math.max(most || 0, figure.errors[2 * k + which] ?? NaN) : most,
          NaN,
        );
      if (figure.report || info.figures > 1)
        this.plot.add(
          i,
          performance.now() / 1e3,
          largest(hasLength, 0),
          largest(hasAngle, 1),
          figure.q,
        );
      this.times[i]!.add(performance.now(), figure.microseconds);
      if (this.recording && i === 0) this.recording.push(figure.q);
    });
    if (this.playing && this.follow === 'motion') this.stage.follow(frame.figures[0]!.poses);
    if (!this.stage.dragging && (moved || snap))
      this.stage.setTargets(this.setup.tasks, this.targets);
    this.setup.tasks.forEach((task, i) => {
      const [position, turn] = frame.figures[0]!.errors.subarray(2 * i, 2 * i + 2);
      this.stage.setError(i, task.link, position! < 2e-3 * info.size && turn! < 0.01);
    });
    this.fillStatus();
    this.plot.draw();
    if (commit) this.commit();
  }

  // ---- Panels ----

  private say(text: string, bad = false): void {
    const note = byId('note');
    note.textContent = text;
    note.hidden = text === '';
    note.classList.toggle('bad', bad);
  }

  private hideNote(): void {
    if (byId('note').hidden) return;
    this.say('');
    this.stage.settle(); // there is more room
  }

  private fill(): void {
    const info = this.info!;
    byId('model-name').textContent = info.name;
    byId('model-about').textContent =
      (info.title ? `${info.title}. ` : '') +
      `${info.joints.length} joints, ${info.nv} degrees of freedom`;
    const scene = byId<HTMLSelectElement>('scene');
    if (!this.source.scene) scene.options[0]!.textContent = info.name;
    scene.value = this.source.scene ?? '';
    byId<HTMLSelectElement>('method').value = this.setup.methods[0]!;
    byId<HTMLSelectElement>('second').value = this.setup.methods[1] ?? '';
    byId<HTMLInputElement>('limits').checked = this.setup.limits;
    byId<HTMLInputElement>('floating').checked = this.source.floatingBase ?? false;
    byId('floating-row').hidden = !['urdf', 'gltf'].includes(info.format);
    byId('up-row').hidden = this.character !== null;
    const crowd = info.figures > 1;
    byId('second-row').hidden = byId('target-section').hidden = crowd;
    byId('solution-section').hidden = byId('limits-row').hidden = crowd;
    this.fillTargets();
    this.fillJoints();
    this.fillPlay();
    this.fillHistory();
  }

  private fillPlay(): void {
    const info = this.info;
    const can = info !== null && (info.moves || info.motion !== null);
    byId('play-section').hidden = !can;
    const button = byId('play');
    button.textContent = this.playing ? 'Pause' : 'Play';
    byId('play-about').textContent = info?.motion
      ? `${info.motion.frames} frames, the targets are where the clip has the links`
      : 'The targets move as in the published scene, in and out of reach';
    byId<HTMLInputElement>('seek').hidden = !info?.motion;
  }

  private fillHistory(): void {
    byId<HTMLButtonElement>('undo').disabled = this.past.length < 2;
    byId<HTMLButtonElement>('redo').disabled = this.future.length === 0;
  }

  private fillTargets(): void {
    const info = this.info!;
    const focused = document.activeElement?.closest('#targets')
      ? document.activeElement.getAttribute('aria-label')
      : null;
    const rows = this.setup.tasks.map((task, i) => {
      const name = info.links[task.link]!;
      const kind = h('select', {
        'aria-label': `Kind of target ${i + 1}`,
        change: (event) => {
          const value = (event.target as HTMLSelectElement).value as TaskKind;
          this.changeKind(i, value);
        },
      });
      options(
        kind,
        Object.entries(kinds)
          .filter(([one]) => one !== 'com' || info.massive)
          .map(([one, { title }]): [string, string] => [one, title]),
      );
      kind.value = task.kind;
      const shown = h('output', {}, `× ${weightText(task.weight)}`);
      const weight = h('input', {
        type: 'range',
        min: -2,
        max: 2,
        step: 0.1,
        value: Math.log10(task.weight),
        'aria-label': `Weight of target ${i + 1}`,
        title: 'Weight beside the other targets, from 0.01 to 100',
        input: (event) => {
          const value = 10 ** Number((event.target as HTMLInputElement).value);
          shown.textContent = `× ${weightText(value)}`;
        },
        change: (event) => {
          const value = 10 ** Number((event.target as HTMLInputElement).value);
          this.setup.tasks = this.setup.tasks.map((one, k) =>
            k === i ? { ...one, weight: value } : one,
          );
          void this.resetup();
          this.commit();
        },
      });
      const row = h(
        'li',
        { class: i === this.selected ? 'target selected' : 'target' },
        h(
          'button',
          {
            class: 'name',
            'aria-pressed': i === this.selected ? 'true' : 'false',
            click: () => this.select(i === this.selected ? -1 : i),
          },
          h('span', { class: 'dot' }),
          h('span', { class: 'link' }, name),
          h('span', { class: 'error', id: `error-${i}` }, ''),
        ),
        h(
          'div',
          { class: 'row' },
          kind,
          h(
            'button',
            {
              class: 'icon',
              'aria-label': `Remove target ${i + 1}`,
              title: 'Remove',
              click: () => this.removeTask(i),
            },
            '×',
          ),
        ),
        ...this.fieldRow(task, i),
        h('label', { class: 'row fields weight' }, 'Weight ', weight, ' ', shown),
      );
      return row;
    });
    byId('targets').replaceChildren(...rows);
    if (focused !== null)
      byId('targets')
        .querySelector<HTMLElement>(`[aria-label="${CSS.escape(focused)}"]`)
        ?.focus();
    const chosen = byId<HTMLSelectElement>('add-link');
    const old = chosen.value;
    const taken = new Set(this.setup.tasks.map(({ link }) => link));
    options(chosen, [
      ['', 'Add a target at…'],
      ...info.links
        .slice(0, 500)
        .map((name, i): [string, string] => [String(i), taken.has(i) ? `${name} (has one)` : name])
        .filter((_one, i) => i !== info.root),
    ]);
    chosen.value = old && info.links[Number(old)] ? '' : '';
    byId('gizmo').hidden = this.selected < 0;
  }

  private changeKind(index: number, kind: TaskKind): void {
    this.detach();
    const { link, weight } = this.setup.tasks[index]!;
    const task: TaskInfo = { link, weight, kind };
    const usual = defaults(this.info!);
    for (const field of kinds[kind].fields) Object.assign(task, { [field]: usual[field] });
    const pose = this.figures[0]!.poses.subarray(7 * link, 7 * link + 7);
    const target = targetAt(task, pose, this.info!);
    this.setup.tasks = this.setup.tasks.map((one, i) => (i === index ? task : one));
    this.targets = this.targets.map((one, i) => (i === index ? target : one));
    this.stage.setTargets(this.setup.tasks, this.targets);
    void this.resetup();
    this.commit();
  }

  private changeField(index: number, change: Partial<TaskInfo>): void {
    this.detach();
    const task = { ...this.setup.tasks[index]!, ...change };
    this.setup.tasks = this.setup.tasks.map((one, i) => (i === index ? task : one));
    this.targets = this.targets.map((one, i) => (i === index ? withField(one, task) : one));
    void this.resetup();
    this.commit();
  }

  // What a kind has besides a handle.
  private fieldRow(task: TaskInfo, index: number): HTMLElement[] {
    const cells = kinds[task.kind].fields.map((field) => {
      if (field === 'axis' || field === 'normal') {
        const title = field === 'axis' ? 'axis' : task.kind === 'line' ? 'along' : 'normal';
        const select = h('select', {
          'aria-label': `${title} of target ${index + 1}`,
          change: () => this.changeField(index, { [field]: select.value as AxisName }),
        });
        const names = axisNames.filter((name) => field === 'axis' || name.length === 1);
        options(
          select,
          names.map((name): [string, string] => [name, name]),
        );
        select.value = task[field] ?? 'z';
        return h('label', {}, `${title} `, select);
      }
      const most = field === 'cone' ? 180 : Infinity;
      const title = field === 'cone' ? 'angle [°]' : 'distance';
      const input = h('input', {
        type: 'number',
        min: 0,
        max: Number.isFinite(most) ? most : undefined,
        step: 'any',
        value: Number((task[field] ?? 0).toPrecision(4)),
        'aria-label': `${title} of target ${index + 1}`,
        change: () => {
          const value = Number(input.value);
          if (input.value !== '' && value >= 0 && value <= most)
            this.changeField(index, { [field]: value });
          else input.value = String(task[field]);
        },
      });
      return h('label', {}, `${title} `, input);
    });
    return cells.length > 0 ? [h('div', { class: 'row fields' }, ...cells)] : [];
  }

  private fillJoints(): void {
    const info = this.info!;
    const single = info.joints
      .map((joint, index) => ({ joint, index }))
      .filter(({ joint }) => joint.nv === 1 && joint.nq === 1)
      .slice(0, 80);
    byId('joint-list').replaceChildren(
      ...single.map(({ joint, index }) => {
        const low = info.lower[joint.vIndex]!;
        const high = info.upper[joint.vIndex]!;
        const wide = joint.kind === 'prismatic' ? info.size : Math.PI;
        const slider = h('input', {
          type: 'range',
          id: `joint-${index}`,
          min: Number.isFinite(low) ? low : -wide,
          max: Number.isFinite(high) ? high : wide,
          step: 'any',
          'aria-label': joint.name,
          input: (event) => {
            const q = this.figures[0]!.q.slice();
            q[joint.qIndex] = Number((event.target as HTMLInputElement).value);
            this.detach();
            this.replace = q;
            this.snap = true;
            this.wake();
          },
          change: () => this.commit(),
        });
        const pin = h('input', {
          type: 'checkbox',
          'aria-label': `Pin ${joint.name}`,
          title: 'Pin: the joint does not move',
          change: (event) => {
            const { checked } = event.target as HTMLInputElement;
            this.setup.pinned = this.setup.pinned.filter((one) => one !== index);
            if (checked) this.setup.pinned.push(index);
            void this.remote.ask('setup', this.setup).then(() => this.wake());
            this.commit();
          },
        });
        pin.checked = this.setup.pinned.includes(index);
        return h(
          'li',
          {},
          h('span', { class: 'link' }, joint.name),
          h('output', { id: `value-${index}` }, ''),
          slider,
          h('label', { class: 'quiet' }, pin, ' pin'),
        );
      }),
    );
    byId('joint-section').hidden = single.length === 0;
  }

  // Nothing is known of other targets, or of another figure, before they have been solved.
  private forgetErrors(): void {
    const status = byId('status');
    for (const times of this.times) times.clear();
    status.textContent = '';
    status.dataset['outcome'] = 'none';
    this.fillTargets();
  }

  private fillStatus(): void {
    const info = this.info!;
    const figure = this.figures[0]!;
    const { report } = figure;
    const words =
      info.figures > 1
        ? crowdWords(info.figures, this.times[0]!.median)
        : reason(report, info, this.setup.tasks);
    const status = byId('status');
    if (status.textContent !== words) status.textContent = words;
    status.dataset['outcome'] = report?.outcome ?? 'none';
    this.setup.tasks.forEach(({ kind }, i) => {
      const [position, turn] = figure.errors.subarray(2 * i, 2 * i + 2);
      const parts: string[] = [];
      if (hasLength(kind)) parts.push(length(position!, info));
      if (hasAngle(kind)) parts.push(angle(turn!));
      const cell = document.getElementById(`error-${i}`);
      if (!cell) return;
      const met = position! < 2e-3 * info.size && turn! < 0.01;
      cell.textContent = met ? 'met' : parts.join(', ');
      cell.closest('li')?.classList.toggle('missed', !met);
    });
    if (byId<HTMLDetailsElement>('joint-section').open)
      info.joints.forEach((joint, index) => {
        const slider = document.getElementById(`joint-${index}`) as HTMLInputElement | null;
        if (!slider) return;
        const value = figure.q[joint.qIndex]!;
        if (document.activeElement !== slider) slider.value = String(value);
        byId(`value-${index}`).textContent =
          joint.kind === 'prismatic'
            ? length(value, info)
            : `${((value * 180) / Math.PI).toFixed(1)}°`;
      });
    const labels = this.setup.methods.map((method, i) => {
      const jitter = this.plot.jitter(i);
      const one = this.figures[i];
      const mean = this.times[i]!.mean;
      const microseconds = one && mean ? `, ${mean.toFixed(0)}\u00a0µs` : '';
      return h(
        'span',
        { class: i === 0 ? 'key first' : 'key second' },
        `${titleOf(method)}: jitter ${short(jitter)} rad${microseconds}`,
      );
    });
    byId('keys').replaceChildren(...labels);
    if (info.motion) {
      const seek = byId<HTMLInputElement>('seek');
      seek.max = String(info.motion.frames - 1);
      if (this.playing)
        seek.value = String(Math.floor(this.time / info.motion.frameTime) % info.motion.frames);
    }
  }

  // ---- Controls ----

  private on(id: string, type: string, run: (event: Event) => void): void {
    byId(id).addEventListener(type, run);
  }

  private wire(): void {
    options(byId<HTMLSelectElement>('method'), METHODS);
    options(byId<HTMLSelectElement>('second'), [['', 'none'], ...METHODS]);
    this.on('scene', 'change', (event) => {
      const { value } = event.target as HTMLSelectElement;
      if (value !== '') void this.open({ scene: value });
    });
    this.on('open', 'click', () => byId('file').click());
    this.on('file', 'change', (event) => {
      const input = event.target as HTMLInputElement;
      void this.openFiles(chosenFiles(input.files ?? []));
      input.value = '';
    });
    const methods = () => {
      const first = byId<HTMLSelectElement>('method').value as Method;
      const second = byId<HTMLSelectElement>('second').value as Method | '';
      this.setup.methods = second === '' ? [first] : [first, second];
      void this.resetup();
      this.commit();
    };
    this.on('method', 'change', methods);
    this.on('second', 'change', methods);
    this.on('limits', 'change', (event) => {
      this.setup.limits = (event.target as HTMLInputElement).checked;
      void this.resetup();
      this.commit();
    });
    this.on('floating', 'change', (event) => {
      const floatingBase = (event.target as HTMLInputElement).checked;
      if (this.character) void this.openCharacter(this.characterFile!, floatingBase);
      else void this.open({ ...this.source, floatingBase });
    });
    this.on('z-up', 'change', (event) => {
      this.stage.setUp((event.target as HTMLInputElement).checked);
      this.stage.ground();
      this.stage.frame();
    });
    this.on('add-link', 'change', (event) => {
      const { value } = event.target as HTMLSelectElement;
      if (value === '') return;
      this.detach();
      this.select(this.add(Number(value), 'position'));
      this.commit();
    });
    for (const mode of ['translate', 'rotate'] as const)
      this.on(`gizmo-${mode}`, 'click', () => this.setMode(this.mode === mode ? null : mode));
    this.on('note', 'click', () => this.hideNote());
    this.on('play', 'click', () => this.togglePlay());
    this.on('seek', 'input', (event) => {
      const { motion } = this.info!;
      this.follow = 'motion';
      this.playing = false;
      this.time = Number((event.target as HTMLInputElement).value) * motion!.frameTime + 1e-9;
      this.targets = [];
      this.wake();
    });
    this.on('undo', 'click', () => this.undo());
    this.on('redo', 'click', () => this.redo());
    this.on('looks', 'change', () => this.showLooks());
    this.on('reset', 'click', () => this.reset());
    this.on('frame-view', 'click', () => this.stage.frame());
    this.on('share', 'click', () => void this.share());
    this.on('all', 'click', () => void this.showAll());
    this.on('solve', 'click', () => void this.solve());
    this.on('export', 'change', (event) => {
      const select = event.target as HTMLSelectElement;
      this.export(select.value);
      select.value = '';
    });
    this.on('record', 'click', () => this.record());
    this.on('record-pictures', 'click', () => void this.recordPictures());
    this.on('panel-toggle', 'click', () => {
      const open = byId('panel').classList.toggle('closed');
      byId('panel-toggle').setAttribute('aria-expanded', String(!open));
    });
    addEventListener('dragover', (event) => {
      event.preventDefault();
      document.body.classList.add('dropping');
    });
    for (const type of ['dragleave', 'drop'] as const)
      addEventListener(type, () => document.body.classList.remove('dropping'));
    addEventListener('drop', (event) => {
      event.preventDefault();
      if (event.dataTransfer)
        void droppedFiles(event.dataTransfer)
          .then((files) => this.openFiles(files))
          .catch((error: Error) => this.say(`The files cannot be read: ${error.message}`, true));
    });
    addEventListener('keydown', (event) => this.key(event));
  }

  private reset(): void {
    if (this.character)
      void this.openCharacter(this.characterFile!, this.source.floatingBase ?? false);
    else void this.open(this.source);
  }

  private setMode(mode: 'translate' | 'rotate' | null): void {
    this.mode = mode;
    for (const one of ['translate', 'rotate'])
      byId(`gizmo-${one}`).setAttribute('aria-pressed', String(one === mode));
    if (mode === 'rotate' && this.selected >= 0) {
      const task = this.setup.tasks[this.selected]!;
      if (task.kind === 'position') {
        this.setup.tasks = this.setup.tasks.map((one, i) =>
          i === this.selected ? { ...one, kind: 'pose' } : one,
        );
        const pose = this.figures[0]!.poses.subarray(7 * task.link + 3, 7 * task.link + 7);
        this.targets = this.targets.map((one, i) =>
          i === this.selected ? { ...one, rotation: [...pose] } : one,
        );
        void this.resetup();
      }
    }
    this.stage.setGizmo(this.selected < 0 ? null : mode);
  }

  private togglePlay(): void {
    const info = this.info!;
    if (!info.moves && !info.motion) return;
    if (!this.playing && this.follow === 'page') {
      this.follow = info.moves ? 'scene' : 'motion';
      if (info.moves && this.setup.tasks !== info.tasks) {
        this.setup.tasks = info.tasks;
        void this.resetup();
      }
    }
    this.playing = !this.playing;
    this.fillPlay();
    this.wake();
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    const command = event.ctrlKey || event.metaKey;
    if (command && event.key.toLowerCase() === 'z') {
      event.preventDefault();
      if (event.shiftKey) this.redo();
      else this.undo();
      return;
    }
    if (command || target.closest('input, select, button, summary')) return;
    const step = event.shiftKey ? 0.002 : 0.02;
    const steps: Record<string, [number, number, number]> = {
      ArrowLeft: [-step, 0, 0],
      ArrowRight: [step, 0, 0],
      ArrowUp: [0, step, 0],
      ArrowDown: [0, -step, 0],
      PageUp: [0, 0, -step],
      PageDown: [0, 0, step],
    };
    const count = this.setup.tasks.length;
    const moved = steps[event.key];
    if (moved) {
      if (this.selected < 0 && count > 0) this.select(0);
      this.stage.nudge(...moved);
      this.commit();
    } else if (event.key === ']' && count > 0) this.select((this.selected + 1) % count);
    else if (event.key === '[' && count > 0)
      this.select(((this.selected + count) % (count + 1)) - 1);
    else if (event.key === ' ') this.togglePlay();
    else if (event.key === 't') this.setMode(this.mode === 'translate' ? null : 'translate');
    else if (event.key === 'r') this.setMode(this.mode === 'rotate' ? null : 'rotate');
    else if (event.key === 'f') this.stage.frame();
    else if (event.key === 'Delete' && this.selected >= 0) this.removeTask(this.selected);
    else if (event.key === 'Escape') {
      this.select(-1);
      this.setGhosts([], []);
      this.hideNote();
    } else return;
    event.preventDefault();
  }

  // ---- Solutions ----

  private setGhosts(solutions: Float64Array[], poses: Float64Array[]): void {
    this.solutions = solutions;
    this.stage.setGhosts(poses, GHOST, CHOSEN);
    byId('solutions-about').textContent = '';
    const mark = (i: number) => () => this.stage.markGhost(i);
    byId('solutions').replaceChildren(
      ...solutions.map((_q, i) =>
        h(
          'button',
          {
            'aria-label': `Solution ${i + 1}`,
            click: () => this.choose(i),
            pointerenter: mark(i),
            pointerleave: mark(-1),
            focus: mark(i),
            blur: mark(-1),
          },
          String(i + 1),
        ),
      ),
    );
  }

  private choose(i: number): void {
    const q = this.solutions[i];
    if (!q) return;
    this.replace = q;
    this.wake();
    this.commitNext = true; // when the figure is there
    [...byId('solutions').children].forEach((button, k) =>
      button.setAttribute('aria-pressed', String(k === i)),
    );
  }

  private async showAll(): Promise<void> {
    this.detach();
    const { solutions, poses, report } = await this.remote.ask('all', {
      targets: this.targets,
      q: this.figures[0]!.q,
      capacity: SOLUTIONS,
    });
    this.setGhosts(solutions, poses);
    const some = solutions.length === SOLUTIONS ? `The first ${SOLUTIONS}` : solutions.length;
    byId('solutions-about').textContent =
      solutions.length > 0
        ? `${some} solutions, the nearest first. Click one here or in the picture.`
        : reason(report, this.info!, this.setup.tasks);
  }

  private async solve(): Promise<void> {
    this.detach();
    const { q, report } = await this.remote.ask('solve', {
      targets: this.targets,
      q: this.figures[0]!.q,
    });
    this.replace = q;
    this.wake();
    byId('solutions-about').textContent =
      report.outcome === 'converged'
        ? 'Found by a search of the whole configuration space.'
        : reason(report, this.info!, this.setup.tasks);
  }

  // ---- Export ----

  private export(what: string): void {
    const info = this.info!;
    const q = this.figures[0]!.q;
    const name = info.name.replace(/[^\w.-]+/g, '_');
    if (what === 'csv') download(`${name}.csv`, 'text/csv', csv(info, [q], info.timeStep));
    else if (what === 'json')
      download(
        `${name}.json`,
        'application/json',
        poseJson(info, q, this.setup.tasks, this.targets),
      );
    else if (what === 'png') {
      this.stage.touch();
      this.stage.draw();
      void this.picture().then((blob) => blob && save(`${name}.png`, blob));
    } else if (what !== '') {
      const text = code(what as 'c', info, q);
      const ending = { c: 'c', python: 'py', javascript: 'js' }[what];
      // There is no clipboard on pages from http:.
      void (navigator.clipboard?.writeText(text) ?? Promise.reject(new Error())).then(
        () => this.say('Copied to the clipboard.'),
        () => download(`${name}.${ending}`, 'text/plain', text),
      );
    }
  }

  private picture(): Promise<Blob | null> {
    return new Promise((resolve) => byId<HTMLCanvasElement>('canvas').toBlob(resolve));
  }

  // Every picture that is drawn, for a video.
  private async recordPictures(): Promise<void> {
    const button = byId('record-pictures');
    if (this.pictures === null) {
      this.pictures = [];
      button.textContent = 'Stop and save pictures';
      this.stage.touch();
      return;
    }
    const pictures = await Promise.all(this.pictures);
    this.pictures = null;
    button.textContent = 'Record pictures';
    const entries = await Promise.all(
      pictures
        .filter((blob) => blob !== null)
        .map(async (blob, i) => ({
          name: `frame-${String(i + 1).padStart(5, '0')}.png`,
          bytes: new Uint8Array(await blob.arrayBuffer()),
        })),
    );
    if (entries.length > 0) save('frames.zip', zip(entries));
  }

  private record(): void {
    const button = byId('record');
    if (this.recording === null) {
      this.recording = [];
      button.textContent = 'Stop and save CSV';
      return;
    }
    const info = this.info!;
    download('joints.csv', 'text/csv', csv(info, this.recording, 1 / 60));
    this.recording = null;
    button.textContent = 'Record joint values';
  }

  private async share(): Promise<void> {
    const state = { scene: this.source.scene, model: this.info!.name, ...this.state() };
    const bytes = new TextEncoder().encode(JSON.stringify(state));
    const text = btoa(String.fromCharCode(...bytes))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '');
    history.replaceState(null, '', `#s=${text}`);
    try {
      await navigator.clipboard.writeText(location.href);
      this.say('The link to this state is on the clipboard.');
    } catch {
      this.say('This state is in the address of the page.');
    }
  }

  // ---- Start ----

  async begin(scenes: { name: string; title: string }[], data: Embedded): Promise<void> {
    options(byId<HTMLSelectElement>('scene'), [
      ['', data.model ? data.model.name : 'a file'],
      ...scenes.map(({ name }): [string, string] => [name, name]),
    ]);
    let trouble = '';
    const shared = /^#s=([\w-]+)$/.exec(location.hash)?.[1];
    let state: (Partial<State> & { scene?: string }) | undefined;
    if (shared !== undefined)
      try {
        const binary = atob(shared.replaceAll('-', '+').replaceAll('_', '/'));
        const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
        state = JSON.parse(new TextDecoder().decode(bytes)) as State;
      } catch {
        trouble = 'The state in the address cannot be read.';
      }
    const source: Source = data.model
      ? { ...data.model, ...(data.motion && { motion: data.motion }) }
      : { scene: data.scene ?? (typeof state?.scene === 'string' ? state.scene : START) };
    this.files = Object.entries(data.files ?? {}).map(([name, base64]) => ({
      path: pathOf(name),
      bytes: async () => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)).buffer,
    }));
    if (!(await this.open(source, state))) {
      trouble = byId('note').textContent!;
      await this.open({ scene: START });
    }
    if (trouble) this.say(trouble, true);
    const loop = (now: number) => {
      this.tick(now);
      requestAnimationFrame(loop);
    };
    requestAnimationFrame(loop);
    document.body.dataset['ready'] = 'true';
  }
}

function refuse(text: string): void {
  const note = byId('note');
  note.hidden = false;
  note.classList.add('bad');
  note.textContent = text;
}

async function main(): Promise<void> {
  if (typeof WebAssembly === 'undefined') {
    refuse('This browser has no WebAssembly, which the solver needs.');
    return;
  }
  const probe = document.createElement('canvas');
  if (!probe.getContext('webgl2')) {
    refuse('This browser has no WebGL 2, which the picture needs. It may be switched off.');
    return;
  }
  try {
    const remote = new Remote(byId('worker-source').textContent ?? '');
    const { scenes } = await remote.ask('start', { wasm: await embedded('wasm'), simd: true });
    const text = byId('model-data').textContent?.trim() ?? '';
    const data = (text === '' ? {} : JSON.parse(text)) as Embedded;
    await new Viewer(remote).begin(scenes, data);
  } catch (error) {
    refuse(`The viewer cannot start: ${(error as Error).message}`);
  }
}

void main();
