// Models with meshes and skins, made for the tests.
import { crc32, deflateSync } from 'node:zlib';

/** A binary STL of a box. */
export function boxStl([x, y, z]) {
  const corners = [...Array(8).keys()].map((i) => [
    (i & 1 ? 0.5 : -0.5) * x,
    (i & 2 ? 0.5 : -0.5) * y,
    (i & 4 ? 0.5 : -0.5) * z,
  ]);
  const faces = [
    [0, 2, 3, 1],
    [4, 5, 7, 6],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 4, 6, 2],
    [1, 3, 7, 5],
  ].flatMap(([a, b, c, d]) => [
    [a, b, c],
    [a, c, d],
  ]);
  const bytes = Buffer.alloc(84 + 50 * faces.length);
  bytes.writeUInt32LE(faces.length, 80);
  faces.forEach((face, i) =>
    face.forEach((corner, k) =>
      corners[corner].forEach((v, m) => bytes.writeFloatLE(v, 84 + 50 * i + 12 + 12 * k + 4 * m)),
    ),
  );
  return bytes;
}

const mesh = (file, extra = '') =>
  `<visual>${extra}<geometry><mesh filename="${file}"/></geometry>` +
  '<material name="red"><color rgba="0.9 0.1 0.1 1"/></material></visual>';

/** A URDF of an arm whose links have meshes of a package. */
export const meshArm = `<robot name="mesh_arm">
<link name="base">${mesh('package://arm_description/meshes/base.stl')}</link>
<link name="upper">${mesh('package://arm_description/meshes/bar.stl', '<origin xyz="0.2 0 0"/>')}</link>
<link name="lower"><visual><origin xyz="0.15 0 0" rpy="0 1.5708 0"/><geometry>
  <cylinder radius="0.03" length="0.3"/></geometry></visual></link>
<link name="tool"/>
<joint name="a" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.1"/>
  <axis xyz="0 1 0"/><limit lower="-2" upper="2"/></joint>
<joint name="b" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0.4 0 0"/>
  <axis xyz="0 1 0"/><limit lower="-2" upper="2"/></joint>
<joint name="t" type="fixed"><parent link="lower"/><child link="tool"/><origin xyz="0.3 0 0"/></joint>
</robot>`;

const bones = [
  ['Hips', -1, [0, 1, 0]],
  ['Spine', 0, [0, 0.3, 0]],
  ['Head', 1, [0, 0.35, 0]],
  ...[
    ['Left', 1],
    ['Right', -1],
  ].flatMap(([side, sign], i) => [
    [`${side}Arm`, 1, [0.2 * sign, 0.25, 0]],
    [`${side}Hand`, 3 + 4 * i, [0.5 * sign, 0, 0]],
    [`${side}Leg`, 0, [0.1 * sign, -0.05, 0]],
    [`${side}Foot`, 5 + 4 * i, [0, -0.85, 0]],
  ]),
];

