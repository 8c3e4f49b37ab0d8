// What is drawn and what the pointer does: camera, light, figures, target handles, gizmo.
import {
  AmbientLight,
  Box3,
  BufferAttribute,
  BufferGeometry,
  Color,
  DirectionalLight,
  Group,
  HemisphereLight,
  Line,
  LineBasicMaterial,
  Mesh,
  MeshBasicMaterial,
  Object3D,
  PCFShadowMap,
  PerspectiveCamera,
  Plane,
  PlaneGeometry,
  Quaternion,
  Raycaster,
  Scene,
  ShaderMaterial,
  ShadowMaterial,
  SphereGeometry,
  TorusGeometry,
  Vector2,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { TransformControls } from 'three/addons/controls/TransformControls.js';
import type { Target } from 'sinew-ik';
import { CrowdFigure } from './crowd.js';
import { Figure, type Look } from './figure.js';
import { type Slopes, fit, floorHeight } from './framing.js';
import { kinds } from './kinds.js';
import type { ModelInfo, TaskInfo } from './protocol.js';
import type { Reach } from './reach.js';
import { ReachMark } from './reach-mark.js';

export interface StageEvents {
  /** A link was taken with the pointer; returns the task that follows it, or -1. */
  take(link: number): number;
  /** A target was taken. */
  select(task: number): void;
  /** A target moved to a point, or was turned, in the model's frame. */
  move(task: number, target: Target): void;
  /** The pointer let go. */
  drop(): void;
  hover(link: number): void;
  /** A ghost was clicked. */
  choose(ghost: number): void;
  /** What a view should contain: x, y, z, in the model's frame. */
  view(): ArrayLike<number>;
  /** Parts of the canvas that nothing lies over, in shares of its half from the middle. */
  free(): Slopes[];
}

interface Handle {
  object: Group;
  ring: Mesh;
  core: Mesh;
  line: Line;
  axes: Group;
}

// Lines every quarter of the model's size that fade with the distance from its middle.
function gridMaterial(color: Color): ShaderMaterial {
  return new ShaderMaterial({
    transparent: true,
    depthWrite: false,
    uniforms: { color: { value: color } },
    vertexShader: `
      varying vec2 at;
      void main() {
        at = position.xy;
        gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
      }`,
    fragmentShader: `
      uniform vec3 color;
      varying vec2 at;
      void main() {
        vec2 cell = at * 4.0;
        vec2 near = abs(fract(cell - 0.5) - 0.5) / fwidth(cell);
        float line = 1.0 - min(min(near.x, near.y), 1.0);
        float fade = 1.0 - smoothstep(0.6, 3.2, length(at));
        gl_FragColor = vec4(color, line * fade * 0.55);
      }`,
  });
}

const AIM = 0.2; // of the size, from a link to the handle of its direction
const LEAST = 0.1; // of the size, that a view contains each way from its middle
const CLICK = 5; // pixels that a pointer may move in a click

const MET = 0x2f9e6e;
const MISSED = 0xe07a2f;

export class Stage {
  readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly camera = new PerspectiveCamera(38, 1, 0.01, 100);
  private readonly controls: OrbitControls;
  private readonly gizmo: TransformControls;
  private readonly world = new Group();
  private readonly floor = new Group();
  private readonly raycaster = new Raycaster();
  private readonly light = new DirectionalLight(0xffffff, 2.4);
  private figures: Figure[] = [];
  private ghosts: Figure[] = [];
  private ghostLooks: { usual: Look; chosen: Look } | null = null;
  private pressed: { ghost: number; x: number; y: number } | null = null;
  private crowd: CrowdFigure | null = null;
  private looks: ReadonlyMap<number, Object3D> = new Map();
  private character: Object3D | null = null;
  private bones = true; // whether the first figure's are seen
  private readonly reachMark = new ReachMark(MISSED);
  private handles: Handle[] = [];
  private info: ModelInfo | null = null;
  private drag: { task: number; plane: Plane; offset: Vector3; pointer: number } | null = null;
  private selected = -1;
  private changed = true;
  private turned = false; // the camera, by the user
  private size = 1;
  private scale = 1; // of the model's unit

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly events: StageEvents,
  ) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.renderer.debug.checkShaderErrors = false; // which waits for the compiler
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio || 1));
    this.world.add(this.reachMark);
    this.scene.add(this.world, this.floor, new AmbientLight(0xffffff, 0.35));
    this.scene.add(new HemisphereLight(0xffffff, 0x8a8f98, 1.3));
    this.light.position.set(1.4, 2.6, 1.1);
    this.light.castShadow = true;
    this.light.shadow.mapSize.set(1024, 1024);
    this.light.shadow.radius = 5;
    this.light.shadow.bias = -0.0004;
    this.light.shadow.normalBias = 0.01;
    const { camera } = this.light.shadow;
    camera.left = camera.bottom = -1.6;
    camera.right = camera.top = 1.6;
    this.scene.add(this.light);
    this.camera.position.set(1.5, 1.1, 2);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.minDistance = 0.2;
    this.controls.maxDistance = 12;
    this.controls.addEventListener('change', () => this.touch());
    this.controls.addEventListener('start', () => (this.turned = true));
    this.gizmo = new TransformControls(this.camera, canvas);
    this.gizmo.setSize(0.7);
    this.gizmo.addEventListener('change', () => this.touch());
    this.gizmo.addEventListener('dragging-changed', ({ value }) => {
      this.controls.enabled = !value;
      if (!value) this.events.drop();
    });
    this.gizmo.addEventListener('objectChange', () => this.report());
    this.scene.add(this.gizmo.getHelper());
    canvas.addEventListener('pointerdown', (event) => this.down(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.moved(event));
    for (const type of ['pointerup', 'pointercancel'] as const)
      canvas.addEventListener(type, (event) => this.up(event));
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.resize();
  }

  touch(): void {
    this.changed = true;
  }

  // ---- The model ----

  setModel(info: ModelInfo, turn: Quaternion | boolean): void {
    this.info = info;
    this.size = info.size;
    this.scale = (info.figures > 1 ? 7 / Math.sqrt(info.figures) : 1) / info.size;
    this.select(-1);
    for (const handle of this.handles) this.removeHandle(handle);
    this.handles = [];
    for (const figure of [...this.figures, ...this.ghosts]) figure.dispose();
    this.figures = [];
    this.ghosts = [];
    this.crowd?.dispose();
    this.crowd = info.figures > 1 ? new CrowdFigure(info, this.world) : null;
    this.setReach(null);
    this.setLooks(new Map(), null);
    this.setUp(turn);
    this.turned = false;
  }

  /** What is drawn in place of the figure: objects on links (by index), or a character in the
   * model's frame. */
  setLooks(links: ReadonlyMap<number, Object3D>, character: Object3D | null): void {
    for (const object of this.looks.values()) object.removeFromParent();
    this.character?.removeFromParent();
    this.looks = links;
    this.character = character;
    for (const object of [...links.values(), ...(character ? [character] : [])])
      this.world.add(object);
    this.touch();
  }

  /** Whether these looks, and whether bones and joints of the first figure are seen. */
  showLooks(looks: boolean, bones: boolean): void {
    for (const object of this.looks.values()) object.visible = looks;
    if (this.character) this.character.visible = looks;
    this.bones = bones;
    this.figures.forEach(({ group }, i) => (group.visible = i > 0 || bones));
    this.touch();
  }

  /** @param turn that of the model's frame, with y up; or its z axis is up, or its y axis */
  setUp(turn: Quaternion | boolean): void {
    if (typeof turn === 'boolean') this.world.rotation.set(turn ? -Math.PI / 2 : 0, 0, 0);
    else this.world.quaternion.copy(turn);
    this.world.scale.setScalar(this.scale);
    this.touch();
  }

  setFigures(looks: Look[]): void {
    for (const figure of this.figures) figure.dispose();
    if (this.crowd) looks = [];
    this.figures = looks.map((look) => {
      const figure = new Figure(this.info!, look);
      this.world.add(figure.group);
      return figure;
    });
    this.figures.forEach(({ group }, i) => (group.visible = i > 0 || this.bones));
    this.touch();
  }

  /** @param chosen how a ghost looks under the pointer */
  setGhosts(poses: Float64Array[], usual: Look, chosen: Look): void {
    this.ghostLooks = { usual, chosen };
    for (const figure of this.ghosts) figure.dispose();
    this.ghosts = poses.map((pose) => {
      const figure = new Figure(this.info!, usual);
      figure.set(pose);
      this.world.add(figure.group);
      return figure;
    });
    this.touch();
  }

  /** Marks a ghost, or none (-1). */
  markGhost(chosen: number): void {
    const looks = this.ghostLooks;
    if (looks)
      this.ghosts.forEach((ghost, i) => {
        ghost.look = i === chosen ? looks.chosen : looks.usual;
      });
    this.touch();
  }

  setCrowd(points: Float32Array): void {
    this.crowd?.set(points);
    this.touch();
  }

  setReach(reach: Reach | null): void {
    if (this.reachMark.set(reach, this.size)) this.touch();
  }

  setPoses(figure: number, poses: Float64Array): void {
    this.figures[figure]?.set(poses);
    if (figure === 0)
      for (const [link, object] of this.looks) {
        const [x, y, z, w, rx, ry, rz] = poses.subarray(7 * link, 7 * link + 7);
        object.position.set(x!, y!, z!);
        object.quaternion.set(rx!, ry!, rz!, w!);
      }
    this.touch();
  }

  /** Puts the camera where the whole view is seen beside the page's overlays, until the user moves
   * it, and the floor's middle below. */
  frame(): void {
    const { points, low, high } = this.drawn();
    const middle = low.clone().add(high).multiplyScalar(0.5);
    const least = new Vector3(LEAST, LEAST, LEAST);
    points.push(middle.clone().add(least), middle.clone().sub(least));
    const y = Math.tan((this.camera.fov * Math.PI) / 360);
    const x = y * this.camera.aspect;
    const parts = this.events.free().map(({ left, right, top, bottom }) => ({
      left: x * left,
      right: x * right,
      top: y * top,
      bottom: y * bottom,
    }));
    const toward = new Vector3(0.62, 0.38, 0.95).normalize();
    const place = fit(points, (this.figures[0]?.width ?? 0) * this.scale, toward, parts);
    this.camera.position.copy(place);
    const depth = place.clone().sub(middle).dot(toward);
    this.controls.target.copy(place).addScaledVector(toward, -depth);
    this.controls.update();
    this.turned = false;
    this.floor.position.setX(middle.x).setZ(middle.z);
    this.light.position.copy(middle).add(new Vector3(1.2, 2.4, 1));
    this.light.target.position.copy(middle);
    this.light.target.updateMatrixWorld();
    this.touch();
  }

  /** Puts the camera where the whole view is seen, if the user has not put it elsewhere. */
  settle(): void {
    if (this.info && !this.turned) this.frame();
  }

  /** Puts the floor below the figure. */
  ground(): void {
    const { low } = this.drawn();
    const thickness = (this.figures[0]?.thickness ?? 0) * this.scale;
    const origin = this.info?.robot ? this.world.position.y : null;
    this.floor.position.y = floorHeight(origin, low.y, thickness);
    this.touch();
  }

  // The points that a view contains, with the corners of meshes, in the frame of the scene.
  private drawn(): { points: Vector3[]; low: Vector3; high: Vector3 } {
    this.world.updateMatrixWorld(true);
    const values = this.events.view();
    const points: Vector3[] = [];
    for (let i = 0; i < values.length; i += 3)
      points.push(
        new Vector3(values[i], values[i + 1], values[i + 2]).applyMatrix4(this.world.matrixWorld),
      );
    for (const object of this.looks.values()) {
      const { min, max } = new Box3().setFromObject(object);
      if (object.visible && min.x <= max.x)
        for (let i = 0; i < 8; i++)
          points.push(
            new Vector3(i & 1 ? min.x : max.x, i & 2 ? min.y : max.y, i & 4 ? min.z : max.z),
          );
    }
    const { min: low, max: high } = new Box3().setFromPoints(points);
    return { points, low, high };
  }

  /** Moves the camera with the figure, over the floor. */
  follow(poses: Float64Array): void {
    const middle = new Vector3();
    for (let i = 0; i < poses.length; i += 7)
      middle.add(new Vector3(poses[i], poses[i + 1], poses[i + 2]));
    middle.multiplyScalar(7 / poses.length).applyMatrix4(this.world.matrixWorld);
    const step = middle.sub(this.controls.target).setY(0).multiplyScalar(0.15);
    this.camera.position.add(step);
    this.controls.target.add(step);
    this.light.position.add(step);
    this.light.target.position.add(step);
    this.light.target.updateMatrixWorld();
    this.touch();
  }

  theme(): void {
    const style = getComputedStyle(document.documentElement);
    const line = new Color(style.getPropertyValue('--grid').trim() || '#cccccc');
    this.floor.clear();
    const grid = new Mesh(new PlaneGeometry(12, 12), gridMaterial(line));
    grid.rotation.x = -Math.PI / 2;
    const shade = new Mesh(new PlaneGeometry(8, 8), new ShadowMaterial({ opacity: 0.22 }));
    shade.rotation.x = -Math.PI / 2;
    shade.receiveShadow = true;
    shade.position.y = -0.001;
    this.floor.add(shade, grid);
    this.touch();
  }

  // ---- Targets ----

  setTargets(tasks: TaskInfo[], targets: Target[]): void {
    while (this.handles.length > tasks.length) this.removeHandle(this.handles.pop()!);
    while (this.handles.length < tasks.length) this.handles.push(this.makeHandle());
    tasks.forEach((task, i) => {
      const { object, axes } = this.handles[i]!;
      const target = targets[i];
      axes.visible = task.kind === 'pose' || task.kind === 'orientation';
      if (!target || (this.gizmo.dragging && i === this.selected)) return;
      const at = target.position ?? this.aimPoint(task, target);
      object.position.set(at[0]!, at[1]!, at[2]!);
      const r = target.rotation;
      if (r) object.quaternion.set(r[1]!, r[2]!, r[3]!, r[0]!);
    });
    this.touch();
  }

  /** Colours a handle, and draws the line from the link to its target. */
  setError(task: number, link: number, met: boolean): void {
    const handle = this.handles[task];
    if (!handle) return;
    const color = met ? MET : MISSED;
    for (const mesh of [handle.ring, handle.core])
      (mesh.material as MeshBasicMaterial).color.set(color);
    const points = handle.line.geometry.attributes['position'] as BufferAttribute;
    const from = this.linkPoint(link);
    points.setXYZ(0, from[0]!, from[1]!, from[2]!);
    points.setXYZ(1, ...handle.object.position.toArray());
    points.needsUpdate = true;
    handle.line.visible = !met;
  }

  // The handle of a direction stands off its link.
  private aimPoint({ link, kind }: TaskInfo, { direction }: Target): number[] {
    const at = this.linkPoint(link);
    return kinds[kind].aims && direction
      ? at.map((value, i) => value + AIM * this.size * direction[i]!)
      : at;
  }

  private linkPoint(link: number): number[] {
    const poses = this.figures[0]?.poses;
    return poses && poses.length > 0 ? [...poses.subarray(7 * link, 7 * link + 3)] : [0, 0, 0];
  }

  private makeHandle(): Handle {
    const object = new Group();
    const unit = this.size * 0.026;
    const flat = () => new MeshBasicMaterial({ color: MET, depthTest: false, transparent: true });
    const ring = new Mesh(new TorusGeometry(unit, unit * 0.1, 10, 48), flat());
    const core = new Mesh(new SphereGeometry(unit * 0.3, 16, 12), flat());
    ring.onBeforeRender = () => {
      ring.quaternion
        .copy(object.getWorldQuaternion(ring.quaternion.clone()).invert())
        .multiply(this.camera.quaternion);
      ring.updateMatrixWorld();
    };
    const axes = new Group();
    [0xe5484d, 0x46a758, 0x3e63dd].forEach((color, i) => {
      const geometry = new BufferGeometry();
      const end = [0, 0, 0];
      end[i] = unit * 2.6;
      geometry.setAttribute(
        'position',
        new BufferAttribute(new Float32Array([0, 0, 0, ...end]), 3),
      );
      const line = new Line(geometry, new LineBasicMaterial({ color, depthTest: false }));
      line.renderOrder = 11;
      axes.add(line);
    });
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(6), 3));
    const line = new Line(
      geometry,
      new LineBasicMaterial({ color: MISSED, depthTest: false, transparent: true, opacity: 0.8 }),
    );
    line.frustumCulled = false;
    line.renderOrder = 9;
    ring.renderOrder = core.renderOrder = 10;
    object.add(ring, core, axes);
    this.world.add(object, line);
    return { object, ring, core, line, axes };
  }

  private removeHandle({ object, line }: Handle): void {
    if (this.gizmo.object === object) this.gizmo.detach();
    for (const part of [object, line] as Object3D[]) {
      part.traverse((child) => {
        (child as Mesh).geometry?.dispose(); // materials stay: their programs are used again
      });
      part.removeFromParent();
    }
  }

  select(task: number): void {
    this.selected = task;
    this.handles.forEach(({ ring }, i) => ring.scale.setScalar(i === task ? 1.35 : 1));
    this.touch();
  }

  /** The gizmo of the selected target: to move it, to turn it, or none. */
  setGizmo(mode: 'translate' | 'rotate' | null): void {
    const handle = this.handles[this.selected];
    if (mode === null || !handle) this.gizmo.detach();
    else {
      this.gizmo.setMode(mode);
      this.gizmo.setSpace(mode === 'rotate' ? 'local' : 'world');
      this.gizmo.attach(handle.object);
    }
    this.touch();
  }

  /** Moves the selected target along the axes of the screen, by shares of the model's size. */
  nudge(x: number, y: number, z: number): void {
    const handle = this.handles[this.selected];
    if (!handle) return;
    const step = new Vector3(x, y, z).applyQuaternion(this.camera.quaternion);
    const at = handle.object.getWorldPosition(new Vector3()).add(step);
    handle.object.position.copy(this.world.worldToLocal(at));
    this.report();
  }

  private report(): void {
    const handle = this.handles[this.selected];
    if (!handle) return;
    const { position, quaternion: r } = handle.object;
    this.events.move(this.selected, {
      position: position.toArray(),
      rotation: [r.w, r.x, r.y, r.z],
    });
    this.touch();
  }

  // ---- The pointer ----

  private ray(event: PointerEvent): Raycaster {
    const box = this.canvas.getBoundingClientRect();
    this.raycaster.setFromCamera(
      new Vector2(
        (2 * (event.clientX - box.left)) / box.width - 1,
        1 - (2 * (event.clientY - box.top)) / box.height,
      ),
      this.camera,
    );
    return this.raycaster;
  }

  /** Where a point of the model is on the canvas. */
  screen(point: ArrayLike<number>): { x: number; y: number } {
    const at = new Vector3(point[0], point[1], point[2])
      .applyMatrix4(this.world.matrixWorld)
      .project(this.camera);
    const box = this.canvas.getBoundingClientRect();
    return {
      x: box.left + ((at.x + 1) / 2) * box.width,
      y: box.top + ((1 - at.y) / 2) * box.height,
    };
  }

  private nearest(event: PointerEvent, points: ArrayLike<number>[], within: number): number {
    let best = -1;
    let least = within;
    points.forEach((point, i) => {
      const { x, y } = this.screen(point);
      const distance = Math.hypot(x - event.clientX, y - event.clientY);
      if (distance < least) {
        least = distance;
        best = i;
      }
    });
    return best;
  }

  private linkAt(event: PointerEvent): number {
    const figure = this.figures[0];
    if (!figure || figure.poses.length === 0) return -1;
    const links = figure.draggable;
    const points = links.map((link) => figure.poses.subarray(7 * link, 7 * link + 3));
    const found = this.nearest(event, points, event.pointerType === 'touch' ? 30 : 18);
    return found < 0 ? -1 : links[found]!;
  }

  // The ghost that is in front under the pointer, or -1.
  private ghostAt(event: PointerEvent): number {
    if (this.ghosts.length === 0) return -1;
    const groups = [...this.ghosts, ...this.figures].map(({ group }) => group);
    let object: Object3D | null = this.ray(event).intersectObjects(groups)[0]?.object ?? null;
    while (object && !groups.includes(object as Group)) object = object.parent;
    const found = groups.indexOf(object as Group);
    return found < this.ghosts.length ? found : -1;
  }

  private down(event: PointerEvent): void {
    this.pressed = null;
    if (event.button !== 0 || !event.isPrimary || this.gizmo.axis !== null) return;
    const reach = event.pointerType === 'touch' ? 34 : 22;
    let task = this.nearest(
      event,
      this.handles.map(({ object }) => object.position.toArray()),
      reach,
    );
    if (task >= 0) this.events.select(task);
    else {
      const ghost = this.ghostAt(event);
      if (ghost >= 0) {
        this.pressed = { ghost, x: event.clientX, y: event.clientY };
        return; // a click chooses it, a drag looks around
      }
      const link = this.linkAt(event);
      if (link < 0) return;
      task = this.events.take(link);
      if (task < 0) return;
    }
    const handle = this.handles[task];
    if (!handle) return;
    const at = handle.object.getWorldPosition(new Vector3());
    const plane = new Plane().setFromNormalAndCoplanarPoint(
      this.camera.getWorldDirection(new Vector3()).negate(),
      at,
    );
    const hit = this.ray(event).ray.intersectPlane(plane, new Vector3()) ?? at;
    this.drag = { task, plane, offset: at.sub(hit), pointer: event.pointerId };
    this.controls.enabled = false;
    this.canvas.setPointerCapture(event.pointerId);
    this.canvas.focus({ preventScroll: true });
    event.stopImmediatePropagation();
  }

  private moved(event: PointerEvent): void {
    if (this.drag === null) {
      if (event.pointerType === 'mouse' && event.buttons === 0) {
        const ghost = this.ghostAt(event);
        if (this.ghosts.length > 0) this.markGhost(ghost);
        this.events.hover(ghost < 0 ? this.linkAt(event) : -1);
        if (ghost >= 0) this.canvas.style.cursor = 'pointer';
      }
      return;
    }
    if (event.pointerId !== this.drag.pointer) return;
    const { task, plane, offset } = this.drag;
    const hit = this.ray(event).ray.intersectPlane(plane, new Vector3());
    const handle = this.handles[task];
    if (!hit || !handle) return;
    handle.object.position.copy(this.world.worldToLocal(hit.add(offset)));
    this.events.move(task, { position: handle.object.position.toArray() });
    this.touch();
  }

  private up(event: PointerEvent): void {
    const { pressed } = this;
    this.pressed = null;
    if (pressed && event.type === 'pointerup')
      if (Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) < CLICK)
        this.events.choose(pressed.ghost);
    if (this.drag === null || event.pointerId !== this.drag.pointer) return;
    this.drag = null;
    this.controls.enabled = true;
    this.events.drop();
  }

  get dragging(): boolean {
    return this.drag !== null || this.gizmo.dragging;
  }

  // ---- Drawing ----

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.settle();
    this.touch();
  }

  /** @returns whether there was anything new */
  draw(): boolean {
    this.controls.update();
    if (!this.changed) return false;
    this.changed = false;
    this.renderer.render(this.scene, this.camera);
    return true;
  }
}
