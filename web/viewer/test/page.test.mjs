// The real page in Debian's Chromium.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, afterEach, beforeEach, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { crc32 } from 'node:zlib';
import { chromium } from 'playwright-core';
import { compare } from './reference.mjs';
import { boxStl, characterFiles, characterGlb, meshArm, png } from './models.mjs';
import { findGhost, findJoints, findRed, findTarget } from './target.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../../..');
const file = join(here, '../dist/viewer.html');
const url = pathToFileURL(file).href;
const folder = mkdtempSync(join(tmpdir(), 'sinew-page-'));
const models = (name) => join(root, 'models', name);
const SLOW = 180_000; // software draws
let browser;
let page;
let problems;

// A browser for each test: the software renderer of one that has shown many pages may hang.
beforeEach(async () => {
  problems = [];
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  assert.ok(existsSync(executablePath), `there is no ${executablePath}`);
  const args = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--no-sandbox'];
  browser = await chromium.launch({ executablePath, args });
});

afterEach(async () => {
  await browser?.close();
  page = undefined;
  assert.deepEqual(problems, []);
});

after(() => rmSync(folder, { recursive: true, force: true }));

async function open(address = url, options = {}) {
  page = await browser.newPage({ viewport: { width: 900, height: 640 }, ...options });
  page.setDefaultTimeout(SLOW);
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    // Not ours: what the driver says of a slow software renderer.
    if (
      ['error', 'warning'].includes(message.type()) &&
      !/GPU stall|GL Driver/.test(message.text())
    )
      problems.push(message.text());
  });
  await page.goto(address);
  await page.waitForSelector('body[data-ready]');
}

const text = (selector) => page.textContent(selector);
const waitForText = (selector, pattern) =>
  page.waitForFunction(
    ([where, source]) => new RegExp(source).test(document.querySelector(where)?.textContent ?? ''),
    [selector, pattern.source],
  );
const load = async (name) => {
  await page.setInputFiles('#file', models(name));
  await page.waitForFunction(
    (wanted) => document.title.startsWith(wanted),
    name.replace(/\.\w+$/, ''),
  );
};

test('the page is one file below 1.5 MB without a request, and has a policy', () => {
  const html = readFileSync(file, 'utf8');
  assert.ok(html.length < 1.5e6, `${html.length} bytes`);
  assert.match(html, /script-src 'sha256-[^']+' 'wasm-unsafe-eval'; worker-src blob:/);
  assert.doesNotMatch(html, /unsafe-eval'(?<!wasm-unsafe-eval')/);
  assert.doesNotMatch(html, /<(script|link|img)[^>]+(src|href)=/);
});

test('a scene plays, and its status says what happens', async () => {
  await open();
  assert.equal(await text('#model-name'), 'double-y-25');
  await waitForText('#status', /Following|met/);
  assert.doesNotMatch(await text('#error-0'), /°/); // its targets are positions
  assert.doesNotMatch(await page.getAttribute('#plot', 'aria-label'), /orientation/);
  const before = await text('#error-0');
  await page.waitForFunction(
    (old) => document.querySelector('#error-0').textContent !== old,
    before,
  );
  await page.click('#play');
  assert.equal(await text('#play'), 'Play');
});

test('a dropped file is read; a broken one is refused with its line, and the figure stays', async () => {
  await open();
  await load('arm7.urdf');
  await waitForText('#status', /All targets are met/);
  const broken = '<robot name="r">\n<link name="a"/>\n<joint name="j" type="wrong"/></robot>';
  const transfer = await page.evaluateHandle((content) => {
    const data = new DataTransfer();
    data.items.add(new File([content], 'broken.urdf'));
    return data;
  }, broken);
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
  await waitForText('#note', /^broken\.urdf:3: j: /);
  assert.equal(await text('#model-name'), 'arm7');
  await waitForText('#status', /All targets are met/);
});

// Files and folders as they come from a file manager.
async function drop(...files) {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'])
    await session.send('Input.dispatchDragEvent', { type, x: 200, y: 300, data });
}

