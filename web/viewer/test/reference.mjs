// Pictures of the page beside those that a person has checked, test/reference/*.png: half as large
// each way. `SINEW_REFERENCES=write npm test -w viewer` writes them again; check them then.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = join(dirname(fileURLToPath(import.meta.url)), 'reference');

// Fonts and renderers differ: colours are compared that are means over 8 x 8 pixels of the page.
const MEAN = 3; // difference of all, of 255
const FAR = 40; // a place differs
const SHARE = 0.02; // of places that may differ

/** Fails where the page does not look like its reference. */
export async function compare(page, name) {
  const path = join(folder, `${name}.png`);
  const shot = (await page.screenshot()).toString('base64');
  if (process.env.SINEW_REFERENCES === 'write') {
    const half = await page.evaluate(async (data) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = document.createElement('canvas');
      canvas.width = innerWidth / 2;
      canvas.height = innerHeight / 2;
      canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
      return canvas.toDataURL('image/png').split(',')[1];
    }, shot);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, Buffer.from(half, 'base64'));
    return;
  }
  const [mean, share] = await page.evaluate(
    async ([pictures, far]) => {
      const [width, height] = [Math.ceil(innerWidth / 8), Math.ceil(innerHeight / 8)];
      const read = async (data) => {
        const image = new Image();
        image.src = `data:image/png;base64,${data}`;
        await image.decode();
        const canvas = document.createElement('canvas');
        canvas.width = width;
        canvas.height = height;
        const pen = canvas.getContext('2d');
        pen.imageSmoothingQuality = 'high';
        pen.drawImage(image, 0, 0, width, height);
        return pen.getImageData(0, 0, width, height).data;
      };
      const [a, b] = [await read(pictures[0]), await read(pictures[1])];
      let [sum, most] = [0, 0];
      for (let i = 0; i < a.length; i += 4) {
        const apart = [0, 1, 2].map((k) => Math.abs(a[i + k] - b[i + k]));
        sum += (apart[0] + apart[1] + apart[2]) / 3;
        most += Math.max(...apart) > far;
      }
      return [(4 * sum) / a.length, (4 * most) / a.length];
    },
    [[shot, readFileSync(path).toString('base64')], FAR],
  );
  assert.ok(
    mean < MEAN && share < SHARE,
    `${name}: mean difference ${mean.toFixed(1)}, ${(100 * share).toFixed(1)} % differ`,
  );
}
