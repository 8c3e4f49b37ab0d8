// The URDF reader's XML events, from saxes.
import { SaxesParser } from 'saxes';
import type { ReadOptions } from './model.js';
import { Core, SinewError } from './module.js';

/** Reads a URDF; returns the address of the document. */
export function readXml(core: Core, text: string, { name = 'input', floatingBase }: ReadOptions) {
  const { call } = core;
  const reader = core.create('xml_create', core.put(name), floatingBase ? 1 : 0);
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    const message = error.message.replace(/^\d+:\d+: /, '').replace(/\.$/, '');
    throw new SinewError(`${name}:${parser.line}: ${message}`, 'malformed file', parser.line);
  });
  parser.on('doctype', (doctype) => {
    const word = /^\s*([^\s[]*)/.exec(doctype)?.[1] ?? '';
    const declares = doctype.includes('[') ? 1 : 0;
    core.check(call.xml_doctype!(reader, core.put(word), declares, parser.line));
  });
  // The line of a tag is that of its first character, as other XML parsers report it.
  let line = 1;
  parser.on('opentagstart', () => {
    line = parser.line;
  });
  parser.on('opentag', ({ name: element, attributes }) => {
    const words = [element];
    for (const [key, value] of Object.entries(attributes)) words.push(key, value as string);
    core.check(call.xml_start!(reader, core.put(...words), (words.length - 1) / 2, line));
  });
  parser.on('closetag', ({ name: element }) => {
    core.check(call.xml_end!(reader, core.put(element), parser.line));
  });
  try {
    parser.write(text).close();
    return core.create('xml_finish', reader);
  } finally {
    call.xml_destroy!(reader);
  }
}