test('meshes of a dropped folder are drawn, and missing ones are named', async () => {
  const place = join(folder, 'robots/arm_description');
  mkdirSync(join(place, 'meshes'), { recursive: true });
  mkdirSync(join(place, 'urdf'));
  writeFileSync(join(place, 'urdf/arm.urdf'), meshArm);
  writeFileSync(join(place, 'meshes/base.stl'), boxStl([0.2, 0.2, 0.1]));
  await open();
  await drop(join(place, 'urdf/arm.urdf'));
  await waitForText('#note', /Mesh files not found: 2, such as package:\/\/arm_description/);
  assert.equal(await page.locator('#note.bad').count(), 0); // what a folder can still bring
  await drop(join(folder, 'robots'));
  await waitForText('#note', /Mesh files not found: 1, such as .*bar\.stl/);
  writeFileSync(join(place, 'meshes/bar.stl'), 'solid nonsense');
  await drop(join(place, 'meshes'));
  await waitForText('#note', /Not read: meshes\/bar\.stl/);
  assert.equal(await page.locator('#note.bad').count(), 1);
  writeFileSync(join(place, 'meshes/bar.stl'), boxStl([0.4, 0.05, 0.05]));
  await drop(join(folder, 'robots'));
  await page.waitForSelector('#note[hidden]', { state: 'attached' });
  await waitForText('#status', /All targets are met/);
  assert.ok((await findRed(page)).count > 500, 'red meshes');
  await page.uncheck('#looks');
  await page.waitForTimeout(300);
  assert.ok((await findRed(page)).count < 20, 'no meshes');
});

test('characters of glTF and VRM are posed', async () => {
  const vrm = { VRMC_vrm: { specVersion: '1.0', meta: {}, humanoid: { humanBones: {} } } };
  await open();
  for (const [name, bytes] of [
    ['figure.glb', characterGlb()],
    ['figure.vrm', characterGlb(vrm)],
  ]) {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    await drop(path);
    await waitForText('#model-name', new RegExp(name));
    await waitForText('#status', /All targets are met/);
    assert.deepEqual(await page.locator('.target .link').allTextContents(), [
      'Head',
      'LeftHand',
      'RightHand',
      'LeftFoot',
      'RightFoot',
    ]);
    const before = await findRed(page);
    assert.ok(before.count > 500, 'the skin is drawn');
    await page.click('.target:nth-child(2) .name');
    await page.focus('#canvas');
    for (let i = 0; i < 6; i++) await page.keyboard.press('ArrowUp');
    await waitForText('.target.selected .error', /units/);
    let moved = 0;
    for (let tries = 0; moved < 0.3 && tries < 40; tries++) {
      const after = await findRed(page);
      moved = Math.hypot(after.x - before.x, after.y - before.y);
    }
    assert.ok(moved >= 0.3, 'the skin moves');
  }
  writeFileSync(join(folder, 'broken.glb'), 'glTF');
  await drop(join(folder, 'broken.glb'));
  await waitForText('#note', /^broken\.glb: /);
  assert.equal(await text('#model-name'), 'figure.vrm');
});

test('a glTF is drawn with its buffer and its picture, of a folder or dropped together', async () => {
  const place = join(folder, 'character');
  const files = characterFiles();
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(place, name)), { recursive: true });
    writeFileSync(join(place, name), bytes);
  }
  await open();
  await drop(join(place, 'figure.gltf'));
  await waitForText('#note', /^figure\.gltf: .*the body\.bin/);
  assert.equal(await text('#model-name'), 'double-y-25');
  problems = problems.filter((one) => !/Couldn't load texture pictures/.test(one)); // it is not there
  for (const together of [[place], Object.keys(files).map((name) => join(place, name))]) {
    await drop(...together);
    await waitForText('#model-name', /figure\.gltf/);
    await waitForText('#status', /All targets are met/);
    assert.ok((await findRed(page)).count > 500, 'the skin has its picture');
    await page.selectOption('#scene', 'y');
    await waitForText('#model-name', /^y$/);
  }
});

test('targets of every kind have their fields, are met, and are dragged', async () => {
  await open();
  await load('arm7.urdf');
  await waitForText('#status', /All targets are met/);
  const fields = {
    position: [],
    pose: [],
    orientation: [],
    direction: ['axis'],
    cone: ['axis', 'angle'],
    yaw: ['axis'],
    look_at: ['axis'],
    distance: ['distance'],
    line: ['along'],
    plane: ['normal'],
    height: [],
  };
  await page.click('#joint-section summary');
  const kind = page.getByLabel('Kind of target 1');
  const offered = await kind.locator('option').evaluateAll((all) => all.map(({ value }) => value));
  assert.deepEqual(offered.filter((one) => one !== 'com').sort(), Object.keys(fields).sort());
  for (const [name, labels] of Object.entries(fields)) {
    await kind.selectOption(name);
    await page.waitForFunction(
      (count) => document.querySelectorAll('.target .fields label').length === count,
      labels.length,
    );
    await waitForText('#error-0', /^met$/);
    for (const label of labels)
      assert.ok(await page.getByLabel(new RegExp(`^${label}.* of target 1`)).isVisible(), name);
    const before = await jointValues();
    await page.focus('#canvas');
    for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowLeft');
    for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowDown');
    if (name === 'orientation') continue; // its handle turns
    if (name === 'cone') {
      // The axis stays in a wide cone, and the arm at rest, until the cone is narrow.
      assert.deepEqual(await jointValues(), before);
      await page.getByLabel('angle [°] of target 1').fill('2');
      await page.keyboard.press('Tab');
    }
    await page.waitForFunction(movedFrom, before, { timeout: 20_000 }).catch(() => {
      throw new Error(`${name} does not move the arm`);
    });
  }
  await kind.selectOption('distance');
  const { target } = (await exported())[0].tasks[0];
  const field = page.getByLabel('distance of target 1');
  await field.fill(String(0.5 * target.distance));
  await field.press('Enter');
  await waitForText('#error-0', /^met$/);
  const [{ tasks }] = await exported();
  assert.ok(Math.abs(tasks[0].target.distance - 0.5 * target.distance) < 1e-9);
  await field.fill('-1');
  await field.press('Enter');
  assert.ok(Math.abs(Number(await field.inputValue()) - 0.5 * target.distance) < 1e-3);
});

