// SPDX-License-Identifier: Apache-2.0
// What a profile means, worked out the slow and obvious way with unbounded integers. The tests hold
// the server's answers against this.

/** @typedef {import('./profile.js').Profile} Profile */
/** @typedef {{ name: string, file: string }} Frame */
/** @typedef {{ self: bigint, total: bigint, stacks: number }} Figures */

/**
 * @param {Profile} profile
 * @param {number} index of the location
 * @returns {Frame[]} its frames, outermost caller first
 */
export function framesOf(profile, index) {
  const location = profile.locations[index];
  const mapping = location.mapping >= 0 ? profile.mappings[location.mapping] : undefined;
  const binary = mapping?.file ? `[${mapping.file.slice(mapping.file.lastIndexOf('/') + 1)}]` : '[unknown]';
  if (location.lines.length === 0) return [{ name: binary, file: '' }];
  return location.lines
    .map((line) => profile.functions[line.func])
    .map((func) => ({ name: String(func.name) || binary, file: String(func.file) }))
    .reverse();
}

/**
 * @param {Profile} profile
 * @param {number} sample
 * @returns {Frame[]} root first
 */
export function stackOf(profile, sample) {
  return [...profile.samples[sample].locations].reverse().flatMap((index) => framesOf(profile, index));
}

/**
 * Self, total and number of distinct stacks of every function by (name, file); the key is both,
 * joined by NUL.
 * @param {readonly Profile[]} profiles added up
 * @param {number} column of the values
 * @param {(frame: Frame) => string} [identity]
 * @returns {{ total: bigint, functions: Map<string, Figures> }}
 */
export function functionsOf(profiles, column, identity = (f) => `${f.name}\0${f.file}`) {
  let total = 0n;
  /** @type {Map<string, { frames: Frame[], value: bigint }>} */
  const stacks = new Map();
  for (const profile of profiles) {
    profile.samples.forEach((sample, n) => {
      const frames = stackOf(profile, n);
      const key = frames.map((f) => `${f.name}\0${f.file}`).join('\x01');
      const value = BigInt(sample.values[column]);
      const known = stacks.get(key);
      total += value;
      if (known) known.value += value;
      else stacks.set(key, { frames, value });
    });
  }
  /** @type {Map<string, Figures>} */
  const functions = new Map();
  for (const { frames, value } of stacks.values()) {
    if (frames.length === 0) continue;
    for (const key of new Set(frames.map(identity))) {
      const row = functions.get(key) ?? { self: 0n, total: 0n, stacks: 0 };
      row.total += value;
      row.stacks++;
      functions.set(key, row);
    }
    const leaf = functions.get(identity(frames[frames.length - 1]));
    if (leaf) leaf.self += value;
  }
  return { total, functions };
}
