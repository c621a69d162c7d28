// SPDX-License-Identifier: Apache-2.0
// Exact integers of the API. A value is a JSON number, or a decimal string beyond 2^53-1. The page
// keeps two forms: Float64 for geometry and order, BigInt for every number that is read.

/** @typedef {number|string} Wire A value as the API sends it. */
/**
 * @typedef {object} Column One value per node or row.
 * @property {Float64Array} f Nearest doubles: for widths and sorting only.
 * @property {Map<number, bigint>|null} big Exact values of the entries a double cannot hold.
 */

/**
 * @param {Wire|null|undefined} value
 * @returns {bigint}
 */
export function toBig(value) {
  if (value === null || value === undefined) return 0n;
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) throw new TypeError(`not an exact integer: ${value}`);
    return BigInt(value);
  }
  if (!/^-?\d{1,40}$/.test(value)) throw new TypeError(`not an integer: ${value.slice(0, 40)}`);
  return BigInt(value);
}

/**
 * @param {Wire[]|undefined} raw
 * @param {number} count Entries the column must have; a missing column is all zeros.
 * @returns {Column}
 */
export function column(raw, count) {
  const f = new Float64Array(count);
  if (raw === undefined) return { f, big: null };
  if (raw.length !== count) throw new RangeError(`${raw.length} values for ${count} entries`);
  /** @type {Map<number, bigint>|null} */
  let big = null;
  for (let i = 0; i < count; i++) {
    const value = raw[i];
    if (typeof value === 'number') {
      f[i] = value;
      continue;
    }
    const exact = toBig(value);
    f[i] = Number(exact);
    big ??= new Map();
    big.set(i, exact);
  }
  return { f, big };
}

/**
 * @param {Column} values
 * @param {number} i
 * @returns {bigint}
 */
export function exactAt(values, i) {
  return values.big?.get(i) ?? BigInt(values.f[i]);
}

/**
 * Order of two entries: by double first, by exact value where the doubles are equal.
 * @param {Column} values
 * @param {number} a
 * @param {number} b
 * @returns {number}
 */
export function compareAt(values, a, b) {
  const by = values.f[a] - values.f[b];
  if (by !== 0 || !values.big) return by;
  const x = exactAt(values, a);
  const y = exactAt(values, b);
  return x < y ? -1 : x > y ? 1 : 0;
}
