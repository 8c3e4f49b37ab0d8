// Files that were dropped, with their paths in the folders that were.

export interface NamedFile {
  /** With '/' between folders and without one at the beginning. */
  path: string;
  bytes(): Promise<ArrayBuffer>;
}

const named = (path: string, file: File): NamedFile => ({
  path: path.replace(/^\/+/, ''),
  bytes: () => file.arrayBuffer(),
});

const MOST_FILES = 5000;

// Folders by handles, which Chromium has, pages from file:// included; and by entries, which other
// browsers have.
type Walk = () => Promise<NamedFile[]>;

async function walkHandle(handle: FileSystemHandle, above: string): Promise<NamedFile[]> {
  const path = `${above}${handle.name}`;
  if (handle.kind === 'file')
    return [named(path, await (handle as FileSystemFileHandle).getFile())];
  const found: NamedFile[] = [];
  for await (const one of (handle as FileSystemDirectoryHandle).values()) {
    found.push(...(await walkHandle(one, `${path}/`)));
    if (found.length > MOST_FILES) break;
  }
  return found;
}

async function walkEntry(entry: FileSystemEntry): Promise<NamedFile[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    return [named(entry.fullPath, file)];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: NamedFile[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0 || found.length > MOST_FILES) return found;
    for (const one of some) found.push(...(await walkEntry(one)));
  }
}

/** The files of a drop, those in folders too. */
export async function droppedFiles(data: DataTransfer): Promise<NamedFile[]> {
  // All of this before the first wait, after which the items are gone.
  const walks = [...data.items].map((item): Walk => {
    const file = item.getAsFile();
    const entry = item.webkitGetAsEntry?.() ?? null;
    const withHandle = item as DataTransferItem & {
      getAsFileSystemHandle?(): Promise<FileSystemHandle | null>;
    };
    if (!entry?.isDirectory) return async () => (file ? [named(file.name, file)] : []);
    const handle = withHandle.getAsFileSystemHandle?.();
    return async () => {
      const found = handle && (await handle);
      return found ? walkHandle(found, '') : walkEntry(entry);
    };
  });
  const found: NamedFile[] = [];
  for (const walk of walks) found.push(...(await walk()));
  return found;
}

export function chosenFiles(files: Iterable<File>): NamedFile[] {
  return [...files].map((file) => named(file.webkitRelativePath || file.name, file));
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function extension(path: string): string {
  return /\.[^./]*$/.exec(path)?.[0].toLowerCase() ?? '';
}

/** The names in a reference of another file, without its scheme and escapes, and with '.' and '..'
 * followed. */
export function pathOf(reference: string): string {
  let path = reference.replace(/^[a-z]+:\/*/i, '');
  try {
    path = decodeURIComponent(path);
  } catch {
    // a percent sign that stands for itself
  }
  const parts: string[] = [];
  for (const part of path.split('/'))
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  return parts.join('/');
}

/** The file that a reference of another file means: one with the same path from some folder on, of
 * these the one that has the most folders in common. "package://p/m/a.stl" may be p/m/a.stl or
 * x/p/m/a.stl, or m/a.stl where the folder p itself is not among the files. */
export function resolve(reference: string, files: readonly NamedFile[]): NamedFile | null {
  const parts = pathOf(reference).split('/');
  let best: NamedFile | null = null;
  let most = 0;
  for (const file of files) {
    const there = file.path.split('/');
    let same = 0;
    while (
      same < parts.length &&
      same < there.length &&
      parts.at(-1 - same) === there.at(-1 - same)
    )
      same++;
    // The file's folders, or the reference's, are all in common: else only the names agree.
    const whole = same === there.length || same === parts.length || same > 1;
    if (whole && same > most) {
      best = file;
      most = same;
    }
  }
  return best;
}
