// The running plot: the error on a logarithmic axis, and the jitter, of one or two figures.

const LENGTH = 240; // frames

export class Plot {
  private readonly series: { error: number[]; jitter: number[] }[] = [];
  private readonly last: { q: Float64Array; step: Float64Array }[] = [];

  constructor(private readonly canvas: HTMLCanvasElement) {}

  clear(): void {
    this.series.length = this.last.length = 0;
  }

  /** @param error relative to the model's size, or in radians */
  add(figure: number, error: number, q: Float64Array): void {
    const series = (this.series[figure] ??= { error: [], jitter: [] });
    const before = this.last[figure];
    const step = q.map((value, i) => value - (before?.q[i] ?? value));
    const jitter = Math.hypot(...step.map((value, i) => value - (before?.step[i] ?? value)));
    this.last[figure] = { q: q.slice(), step };
    series.error.push(error);
    series.jitter.push(jitter);
    if (series.error.length > LENGTH) {
      series.error.shift();
      series.jitter.shift();
    }
  }

  trim(figures: number): void {
    this.series.length = Math.min(this.series.length, figures);
    this.last.length = Math.min(this.last.length, figures);
  }

  jitter(figure: number): number {
    const values = this.series[figure]?.jitter.slice(-60) ?? [];
    return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
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
    const style = getComputedStyle(canvas);
    const color = (name: string) => style.getPropertyValue(name).trim();
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const half = (height - 8) / 2;
    this.band(pen, 'error', 0, half, -8, 0, width, color);
    this.band(pen, 'jitter', half + 8, half, -6, 0, width, color);
  }

  private band(
    pen: CanvasRenderingContext2D,
    what: 'error' | 'jitter',
    top: number,
    height: number,
    low: number,
    high: number,
    width: number,
    color: (name: string) => string,
  ): void {
    pen.strokeStyle = color('--line');
    pen.lineWidth = 1;
    for (let power = low; power <= high; power += 2) {
      const at = Math.round(top + (height * (high - power)) / (high - low)) + 0.5;
      pen.beginPath();
      pen.moveTo(0, at);
      pen.lineTo(width, at);
      pen.stroke();
    }
    this.series.forEach((series, figure) => {
      const values = series[what];
      pen.strokeStyle = color(figure === 0 ? '--accent' : '--second');
      pen.lineWidth = 1.75;
      pen.beginPath();
      values.forEach((value, i) => {
        if (Number.isNaN(value)) return;
        const power = Math.min(high, Math.max(low, Math.log10(value + 1e-12)));
        const x = width - ((values.length - 1 - i) * width) / (LENGTH - 1);
        const y = top + (height * (high - power)) / (high - low);
        if (i === 0 || Number.isNaN(values[i - 1]!)) pen.moveTo(x, y);
        else pen.lineTo(x, y);
      });
      pen.stroke();
    });
    pen.fillStyle = color('--quiet');
    pen.font = '11px system-ui, sans-serif';
    pen.fillText(what === 'error' ? 'error' : 'jitter', 4, top + 12);
  }
}
