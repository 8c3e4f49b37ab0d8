// The running plot: errors and jitter of one or two figures, on logarithmic axes over the time.

const SPAN = 6; // seconds
const DECADES = 6; // of an axis
const AXIS = 38; // pixels left of the lines
const FOOT = 14; // pixels below them, for the time
const PAUSE = 0.5; // seconds without a frame: the line is broken

interface Sample {
  at: number; // seconds
  position: number;
  turn: number;
  jitter: number;
}

type Quantity = 'position' | 'turn' | 'jitter';

interface Band {
  what: Quantity;
  title: string;
  factor: number; // to the unit
  unit: string;
}

/** A number of the form 10^power, short. */
export function powerText(power: number): string {
  if (power >= -2 && power <= 3) return String(Number((10 ** power).toPrecision(1)));
  const digits = [...String(Math.abs(power))].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]);
  return `10${power < 0 ? '⁻' : ''}${digits.join('')}`;
}

/** The power of ten that is an axis's upper end: none of the values lies above. */
export function topPower(values: number[], least: number): number {
  const most = values.reduce((a, b) => (b > a ? b : a), 0);
  return most > 10 ** least ? Math.ceil(Math.log10(most) - 1e-9) : least;
}

export class Plot {
  private readonly series: Sample[][] = [];
  private readonly last: { q: Float64Array; step: Float64Array }[] = [];
  /** What lengths are multiplied by, and their unit then. */
  lengthUnit: { factor: number; name: string } = { factor: 1, name: 'units' };

  constructor(private readonly canvas: HTMLCanvasElement) {}

  clear(): void {
    this.series.length = this.last.length = 0;
  }

  /** @param at seconds
   * @param position and turn: the largest error of a task, in the model's unit and in radians;
   * NaN where no task has one */
  add(figure: number, at: number, position: number, turn: number, q: Float64Array): void {
    const series = (this.series[figure] ??= []);
    const before = this.last[figure];
    const step = q.map((value, i) => value - (before?.q[i] ?? value));
    const jitter = Math.hypot(...step.map((value, i) => value - (before?.step[i] ?? value)));
    this.last[figure] = { q: q.slice(), step };
    series.push({ at, position, turn, jitter });
    while (series[0]!.at < at - SPAN) series.shift();
  }

  trim(figures: number): void {
    this.series.length = Math.min(this.series.length, figures);
    this.last.length = Math.min(this.last.length, figures);
  }

  jitter(figure: number): number {
    const values = this.series[figure]?.slice(-60) ?? [];
    return values.reduce((sum, { jitter }) => sum + jitter, 0) / Math.max(1, values.length);
  }

  draw(): void {
    const { canvas } = this;
    const ratio = Math.min(2, devicePixelRatio || 1);
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    if (width === 0) return;
    if (canvas.width !== Math.round(width * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const pen = canvas.getContext('2d')!;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = '11px system-ui, "DejaVu Sans", sans-serif';
    const some = (what: Quantity) => this.series.some((all) => all.some((one) => one[what] >= 0));
    const degrees = 180 / Math.PI;
    const { factor, name } = this.lengthUnit;
    const bands = (
      [
        { what: 'position', title: 'position error', factor, unit: name },
        { what: 'turn', title: 'orientation error', factor: degrees, unit: '°' },
        { what: 'jitter', title: 'jitter', factor: 1, unit: 'rad' },
      ] satisfies Band[]
    ).filter(({ what }) => some(what));
    const each = (height - FOOT) / Math.max(1, bands.length);
    const words = bands.map(
      (band, i) => `${band.title} up to ${this.band(pen, band, i * each, each)}`,
    );
    pen.fillStyle = this.color('--quiet');
    pen.textAlign = 'left';
    pen.fillText(`−${SPAN} s`, AXIS, height - 3);
    pen.textAlign = 'right';
    pen.fillText('now', width, height - 3);
    const label = `${words.join(', ')}; the last ${SPAN} s`;
    if (canvas.ariaLabel !== label) canvas.ariaLabel = label;
  }

  private color(name: string): string {
    return getComputedStyle(this.canvas).getPropertyValue(name).trim();
  }

  // Draws a quantity; returns the upper end of its axis.
  private band(
    pen: CanvasRenderingContext2D,
    { what, title, factor, unit }: Band,
    from: number,
    all: number,
  ): string {
    const width = this.canvas.clientWidth;
    const values = this.series.flatMap((series) => series.map((one) => factor * one[what]));
    const high = topPower(values, -3);
    const [top, height] = [from + 16, all - 20];
    const place = (power: number) => top + (height * (high - power)) / DECADES;
    pen.strokeStyle = this.color('--edge');
    pen.fillStyle = this.color('--quiet');
    pen.lineWidth = 1;
    pen.textAlign = 'right';
    const least = Math.ceil(12 / (height / DECADES)); // decades that a label needs
    for (let power = high; power >= high - DECADES; power -= Math.max(2, least)) {
      const at = Math.round(place(power)) + 0.5;
      pen.beginPath();
      pen.moveTo(AXIS, at);
      pen.lineTo(width, at);
      pen.stroke();
      pen.fillText(powerText(power), AXIS - 5, at + 4);
    }
    const now = Math.max(...this.series.map((series) => series.at(-1)?.at ?? 0));
    this.series.forEach((series, figure) => {
      pen.strokeStyle = this.color(figure === 0 ? '--accent' : '--second');
      pen.setLineDash(figure === 0 ? [] : [5, 3]);
      pen.lineWidth = 1.75;
      pen.beginPath();
      series.forEach((one, i) => {
        if (!(one[what] >= 0)) return;
        const power = Math.log10(factor * one[what] + 1e-300);
        const x = AXIS + (1 - (now - one.at) / SPAN) * (width - AXIS);
        const y = place(Math.min(high, Math.max(high - DECADES, power)));
        const before = series[i - 1];
        const goesOn = before && before[what] >= 0 && one.at - before.at < PAUSE;
        if (goesOn) pen.lineTo(x, y);
        else pen.moveTo(x, y);
      });
      pen.stroke();
    });
    pen.setLineDash([]);
    pen.textAlign = 'left';
    pen.fillText(`${title} [${unit}]`, AXIS, from + 11);
    return `${powerText(high)} ${unit}`;
  }
}
