// The built-in figures, each with tasks and moving targets.
import { Model } from './model.js';
import { SinewError, View, core } from './module.js';
import { TASK_VALUES, type Task, partSize, targetParts, taskOfRow } from './tasks.js';

/** A figure with tasks, and targets as a function of time. */
export class Scene {
  readonly title: string;
  readonly model: Model;
  readonly tasks: readonly Task[];
  /** Between steps [s]. */
  readonly timeStep: number;
  private address: number;
  private readonly rows: View;

  /** @param name one of Scene.names(), for example "double-y-25" */
  constructor(readonly name: string) {
    const c = core();
    this.address = c.call.scene_create!(c.put(name));
    if (this.address === 0) throw new SinewError(`there is no scene '${name}'`, 'invalid argument');
    this.title = c.text(c.call.scene_title!(this.address))!;
    this.timeStep = c.call.scene_time_step!(this.address);
    this.model = new Model(c.call.scene_model!(this.address), [], null);
    let size = 0;
    this.tasks = c.within(8 * TASK_VALUES, (row) =>
      Array.from({ length: c.call.scene_task_count!(this.address) }, (_, i) => {
        c.call.scene_task!(this.address, i, row);
        for (const part of targetParts(c, row)) size += partSize(part);
        return taskOfRow(c.doubles(row, TASK_VALUES), this.model.links);
      }),
    );
    this.rows = new View(c, c.take(88 * (this.tasks.length + 1)), size);
  }

  static names(): string[] {
    const c = core();
    const names: string[] = [];
    for (let i = 0, name; (name = c.text(c.call.scene_name_at!(i))) !== null; i++) names.push(name);
    return names;
  }

  /** The targets at a time, task by task; overwritten by the next call. */
  targetsAt(time: number): Float64Array {
    const { call } = core();
    call.scene_targets!(this.address, this.model.stateAddress, time, this.rows.address);
    return this.rows.array;
  }

  free(): void {
    if (this.address === 0) return;
    core().release(this.rows.address);
    this.model.free();
    core().call.scene_destroy!(this.address);
    this.address = 0;
  }

  [Symbol.dispose](): void {
    this.free();
  }
}
