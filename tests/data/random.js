// SPDX-License-Identifier: Apache-2.0
// A seeded generator of random numbers (splitmix32): the same seed gives the same profiles on every
// machine and every version of Node, so a failing case can be made again from its seed alone.

export class Random {
  /** @param {number} seed any integer */
  constructor(seed) {
    this.state = seed | 0;
  }

  /** @returns {number} an integer in 0 .. 2^32-1 */
  next() {
    this.state = (this.state + 0x9e3779b9) | 0;
    let z = this.state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  }

  /**
   * @param {number} limit
   * @returns {number} an integer in 0 .. limit-1
   */
  below(limit) {
    return Math.floor((this.next() / 4294967296) * limit);
  }

  /**
   * @param {number} low
   * @param {number} high
   * @returns {number} an integer in low .. high
   */
  between(low, high) {
    return low + this.below(high - low + 1);
  }

  /**
   * @param {number} probability
   * @returns {boolean} true that often
   */
  chance(probability) {
    return this.next() < probability * 4294967296;
  }

  /**
   * @template T
   * @param {readonly T[]} list
   * @returns {T}
   */
  pick(list) {
    return list[this.below(list.length)];
  }

  /**
   * Small indices far more often than large ones, as calls and functions are in real programs.
   * @param {number} limit
   * @returns {number} an integer in 0 .. limit-1
   */
  skewed(limit) {
    const u = this.next() / 4294967296;
    return Math.min(limit - 1, Math.floor(u * u * u * limit));
  }
}
