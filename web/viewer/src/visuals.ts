// What a URDF says of how its links look: shapes and mesh files.

export interface Visual {
  link: string;
  shape:
    | { kind: 'mesh'; file: string; scale: number[] }
    | { kind: 'box'; size: number[] }
    | { kind: 'cylinder'; radius: number; length: number }
    | { kind: 'sphere'; radius: number };
  /** In the link [m], and roll, pitch, yaw [rad]. */
  position: number[];
  rpy: number[];
  /** Red, green, blue, alpha; null: that of the mesh file. */
  color: number[] | null;
}

function numbers(text: string | null | undefined, fill: number[]): number[] {
  const values = (text ?? '').trim().split(/\s+/).map(Number);
  return fill.map((value, i) => (Number.isFinite(values[i]) && text ? values[i]! : value));
}

function childrenOf(element: Element, name: string): Element[] {
  return [...element.children].filter((child) => child.localName === name);
}

function readShape(geometry: Element | undefined): Visual['shape'] | null {
  const shape = geometry?.children[0];
  const value = (name: string) => numbers(shape?.getAttribute(name), [0])[0]!;
  switch (shape?.localName) {
    case 'mesh': {
      const file = shape.getAttribute('filename') ?? '';
      return { kind: 'mesh', file, scale: numbers(shape.getAttribute('scale'), [1, 1, 1]) };
    }
    case 'box':
      return { kind: 'box', size: numbers(shape.getAttribute('size'), [0, 0, 0]) };
    case 'cylinder':
      return { kind: 'cylinder', radius: value('radius'), length: value('length') };
    case 'sphere':
      return { kind: 'sphere', radius: value('radius') };
    default:
      return null;
  }
}

/** The visual elements of a URDF that the model's reader has accepted. */
export function readVisuals(text: string): Visual[] {
  const robot = new DOMParser().parseFromString(text, 'text/xml').documentElement;
  if (robot.localName !== 'robot') return [];
  const color = (material: Element | undefined) => {
    const rgba = material && childrenOf(material, 'color')[0]?.getAttribute('rgba');
    return rgba ? numbers(rgba, [0.7, 0.7, 0.7, 1]) : null;
  };
  const named = new Map(
    childrenOf(robot, 'material').map((one) => [one.getAttribute('name'), color(one)]),
  );
  const visuals: Visual[] = [];
  for (const link of childrenOf(robot, 'link'))
    for (const visual of childrenOf(link, 'visual')) {
      const shape = readShape(childrenOf(visual, 'geometry')[0]);
      if (!shape) continue;
      const origin = childrenOf(visual, 'origin')[0];
      const material = childrenOf(visual, 'material')[0];
      visuals.push({
        link: link.getAttribute('name') ?? '',
        shape,
        position: numbers(origin?.getAttribute('xyz'), [0, 0, 0]),
        rpy: numbers(origin?.getAttribute('rpy'), [0, 0, 0]),
        color: color(material) ?? named.get(material?.getAttribute('name') ?? '') ?? null,
      });
    }
  return visuals;
}
