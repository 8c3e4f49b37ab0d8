// Measures the package and the viewer in Chromium, beside closed-chain-ik and three.js's
// CCDIKSolver, and prints the tables of docs/browser-benchmarks.md.
//
// Usage, from the root of the project, after web/build.sh build/release/share/sinew/viewer.html:
//   node web/bench/run.mjs [FOLDER]   FOLDER: the shared data; default ../shared
import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { findTarget } from '../viewer/test/target.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');
const shared = process.argv[2] ?? join(root, '../shared');
const folder = mkdtempSync(join(tmpdir(), 'sinew-bench-'));
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--no-sandbox'],
  });
}

// ---- the package ----

const bundled = await build({
  entryPoints: [join(here, 'measure.mjs')],
  bundle: true,
  format: 'iife',
  globalName: 'bench',
  write: false,
  nodePaths: [join(root, 'web/node_modules')],
});
const texts = {
  panda: readFileSync(join(shared, 'data/arms/panda.urdf'), 'utf8'),
  g1: readFileSync(join(shared, 'data/urdf/g1_29dof.urdf'), 'utf8'),
};

async function inChromium(simd) {
  const browser = await launch();
  const page = await browser.newPage();
  await page.addScriptTag({ content: bundled.outputFiles[0].text });
  const result = await page.evaluate(
    ([files, wide]) => bench.measure(files, wide),
    [texts, simd],
  );
  const version = browser.version();
  await browser.close();
  return { ...result, version };
}

// ---- the page ----

const figure = join(folder, 'g1.html');
execFileSync(process.env.SINEW_PROGRAM ?? join(root, 'build/release/bin/sinew'), [
  'view',
  join(shared, 'data/urdf/g1_29dof.urdf'),
  '--out',
  figure,
  '--no-meshes',
  '--no-open',
]);

/** Time to the first contentful paint of a browser's first page [ms]. */
async function firstPaint() {
  const browser = await launch();
  const page = await browser.newPage({ viewport: { width: 900, height: 640 } });
  await page.goto(pathToFileURL(figure).href);
  const time = await page.evaluate(
    () =>
      new Promise((resolve) => {
        new PerformanceObserver((list) => {
          const [paint] = list.getEntriesByName('first-contentful-paint');
          if (paint) resolve(paint.startTime);
        }).observe({ type: 'paint', buffered: true });
      }),
  );
  await browser.close();
  return time;
}

/** Script of the page and its worker in each frame while a target is dragged [ms], and frames. */
async function dragged() {
  const browser = await launch();
  const page = await browser.newPage({ viewport: { width: 900, height: 640 } });
  page.setDefaultTimeout(180_000);
  await page.goto(pathToFileURL(figure).href);
  await page.waitForSelector('body[data-ready]');
  const at = await findTarget(page);
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await browser.startTracing(page, { categories: ['devtools.timeline', 'v8'] });
  for (let i = 0; i < 30; i++) {
    const angle = (2 * Math.PI * i) / 30;
    await page.mouse.move(at.x + 30 * Math.cos(angle) - 30, at.y + 30 * Math.sin(angle));
    await page.waitForTimeout(50);
  }
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  await page.mouse.up();
  const error = await page.textContent('#error-0');
  await browser.close();
  return { ...perFrame(traceEvents), error };
}

/** Sums the outermost script of all threads between one frame of the page and the next. */
function perFrame(events) {
  const script = new Set(['FunctionCall', 'EvaluateScript', 'FireAnimationFrame', 'EventDispatch']);
  const frames = events
    .filter(({ name, ph }) => name === 'FireAnimationFrame' && ph === 'X')
    .sort((a, b) => a.ts - b.ts);
  const { pid } = frames[0];
  const ends = new Map(); // of each thread's outermost script
  const sums = new Float64Array(frames.length);
  let frame = 0;
  for (const event of events
    .filter(({ name, ph, pid: of }) => ph === 'X' && of === pid && script.has(name))
    .sort((a, b) => a.ts - b.ts)) {
    if (event.ts < frames[0].ts || event.ts < (ends.get(event.tid) ?? 0)) continue;
    ends.set(event.tid, event.ts + event.dur);
    while (frame + 1 < frames.length && frames[frame + 1].ts <= event.ts) frame++;
    sums[frame] += event.dur / 1e3;
  }
  return { ms: median(sums), frames: frames.length };
}

// ---- tables ----

const us = (value) => `${value.toFixed(1)} µs`;
const ms = (value) => `${value.toFixed(2)} ms`;
const percent = (value) => `${(100 * value).toFixed(1)} %`;
const print = (...lines) => process.stdout.write(`${lines.join('\n')}\n`);
const row = (...cells) => `| ${cells.join(' | ')} |`;

const simd = await inChromium(true);
const baseline = await inChromium(false);
for (const { name, placed } of simd.compare)
  if (!(placed < 1e-6)) throw new Error(`${name} does not have the same chain: ${placed} m off`);
print(
  `${new Date().toISOString().slice(0, 10)}, Chromium ${simd.version}, ${cpus()[0].model}, ` +
    `${cpus().length} cores.`,
  '',
  '| solver | solved within 1 mm | a solve | a frame of following | median distance behind |',
  '|---|---|---|---|---|',
  ...simd.compare.map(({ name, share, solve, follow, error }) =>
    row(name, percent(share), us(solve), us(follow), `${(error * 1e3).toFixed(3)} mm`),
  ),
  '',
  '| what | to reach | SIMD | baseline |',
  '|---|---|---|---|',
  row('Panda, global solve with a bank', '15 µs', us(simd.global.us), us(baseline.global.us)),
  row('G1, update with four poses', '35 µs', us(simd.humanoid), us(baseline.humanoid)),
  row('double-Y, update', '6 µs', us(simd.scene), us(baseline.scene)),
  row('crowd of 1,000 double-Ys, a frame', '3 ms', ms(simd.crowd), ms(baseline.crowd)),
);
if (simd.global.solved < 1) print('', `solved: ${percent(simd.global.solved)}`);

const paints = [];
for (let i = 0; i < 5; i++) paints.push(await firstPaint());
print(row('page: first contentful paint, G1', '1 s', `${(median(paints) / 1e3).toFixed(2)} s`, ''));
const drag = await dragged();
print(row(`page: script a frame, G1 dragged`, '4 ms', ms(drag.ms), ''));
print('', `The drag had ${drag.frames} frames.`);
rmSync(folder, { recursive: true });
