// Where the camera and the floor are put for a figure.
import { Matrix4, Vector3 } from 'three';

/** The part of a picture that is free, as slopes from the camera's axis: right and up positive. */
export interface Slopes {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** The place nearest to points from which a camera that looks against `toward` sees spheres around
 * all of them within the slopes. Each side of the picture is a plane through the camera: the
 * place's offset across and its depth are bounded by two lines, whose crossing is sought. Of
 * several free parts, that which lets the camera come nearest; where there is room, the middle of
 * the points is in the middle of the picture. */
export function fit(points: Vector3[], radius: number, toward: Vector3, parts: Slopes[]): Vector3 {
  const turn = new Matrix4().lookAt(toward, new Vector3(), new Vector3(0, 1, 0));
  const back = turn.clone().transpose();
  const seen = points.map((point) => point.clone().applyMatrix4(back)); // -z is ahead
  const side = (low: number, high: number, across: (point: Vector3) => number) => {
    const bound = (slope: number, sign: number) =>
      Math.max(
        ...seen.map(
          (point) => sign * (across(point) + slope * point.z) + radius * Math.hypot(1, slope),
        ),
      );
    const [above, below] = [bound(high, 1), bound(low, -1)];
    const depth = (above + below) / (high - low);
    const wide = Math.max(high, -low);
    const middle = (bound(wide, 1) - bound(-wide, -1)) / 2; // of the picture
    const offset = (z: number) => Math.max(above - high * z, Math.min(-below - low * z, middle));
    return { depth, offset };
  };
  const places = parts.map(({ left, right, top, bottom }) => {
    const x = side(left, right, (point) => point.x);
    const y = side(bottom, top, (point) => point.y);
    const z = Math.max(x.depth, y.depth);
    return new Vector3(x.offset(z), y.offset(z), z);
  });
  return places.reduce((a, b) => (b.z < a.z ? b : a)).applyMatrix4(turn);
}

const BELOW = 0.02; // of a figure's size: a base may reach somewhat below its origin

/** The height of the floor: a robot that stands above its origin has its floor there, and
 * everything else where what is drawn ends.
 * @param origin of a robot; null for a skeleton
 * @param lowest of the points of the figure
 * @param thickness of what is drawn around them */
export function floorHeight(origin: number | null, lowest: number, thickness: number): number {
  return origin !== null && lowest > origin - BELOW ? origin : lowest - thickness;
}