// The joint values that the open list of joints shows.
const jointValues = () =>
  page.$$eval('#joint-list input[type=range]', (all) => all.map(({ value }) => Number(value)));
const movedFrom = (before) =>
  [...document.querySelectorAll('#joint-list input[type=range]')].some(
    ({ value }, i) => Math.abs(Number(value) - before[i]) > 1e-4,
  );

// The pose as it is exported.
async function exported() {
  const [, bytes] = await download(() => page.selectOption('#export', 'json'));
  return [JSON.parse(bytes)];
}

test('a target is dragged: near it is met, far it is out of reach; undo brings it back', async () => {
  await open();
  await load('arm7.urdf');
  await waitForText('#status', /All targets are met/);
  const at = await findTarget(page);
  assert.ok(at.count > 20, 'the target is drawn');
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x - 15, at.y + 10, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction(() => !document.querySelector('#undo').disabled);
  await waitForText('#status', /All targets are met/);
  await page.mouse.move(at.x - 15, at.y + 10);
  await page.mouse.down();
  await page.mouse.move(at.x + 230, 70, { steps: 6 });
  await page.mouse.up();
  await waitForText('#status', /Out of reach: flange|As near as|Blocked by/);
  assert.match(await text('#error-0'), /m, .*°/);
  await page.click('#undo');
  await waitForText('#status', /All targets are met/);
  await page.click('#redo');
  await waitForText('#status', /Out of reach: flange|As near as|Blocked by/);
});

test('a touch drags a target at 390 pixels, where the page looks as it should', async () => {
  await open(url, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await load('arm7.urdf');
  await waitForText('#status', /All targets are met/);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `${wide} pixels wide`);
  await compare(page, 'phone');
  const at = await findTarget(page);
  const session = await page.context().newCDPSession(page);
  const touch = (type, x, y) =>
    session.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: type === 'touchEnd' ? [] : [{ x, y }],
    });
  await touch('touchStart', at.x, at.y);
  for (let i = 1; i <= 5; i++) await touch('touchMove', at.x + 4 * i, at.y + 3 * i);
  await touch('touchEnd');
  await page.waitForFunction(() => !document.querySelector('#undo').disabled);
});

// The rows of the canvas that have a figure's joints, beside its height.
async function joints() {
  const box = await page.locator('#canvas').boundingBox();
  const { top, bottom } = await findJoints(page);
  return { from: top - box.y, to: bottom - box.y, height: box.height };
}

test('a figure fills the free part of the picture, until the user turns the camera', async () => {
  for (const viewport of [
    { width: 390, height: 844 },
    { width: 1280, height: 800 },
  ]) {
    await open(url, { viewport });
    await load('humanoid.bvh');
    await waitForText('#status', /All targets are met/);
    const { from, to, height } = await joints();
    assert.ok(from > 44 && to < height - 10, `${from} to ${to} of ${height}`);
    assert.ok(to - from > 0.7 * (height - 54), `${to - from} of ${height} pixels`); // the skull has no joint
    await page.setViewportSize({ width: 600, height: 600 });
    await page.waitForTimeout(500);
    const small = await joints();
    assert.ok(small.from > 44 && small.to < small.height - 10, `${small.from} to ${small.to}`);
    await page.mouse.move(500, 250);
    await page.mouse.wheel(0, 400);
    await page.waitForTimeout(800);
    const zoomed = await joints();
    assert.ok(zoomed.to - zoomed.from < 0.9 * (small.to - small.from));
    await page.setViewportSize({ width: 620, height: 600 });
    await page.waitForTimeout(500);
    const later = await joints();
    assert.ok(later.to - later.from < 0.9 * (small.to - small.from), 'the camera stays');
    await page.close();
  }
});

