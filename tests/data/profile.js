// SPDX-License-Identifier: Apache-2.0
// A pprof profile in the making: interns strings, functions and locations, collects samples, writes
// the protobuf. It refuses nothing, so that wrong profiles can be made too.
import zlib from 'node:zlib';
import { Writer } from './wire.js';

/** @typedef {import('./wire.js').Int} Int */
/** @typedef {string | Uint8Array} Text bytes stand for names that are not UTF-8 */
/** @typedef {{ type: string, unit: string }} SampleType */
/** @typedef {{ key: string, text?: string, number?: Int, unit?: string }} Label */
/** @typedef {{ func: number, line?: Int, column?: Int }} Line `func` is an index into functions */
/** @typedef {{ name: Text, file: Text, systemName: Text, startLine: Int, id: Int }} Func */
/** @typedef {{ file: string, start: Int, limit: Int, offset: Int, buildId: string, id: Int }} Mapping */
/** @typedef {{ lines: readonly Line[], mapping: number, address: Int, id: Int }} Location */
/** @typedef {{ locations: readonly number[], values: readonly Int[], labels: readonly Label[] }} Sample */
/** `locations` of a sample are indices, leaf first; `mapping` is an index, -1 for none. */

/**
 * @typedef {object} Header
 * @property {Int} [timeNs]
 * @property {Int} [durationNs]
 * @property {SampleType} [periodType]
 * @property {Int} [period]
 * @property {string} [defaultType]
 * @property {string} [dropFrames]
 * @property {string} [keepFrames]
 * @property {readonly string[]} [comments]
 */

export class Profile {
  /**
   * @param {readonly SampleType[]} types
   * @param {Header} [header]
   */
  constructor(types, header = {}) {
    this.types = types;
    this.header = header;
    /** @type {Func[]} */
    this.functions = [];
    /** @type {Mapping[]} */
    this.mappings = [];
    /** @type {Location[]} */
    this.locations = [];
    /** @type {Sample[]} */
    this.samples = [];
    /** @type {Map<string, number>} */
    this.functionIndex = new Map();
    /** @type {Map<string, number>} */
    this.frameIndex = new Map();
  }

  /**
   * @param {Text} name
   * @param {Text} [file]
   * @param {{ id?: Int, systemName?: Text, startLine?: Int }} [more]
   * @returns {number} its index; the same one for the same name and file
   */
  func(name, file = '', more = {}) {
    const key = `${keyOf(name)}\0${keyOf(file)}\0${more.id ?? ''}`;
    const known = this.functionIndex.get(key);
    if (known !== undefined) return known;
    this.functions.push({
      name,
      file,
      systemName: more.systemName ?? name,
      startLine: more.startLine ?? 0,
      id: more.id ?? this.functions.length + 1,
    });
    this.functionIndex.set(key, this.functions.length - 1);
    return this.functions.length - 1;
  }

  /**
   * @param {string} file
   * @param {Partial<Mapping>} [more]
   * @returns {number} its index
   */
  mapping(file, more = {}) {
    const n = this.mappings.length;
    const start = 0x400000 + n * 0x10000000;
    const mapping = { file, start, limit: start + 0x8000000, offset: 0, buildId: '', id: n + 1 };
    this.mappings.push({ ...mapping, ...more });
    return n;
  }

  /**
   * @param {readonly Line[]} lines innermost inlined function first; may be empty
   * @param {{ mapping?: number, address?: Int, id?: Int }} [more]
   * @returns {number} its index
   */
  location(lines, more = {}) {
    const n = this.locations.length;
    const mapping = more.mapping ?? (this.mappings.length > 0 ? 0 : -1);
    this.locations.push({ lines, mapping, address: more.address ?? 0, id: more.id ?? n + 1 });
    return n;
  }

  /**
   * The location of a plain frame; the same one for the same name and file.
   * @param {Text} name
   * @param {Text} [file]
   * @returns {number}
   */
  frame(name, file = '') {
    const key = `${keyOf(name)}\0${keyOf(file)}`;
    let index = this.frameIndex.get(key);
    if (index === undefined) {
      index = this.location([{ func: this.func(name, file), line: 1 }]);
      this.frameIndex.set(key, index);
    }
    return index;
  }

  /**
   * @param {readonly number[]} locations leaf first
   * @param {readonly Int[]} values
   * @param {readonly Label[]} [labels]
   */
  sample(locations, values, labels = []) {
    this.samples.push({ locations, values, labels });
  }

  /**
   * A sample told the way people say stacks: root first, names only.
   * @param {readonly Text[]} names
   * @param {readonly Int[]} values
   * @param {readonly Label[]} [labels]
   */
  stack(names, values, labels = []) {
    this.sample(names.map((name) => this.frame(name)).reverse(), values, labels);
  }

