// A crowd drawn from the places of its links: one instanced mesh for all bones.
import { CylinderGeometry, Color, InstancedMesh, MeshStandardMaterial, type Object3D } from 'three';
import type { ModelInfo } from './protocol.js';

const RADIUS = 0.02; // of the model's size
const PALETTE = [0x3b6fe0, 0x8ca3c7, 0xd9dde3, 0x5b8f86];

export class CrowdFigure {
  private readonly mesh: InstancedMesh;
  private readonly pairs: [number, number][];

  constructor(
    private readonly info: ModelInfo,
    parent: Object3D,
  ) {
    this.pairs = info.joints
      .filter(({ position }) => Math.hypot(...Array.from(position)) > 1e-3 * info.size)
      .map(({ parent: from, child }) => [from, child]);
    const count = this.pairs.length * info.figures;
    const material = new MeshStandardMaterial({ roughness: 0.6 });
    this.mesh = new InstancedMesh(new CylinderGeometry(0.7, 1, 1, 4, 1, true), material, count);
    this.mesh.frustumCulled = false;
    const color = new Color();
    for (let i = 0; i < count; i++) {
      const figure = Math.floor(i / this.pairs.length);
      this.mesh.setColorAt(i, color.setHex(PALETTE[(7 * figure) % PALETTE.length]!));
    }
    parent.add(this.mesh);
  }

  /** @param points figures x links x 3 */
  set(points: Float32Array): void {
    const { pairs, info } = this;
    const out = this.mesh.instanceMatrix.array as Float32Array;
    const links = info.links.length;
    const r = RADIUS * info.size;
    let at = 0;
    for (let f = 0; f < info.figures; f++) {
      for (const [from, to] of pairs) {
        const a = 3 * (f * links + from);
        const b = 3 * (f * links + to);
        const [x, y, z] = [
          points[b]! - points[a]!,
          points[b + 1]! - points[a + 1]!,
          points[b + 2]! - points[a + 2]!,
        ];
        const length = Math.hypot(x, y, z) || 1e-9;
        // Columns: any vector across the bone, the bone, their cross product.
        const flat = Math.abs(y) < 0.9 * length;
        const [ux, uy, uz] = flat ? [z, 0, -x] : [0, -z, y];
        const s = r / (Math.hypot(ux, uy, uz) || 1);
        const [px, py, pz] = [ux * s, uy * s, uz * s];
        const k = 1 / length;
        out[at] = px;
        out[at + 1] = py;
        out[at + 2] = pz;
        out[at + 4] = x;
        out[at + 5] = y;
        out[at + 6] = z;
        out[at + 8] = (py * z - pz * y) * k;
        out[at + 9] = (pz * x - px * z) * k;
        out[at + 10] = (px * y - py * x) * k;
        out[at + 12] = 0.5 * (points[a]! + points[b]!);
        out[at + 13] = 0.5 * (points[a + 1]! + points[b + 1]!);
        out[at + 14] = 0.5 * (points[a + 2]! + points[b + 2]!);
        out[at + 15] = 1;
        at += 16;
      }
    }
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    (this.mesh.material as MeshStandardMaterial).dispose();
    this.mesh.dispose();
    this.mesh.removeFromParent();
  }
}