// Controls whose text is wider than they are, and options that are wider than their select.
const cutOff = () => {
  const pen = document.createElement('canvas').getContext('2d');
  const cut = [];
  for (const control of document.querySelectorAll('button, select, label, summary, output, p, h2')) {
    if (!control.checkVisibility()) continue;
    const { left, right } = control.getBoundingClientRect();
    const style = getComputedStyle(control);
    if (left < 0 || right > innerWidth) cut.push([control.id, 'outside']);
    if (control.scrollWidth > control.clientWidth && style.display !== 'inline')
      cut.push([control.id, control.textContent]);
    if (control.tagName !== 'SELECT') continue;
    pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const padding = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
    const room = control.clientWidth - padding - 20; // beside the arrow
    for (const { text } of control.options) {
      const { width } = pen.measureText(text);
      if (width > room) cut.push([control.id || control.ariaLabel, text, width - room]);
    }
  }
  return cut;
};

test('no control has its text cut off, and the weight has its name and its value', async () => {
  for (const viewport of [
    { width: 390, height: 844 },
    { width: 1280, height: 800 },
  ])
    for (const model of ['humanoid.bvh', 'arm7.urdf']) {
      await open(url, { viewport });
      await load(model);
      await waitForText('#status', /All targets are met/);
      await page.click('#joint-section summary');
      await page.click('.target .name');
      assert.deepEqual(await page.evaluate(cutOff), [], `${model}, ${viewport.width}`);
      const weight = page.locator('.target').first().locator('.weight');
      assert.equal((await weight.textContent()).replace(/\s+/g, ' '), 'Weight × 1');
      await page.getByLabel('Weight of target 1').press('ArrowRight');
      await page.waitForFunction(() => /× 1\.26/.test(document.querySelector('.weight').textContent));
      await page.close();
    }
  page = undefined;
});

