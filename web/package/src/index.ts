// sinew-ik: inverse kinematics in WebAssembly.
export { init, version, SinewError, type InitOptions } from './module.js';
export {
  Model,
  jointKinds,
  type Joint,
  type JointDefinition,
  type JointKind,
  type ModelDefinition,
  type Motion,
  type ReadOptions,
  type Shape,
  type Vector,
} from './model.js';
export {
  methods,
  objectiveKinds,
  taskKinds,
  type FreeAxis,
  type Method,
  type Objective,
  type ObjectiveKind,
  type Part,
  type Settings,
  type Target,
  type Task,
  type TaskKind,
  type WeightAxes,
} from './tasks.js';
export {
  Bank,
  Solver,
  Tracker,
  completenesses,
  outcomes,
  type AllOptions,
  type Branch,
  type Completeness,
  type Outcome,
  type HardRow,
  type ObjectiveReport,
  type Report,
  type SearchOptions,
} from './solver.js';
export { Crowd, type CrowdRow } from './crowd.js';
export { Scene } from './scene.js';
