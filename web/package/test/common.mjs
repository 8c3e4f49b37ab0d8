// What several tests share.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
export const dist = join(root, 'web/package/dist');

export function read(path) {
  return readFileSync(join(root, path), 'utf8');
}

const oracle = [process.env.SINEW_ORACLE, join(root, 'build/web-native/bin/sinew-oracle')].find(
  (path) => path !== undefined && existsSync(path),
);

/** Rows of numbers from the C library: oracle.c. */
export function ask(args, input = '') {
  if (oracle === undefined) throw new Error('build the preset web-native first');
  const text = execFileSync(oracle, args, {
    cwd: root,
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ').map(Number));
}

export function largestDifference(a, b) {
  let most = 0;
  for (let i = 0; i < a.length; i++) most = Math.max(most, Math.abs(a[i] - b[i]));
  return most;
}

export const arm = 'models/arm7.urdf';
export const armText = read(arm);
export const skeletonText = read('models/humanoid.bvh');