// How a text looks: its contrast with what is behind it, its colour and its mark. With an outcome,
// as the status of that one; set and read together, since the page may change it at any time.
const look = ([where, outcome]) => {
  const element = document.querySelector(where);
  if (outcome !== undefined) element.dataset.outcome = outcome;
  const { color, backgroundColor } = getComputedStyle(element);
  const light = (text) => {
    const [r, g, b] = text.match(/[\d.]+/g).map((value) => {
      const share = Number(value) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [a, b] = [light(color), light(backgroundColor)].sort((x, y) => y - x);
  const { content } = getComputedStyle(element, '::before');
  return { contrast: (a + 0.05) / (b + 0.05), color, mark: content.replace(/ \/.*/, '') };
};

test('each state has a colour that can be read, and a mark', async () => {
  for (const colorScheme of ['light', 'dark']) {
    await open(url, { colorScheme });
    await waitForText('#status', /^Following/);
    await page.click('#play');
    await load('arm7.urdf');
    await waitForText('#status', /All targets are met/);
    assert.equal((await page.evaluate(look, ['#status'])).mark, '"✓"');
    const outcomes = ['step_limit', 'converged', 'out_of_reach', 'blocked_by_limits', 'stalled', 'none'];
    const states = [];
    for (const outcome of outcomes) states.push(await page.evaluate(look, ['#status', outcome]));
    for (const { contrast, mark } of states) assert.ok(contrast >= 4.5, `${mark} ${contrast}`);
    assert.equal(new Set(states.map(({ mark }) => mark)).size, states.length);
    assert.ok(new Set(states.map(({ color }) => color)).size >= 5);
    writeFileSync(join(folder, 'bad.urdf'), '<robot');
    await page.setInputFiles('#file', join(folder, 'bad.urdf'));
    await waitForText('#note', /^bad\.urdf/);
    const error = await page.evaluate(look, ['#note']);
    assert.ok(error.contrast >= 4.5);
    assert.equal(error.mark, '"!"');
    await page.close();
  }
  page = undefined;
});

test('the plot has axes with units, the time, and a key of its lines', async () => {
  page = await browser.newPage();
  await page.addInitScript(() => {
    const { fillText } = CanvasRenderingContext2D.prototype;
    window.drawn = new Map();
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
      const { width } = this.measureText(text);
      const left = this.textAlign === 'right' ? x - width : x;
      const { clientWidth, clientHeight } = this.canvas;
      window.drawn.set(text, [left, left + width, y, clientWidth, clientHeight]);
      fillText.call(this, text, x, y);
    };
  });
  page.setDefaultTimeout(SLOW);
  await page.goto(url);
  await page.waitForSelector('body[data-ready]');
  await load('arm7.urdf');
  await waitForText('#status', /All targets are met/);
  await page.selectOption('#second', 'sdls');
  await page.focus('#canvas');
  await page.evaluate(() => window.drawn.clear());
  for (let i = 0; i < 60; i++) await page.keyboard.press('ArrowRight');
  await waitForText('#status', /Out of reach/);
  await waitForText('#error-0', /^[\d.]+ m, /);
  const label = await page.getAttribute('#plot', 'aria-label');
  const ends =
    /^position error up to (.+) mm, orientation error up to .+ °, jitter up to .+ rad; the last 6 s$/;
  const [, top] = ends.exec(label);
  const error = 1e3 * Number(/^([\d.]+) m/.exec(await text('#error-0'))[1]);
  const most = top.startsWith('10⁴') ? 1e4 : Number(top);
  assert.ok(most >= error && most <= 10 * error, `${top} of ${error} mm`);
  const drawn = new Map(await page.evaluate(() => [...window.drawn]));
  for (const wanted of [
    top,
    'position error [mm]',
    'orientation error [°]',
    'jitter [rad]',
    '−6 s',
    'now',
  ])
    assert.ok(drawn.has(wanted), `${wanted} of ${[...drawn.keys()]}`);
  for (const [words, [left, right, y, width, height]] of drawn)
    assert.ok(left >= 0 && right <= width + 0.5 && y > 8 && y <= height, `${words}: ${left}`);
  assert.match(await text('.key.first'), /^damped Newton \(default\): jitter /);
  assert.match(await text('.key.second'), /^selectively damped: jitter /);
});

test('a message hides nothing of a figure, and can be put away; joints have a pin by name', async () => {
  const place = join(folder, 'missing.urdf');
  const bare = readFileSync(models('arm7.urdf'), 'utf8');
  const mesh = 'package://a_description_with_a_long_name/meshes/visual/link0.dae';
  const look = `<visual><geometry><mesh filename="${mesh}"/></geometry></visual>`;
  writeFileSync(place, bare.replace(/<link name="([^"]+)"\s*\/>/, `<link name="$1">${look}</link>`));
  await open();
  await page.setInputFiles('#file', place);
  await waitForText('#note', /Mesh files not found: 1/);
  await waitForText('#status', /All targets are met/);
  assert.equal(await text('#scene option:first-child'), await text('#model-name'));
  const under = await page.locator('#note').boundingBox();
  const { top } = await findJoints(page);
  assert.ok(top >= under.y + under.height, `${top} under ${under.y + under.height}`);
  await page.click('#note');
  await page.waitForSelector('#note', { state: 'hidden' });
  await page.waitForTimeout(500);
  assert.ok((await findJoints(page)).top < top - 20, 'the figure has more room');
  await page.click('#joint-section summary');
  await page.locator('#joint-list label').first().click();
  assert.equal(await text('#joint-list label'), ' pin');
  assert.equal(await page.locator('#joint-list input[type=checkbox]').first().isChecked(), true);
});

test('readings of other targets, or of another figure, are not shown, and the focus stays', async () => {
  await open();
  await load('arm6.urdf');
  await waitForText('#status', /All targets are met/);
  const change = (label, value) =>
    page.getByLabel(label).evaluate((field, wanted) => {
      field.focus();
      field.value = wanted;
      field.dispatchEvent(new Event('change', { bubbles: true }));
      return ['#error-0', '#status'].map((where) => document.querySelector(where).textContent);
    }, value);
  for (const [label, value] of [
    ['Kind of target 1', 'distance'],
    ['distance of target 1', '0.1'],
    ['Weight of target 1', '1'],
  ]) {
    assert.deepEqual(await change(label, value), ['', ''], label);
    await waitForText('#error-0', /^met$/);
    await waitForText('#status', /All targets are met/);
    assert.equal(
      await page.evaluate(() => document.activeElement.getAttribute('aria-label')),
      label,
    );
  }
  // The status of a figure goes before that of the next comes, whose targets can then be moved.
  await page.evaluate(() => {
    const status = document.querySelector('#status');
    window.seen = [];
    new MutationObserver(() => window.seen.push(status.textContent)).observe(status, {
      childList: true,
    });
  });
  await load('arm7.urdf');
  await waitForText('#status', /All targets are met/);
  assert.equal(await page.evaluate(() => window.seen[0]), '');
});

test('keys select, move and remove targets', async () => {
  await open();
  await load('arm7.urdf');
  await waitForText('#status', /All targets are met/);
  await page.focus('#canvas');
  await page.keyboard.press(']');
  await page.waitForSelector('.target.selected');
  const withTargets = () => page.locator('#add-link option', { hasText: '(has one)' }).count();
  assert.equal(await withTargets(), 1);
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.isDisabled('#undo'), false);
  await page.keyboard.press('r');
  await page.waitForSelector('#gizmo-rotate[aria-pressed=true]');
  await page.keyboard.press('Delete');
  await waitForText('#status', /No targets/);
  assert.equal(await withTargets(), 0);
  await page.keyboard.press('Control+z');
  await page.waitForSelector('.target');
});

test('a key moves a target as soon as its model is named', async () => {
  await open();
  // Within the page, in the very task in which the title changes: nothing has been drawn yet.
  const watched = page.evaluate(
    () =>
      new Promise((resolve) => {
        new MutationObserver(() => {
          if (!document.title.startsWith('arm7')) return;
          const press = new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true });
          document.querySelector('#canvas').dispatchEvent(press);
          const { disabled } = document.querySelector('#undo');
          resolve([disabled, document.querySelector('#status').textContent]);
        }).observe(document.querySelector('title'), { childList: true });
      }),
  );
  await page.setInputFiles('#file', models('arm7.urdf'));
  assert.deepEqual(await watched, [false, '']);
  await waitForText('#status', /All targets are met/);
});

