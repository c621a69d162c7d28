// SPDX-License-Identifier: Apache-2.0
// Profiles as a Go HTTP service writes them: runtime roots, deep library stacks, short leaves, a few
// inlined frames, two columns. One program (seed) has a fixed set of stacks, a few of them hot and
// most of them rare, and each profile is a draw from these: the call tree of a thousand profiles grows
// as slowly as that of a real service (ever fewer new nodes a profile). About 25 KB gzip each.
import { Profile } from './profile.js';
import { Random } from './random.js';
import { CPU_TYPES } from './generate.js';

const PACKAGES = [
  'runtime', 'net/http', 'encoding/json', 'reflect', 'sync', 'syscall', 'internal/poll', 'bufio',
  'compress/flate', 'crypto/tls', 'crypto/internal/nistec', 'database/sql', 'regexp', 'strconv',
  'strings', 'bytes', 'fmt', 'context', 'sort', 'time', 'example.org/shop/cart',
  'example.org/shop/catalog', 'example.org/shop/payment', 'example.org/shop/storage',
  'example.org/lib/router', 'example.org/lib/metrics', 'google.golang.org/protobuf/internal/impl',
];
const TYPES = ['conn', 'Server', 'decodeState', 'encoder', 'Reader', 'Writer', 'Handler', 'Pool', 'machine', 'Stmt', 'FD', 'Tree', 'Cart', 'Index', 'Buffer'];
const VERBS = ['serve', 'Read', 'Write', 'decode', 'encode', 'lookup', 'scan', 'flush', 'Lock', 'match', 'find', 'next', 'append', 'grow', 'Close', 'hash', 'walk', 'copy', 'parse', 'get'];
const WORDS = ['Value', 'Object', 'Slice', 'Map', 'String', 'Bytes', 'Header', 'Frame', 'Key', 'Row', 'Page', 'State', 'Entry', 'Type', ''];

/** How many stacks a program has, and how often they are tried for a profile that wants more. */
const STACKS = 8000;
const DRAWS_A_SAMPLE = 20;

/** @typedef {{ func: number, line: number }} Place */
/** @typedef {{ seed: number, names: string[], files: string[], starts: number[], places: Place[][], callees: number[][] }} Program */

/**
 * The functions and call graph of one imaginary binary.
 * @param {number} seed
 * @param {number} [functions]
 * @returns {Program}
 */
export function goProgram(seed, functions = 900) {
  const random = new Random(seed);
  /** @type {Program} */
  const program = { seed, names: [], files: [], starts: [], places: [], callees: [] };
  const seen = new Set();
  while (program.names.length < functions) {
    const pack = random.pick(PACKAGES);
    const method = `${random.pick(VERBS)}${random.pick(WORDS)}${random.chance(0.15) ? '.func1' : ''}`;
    const type = random.pick(TYPES);
    const name = random.chance(0.6) ? `${pack}.(*${type}).${method}` : `${pack}.${method}`;
    if (seen.has(name)) continue;
    seen.add(name);
    const root = pack.startsWith('example.org') || pack.startsWith('google') ? '/home/build/src' : '/usr/local/go/src';
    program.names.push(name);
    program.files.push(`${root}/${pack}/${type.toLowerCase()}.go`);
    program.starts.push(random.between(10, 2000));
  }
  for (let i = 0; i < functions; i++) {
    const places = random.between(1, 4);
    for (let j = 0; j < places; j++) {
      const place = [{ func: i, line: program.starts[i] + random.between(1, 80) }];
      if (random.chance(0.2)) {
        const inlined = random.below(functions);
        place.unshift({ func: inlined, line: program.starts[inlined] + random.between(1, 20) });
      }
      program.places.push(place);
    }
  }
  for (let i = 0; i < program.places.length; i++) {
    program.callees.push(Array.from({ length: random.between(1, 3) }, () => random.below(program.places.length)));
  }
  return program;
}

/**
 * One profile of that program.
 * @param {Program} program
 * @param {number} seed
 * @param {{ samples?: number, timeNs?: bigint, durationNs?: number }} [options]
 * @returns {Profile}
 */
export function goCpu(program, seed, options = {}) {
  const random = new Random(seed * 7919 + 17);
  const profile = new Profile(CPU_TYPES, {
    timeNs: options.timeNs ?? 1700000000000000000n + BigInt(seed) * 10000000000n,
    durationNs: options.durationNs ?? 10000000000 + random.below(20000000),
    periodType: { type: 'cpu', unit: 'nanoseconds' },
    period: 10000000,
  });
  const binary = profile.mapping('/usr/bin/shop', { buildId: 'c0ffee00c0ffee00' });
  /** @type {Map<number, number>} */
  const known = new Map();
  /** @param {number} place */
  const locationOf = (place) => {
    let location = known.get(place);
    if (location === undefined) {
      const lines = program.places[place].map(({ func, line }) => ({
        func: profile.func(program.names[func], program.files[func], { startLine: program.starts[func] }),
        line,
      }));
      location = profile.location(lines, { mapping: binary, address: 0x401000 + place * 37 });
      known.set(place, location);
    }
    return location;
  };
  const wanted = options.samples ?? 150;
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (let i = 0; i < wanted * DRAWS_A_SAMPLE && counts.size < wanted; i++) {
    const stack = Math.floor(STACKS ** (random.next() / 4294967296)); // rank k comes about 1/k as often as the first
    counts.set(stack, (counts.get(stack) ?? 0) + 1);
  }
  for (const [stack, count] of counts) {
    const places = walk(program, new Random(program.seed * 1000003 + stack));
    profile.sample(places.map(locationOf).reverse(), [count, count * 10000000]);
  }
  return profile;
}

/**
 * @param {Program} program
 * @param {Random} random
 * @returns {number[]} places, root first
 */
function walk(program, random) {
  const depth = random.between(4, 34);
  const stack = [random.skewed(12)];
  while (stack.length < depth) {
    const callees = program.callees[stack[stack.length - 1]];
    stack.push(callees[random.skewed(callees.length)]);
  }
  return stack;
}
