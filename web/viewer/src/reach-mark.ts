// What is drawn of a target out of reach: from the centre of the workspace towards the target, and
// how far the chain reaches that way.
import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  Group,
  Line,
  LineBasicMaterial,
  LineLoop,
  Mesh,
  MeshBasicMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from 'three';
import type { Reach } from './reach.js';

const HALF = 0.28; // of the cap's angle [rad]
const y = new Vector3(0, 1, 0);

export class ReachMark extends Group {
  private readonly line: Line;
  private readonly cap = new Group();
  private readonly dot: Mesh;
  private key = '';

  constructor(color: number) {
    super();
    const thin = new LineBasicMaterial({
      color,
      transparent: true,
      opacity: 0.8,
      depthTest: false,
    });
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(6), 3));
    this.line = new Line(geometry, thin);
    this.line.frustumCulled = false;
    const rim = Array.from({ length: 64 }, (_, i) => {
      const at = (2 * Math.PI * i) / 64;
      return new Vector3(
        Math.sin(HALF) * Math.cos(at),
        Math.cos(HALF),
        Math.sin(HALF) * Math.sin(at),
      );
    });
    this.cap.add(
      new Mesh(
        new SphereGeometry(1, 32, 6, 0, 2 * Math.PI, 0, HALF),
        new MeshBasicMaterial({
          color,
          side: DoubleSide,
          transparent: true,
          opacity: 0.16,
          depthWrite: false,
        }),
      ),
      new LineLoop(new BufferGeometry().setFromPoints(rim), thin),
    );
    this.dot = new Mesh(
      new SphereGeometry(1, 12, 8),
      new MeshBasicMaterial({ color, depthTest: false }),
    );
    this.add(this.line, this.cap, this.dot);
    this.visible = false;
  }

  /** @returns whether anything changed */
  set(reach: Reach | null, size: number): boolean {
    const key = JSON.stringify(reach);
    if (key === this.key) return false;
    this.key = key;
    this.visible = reach !== null;
    if (reach) {
      const center = new Vector3(...(reach.center as [number, number, number]));
      const place = new Vector3(...(reach.place as [number, number, number]));
      const points = this.line.geometry.attributes['position'] as BufferAttribute;
      points.setXYZ(0, ...center.toArray()).setXYZ(1, ...place.toArray());
      points.needsUpdate = true;
      this.cap.position.copy(center);
      this.cap.scale.setScalar(Math.max(1e-6 * size, reach.reach));
      this.cap.quaternion.copy(
        new Quaternion().setFromUnitVectors(y, place.sub(center).normalize()),
      );
      this.dot.position.copy(center);
      this.dot.scale.setScalar(0.012 * size);
    }
    return true;
  }
}