test('methods are compared, and limits can be switched off', async () => {
  await open();
  for (const [method, title] of [
    ['transpose', 'Jacobian transpose'],
    ['pseudoinverse', 'pseudoinverse'],
    ['dls', 'damped least squares'],
    ['sdls', 'selectively damped'],
    ['newton', 'Newton'],
  ]) {
    await page.selectOption('#second', method);
    await waitForText('.key.second', new RegExp(`^${title}: jitter`));
  }
  await page.uncheck('#limits');
  await waitForText('#status', /Following|met|near/);
});

test('all solutions of an arm are shown, and one is taken', async () => {
  await open();
  await load('arm6.urdf');
  await waitForText('#status', /All targets are met/);
  await page.click('#all');
  await page.waitForFunction(() => document.querySelectorAll('#solutions button').length > 1);
  await page.click('#solutions button:last-child');
  await page.waitForSelector('#solutions button:last-child[aria-pressed=true]');
  await waitForText('#status', /All targets are met/);
  await page.click('#undo');
  await waitForText('#solutions', /^$/);
});

test('a solution is taken by a click on its ghost', async () => {
  await open();
  await load('arm6.urdf');
  await waitForText('#status', /All targets are met/);
  await page.click('#all'); // the first one is where the figure is
  await page.waitForFunction(() => document.querySelectorAll('#solutions button').length > 1);
  const at = await findGhost(page);
  assert.ok(at.count > 50, 'a ghost is drawn');
  // A drag looks around.
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x + 30, at.y, { steps: 3 });
  await page.mouse.up();
  assert.equal(await page.locator('#solutions button[aria-pressed=true]').count(), 0);
  await page.mouse.move(10, 400);
  await page.waitForTimeout(1000); // the camera comes to rest
  const now = await findGhost(page);
  await page.mouse.click(now.x, now.y);
  await page.waitForSelector('#solutions button[aria-pressed=true]');
  await waitForText('#status', /All targets are met/);
});

test('a crowd of 1,000 moves', async () => {
  await open();
  await page.evaluate(() => {
    window.seen = [];
    const status = document.querySelector('#status');
    new MutationObserver(() => window.seen.push([performance.now(), status.textContent])).observe(
      status,
      { childList: true },
    );
  });
  await page.selectOption('#scene', 'crowd');
  await waitForText('#status', /^1,000 figures in [\d.]+ ms a frame/);
  // No time is shown in the first second, whose frames are slower.
  const seen = (await page.evaluate(() => window.seen)).filter(([, words]) => /^1,000/.test(words));
  assert.equal(seen[0][1], '1,000 figures.');
  assert.ok(seen[1][0] - seen[0][0] > 900, `${seen[1][0] - seen[0][0]} ms`);
  const before = await page.screenshot({ clip: { x: 0, y: 100, width: 500, height: 400 } });
  await page.waitForTimeout(500);
  const later = await page.screenshot({ clip: { x: 0, y: 100, width: 500, height: 400 } });
  assert.ok(!before.equals(later));
  assert.equal(await page.isVisible('#target-section'), false);
});

test('a clip is played', async () => {
  await open();
  await page.setInputFiles('#file', models('walk.bvh'));
  await page.waitForSelector('#seek:not([hidden])');
  await page.click('#play');
  await page.waitForFunction(() => Number(document.querySelector('#seek').value) > 2);
});

test('a state is shared by the address', async () => {
  await open();
  await page.selectOption('#scene', 'y');
  await waitForText('#model-name', /^y$/);
  await page.click('#play');
  await page.click('#share');
  await page.waitForFunction(() => location.hash.startsWith('#s='));
  const address = page.url();
  await page.close();
  await open(address);
  assert.equal(await text('#model-name'), 'y');
  assert.equal(await text('#play'), 'Play');
});

test('a state in the address that is broken, or of another model, is refused', async () => {
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const state = {
    scene: 'y',
    model: 'y',
    q: [0, 0],
    tasks: [{ link: 99, kind: 'pose', weight: 1 }],
    targets: [{}],
    methods: ['default'],
    limits: true,
    pinned: [],
  };
  for (const [fragment, words] of [
    ['AAAA', /cannot be read/],
    [encode(state), /of another model/],
    [encode({ ...state, scene: 'none' }), /there is no scene 'none'/],
  ]) {
    await open(`${url}#s=${fragment}`);
    await waitForText('#note', words);
    await waitForText('#status', /Following|met/);
    await page.close();
  }
});

