// Rotations as they stand in poses: x, y, z, then the quaternion w, x, y, z.
import type { Vector } from './model.js';

// v + 2 w (u x v) + 2 u x (u x v) for the rotation (w, u) of a pose.
export function rotate(pose: Vector, v: Vector): number[] {
  const [w, x, y, z] = [pose[3]!, pose[4]!, pose[5]!, pose[6]!];
  const [a, b, c] = [v[0]!, v[1]!, v[2]!];
  const tx = 2 * (y * c - z * b);
  const ty = 2 * (z * a - x * c);
  const tz = 2 * (x * b - y * a);
  return [a + w * tx + y * tz - z * ty, b + w * ty + z * tx - x * tz, c + w * tz + x * ty - y * tx];
}

export function add(pose: Vector, v: number[]): number[] {
  return v.map((value, i) => value + pose[i]!);
}

// The quaternion product p q, w first.
export function multiply(p: Vector, q: Vector): number[] {
  const [a, b, c, d] = [p[0]!, p[1]!, p[2]!, p[3]!];
  const size = Math.hypot(q[0]!, q[1]!, q[2]!, q[3]!);
  const [w, x, y, z] = [q[0]! / size, q[1]! / size, q[2]! / size, q[3]! / size];
  return [
    a * w - b * x - c * y - d * z,
    a * x + b * w + c * z - d * y,
    a * y - b * z + c * w + d * x,
    a * z + b * y - c * x + d * w,
  ];
}

// Of a pose's rotation.
export function inverse(pose: Vector): number[] {
  return [pose[3]!, -pose[4]!, -pose[5]!, -pose[6]!];
}
