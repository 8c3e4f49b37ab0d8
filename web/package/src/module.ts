// The WebAssembly module: loading, memory, strings and errors. The functions that it exports are
// those of web/module/*.c, under their names.

type Call = (...values: number[]) => number;

interface Exports {
  memory: WebAssembly.Memory;
  [name: string]: Call | WebAssembly.Memory | WebAssembly.Global;
}

/** What was refused, in the words of the core: "robot.urdf:12: elbow: there is no link 'arm'". */
export class SinewError extends Error {
  override name = 'SinewError';
  constructor(
    message: string,
    /** The kind of error, for example "invalid model definition". */
    readonly code: string,
    /** The line of the file, from 1; 0: none. */
    readonly line = 0,
    /** The joint, link or element; empty: none. */
    readonly element = '',
  ) {
    super(message);
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** One instance of the module. */
export class Core {
  readonly call: Record<string, Call>;
  readonly memory: WebAssembly.Memory;
  private words = 0; // scratch for strings
  private wordsSize = 0;

  constructor(
    readonly exports: Exports,
    /** Whether it is the module with SIMD. */
    readonly simd: boolean,
  ) {
    this.call = exports as unknown as Record<string, Call>;
    this.memory = exports.memory;
  }

  take(size: number): number {
    const address = this.call.memory_take!(size);
    if (address === 0) throw new SinewError('there is no memory left', 'out of memory');
    return address;
  }

  release(address: number): void {
    this.call.memory_release!(address);
  }

  /** Runs a function with scratch memory. */
  within<T>(size: number, run: (address: number) => T): T {
    const address = this.take(size);
    try {
      return run(address);
    } finally {
      this.release(address);
    }
  }

  doubles(address: number, length: number): Float64Array {
    return new Float64Array(this.memory.buffer, address, length);
  }

  ints(address: number, length: number): Int32Array {
    return new Int32Array(this.memory.buffer, address, length);
  }

  /** The text at an address; 0 gives null. */
  text(address: number): string | null {
    if (address === 0) return null;
    const bytes = new Uint8Array(this.memory.buffer);
    let end = address;
    while (bytes[end] !== 0) end++;
    return decoder.decode(bytes.subarray(address, end));
  }

  /** Writes strings one after another, each terminated, into scratch memory that the next call
   * overwrites. Returns the address of the first. */
  put(...texts: string[]): number {
    const parts = texts.map((text) => encoder.encode(text.replaceAll('\0', '')));
    const size = parts.reduce((sum, part) => sum + part.length + 1, 0);
    if (size > this.wordsSize) {
      this.release(this.words);
      this.words = this.wordsSize = 0;
      this.words = this.take(2 * size);
      this.wordsSize = 2 * size;
    }
    const bytes = new Uint8Array(this.memory.buffer, this.words, size);
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
      bytes[at++] = 0;
    }
    return this.words;
  }

  /** Throws the error of a call that did not return 0. */
  check(result: number): void {
    if (result === 0) return;
    throw new SinewError(
      this.text(this.call.error_text!())!,
      this.text(this.call.result_name!(result))!,
      this.call.error_line!(),
      this.text(this.call.error_name!())!,
    );
  }

  /** Calls a function whose last argument receives an address; returns that address. */
  create(name: string, ...values: number[]): number {
    return this.within(4, (out) => {
      this.ints(out, 1)[0] = 0;
      this.check(this.call[name]!(...values, out));
      return this.ints(out, 1)[0]!;
    });
  }
}

/** Doubles in the module's memory, which moves when it grows: the array is made again then. */
export class View {
  private view: Float64Array;
  constructor(
    private readonly core: Core,
    readonly address: number,
    readonly length: number,
  ) {
    this.view = core.doubles(address, length);
  }

  get array(): Float64Array {
    if (this.view.buffer !== this.core.memory.buffer)
      this.view = this.core.doubles(this.address, this.length);
    return this.view;
  }
}

// The smallest module with a 128-bit constant: engines without SIMD refuse it.
const simdProbe = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15,
  253, 98, 11,
]);

export interface InitOptions {
  /** The module with 128-bit SIMD (true) or the one without (false). Default: what the engine can. */
  simd?: boolean;
  /** Bytes or a compiled module instead of those in the package: of `sinew-ik/sinew-simd.wasm`, or
   * of `sinew-ik/sinew.wasm` together with `simd: false`. */
  wasm?: BufferSource | WebAssembly.Module | Response | Promise<Response>;
}

async function inflate(base64: string): Promise<ArrayBuffer> {
  if (typeof DecompressionStream === 'undefined')
    throw new SinewError(
      'this engine has no DecompressionStream; pass the bytes of sinew.wasm to init()',
      'unsupported',
    );
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

async function load({ simd, wasm }: InitOptions): Promise<Core> {
  if (typeof WebAssembly === 'undefined')
    throw new SinewError('this engine has no WebAssembly', 'unsupported');
  const wide = simd ?? WebAssembly.validate(simdProbe);
  let source: BufferSource | WebAssembly.Module | Response | undefined = await wasm;
  if (source === undefined) {
    const inlined = wide ? await import('./wasm-simd.js') : await import('./wasm-baseline.js');
    source = await inflate(inlined.default);
  } else if (typeof Response !== 'undefined' && source instanceof Response) {
    source = await source.arrayBuffer();
  }
  const module =
    source instanceof WebAssembly.Module
      ? source
      : await WebAssembly.compile(source as BufferSource);
  const instance = await WebAssembly.instantiate(module, {});
  return new Core(instance.exports as unknown as Exports, wide);
}

let loaded: Core | undefined;
let loading: Promise<Core> | undefined;

/** Loads the module. Call it once, before all else; further calls return at once. */
export async function init(options: InitOptions = {}): Promise<void> {
  loading ??= load(options);
  try {
    loaded = await loading;
  } catch (error) {
    loading = undefined;
    throw error;
  }
}

export function core(): Core {
  if (loaded === undefined)
    throw new SinewError('call init() first, and wait for it', 'invalid argument');
  return loaded;
}

/** The version of the core and whether its module uses SIMD. */
export function version(): { version: string; simd: boolean } {
  return { version: core().text(core().call.version!())!, simd: core().simd };
}
