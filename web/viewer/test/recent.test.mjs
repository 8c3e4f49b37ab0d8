// The time of a frame that the page shows.
import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const { outputFiles } = await build({
  entryPoints: [join(here, '../src/recent.ts')],
  bundle: true,
  format: 'esm',
  write: false,
});
const { Recent } = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
);

test('a time is the median of the last second, and none before it', () => {
  const times = new Recent();
  assert.equal(times.median, null);
  for (let i = 0; i < 61; i++) {
    times.add(100 + 16.7 * i, i < 20 ? 15_000 : 3_000 + (i % 3));
    if (i < 59) assert.equal(times.median, null);
  }
  assert.ok(times.median <= 3_002, `${times.median}`); // a third was slow
  for (let i = 61; i < 200; i++) times.add(100 + 16.7 * i, i % 2 ? 500 : 700);
  assert.ok([500, 600, 700].includes(times.median)); // nothing is left of what was before
  assert.ok(Math.abs(times.mean - 600) < 10);
  times.clear();
  assert.equal(times.median, null);
});

test('where frames are slow, ten are taken', () => {
  const times = new Recent();
  for (let i = 0; i < 30; i++) {
    times.add(500 * i, i);
    if (i < 9) assert.equal(times.median, null);
  }
  assert.equal(times.median, 24.5);
});
