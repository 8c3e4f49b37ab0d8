// Reports and poses in words and in code.
import type { Report, Target } from 'sinew-ik';
import type { ModelInfo, TaskInfo } from './protocol.js';

const DEGREES = 180 / Math.PI;

export function length(value: number, info: ModelInfo): string {
  if (info.format !== 'urdf') return `${value.toPrecision(3)} units`;
  return value < 1 ? `${(1e3 * value).toPrecision(3)} mm` : `${value.toFixed(3)} m`;
}

/** What lengths are multiplied by in a plot, and their unit there. */
export function plotUnit(info: ModelInfo): { factor: number; name: string } {
  return info.format === 'urdf' ? { factor: 1e3, name: 'mm' } : { factor: 1, name: 'units' };
}

/** Why the targets are not met, or that they are. */
export function reason(report: Report | null, info: ModelInfo, tasks: TaskInfo[]): string {
  if (!report || tasks.length === 0) return 'No targets. Drag a link to add one.';
  const link = info.links[tasks[report.reachTask]?.link ?? -1] ?? '';
  switch (report.outcome) {
    case 'converged':
      return 'All targets are met.';
    case 'out_of_reach':
      return report.reach < report.targetDistance
        ? `Out of reach: ${link} reaches ${length(report.reach, info)}, its target is ` +
            `${length(report.targetDistance, info)} away.`
        : `Out of reach: ${link} comes no nearer than ${length(report.reach, info)}, its target ` +
            `is ${length(report.targetDistance, info)} away.`;
    case 'blocked_by_limits':
      return `Blocked by the limit of ${report.limitingJoint}.`;
    case 'stalled':
      return 'As near as these targets allow together.';
    case 'bad_input':
      return 'A target has a value that cannot be used.';
    default:
      return `Following: the largest error is ${length(report.positionError, info)}.`;
  }
}

/** @param microseconds of a frame; null if not known yet */
export function crowdWords(figures: number, microseconds: number | null): string {
  const count = `${figures.toLocaleString('en')} figures`;
  if (microseconds === null) return `${count}.`;
  return `${count} in ${(microseconds / 1e3).toFixed(1)} ms a frame.`;
}

export function weightText(weight: number): string {
  return String(Number(weight.toPrecision(weight < 10 ? 3 : 2)));
}

export function angle(radians: number): string {
  return `${(radians * DEGREES).toPrecision(3)}°`;
}

function fixed(values: ArrayLike<number>): string {
  return Array.from(values, (value) => Number(value.toFixed(6))).join(', ');
}

export function poseJson(info: ModelInfo, q: Float64Array, tasks: TaskInfo[], targets: Target[]) {
  const joints: Record<string, number | number[]> = {};
  for (const joint of info.joints) {
    const values = [...q.subarray(joint.qIndex, joint.qIndex + joint.nq)];
    if (joint.nq > 0) joints[joint.name] = joint.nq === 1 ? values[0]! : values;
  }
  return JSON.stringify(
    {
      model: info.name,
      q: [...q],
      joints,
      tasks: tasks.map((task, i) => ({
        link: info.links[task.link],
        kind: task.kind,
        weight: task.weight,
        target: targets[i],
      })),
    },
    null,
    2,
  );
}

export function csv(info: ModelInfo, rows: Float64Array[], timeStep: number): string {
  const quoted = (name: string) => (/[",\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);
  const columns = info.joints.flatMap((joint) =>
    joint.nq === 1
      ? [quoted(joint.name)]
      : Array.from({ length: joint.nq }, (_, i) => quoted(`${joint.name}.${i}`)),
  );
  const lines = rows.map((q, i) => [Number((i * timeStep).toFixed(6)), ...q].join(','));
  return ['time,' + columns.join(','), ...lines].join('\r\n') + '\r\n';
}

/** The pose as lines of a program. */
export function code(
  language: 'c' | 'python' | 'javascript',
  info: ModelInfo,
  q: Float64Array,
): string {
  const values = fixed(q);
  const names = info.joints.filter((joint) => joint.nq > 0).map((joint) => joint.name);
  const note = `${info.name.replace(/[^\w .-]/g, '_')}: ${names.length} joints`;
  switch (language) {
    case 'c':
      return `// ${note}\nconst double q[${q.length}] = {${values}};\n`;
    case 'python':
      return `# ${note}\nq = [${values}]\n`;
    default:
      return `// ${note}\nconst q = Float64Array.of(${values});\n`;
  }
}
