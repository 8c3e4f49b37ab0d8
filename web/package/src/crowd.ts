// Many figures of one skeleton that follow moving targets.
import { Model } from './model.js';
import { Core, SinewError, View } from './module.js';
import { type Outcome, outcomes } from './solver.js';
import { type Settings, type Task, settingsRow, taskRows } from './tasks.js';

/** How one figure's update ended: the errors before it. */
export interface CrowdRow {
  outcome: Outcome;
  steps: number;
  positionError: number;
  orientationError: number;
}

export class Crowd {
  /** Values of one figure's targets: 3 for a position, 4 for an orientation, 7 for a pose. */
  readonly targetSize: number;
  /** How many figures are updated at once. */
  readonly lanes: number;
  private readonly core: Core;
  private address: number;
  private readonly qView: View;
  private readonly targetsView: View;
  private readonly rowsView: View;

  constructor(
    readonly model: Model,
    tasks: readonly Task[],
    /** How many figures. */
    readonly figures: number,
    settings: Settings = {},
  ) {
    model.alive();
    const c = (this.core = model.core);
    if (!Number.isInteger(figures) || figures < 1 || figures > 1e6)
      throw new SinewError(`figures is ${figures}, not 1 to 1000000`, 'invalid argument');
    const rows = taskRows(model, tasks);
    const row = settingsRow(settings);
    this.address = c.within(8 * (rows.length + row.length), (at) => {
      c.doubles(at, rows.length).set(rows);
      const settingsAt = at + 8 * rows.length;
      c.doubles(settingsAt, row.length).set(row);
      return c.create('crowd_create', model.address, at, tasks.length, settingsAt, figures);
    });
    const [q, targets, report, size, lanes] = c.within(20, (out) => {
      c.call.crowd_arrays!(this.address, out);
      return [...c.ints(out, 5)] as [number, number, number, number, number];
    });
    this.targetSize = size;
    this.lanes = lanes;
    this.qView = new View(c, q, figures * model.nq);
    this.targetsView = new View(c, targets, figures * size);
    this.rowsView = new View(c, report, 3 * figures);
  }

  /** figures x nq joint values, in the module's memory: no copy is made by an update. */
  get q(): Float64Array {
    this.alive();
    return this.qView.array;
  }

  /** figures x targetSize values, task by task, in the module's memory. */
  get targets(): Float64Array {
    this.alive();
    return this.targetsView.array;
  }

  /** Moves figures by one update.
   * @param report whether row() is filled, which costs a test for stationary points */
  update(first = 0, count = this.figures - first, report = false): void {
    this.alive();
    this.core.check(this.core.call.crowd_update!(this.address, first, count, report ? 1 : 0));
  }

  /** The last update of a figure, if it reported. */
  row(figure: number): CrowdRow {
    this.alive();
    const { array, address } = this.rowsView;
    const [outcome, steps] = this.core.ints(address + 24 * figure, 2);
    return {
      outcome: outcomes[outcome!]!,
      steps: steps!,
      positionError: array[3 * figure + 1]!,
      orientationError: array[3 * figure + 2]!,
    };
  }

  /** Clears the history of figures: the next update follows at once. */
  reset(first = 0, count = this.figures - first): void {
    this.alive();
    this.core.call.crowd_reset!(this.address, first, count);
  }

  free(): void {
    if (this.address === 0) return;
    this.core.call.crowd_destroy!(this.address);
    this.address = 0;
  }

  [Symbol.dispose](): void {
    this.free();
  }

  private alive(): void {
    if (this.address === 0) throw new SinewError('the crowd was freed', 'invalid argument');
    this.model.alive();
  }
}
