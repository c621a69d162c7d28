// SPDX-License-Identifier: Apache-2.0
// Random profiles by knobs: the raw material of the API, page and differential tests. The same
// options always give the same bytes.
import { Profile } from './profile.js';
import { Random } from './random.js';
import { HOSTILE_NAMES } from './hostile.js';

/** @typedef {import('./wire.js').Int} Int */
/** @typedef {import('./profile.js').Label} Label */
/** @typedef {import('./profile.js').SampleType} SampleType */

/**
 * @typedef {object} Knobs
 * @property {number} [seed]
 * @property {number} [samples]
 * @property {number} [depth] most locations of a stack
 * @property {number} [functions]
 * @property {number} [locations] default: one for each function
 * @property {number} [recursion] probability that a frame repeats one above it
 * @property {number} [inlines] most lines of a location
 * @property {number} [labels] label keys on each sample
 * @property {number} [labelValues] values of each label key
 * @property {readonly SampleType[]} [types]
 * @property {number} [maxValue]
 * @property {number} [negative] probability of a negative value
 * @property {number} [zero] probability of a value 0
 * @property {boolean} [hostile] names meant to break parsers, markup and terminals
 * @property {boolean} [sameNames] several functions of one name in different files
 * @property {number} [unsymbolised] probability of a location without lines
 * @property {boolean} [sparseIds] ids up to 2^64-1
 * @property {number} [mappings]
 * @property {number} [empty] probability of a sample without locations
 * @property {Int} [timeNs]
 * @property {Int} [durationNs]
 * @property {string} [defaultType]
 */

/** @type {readonly SampleType[]} */
export const CPU_TYPES = [
  { type: 'samples', unit: 'count' },
  { type: 'cpu', unit: 'nanoseconds' },
];

/** @type {readonly SampleType[]} */
export const HEAP_TYPES = [
  { type: 'alloc_objects', unit: 'count' },
  { type: 'alloc_space', unit: 'bytes' },
  { type: 'inuse_objects', unit: 'count' },
  { type: 'inuse_space', unit: 'bytes' },
];

/** @type {Required<Knobs>} */
const DEFAULTS = {
  seed: 1,
  samples: 200,
  depth: 20,
  functions: 60,
  locations: 0,
  recursion: 0.05,
  inlines: 1,
  labels: 0,
  labelValues: 4,
  types: CPU_TYPES,
  maxValue: 1000,
  negative: 0,
  zero: 0,
  hostile: false,
  sameNames: false,
  unsymbolised: 0,
  sparseIds: false,
  mappings: 1,
  empty: 0,
  timeNs: 1700000000123456789n,
  durationNs: 10000000000,
  defaultType: '',
};

/**
 * @param {Knobs} [knobs]
 * @returns {Profile}
 */
export function generate(knobs = {}) {
  const k = { ...DEFAULTS, ...knobs };
  const random = new Random(k.seed);
  const cpu = k.types.some(({ type }) => type === 'cpu');
  const profile = new Profile(k.types, {
    timeNs: k.timeNs,
    durationNs: k.durationNs,
    periodType: cpu ? { type: 'cpu', unit: 'nanoseconds' } : undefined,
    period: cpu ? 10000000 : 0,
    defaultType: k.defaultType,
  });
  addMappings(profile, k);
  addFunctions(profile, k);
  addLocations(profile, k, random);
  for (let i = 0; i < k.samples; i++) {
    const stack = random.chance(k.empty) ? [] : drawStack(profile, k, random);
    profile.sample(stack, drawValues(k, random), drawLabels(k, random));
  }
  return profile;
}

/**
 * Ids far apart, the last ones next to 2^64; the order of the list says nothing about them.
 * @param {boolean} sparse
 * @param {number} n
 * @returns {Int | undefined}
 */
function idOf(sparse, n) {
  return sparse ? BigInt.asUintN(64, 0xffffffffffffffffn - BigInt(n) * 0x9e3779b97f4a7c15n) : undefined;
}

/**
 * @param {Profile} profile
 * @param {Required<Knobs>} k
 */
function addMappings(profile, k) {
  for (let i = 0; i < k.mappings; i++) {
    const file = i === 0 ? '/usr/bin/program' : `/usr/lib/lib${i}.so.${i}`;
    const id = idOf(k.sparseIds, i);
    profile.mapping(file, { buildId: `build${i}`, ...(id === undefined ? {} : { id }) });
  }
}

/**
 * @param {Profile} profile
 * @param {Required<Knobs>} k
 */
function addFunctions(profile, k) {
  for (let i = 0; i < k.functions; i++) {
    let name = `package${i % 7}.function${i}`;
    if (k.sameNames) name = `package.function${i >> 2}`;
    if (k.hostile && i < HOSTILE_NAMES.length) name = HOSTILE_NAMES[i];
    const file = k.hostile && i % 3 === 0 ? HOSTILE_NAMES[i % HOSTILE_NAMES.length] : `src/file${i % 11}.c`;
    const id = idOf(k.sparseIds, i);
    profile.func(name, k.sameNames ? `src/${i}.c` : file, { startLine: i, ...(id === undefined ? {} : { id }) });
  }
}

/**
 * @param {Profile} profile
 * @param {Required<Knobs>} k
 * @param {Random} random
 */
function addLocations(profile, k, random) {
  const count = k.locations || k.functions;
  for (let i = 0; i < count; i++) {
    /** @type {import('./profile.js').Line[]} */
    const lines = [];
    const wanted = random.chance(k.unsymbolised) ? 0 : random.between(1, k.inlines);
    for (let j = 0; j < wanted; j++) {
      const func = j === 0 ? i % profile.functions.length : random.below(profile.functions.length);
      lines.push({ func, line: random.between(1, 5000) });
    }
    const mapping = k.mappings > 0 ? random.below(k.mappings + 1) - 1 : -1;
    const id = idOf(k.sparseIds, i);
    profile.location(lines, { mapping, address: 0x400000 + i * 16, ...(id === undefined ? {} : { id }) });
  }
}

/**
 * A walk over a random call graph whose edges depend on the caller alone, so that stacks share
 * their upper parts as real ones do.
 * @param {Profile} profile
 * @param {Required<Knobs>} k
 * @param {Random} random
 * @returns {number[]} leaf first
 */
function drawStack(profile, k, random) {
  const count = profile.locations.length;
  const depth = random.between(1, k.depth);
  const stack = [random.below(Math.min(3, count))];
  while (stack.length < depth) {
    const caller = stack[stack.length - 1];
    if (random.chance(k.recursion)) stack.push(random.pick(stack));
    else stack.push((caller * 31 + 7 + random.skewed(6) * 13) % count);
  }
  return stack.reverse();
}

/**
 * @param {Required<Knobs>} k
 * @param {Random} random
 * @returns {number[]}
 */
function drawValues(k, random) {
  return k.types.map(() => {
    if (random.chance(k.zero)) return 0;
    const value = random.between(1, k.maxValue);
    return random.chance(k.negative) ? -value : value;
  });
}

/**
 * @param {Required<Knobs>} k
 * @param {Random} random
 * @returns {Label[]}
 */
function drawLabels(k, random) {
  /** @type {Label[]} */
  const labels = [];
  for (let i = 0; i < k.labels; i++) {
    const value = random.below(k.labelValues);
    if (i % 2 === 0) labels.push({ key: `key${i}`, text: `value${value}` });
    else labels.push({ key: `key${i}`, number: value + 1, unit: 'bytes' });
  }
  return labels;
}
