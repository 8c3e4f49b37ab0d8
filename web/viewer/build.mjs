// Builds dist/viewer.html: one page that needs nothing beside it. The script runs by the hash of
// its text in the content security policy, the WebAssembly module is gzip in base64, and the worker
// is text from which a blob is made. `sinew view` writes a model in place of {{model}}'s empty text.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const here = dirname(fileURLToPath(import.meta.url));
const read = (path) => readFileSync(join(here, path), 'utf8');

// The worker takes the bytes from the page: the package's inlined ones are left out.
const withoutBytes = {
  name: 'without-bytes',
  enforce: 'pre',
  load: (id) => (/wasm-(simd|baseline)\.js$/.test(id) ? 'export default "";' : undefined),
};

async function bundle(entry) {
  const result = await build({
    root: here,
    configFile: false,
    logLevel: 'warn',
    plugins: [withoutBytes],
    build: {
      write: false,
      target: 'es2022',
      modulePreload: false,
      lib: { entry: join(here, entry), formats: ['iife'], name: 'viewer', fileName: 'viewer' },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
  const [{ output }] = result;
  // No text may end the script element that holds it.
  return output[0].code.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
}

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const script = await bundle('src/main.ts');
const worker = await bundle('src/worker.ts');
const style = read('style.css');
const { default: wasm } = await import('../package/dist/wasm-simd.js'); // the package's bytes
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)} 'wasm-unsafe-eval'`,
  'worker-src blob:',
  `style-src ${hash(style)}`,
  'img-src blob: data:',
  'connect-src blob: data:', // pictures and buffers of a glTF
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');
const parts = { policy, style, script, worker, wasm, model: '' };
const page = read('page.html').replace(/\{\{(\w+)\}\}/g, (_all, name) => parts[name]);
mkdirSync(join(here, 'dist'), { recursive: true });
writeFileSync(join(here, 'dist/viewer.html'), page);
console.log(
  `viewer.html: ${page.length} bytes; script ${script.length}, worker ${worker.length}, ` +
    `wasm ${parts.wasm.length}`,
);
