// SPDX-License-Identifier: Apache-2.0
// Profiles with one property driven to its limit.
import zlib from 'node:zlib';
import { BROKEN_NAMES, HOSTILE_NAMES } from './hostile.js';
import { Profile } from './profile.js';
import { Random } from './random.js';
import { Writer } from './wire.js';
import { CPU_TYPES } from './generate.js';

const HEADER = {
  timeNs: 1700000000123456789n,
  durationNs: 10000000000,
  periodType: { type: 'cpu', unit: 'nanoseconds' },
  period: 10000000,
};

/**
 * One stack of `depth` distinct frames, and one that leaves it half way down.
 * @param {number} [depth]
 * @returns {Profile}
 */
export function deep(depth = 10000) {
  const profile = new Profile(CPU_TYPES, HEADER);
  const stack = Array.from({ length: depth }, (_, i) => profile.frame(`level${i}`, 'deep.c'));
  profile.sample([...stack].reverse(), [3, 30000000]);
  profile.sample([profile.frame('aside', 'deep.c'), ...stack.slice(0, depth >> 1).reverse()], [1, 10000000]);
  return profile;
}

/**
 * One function that calls itself `depth` times: its total must not count twice.
 * @param {number} [depth]
 * @returns {Profile}
 */
export function recursive(depth = 5000) {
  const profile = new Profile(CPU_TYPES, HEADER);
  profile.sample([...new Array(depth).fill(profile.frame('again', 'again.c')), profile.frame('main', 'main.c')], [2, 20]);
  return profile;
}

/**
 * As many children of the root.
 * @param {number} [roots]
 * @returns {Profile}
 */
export function wide(roots = 50000) {
  const profile = new Profile(CPU_TYPES, HEADER);
  for (let i = 0; i < roots; i++) {
    profile.sample([profile.frame(`root${i}`, `file${i % 100}.c`)], [1 + (i % 5), (1 + (i % 5)) * 10000000]);
  }
  return profile;
}

/**
 * A million samples over few stacks: a small body, much work. Encoded directly; building objects
 * for each sample would take longer than the test it is for.
 * @param {number} [samples]
 * @returns {{ body: Buffer, total: number }} `total` is the sum of its only metric, cpu
 */
export function million(samples = 1000000) {
  const stacks = 64;
  const profile = new Profile([{ type: 'cpu', unit: 'nanoseconds' }], HEADER);
  const frames = Array.from({ length: stacks }, (_, i) => profile.frame(`work${i}`, 'work.c'));
  const root = profile.frame('main', 'main.c');
  const random = new Random(7);
  const encoded = frames.map((frame) => [1, 2].map((value) => oneSample([frame + 1, root + 1], value)));
  const out = new Writer(12 * samples);
  let total = 0;
  for (let i = 0; i < samples; i++) {
    const value = random.chance(0.02) ? 2 : 1; // or it would compress as only a bomb does
    out.raw(encoded[(i >> 8) % stacks][value - 1]);
    total += value;
  }
  out.raw(profile.encode());
  return { body: zlib.gzipSync(out.finish(), { level: 6 }), total };
}

/**
 * @param {number[]} ids
 * @param {number} value
 * @returns {Uint8Array} field 2 of a profile
 */
function oneSample(ids, value) {
  const inner = new Writer(16);
  inner.packed(1, ids);
  inner.packed(2, [value]);
  const out = new Writer(32);
  out.delimited(2, inner.finish());
  return out.finish();
}

/**
 * Every hostile name once as a function, once as a file.
 * @param {boolean} [broken] with names that are not UTF-8
 * @returns {Profile}
 */
export function hostile(broken = false) {
  const profile = new Profile(CPU_TYPES, HEADER);
  const names = broken ? [...HOSTILE_NAMES, ...BROKEN_NAMES] : HOSTILE_NAMES;
  const main = profile.frame('main', 'main.c');
  names.forEach((name, i) => {
    profile.sample([profile.frame(name, names[(i + 1) % names.length]), main], [i + 1, (i + 1) * 1000]);
  });
  return profile;
}

/**
 * A heap profile in the four columns of Go.
 * @param {number} [scale]
 * @returns {Profile}
 */
export function heap(scale = 1) {
  const profile = new Profile(
    [
      { type: 'alloc_objects', unit: 'count' },
      { type: 'alloc_space', unit: 'bytes' },
      { type: 'inuse_objects', unit: 'count' },
      { type: 'inuse_space', unit: 'bytes' },
    ],
    { timeNs: HEADER.timeNs, durationNs: 0, periodType: { type: 'space', unit: 'bytes' }, period: 524288, defaultType: 'inuse_space' },
  );
  profile.stack(['main', 'load', 'parse'], [10 * scale, 10240 * scale, 4 * scale, 4096 * scale]);
  profile.stack(['main', 'load'], [5 * scale, 1000 * scale, 0, 0]);
  profile.stack(['main', 'cache'], [2 * scale, 2000 * scale, 2 * scale, 2000 * scale]);
  return profile;
}
