// Where the figures of a crowd stand on the page.
const APART = 0.7; // in sizes of the figure

/** Where figure f of a crowd stands, in sizes of the figure. */
export function placeInCrowd(f: number, figures: number): { x: number; z: number } {
  const columns = Math.ceil(Math.sqrt(figures));
  const half = (columns - 1) / 2;
  return { x: APART * ((f % columns) - half), z: APART * (Math.floor(f / columns) - half) };
}
