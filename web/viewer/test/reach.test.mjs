// The centre and the distance that the page draws of a target out of reach.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { init, Model, Tracker } from 'sinew-ik';

const here = dirname(fileURLToPath(import.meta.url));
const { outputFiles } = await build({
  entryPoints: [join(here, '../src/reach.ts')],
  bundle: true,
  format: 'esm',
  write: false,
});
const { findReach } = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
);
await init();
const urdf = (name) => Model.fromURDF(readFileSync(join(here, '../../../models', name), 'utf8'));

// A chain of revolute, spherical and prismatic joints whose axes and placements are random.
function randomChain(seed) {
  const dice = urdf('arm7.urdf'); // for its random numbers
  const q = dice.random(seed, 1);
  const kinds = [
    'revolute',
    'revolute',
    seed % 2 ? 'spherical' : 'prismatic',
    'revolute',
    'revolute',
    'revolute',
  ];
  const joints = kinds.map((kind, i) => ({
    name: `j${i}`,
    kind,
    parent: i,
    child: i + 1,
    position: [0.1 + 0.1 * q[i], 0.2 * q[i + 1], 0.3],
    axis: [q[i], 1, q[i + 1] - q[i]],
    ...(kind === 'prismatic' && { lower: [-0.1], upper: [0.3] }),
    ...(kind === 'revolute' && { lower: [-2.5], upper: [2.5] }),
  }));
  dice.free();
  return Model.fromDefinition({ links: Array.from({ length: 7 }, (_, i) => `l${i}`), joints });
}

const models = [
  ['arm6', () => urdf('arm6.urdf'), 'flange'],
  ['arm7', () => urdf('arm7.urdf'), 'flange'],
  ...[1, 2, 3, 4].map((seed) => [`chain ${seed}`, () => randomChain(seed), 'l6']),
];

for (const [name, make, tip] of models)
  for (const kind of ['position', 'pose'])
    test(`the reach of ${name}, ${kind}`, () => {
      using model = make();
      const task = { link: tip, kind };
      using tracker = new Tracker(model, [task]);
      const link = model.link(tip);
      let found = 0;
      for (let i = 0; i < 12; i++) {
        tracker.q.set(model.random(3, i));
        const pose = model.poses(model.random(4, i)).slice(7 * link, 7 * link + 7);
        const away = 2.5 + 0.2 * i;
        const target = {
          position: [...pose.subarray(0, 3)].map((x) => away * x),
          rotation: [...pose.subarray(3)],
        };
        tracker.setTarget(0, target);
        tracker.reset();
        let report;
        for (let k = 0; k < 120; k++) report = tracker.update();
        if (report.outcome !== 'out_of_reach') continue;
        const poses = model.poses(tracker.q).slice();
        const at = findReach(model, tracker.q, poses, link, task, target, report, () => true);
        assert.ok(at, `target ${i}: ${report.reach} ${report.targetDistance}`);
        found++;
        assert.ok(at.reach < report.targetDistance);
        // The same centre at another configuration.
        const q = model.random(5, i);
        const again = findReach(
          model,
          q,
          model.poses(q).slice(),
          link,
          task,
          target,
          report,
          () => true,
        );
        at.center.forEach((x, k) => assert.ok(Math.abs(x - again.center[k]) < 1e-9 * model.size));
        if (kind === 'position') assert.deepEqual(at.place, target.position);
      }
      assert.ok(found >= 6, `${found} of 12 are out of reach`);
    });

test('what is no proof by a workspace has no centre', () => {
  using model = urdf('arm7.urdf');
  using tracker = new Tracker(model, [{ link: 'flange' }]);
  const report = tracker.update();
  const poses = model.poses(tracker.q).slice();
  const link = model.link('flange');
  const target = { position: [5, 0, 0] };
  assert.equal(
    findReach(model, tracker.q, poses, link, {}, target, report, () => true),
    null,
  );
  const other = { ...report, outcome: 'out_of_reach', reach: 1, targetDistance: 1.234 };
  assert.equal(
    findReach(model, tracker.q, poses, link, {}, target, other, () => true),
    null,
  );
});
