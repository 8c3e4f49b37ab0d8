// Times of the last frames, without those of the first ones, which are longer.

const SPAN = 1000; // [ms]
const ENOUGH = 10; // frames

export class Recent {
  private values: { at: number; value: number }[] = [];
  private begun: number | null = null;

  clear(): void {
    this.values = [];
    this.begun = null;
  }

  /** Keeps those of the last second, and of the last ten frames where they took longer.
   * @param at [ms] */
  add(at: number, value: number): void {
    this.begun ??= at;
    this.values.push({ at, value });
    const old = this.values.findIndex((one) => one.at > at - SPAN);
    this.values.splice(0, Math.max(0, Math.min(old, this.values.length - ENOUGH)));
  }

  /** @returns null before there have been ten frames in at least a second */
  get median(): number | null {
    const sorted = this.values.map(({ value }) => value).sort((a, b) => a - b);
    const half = sorted.length >> 1;
    if (!this.known) return null;
    return sorted.length % 2 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
  }

  /** For times that the browser's clock gives in coarse steps. @returns null as the median is */
  get mean(): number | null {
    const sum = this.values.reduce((all, { value }) => all + value, 0);
    return this.known ? sum / this.values.length : null;
  }

  private get known(): boolean {
    const last = this.values.at(-1)?.at ?? 0;
    return this.values.length >= ENOUGH && last - this.begun! >= SPAN;
  }
}