// The first download that an action begins: its name and bytes.
async function download(action) {
  const [file] = await Promise.all([page.waitForEvent('download'), action()]);
  return [file.suggestedFilename(), readFileSync(await file.path())];
}

test('poses are exported as JSON, CSV and code', async () => {
  await open();
  await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await load('arm7.urdf');
  await waitForText('#status', /All targets are met/);
  const take = (what) => download(() => page.selectOption('#export', what));
  const [name, bytes] = await take('json');
  assert.equal(name, 'arm7.json');
  const { q, joints, tasks } = JSON.parse(bytes);
  assert.deepEqual(Object.values(joints), q);
  assert.equal(tasks[0].link, 'flange');
  const close = (values) =>
    values.forEach((value, i) => assert.ok(Math.abs(value - q[i]) < 1e-6, `${i}: ${value}`));
  const [, table] = await take('csv');
  const [head, row] = table.toString().split('\r\n');
  assert.deepEqual(head.split(','), ['time', ...Object.keys(joints)]);
  close(row.split(',').slice(1).map(Number));

  const [script, javascript] = await take('javascript');
  assert.equal(script, 'arm7.js');
  close([...new Function(`${javascript}; return q;`)()]);
  const [, python] = await take('python');
  close(JSON.parse(execFileSync('python3', ['-c', `${python}\nprint(q)`])));
  const [, c] = await take('c');
  const source = join(folder, 'pose.c');
  const program = join(folder, 'pose');
  const print = 'for (int i = 0; i < 7; ++i) printf("%.9f\\n", q[i]);';
  writeFileSync(source, `#include <stdio.h>\n${c}int main(void) { ${print} }\n`);
  execFileSync('cc', ['-std=c17', '-Wall', '-Werror', source, '-o', program]);
  close(execFileSync(program, { encoding: 'utf8' }).trim().split('\n').map(Number));
});

test('pictures and joint values are recorded', async () => {
  await open();
  await page.click('#record');
  await page.click('#record-pictures');
  await page.waitForTimeout(700);
  const [, table] = await download(() => page.click('#record'));
  assert.ok(table.toString().trim().split('\r\n').length > 2);
  const [name, bytes] = await download(() => page.click('#record-pictures'));
  assert.equal(name, 'frames.zip');
  let count = 0;
  for (let at = 0; bytes.readUInt32LE(at) === 0x04034b50; count++) {
    const [sum, size] = [bytes.readUInt32LE(at + 14), bytes.readUInt32LE(at + 18)];
    const start = at + 30 + bytes.readUInt16LE(at + 26);
    const picture = bytes.subarray(start, start + size);
    assert.equal(crc32(picture), sum);
    assert.equal(picture.toString('latin1', 1, 4), 'PNG');
    at = start + size;
  }
  assert.ok(count >= 2, `${count} pictures`);
  const path = join(folder, 'frames.zip');
  writeFileSync(path, bytes);
  execFileSync('python3', ['-m', 'zipfile', '-t', path]);
});

// Opens a page with the data that `sinew view` puts into it.
async function view(name, data) {
  const mark = '<script type="application/json" id="model-data">';
  const path = join(folder, name);
  writeFileSync(
    path,
    readFileSync(file, 'utf8').replace(
      mark,
      () => mark + JSON.stringify(data).replaceAll('<', '\\u003c'),
    ),
  );
  await open(pathToFileURL(path).href);
}

test('a page of sinew view shows its model and its motion', async () => {
  await view('humanoid.html', {
    model: { name: 'humanoid.bvh', text: readFileSync(models('humanoid.bvh'), 'utf8') },
    motion: { name: 'walk.bvh', text: readFileSync(models('walk.bvh'), 'utf8') },
  });
  assert.equal(await text('#model-name'), 'humanoid.bvh');
  await page.click('#play');
  await page.waitForFunction(() => Number(document.querySelector('#seek').value) > 2);
});

test('a page of sinew view shows the meshes that it holds', async () => {
  const [base, bar] = ['package://arm_description/meshes/base.stl', 'file:///a%20b/../bar.STL'];
  const model = { name: 'arm.urdf', text: meshArm.replace(/package:.*bar\.stl/, () => bar) };
  const base64 = (size) => boxStl(size).toString('base64');
  const files = { [base]: base64([0.2, 0.2, 0.1]), [bar]: base64([0.4, 0.05, 0.05]) };
  await view('arm.html', { model, files });
  await page.waitForSelector('#note[hidden]', { state: 'attached' });
  await page.waitForSelector('#looks-row:not([hidden])');
  await page.close();
  await view('some.html', { model, files: { [base]: files[base] } });
  await waitForText('#note', /Mesh files not found: 1, such as file:\/\/\/a%20b/);
});