  /** @returns {Buffer} the protobuf */
  encode() {
    return new Encoder(this).run();
  }

  /**
   * @param {number} [level]
   * @returns {Buffer} the protobuf, gzip
   */
  gzip(level = 6) {
    return zlib.gzipSync(this.encode(), { level });
  }
}

/**
 * @param {Text} text
 * @returns {string} distinct for distinct bytes
 */
function keyOf(text) {
  return typeof text === 'string' ? text : `\x01${Buffer.from(text).toString('latin1')}`;
}

class Encoder {
  /** @param {Profile} profile */
  constructor(profile) {
    this.profile = profile;
    this.out = new Writer(65536);
    /** @type {Map<string, number>} */
    this.stringIndex = new Map([['', 0]]);
    /** @type {Text[]} */
    this.strings = [''];
  }

  /**
   * @param {Text} text
   * @returns {number} its place in the string table
   */
  string(text) {
    const key = keyOf(text);
    let index = this.stringIndex.get(key);
    if (index === undefined) {
      index = this.strings.length;
      this.strings.push(text);
      this.stringIndex.set(key, index);
    }
    return index;
  }

  /** @returns {Buffer} */
  run() {
    const { profile, out } = this;
    for (const type of profile.types) out.delimited(1, this.valueType(type));
    for (const sample of profile.samples) out.delimited(2, this.sample(sample));
    for (const mapping of profile.mappings) out.delimited(3, this.mapping(mapping));
    for (const location of profile.locations) out.delimited(4, this.location(location));
    for (const func of profile.functions) out.delimited(5, this.func(func));
    const head = this.header();
    for (const text of this.strings) {
      out.delimited(6, typeof text === 'string' ? Buffer.from(text) : text);
    }
    out.raw(head);
    return Buffer.from(out.finish());
  }

  /**
   * @param {SampleType} type
   * @returns {Uint8Array}
   */
  valueType(type) {
    const w = new Writer(16);
    w.scalar(1, this.string(type.type));
    w.scalar(2, this.string(type.unit));
    return w.finish();
  }

  /**
   * @param {Sample} sample
   * @returns {Uint8Array}
   */
  sample(sample) {
    const w = new Writer(64);
    w.packed(1, sample.locations.map((index) => this.profile.locations[index].id));
    w.packed(2, sample.values);
    for (const label of sample.labels) {
      const inner = new Writer(16);
      inner.scalar(1, this.string(label.key));
      if (label.text !== undefined) inner.scalar(2, this.string(label.text));
      if (label.number !== undefined) inner.scalar(3, label.number);
      if (label.unit !== undefined) inner.scalar(4, this.string(label.unit));
      w.delimited(3, inner.finish());
    }
    return w.finish();
  }

  /**
   * @param {Mapping} mapping
   * @returns {Uint8Array}
   */
  mapping(mapping) {
    const w = new Writer(32);
    w.scalar(1, mapping.id);
    w.scalar(2, mapping.start);
    w.scalar(3, mapping.limit);
    w.scalar(4, mapping.offset);
    w.scalar(5, this.string(mapping.file));
    w.scalar(6, this.string(mapping.buildId));
    w.scalar(7, 1);
    return w.finish();
  }

  /**
   * @param {Location} location
   * @returns {Uint8Array}
   */
  location(location) {
    const w = new Writer(32);
    w.scalar(1, location.id);
    if (location.mapping >= 0) w.scalar(2, this.profile.mappings[location.mapping].id);
    w.scalar(3, location.address);
    for (const line of location.lines) {
      const inner = new Writer(16);
      inner.scalar(1, this.profile.functions[line.func].id);
      inner.scalar(2, line.line ?? 0);
      inner.scalar(3, line.column ?? 0);
      w.delimited(4, inner.finish());
    }
    return w.finish();
  }

  /**
   * @param {Func} func
   * @returns {Uint8Array}
   */
  func(func) {
    const w = new Writer(32);
    w.scalar(1, func.id);
    w.scalar(2, this.string(func.name));
    w.scalar(3, this.string(func.systemName));
    w.scalar(4, this.string(func.file));
    w.scalar(5, func.startLine);
    return w.finish();
  }

  /** @returns {Uint8Array} the fields after the string table, which must know their strings first */
  header() {
    const { header } = this.profile;
    const w = new Writer(64);
    w.scalar(7, this.string(header.dropFrames ?? ''));
    w.scalar(8, this.string(header.keepFrames ?? ''));
    w.scalar(9, header.timeNs ?? 0);
    w.scalar(10, header.durationNs ?? 0);
    if (header.periodType) w.delimited(11, this.valueType(header.periodType));
    w.scalar(12, header.period ?? 0);
    w.packed(13, (header.comments ?? []).map((comment) => this.string(comment)));
    w.scalar(14, this.string(header.defaultType ?? ''));
    return w.finish();
  }
}
