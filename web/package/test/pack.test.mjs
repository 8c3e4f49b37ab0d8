// The packed package, imported by Node, Deno, Vite and webpack.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { arm, root } from './common.mjs';

const folder = mkdtempSync(join(tmpdir(), 'sinew-pack-'));
const installed = join(folder, 'node_modules/sinew-ik');

const program = `
import { init, Model, Solver, version } from 'sinew-ik';
export async function run(text) {
  await init();
  const model = Model.fromURDF(text);
  const solver = new Solver(model, [{ link: 'flange' }]);
  const target = { position: [0.4, 0.1, 0.5], rotation: [0, 1, 0, 0] };
  return { simd: version().simd, outcome: solver.solve([target], model.middle()).outcome };
}
`;

// Runs a module's run() in a process of its own, away from this repository's packages.
function runIn(file) {
  const script = `
    import { readFileSync } from 'node:fs';
    const { run } = await import(${JSON.stringify(file)});
    console.log(JSON.stringify(await run(readFileSync(${JSON.stringify(join(root, arm))}, 'utf8'))));`;
  const text = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: folder,
    encoding: 'utf8',
  });
  return JSON.parse(text);
}

const expected = { simd: true, outcome: 'converged' };

before(() => {
  const npm = process.env.npm_execpath;
  const [command, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  execFileSync(command, [...first, 'pack', '--pack-destination', folder], {
    cwd: join(root, 'web/package'),
    stdio: 'ignore',
  });
  const tgz = join(folder, 'sinew-ik-0.1.0.tgz');
  assert.equal(gunzipSync(readFileSync(tgz)).length % 512, 0);
  mkdirSync(join(folder, 'node_modules'));
  execFileSync('tar', ['-xzf', tgz, '-C', folder]);
  cpSync(join(folder, 'package'), installed, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'program.js'), program);
});

after(() => rmSync(folder, { recursive: true, force: true }));

test('the modules, with gzip, stay as small as they are', async () => {
  for (const [name, most] of [
    ['wasm-simd', 267],
    ['wasm-baseline', 272],
  ]) {
    const { default: packed } = await import(join(installed, `dist/${name}.js`));
    const size = Buffer.from(packed, 'base64').length;
    assert.ok(size < 1e3 * most, `${name} has ${size} bytes, at most ${most} KB are allowed`);
  }
});

test('types stand first, there is no dependency, and all exported files exist', () => {
  const about = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  assert.equal(about.dependencies, undefined);
  for (const entry of Object.values(about.exports)) {
    const files = typeof entry === 'string' ? [entry] : Object.values(entry);
    if (typeof entry !== 'string') assert.equal(Object.keys(entry)[0], 'types');
    files.forEach((file) => assert.ok(readFileSync(join(installed, file)).length > 0, file));
  }
  for (const file of ['README.md', 'LICENSE', 'THIRD-PARTY'])
    assert.ok(readFileSync(join(installed, file)).length > 0);
});

test('the types can be used by a program', () => {
  writeFileSync(
    join(folder, 'use.ts'),
    `import { init, Model, Tracker, type Report } from 'sinew-ik';
     await init();
     using model: Model = Model.fromBVH('');
     using tracker = new Tracker(model, [{ link: 'hand', kind: 'position' }], { method: 'sdls' });
     const report: Report = tracker.update([{ position: [1, 2, 3] }], model.middle());
     const length: number = report.positionError + tracker.q.length;
     // @ts-expect-error: there is no such kind
     new Tracker(model, [{ link: 'hand', kind: 'wish' }]);
     export { length };`,
  );
  const tsc = join(root, 'web/node_modules/typescript/bin/tsc');
  const flags = '--noEmit --strict --target es2022 --module esnext --moduleResolution bundler';
  execFileSync(
    process.execPath,
    [tsc, ...flags.split(' '), '--lib', 'es2022,dom,esnext.disposable', 'use.ts'],
    { cwd: folder, stdio: 'pipe' },
  );
});

test('Node imports it', () => {
  assert.deepEqual(runIn(join(folder, 'program.js')), expected);
});

const deno = join(root, 'web/node_modules/@deno/linux-x64-glibc/deno');
const noDeno = !existsSync(deno) && 'no Deno for this platform';

test('Deno imports it, without a permission but to read', { skip: noDeno }, () => {
  const script = join(folder, 'deno.js');
  writeFileSync(
    script,
    `import { readFileSync } from 'node:fs';
     import { run } from './program.js';
     if (!globalThis.Deno) throw new Error('not Deno');
     console.log(JSON.stringify(await run(readFileSync(${JSON.stringify(join(root, arm))}, 'utf8'))));`,
  );
  const flags = ['run', '--no-prompt', '--allow-read', '--node-modules-dir=manual'];
  const text = execFileSync(deno, [...flags, script], {
    cwd: folder,
    encoding: 'utf8',
    stdio: 'pipe',
  });
  assert.deepEqual(JSON.parse(text), expected);
});

test('Vite bundles it', async () => {
  const { build } = await import('vite');
  await build({
    root: folder,
    configFile: false,
    logLevel: 'silent',
    build: {
      lib: { entry: join(folder, 'program.js'), formats: ['es'], fileName: 'program' },
      outDir: join(folder, 'vite'),
      minify: false,
    },
  });
  assert.deepEqual(runIn(join(folder, 'vite/program.js')), expected);
});

test('webpack bundles it', async () => {
  const { default: webpack } = await import('webpack');
  const stats = await new Promise((resolve, reject) =>
    webpack(
      {
        mode: 'production',
        context: folder,
        entry: './program.js',
        target: 'node22',
        experiments: { outputModule: true },
        output: {
          path: join(folder, 'webpack'),
          filename: 'program.mjs',
          module: true,
          library: { type: 'module' },
        },
      },
      (error, result) => (error ? reject(error) : resolve(result)),
    ),
  );
  assert.equal(stats.hasErrors(), false, stats.toString());
  assert.deepEqual(runIn(join(folder, 'webpack/program.mjs')), expected);
});
