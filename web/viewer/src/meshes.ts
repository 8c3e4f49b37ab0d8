// Objects of three.js from the files of robots and characters.
import {
  BoxGeometry,
  BufferGeometry,
  CylinderGeometry,
  Group,
  LoadingManager,
  type Material,
  Mesh,
  MeshStandardMaterial,
  Object3D,
  SphereGeometry,
} from 'three';
import { ColladaLoader } from 'three/addons/loaders/ColladaLoader.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { OBJLoader } from 'three/addons/loaders/OBJLoader.js';
import { STLLoader } from 'three/addons/loaders/STLLoader.js';
import { type NamedFile, extension, pathOf, resolve } from './files.js';
import type { Visual } from './visuals.js';

const text = (bytes: ArrayBuffer) => new TextDecoder().decode(bytes);

// A loader's references to other files lead to those that were dropped, and never to the network.
// Those that are not found are added to missing.
async function managerOf(
  files: readonly NamedFile[],
  missing: string[] = [],
): Promise<LoadingManager> {
  const manager = new LoadingManager();
  const urls = new Map<NamedFile, string>();
  for (const file of files)
    if (['.bin', '.png', '.jpg', '.jpeg', '.webp'].includes(extension(file.path)))
      urls.set(file, URL.createObjectURL(new Blob([await file.bytes()])));
  manager.setURLModifier((url) => {
    if (/^(blob|data):/.test(url)) return url;
    const file = resolve(url, files);
    const found = file && urls.get(file);
    if (!found) missing.push(pathOf(url));
    return found ?? 'data:,';
  });
  // Some loaders return before their pictures are there.
  setTimeout(() => urls.forEach((url) => URL.revokeObjectURL(url)), 60_000);
  return manager;
}

// The folder of a file as a URL, from which others that the file names are found.
function folderOf(path: string): string {
  const parts = path.split('/').slice(0, -1);
  return parts.map((part) => `${encodeURIComponent(part)}/`).join('');
}

/** A glTF or VRM file as an object; others that it names must be among the files. */
export async function readGltf(file: NamedFile, files: readonly NamedFile[]): Promise<Object3D> {
  const missing: string[] = [];
  const loader = new GLTFLoader(await managerOf(files, missing));
  try {
    return (await loader.parseAsync(await file.bytes(), folderOf(file.path))).scene;
  } catch (error) {
    if (missing.length === 0) throw error;
    throw new Error(`it needs ${missing[0]}, which is not among the files: drop them together`);
  }
}

async function readMesh(file: NamedFile, files: readonly NamedFile[]): Promise<Object3D> {
  const bytes = await file.bytes();
  switch (extension(file.path)) {
    case '.stl': {
      const geometry = new STLLoader().parse(bytes);
      geometry.computeVertexNormals(); // those of many files are 0
      return new Mesh(geometry);
    }
    case '.obj':
      return new OBJLoader().parse(text(bytes));
    case '.dae': {
      const collada = new ColladaLoader(await managerOf(files)).parse(text(bytes), '');
      if (!collada) throw new Error('not a COLLADA file');
      // It turns what has z up so that y is; a URDF's meshes stay as they are.
      collada.scene.rotation.set(0, 0, 0);
      return collada.scene;
    }
    case '.glb':
    case '.gltf':
      return readGltf(file, files);
    default:
      throw new Error('neither STL, OBJ, COLLADA nor glTF');
  }
}

function primitive(shape: Visual['shape']): BufferGeometry | null {
  if (shape.kind === 'box') return new BoxGeometry(...(shape.size as [number, number, number]));
  if (shape.kind === 'sphere') return new SphereGeometry(shape.radius, 32, 20);
  if (shape.kind === 'cylinder') {
    const geometry = new CylinderGeometry(shape.radius, shape.radius, shape.length, 32);
    return geometry.rotateX(Math.PI / 2); // a URDF's stands along z
  }
  return null;
}

function plain(color: number[] | null): MeshStandardMaterial {
  const [r, g, b, a] = color ?? [0.72, 0.74, 0.78, 1];
  const material = new MeshStandardMaterial({ roughness: 0.6, metalness: 0.1 });
  material.color.setRGB(r!, g!, b!, 'srgb');
  if (a! < 1) Object.assign(material, { transparent: true, opacity: a! });
  return material;
}

/** What is drawn of a robot's links, and what was not. */
export interface Looks {
  links: Map<string, Group>;
  /** Mesh files that were not found, and those that could not be read with the reason. */
  missing: string[];
  broken: string[];
}

/** Reads the shapes and meshes of a robot. */
export async function readLooks(
  visuals: readonly Visual[],
  files: readonly NamedFile[],
): Promise<Looks> {
  const looks: Looks = { links: new Map(), missing: [], broken: [] };
  const read = new Map<string, Promise<Object3D | null>>();
  const mesh = async (reference: string): Promise<Object3D | null> => {
    const file = resolve(reference, files);
    if (!file) {
      looks.missing.push(reference);
      return null;
    }
    try {
      return await readMesh(file, files);
    } catch (error) {
      looks.broken.push(`${file.path}: ${(error as Error).message}`);
      return null;
    }
  };
  for (const { link, shape, position, rpy, color } of visuals) {
    let object: Object3D | null;
    if (shape.kind === 'mesh') {
      if (!read.has(shape.file)) read.set(shape.file, mesh(shape.file));
      object = (await read.get(shape.file)!)?.clone() ?? null;
      if (object) {
        const scaled = new Group().add(object); // over the scale of a COLLADA's unit
        scaled.scale.fromArray(shape.scale);
        object = scaled;
      }
    } else object = new Mesh(primitive(shape)!);
    if (!object) continue;
    const own = shape.kind === 'mesh' && /\.(dae|glb|gltf)$/i.test(shape.file);
    const material = plain(color);
    object.traverse((part) => {
      if (!(part as Mesh).isMesh) return;
      if (color || !own) (part as Mesh).material = material;
      part.castShadow = part.receiveShadow = true;
    });
    const placed = new Group().add(object);
    placed.position.fromArray(position);
    placed.rotation.set(rpy[0]!, rpy[1]!, rpy[2]!, 'ZYX');
    const group = looks.links.get(link) ?? new Group();
    looks.links.set(link, group.add(placed));
  }
  return looks;
}

export function disposeObject(object: Object3D): void {
  object.traverse((part) => {
    const { geometry, material } = part as Partial<Mesh>;
    geometry?.dispose();
    for (const one of [material ?? []].flat() as Material[]) {
      for (const value of Object.values(one)) if (value?.isTexture) value.dispose();
      one.dispose();
    }
  });
  object.removeFromParent();
}
