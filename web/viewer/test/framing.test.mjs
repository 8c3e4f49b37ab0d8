// Where the camera and the floor are put.
import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { PerspectiveCamera, Vector3 } from 'three';

const here = dirname(fileURLToPath(import.meta.url));
const { outputFiles } = await build({
  entryPoints: [join(here, '../src/framing.ts')],
  bundle: true,
  format: 'esm',
  write: false,
});
const { fit, floorHeight } = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
);

test('a camera sees all points within the free part, and stands as near as it can', () => {
  const toward = new Vector3(0.62, 0.38, 0.95).normalize();
  for (let seed = 1; seed < 200; seed++) {
    const dice = (k) => (Math.sin(12.9898 * seed + 78.233 * k) * 43758.5453) % 1;
    const points = Array.from(
      { length: 2 + (seed % 9) },
      (_, i) => new Vector3(3 * dice(3 * i), dice(3 * i + 1), dice(3 * i + 2)),
    );
    const camera = new PerspectiveCamera(38, 0.3 + (seed % 5) / 2);
    const tangent = Math.tan((19 * Math.PI) / 180);
    const free = { left: -0.9, right: 0.8, top: 0.6, bottom: -0.7 };
    const slopes = {
      left: tangent * camera.aspect * free.left,
      right: tangent * camera.aspect * free.right,
      top: tangent * free.top,
      bottom: tangent * free.bottom,
    };
    camera.position.copy(fit(points, 0, toward, [slopes]));
    camera.lookAt(camera.position.clone().sub(toward));
    camera.updateMatrixWorld();
    const seen = points.map((point) => point.clone().project(camera)); // three.js's own projection
    const [x, y] = [seen.map((at) => at.x), seen.map((at) => at.y)];
    const slack = [
      Math.min(...x) - free.left,
      free.right - Math.max(...x),
      Math.min(...y) - free.bottom,
      free.top - Math.max(...y),
    ];
    assert.ok(Math.min(...slack) > -1e-9, `${seed}: ${slack}`);
    const touched = (a, b) => Math.max(slack[a], slack[b]) < 1e-9;
    assert.ok(touched(0, 1) || touched(2, 3), `${seed}: ${slack}`);
  }
});

test('a camera leaves room for the thickness of what is drawn', () => {
  const slopes = { left: -0.3, right: 0.3, top: 0.4, bottom: -0.4 };
  const place = fit([new Vector3()], 0.1, new Vector3(0, 0, 1), [slopes]);
  assert.ok(Math.abs(place.z * Math.sin(Math.atan(0.3)) - 0.1) < 1e-12); // the sphere's tangent
});

test('a camera takes the free part in which points are larger, and has them in the middle', () => {
  const whole = { left: -0.3, right: 0.3, top: 0.4, bottom: -0.4 };
  const parts = [
    { ...whole, bottom: -0.2 },
    { ...whole, left: -0.2 },
  ];
  const toward = new Vector3(0, 0, 1);
  const tall = [new Vector3(1, -1, 0), new Vector3(1, 1, 0)];
  assert.deepEqual(fit(tall, 0, toward, parts).toArray(), [1, 0, 2.5]);
  const wide = [new Vector3(-1, 1, 0), new Vector3(1, 1, 0)];
  const place = fit(wide, 0, toward, parts);
  assert.ok(Math.abs(place.z - 1 / 0.3) < 1e-12 && Math.abs(place.y - 1) < 1e-12);
});

test('an arm stands on its origin, and a figure or a robot below it on its lowest point', () => {
  assert.equal(floorHeight(0, 0, 0.03), 0);
  assert.equal(floorHeight(0, 0.4, 0.03), 0);
  assert.equal(floorHeight(0, -0.8, 0.03), -0.8 - 0.03);
  assert.equal(floorHeight(null, 0.4, 0.03), 0.4 - 0.03);
});
