// Files without compression in one ZIP (PKWARE's APPNOTE, 4.3), for pictures, which are compressed.

const table = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

function crc32(bytes: Uint8Array): number {
  let c = 0xffffffff;
  for (const byte of bytes) c = table[(c ^ byte) & 255]! ^ (c >>> 8);
  return ~c >>> 0;
}

// Numbers of 2 or 4 bytes, lowest byte first.
function header(...fields: [size: 2 | 4, value: number][]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(fields.reduce((sum, [size]) => sum + size, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [size, value] of fields) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return bytes;
}

const DATE = 0x21; // 1980-01-01, the first there is

export interface ZipEntry {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

export function zip(entries: readonly ZipEntry[]): Blob {
  const parts: BlobPart[] = [];
  const directory: BlobPart[] = [];
  let offset = 0;
  let listed = 0;
  for (const { name, bytes } of entries) {
    const text = new TextEncoder().encode(name);
    const common: [2 | 4, number][] = [
      [2, 20],
      [2, 0x800], // names are UTF-8
      [2, 0], // stored
      [2, 0],
      [2, DATE],
      [4, crc32(bytes)],
      [4, bytes.length],
      [4, bytes.length],
      [2, text.length],
      [2, 0],
    ];
    const local = header([4, 0x04034b50], ...common);
    const central = header(
      [4, 0x02014b50],
      [2, 20],
      ...common,
      [2, 0],
      [2, 0],
      [2, 0],
      [4, 0],
      [4, offset],
    );
    parts.push(local, text, bytes);
    directory.push(central, text);
    offset += local.length + text.length + bytes.length;
    listed += central.length + text.length;
  }
  const count = entries.length;
  const end = header(
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, count],
    [2, count],
    [4, listed],
    [4, offset],
    [2, 0],
  );
  return new Blob([...parts, ...directory, end], { type: 'application/zip' });
}
