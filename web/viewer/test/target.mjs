// Where things are on the page, found by their colours.

// The middle of the pixels of the picture that are of a colour.
async function find(page, color, tolerance) {
  const png = await page.screenshot();
  return page.evaluate(
    async ([data, wanted, most]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = document.createElement('canvas');
      canvas.width = image.width;
      canvas.height = image.height;
      const pen = canvas.getContext('2d');
      pen.drawImage(image, 0, 0);
      const { data: pixels, width } = pen.getImageData(0, 0, image.width, image.height);
      const box = document.getElementById('canvas').getBoundingClientRect();
      let [x, y, count] = [0, 0, 0];
      let [top, bottom] = [Infinity, -Infinity];
      for (let i = 0; i < pixels.length; i += 4) {
        const at = [(i / 4) % width, Math.floor(i / 4 / width)];
        if (at[0] > box.right || at[1] < box.top + 44 || at[1] > box.bottom) continue;
        if (!wanted.every((value, k) => Math.abs(pixels[i + k] - value) < most)) continue;
        x += at[0];
        y += at[1];
        count++;
        top = Math.min(top, at[1]);
        bottom = Math.max(bottom, at[1]);
      }
      return { x: x / count, y: y / count, top, bottom, count };
    },
    [png.toString('base64'), color, tolerance],
  );
}

/** The first target. */
export const findTarget = (page) => find(page, [0x2f, 0x9e, 0x6e], 12);

/** The joints of a figure. */
export const findJoints = (page) => find(page, [0x2c, 0x58, 0xc0], 30);

/** A joint of a ghost: pale blue over the light floor. */
export const findGhost = (page) => find(page, [0xac, 0xb9, 0xdb], 20);

/** What the test's own models have in red. */
export const findRed = (page) => find(page, [0xb0, 0x20, 0x20], 0x50);