test('a glTF of a page of sinew view has its buffer and the picture of its own folder', async () => {
  const mesh = 'package://figure/meshes/figure.gltf';
  const xml =
    `<robot name="figure"><link name="base"><visual><geometry><mesh filename="${mesh}"/>` +
    '</geometry></visual></link><link name="tool"/><joint name="a" type="revolute">' +
    '<parent link="base"/><child link="tool"/><limit lower="-1" upper="1"/></joint></robot>';
  const own = characterFiles();
  const json = JSON.parse(own['figure.gltf']);
  json.images[0].uri = '../pictures/red.png';
  json.nodes.forEach((node) => delete node.skin);
  const bytes = {
    'package://figure/others/pictures/red.png': png([0, 0, 200]), // of another glTF
    [mesh]: Buffer.from(JSON.stringify(json)),
    'package://figure/meshes/parts/the%20body.bin': own['parts/the body.bin'],
    'package://figure/meshes/../pictures/red.png': own['pictures/red.png'],
  };
  const files = Object.fromEntries(
    Object.entries(bytes).map(([name, value]) => [name, value.toString('base64')]),
  );
  await view('figure.html', { model: { name: 'figure.urdf', text: xml }, files });
  await page.waitForSelector('#note[hidden]', { state: 'attached' });
  await page.waitForSelector('#looks-row:not([hidden])');
  await page.waitForTimeout(500); // the picture
  assert.ok((await findRed(page)).count > 500, 'the mesh has its picture');
});

test('names from files are text', async () => {
  const name = '<img src=x onerror=document.title=1>';
  const xml = name.replaceAll('<', '&lt;');
  const path = join(folder, 'names.urdf');
  writeFileSync(
    path,
    `<robot name="${xml}"><link name="a"/><link name="${xml}"/>` +
      `<joint name="${xml}" type="revolute"><parent link="a"/><child link="${xml}"/>` +
      '<origin xyz="1 0 0"/><axis xyz="0 0 1"/><limit lower="-1" upper="1"/></joint></robot>',
  );
  await open();
  await page.setInputFiles('#file', path);
  await waitForText('#model-name', /onerror/);
  assert.equal(await text('.target .link'), name);
  assert.equal(await page.locator('img').count(), 0);
});

test('a model of 10,000 joints does not freeze the page', async () => {
  const parts = ['<robot name="long"><link name="l0"/>'];
  for (let i = 1; i <= 10_000; i++)
    parts.push(
      `<link name="l${i}"/><joint name="j${i}" type="revolute"><parent link="l${(i - 1) >> 3}"/>` +
        `<child link="l${i}"/><origin xyz="0.1 0.0${i % 8} 0"/><axis xyz="0 0 1"/>` +
        '<limit lower="-1" upper="1"/></joint>',
    );
  const path = join(folder, 'long.urdf');
  writeFileSync(path, parts.join('') + '</robot>');
  await open(url, { viewport: { width: 500, height: 400 } }); // less for software to draw
  await page.evaluate(() => {
    window.longest = 0;
    let last = performance.now();
    setInterval(() => {
      const now = performance.now();
      window.longest = Math.max(window.longest, now - last);
      last = now;
    }, 10);
  });
  await page.setInputFiles('#file', path);
  await waitForText('#model-name', /^long$/);
  await waitForText('#status', /All targets are met/);
  const longest = await page.evaluate(() => window.longest);
  console.log(`the longest pause was ${longest.toFixed(0)} ms`);
});

test('axe finds no serious fault, and the page looks as it should, in light and dark', async () => {
  const source = readFileSync(
    createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
    'utf8',
  );
  for (const colorScheme of ['light', 'dark']) {
    await open(url, { colorScheme, bypassCSP: true, viewport: { width: 800, height: 500 } });
    await load('arm7.urdf'); // nothing moves
    await waitForText('#status', /All targets are met/);
    await page.waitForTimeout(500); // until the handle has its colour
    await compare(page, colorScheme);
    await page.addScriptTag({ content: source });
    const { violations } = await page.evaluate(() => window.axe.run({ preload: false }));
    const serious = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
    assert.deepEqual(
      serious.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
      [],
    );
    if (colorScheme === 'light') await page.close();
  }
});

test('without WebGL or WebAssembly the page says so', async () => {
  for (const [script, words] of [
    ['HTMLCanvasElement.prototype.getContext = () => null', /no WebGL 2/],
    ['delete globalThis.WebAssembly', /no WebAssembly/],
  ]) {
    page = await browser.newPage();
    await page.addInitScript(script);
    await page.goto(url);
    await waitForText('#note', words);
    await page.close();
  }
  page = undefined;
});
