/** Where the first target is on the page, found by its colour. */
export async function findTarget(page) {
  const png = await page.screenshot();
  return page.evaluate(async (data) => {
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
    for (let i = 0; i < pixels.length; i += 4) {
      const at = [(i / 4) % width, Math.floor(i / 4 / width)];
      if (at[0] > box.right || at[1] < box.top + 60 || at[1] > box.bottom) continue;
      const [r, g, b] = pixels.subarray(i, i + 3);
      const green = Math.abs(r - 0x2f) < 12 && Math.abs(g - 0x9e) < 12 && Math.abs(b - 0x6e) < 12;
      if (!green) continue;
      x += at[0];
      y += at[1];
      count++;
    }
    return { x: x / count, y: y / count, count };
  }, png.toString('base64'));
}