/** A character: bars between bones, each bar bound to its upper bone: its JSON and its buffer. */
function character(extensions) {
  const world = bones.map(([, , at]) => at);
  bones.forEach(([, parent, at], i) => {
    if (parent >= 0) world[i] = at.map((v, k) => v + world[parent][k]);
  });
  const [points, joints, weights, triangles] = [[], [], [], []];
  bones.forEach(([, parent], i) => {
    if (parent < 0) return;
    const at = points.length / 3;
    for (const end of [world[parent], world[i]])
      for (const [x, z] of [
        [-1, -1],
        [1, -1],
        [1, 1],
        [-1, 1],
      ])
        points.push(
          end[0] + 0.04 * x,
          end[1] + (Math.abs(end[0]) > 0.15 ? 0.04 * x : 0),
          end[2] + 0.04 * z,
        );
    for (let k = 0; k < 8; k++) {
      joints.push(parent, 0, 0, 0);
      weights.push(1, 0, 0, 0);
    }
    for (let k = 0; k < 4; k++) {
      const [a, b] = [at + k, at + ((k + 1) % 4)];
      triangles.push(a, b, b + 4, a, b + 4, a + 4);
    }
  });
  const inverse = world.flatMap(([x, y, z]) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -x, -y, -z, 1]);
  const parts = [
    [new Float32Array(points), 5126, 'VEC3', 3],
    [Uint8Array.from(joints), 5121, 'VEC4', 4],
    [new Float32Array(weights), 5126, 'VEC4', 4],
    [Uint16Array.from(triangles), 5123, 'SCALAR', 1],
    [new Float32Array(inverse), 5126, 'MAT4', 16],
  ];
  const buffers = parts.map(([values]) => Buffer.from(values.buffer));
  let offset = 0;
  const bufferViews = buffers.map(({ length }) => {
    const view = { buffer: 0, byteOffset: offset, byteLength: length };
    offset += length + ((4 - (length % 4)) % 4);
    return view;
  });
  const bytes = Buffer.alloc(offset);
  buffers.forEach((buffer, i) => buffer.copy(bytes, bufferViews[i].byteOffset));
  const accessors = parts.map(([values, componentType, type, size], i) => ({
    bufferView: i,
    componentType,
    type,
    count: values.length / size,
    ...(i === 0 && {
      min: [0, 1, 2].map((k) => Math.min(...points.filter((_v, j) => j % 3 === k))),
      max: [0, 1, 2].map((k) => Math.max(...points.filter((_v, j) => j % 3 === k))),
    }),
  }));
  const nodes = bones.map(([name, , translation], i) => ({
    name,
    translation,
    children: bones.flatMap(([, parent], k) => (parent === i ? [k] : [])),
  }));
  nodes.forEach((node) => node.children.length === 0 && delete node.children);
  nodes.push({ name: 'Body', mesh: 0, skin: 0 }, { name: 'Armature', children: [0] });
  const json = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [bones.length, bones.length + 1] }],
    nodes,
    meshes: [
      {
        primitives: [
          { attributes: { POSITION: 0, JOINTS_0: 1, WEIGHTS_0: 2 }, indices: 3, material: 0 },
        ],
      },
    ],
    materials: [
      { pbrMetallicRoughness: { baseColorFactor: [0.9, 0.1, 0.1, 1] }, doubleSided: true },
    ],
    skins: [{ joints: bones.map((_b, i) => i), inverseBindMatrices: 4 }],
    buffers: [{ byteLength: bytes.length }],
    bufferViews,
    accessors,
    ...(Object.keys(extensions).length > 0 && {
      extensionsUsed: Object.keys(extensions),
      extensions,
    }),
  };
  return { json, bytes };
}

export function characterGlb(extensions = {}) {
  const { json, bytes } = character(extensions);
  const chunk = (data, type, fill) => {
    const padded = Buffer.concat([data, Buffer.alloc((4 - (data.length % 4)) % 4, fill)]);
    const head = Buffer.alloc(8);
    head.writeUInt32LE(padded.length, 0);
    head.write(type, 4, 'latin1');
    return Buffer.concat([head, padded]);
  };
  const body = Buffer.concat([
    chunk(Buffer.from(JSON.stringify(json)), 'JSON', 0x20),
    chunk(bytes, 'BIN\0', 0),
  ]);
  const head = Buffer.alloc(12);
  head.write('glTF', 0, 'latin1');
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(12 + body.length, 8);
  return Buffer.concat([head, body]);
}

/** The character as a glTF with its buffer and the picture of its skin, a red PNG, in files. */
export function characterFiles() {
  const { json, bytes } = character({});
  json.buffers[0].uri = 'parts/the%20body.bin';
  json.images = [{ uri: 'pictures/red.png' }];
  json.samplers = [{}];
  json.textures = [{ source: 0, sampler: 0 }];
  json.materials[0].pbrMetallicRoughness = { baseColorTexture: { index: 0 } };
  json.accessors.push({ componentType: 5126, type: 'VEC2', count: json.accessors[0].count });
  json.meshes[0].primitives[0].attributes.TEXCOORD_0 = json.accessors.length - 1;
  return {
    'figure.gltf': Buffer.from(JSON.stringify(json)),
    'parts/the body.bin': bytes,
    'pictures/red.png': png([230, 26, 26]),
  };
}

/** A picture of one colour. */
export function png(color) {
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    size.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([size, body, sum]);
  };
  const head = Buffer.from([0, 0, 0, 2, 0, 0, 0, 2, 8, 2, 0, 0, 0]); // 2 x 2, RGB
  const row = [0, ...color, ...color];
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.from([...row, ...row]))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
