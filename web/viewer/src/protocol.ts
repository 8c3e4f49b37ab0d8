// What the page and its worker say to each other. All solving is done in the worker, so that a
// large model does not freeze the page.
import type { Joint, Method, ModelDefinition, Report, Target } from 'sinew-ik';
import type { AxisName } from './kinds.js';
import type { Reach } from './reach.js';

/** The kinds of targets that the page offers: kinds.ts. */
export type TaskKind =
  | 'position'
  | 'orientation'
  | 'pose'
  | 'direction'
  | 'cone'
  | 'yaw'
  | 'look_at'
  | 'distance'
  | 'line'
  | 'plane'
  | 'height'
  | 'com';

/** What the page shows of a model. */
export interface ModelInfo {
  name: string;
  title: string;
  format: 'urdf' | 'bvh' | 'scene' | 'gltf';
  robot: boolean; // rather than a skeleton: z is up, and joints are drawn with their axes
  links: string[];
  joints: Joint[];
  root: number;
  size: number;
  nq: number;
  nv: number;
  lower: Float64Array;
  upper: Float64Array;
  warnings: string[];
  massive: boolean; // whether links have masses
  motion: { frames: number; frameTime: number } | null;
  /** Tasks to begin with. */
  tasks: TaskInfo[];
  timeStep: number;
  moves: boolean; // whether a scene gives moving targets
  /** 1, or the figures of a crowd: tasks are then those of each, and not for the page to change. */
  figures: number;
  /** Points that a view of the whole should contain, besides those of the figure: x, y, z. */
  around: Float64Array;
  q: Float64Array;
}

export interface TaskInfo {
  link: number;
  kind: TaskKind;
  weight: number;
  /** The axis of the link that points; of the line, or the normal of the plane, in the model. */
  axis?: AxisName;
  normal?: AxisName;
  distance?: number;
  /** The angle of the cone [degrees]. */
  cone?: number;
}

export interface Source {
  scene?: string;
  text?: string;
  name?: string;
  floatingBase?: boolean;
  /** Of a character's skeleton, and its pose at the beginning. */
  definition?: ModelDefinition;
  /** A BVH whose motion is played, with the joints of the model. */
  motion?: { name: string; text: string };
}

export interface Setup {
  tasks: TaskInfo[];
  methods: Method[]; // one or two figures
  limits: boolean;
  pinned: number[]; // joints that do not move
}

/** Where the targets of a frame come from: the page, the scene or the motion at a time. */
export interface FrameRequest {
  targets: Target[];
  follow: 'page' | 'scene' | 'motion';
  time: number;
  /** Replaces the joint values of all figures, and clears their history. */
  q?: Float64Array | undefined;
  /** Sets the targets to where the links are. */
  snap?: boolean;
  /** Whether the solvers run; else only poses are computed. */
  solve: boolean;
}

export interface FigureFrame {
  q: Float64Array;
  poses: Float64Array;
  report: Report | null;
  errors: Float64Array;
  microseconds: number;
  /** Of a target that is proven out of reach. */
  reach: Reach | null;
}

export interface Frame {
  figures: FigureFrame[];
  targets: Target[];
  /** Of a crowd: figures x links x 3, in the model's frame with the figures' places added. */
  points?: Float32Array;
}

export interface Requests {
  start: { wasm: ArrayBuffer | null; simd: boolean };
  load: Source;
  setup: Setup;
  frame: FrameRequest;
  all: { targets: Target[]; q: Float64Array; capacity: number };
  solve: { targets: Target[]; q: Float64Array };
}

export interface Replies {
  start: { version: string; scenes: { name: string; title: string }[] };
  load: ModelInfo;
  setup: null;
  frame: Frame;
  all: { solutions: Float64Array[]; poses: Float64Array[]; report: Report };
  solve: { q: Float64Array; report: Report };
}

export type Name = keyof Requests;

export interface Message {
  id: number;
  name: Name;
  value: unknown;
}

export interface Answer {
  id: number;
  value?: unknown;
  error?: string;
}
