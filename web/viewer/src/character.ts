// A glTF or VRM character: its skeleton as a model, posed by the solver.
import { Box3, Group, Matrix4, type Object3D, Quaternion, type SkinnedMesh, Vector3 } from 'three';
import { type Binding, type SkeletonDescription, describeSkeleton } from 'sinew-ik/three';
import type { Joint, ModelDefinition } from 'sinew-ik';
import type { NamedFile } from './files.js';
import { disposeObject, readGltf } from './meshes.js';

export class Character {
  /** What is drawn, in the model's frame. */
  readonly object = new Group();
  readonly definition: ModelDefinition;
  /** How the model's frame is turned in the file, where y is up. */
  readonly turn = new Quaternion();
  /** Of its box in the file's pose, in the model's frame: x, y, z. */
  readonly corners = new Float64Array(24);
  private readonly description: SkeletonDescription;
  private binding: Binding | null = null;

  constructor(scene: Object3D, floating: boolean) {
    this.description = describeSkeleton(scene, { floating });
    this.definition = this.description.definition;
    scene.updateMatrixWorld(true);
    const frame = this.description.frame?.matrixWorld ?? new Matrix4();
    frame.decompose(new Vector3(), this.turn, new Vector3());
    this.object.matrixAutoUpdate = false;
    this.object.matrix.copy(frame).invert();
    const { min, max } = new Box3().setFromObject(scene);
    for (let i = 0; i < 8; i++)
      new Vector3(i & 1 ? min.x : max.x, i & 2 ? min.y : max.y, i & 4 ? min.z : max.z)
        .applyMatrix4(this.object.matrix)
        .toArray(this.corners, 3 * i);
    this.object.add(scene);
    scene.traverse((part) => {
      part.frustumCulled = false; // skins leave the box of their rest pose
      part.castShadow = (part as SkinnedMesh).isMesh;
    });
  }

  /** The pose of the file. */
  bind(joints: readonly Joint[], nq: number): Float64Array {
    this.binding = this.description.bind(joints);
    return this.binding.read(new Float64Array(nq));
  }

  write(q: Float64Array): void {
    this.binding?.write(q);
  }

  dispose(): void {
    disposeObject(this.object);
  }
}

/** Throws with the file's name where it cannot be read, or has no skeleton. */
export async function readCharacter(
  file: NamedFile,
  files: readonly NamedFile[],
  floating: boolean,
): Promise<Character> {
  try {
    return new Character(await readGltf(file, files), floating);
  } catch (error) {
    throw new Error(`${file.path}: ${(error as Error).message}`);
  }
}
