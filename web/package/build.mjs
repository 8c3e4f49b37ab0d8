// Builds dist/: the ES module with its types, and the WebAssembly modules both inlined (gzip in
// base64) and as files. Takes the modules from build/web-simd/bin and build/web-baseline/bin, or
// from the folders that --simd and --baseline name, and makes them smaller by binaryen and zopfli.
import zopfli from '@gfx/zopfli';
import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = dirname(fileURLToPath(import.meta.url));
const builds = join(here, '../../build');
const { values: folders } = parseArgs({
  options: {
    simd: { type: 'string', default: join(builds, 'web-simd/bin') },
    baseline: { type: 'string', default: join(builds, 'web-baseline/bin') },
  },
});
const dist = join(here, 'dist');
rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);

const require = createRequire(import.meta.url);
const wasmOpt = join(dirname(require.resolve('binaryen')), 'bin/wasm-opt');
const smaller = [
  '-Oz',
  '--low-memory-unused',
  '--traps-never-happen',
  '--strip-debug',
  '--strip-producers',
  '--strip-target-features',
];

for (const [file, name, folder] of [
  ['sinew-simd.wasm', 'wasm-simd', folders.simd],
  ['sinew.wasm', 'wasm-baseline', folders.baseline],
]) {
  const linked = join(folder, 'sinew-module.wasm');
  execFileSync(process.execPath, [wasmOpt, ...smaller, linked, '-o', join(dist, file)]);
  const bytes = readFileSync(join(dist, file));
  const packed = Buffer.from(await zopfli.gzipAsync(bytes, { numiterations: 15 }));
  writeFileSync(join(dist, `${name}.js`), `export default "${packed.toString('base64')}";\n`);
  cpSync(join(here, 'src', `${name}.d.ts`), join(dist, `${name}.d.ts`));
  console.log(`${file}: ${bytes.length} bytes, ${packed.length} with gzip`);
}

const common = {
  outdir: dist,
  bundle: true,
  splitting: false,
  format: 'esm',
  platform: 'neutral',
  mainFields: ['module', 'main'],
  target: 'es2022',
  legalComments: 'inline',
};
await build({
  ...common,
  entryPoints: [join(here, 'src/index.ts')],
  external: ['./wasm-simd.js', './wasm-baseline.js'],
});
// The same module of the package, so that init() is called once.
await build({
  ...common,
  entryPoints: [join(here, 'src/three.ts')],
  external: ['./index.js', 'three'],
});
execFileSync(process.execPath, [
  join(dirname(require.resolve('typescript/package.json')), 'bin/tsc'),
  '-p',
  here,
]);
copyFileSync(join(here, '../../LICENSE'), join(here, 'LICENSE'));
