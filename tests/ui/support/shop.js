// SPDX-License-Identifier: Apache-2.0
// The service most tests look at: two versions of a shop, the second without its regular
// expressions. Values are chosen so that every sum is told apart from every other.
import { Profile } from '../../data/profile.js';
import { CPU_TYPES } from '../../data/generate.js';
import { post } from '../../api/client.js';

const MS = 1000000;

/** @type {Record<string, [string[], number][]>} stack, milliseconds */
const STACKS = {
  1: [
    [['main', 'serve', 'search', 'regexp.Compile'], 6001],
    [['main', 'serve', 'search'], 503],
    [['main', 'serve', 'render'], 2007],
    [['main', 'serve', 'render', 'search'], 211],
    [['main', 'gc'], 1009],
  ],
  2: [
    [['main', 'serve', 'search', 'cache.Get'], 307],
    [['main', 'serve', 'search'], 401],
    [['main', 'serve', 'render'], 3013],
    [['main', 'serve', 'render', 'search'], 213],
    [['main', 'gc'], 1009],
  ],
};

/**
 * @param {string} version
 * @param {number} [durationNs]
 * @param {number} [shift] makes profiles of one version differ
 */
export function shopProfile(version, durationNs = 10e9, shift = 0) {
  const profile = new Profile(CPU_TYPES, {
    timeNs: 1764500000000000000n + BigInt(shift) * 60000000000n, durationNs,
    periodType: { type: 'cpu', unit: 'nanoseconds' }, period: 10 * MS,
  });
  for (const [stack, ms] of STACKS[version]) {
    profile.sample(stack.map((name) => profile.frame(name, `${name.split('.')[0]}.go`)).reverse(),
      [ms / 10 | 0, (ms + shift) * MS + 7]);
  }
  return profile;
}

/**
 * Three profiles of version 1 (100 requests each), two of version 2 (200 each).
 * @param {import('../../api/server.js').Server} server
 * @param {string} [service]
 */
export async function postShop(server, service = 'shop') {
  for (const [version, count, work] of /** @type {[string, number, number][]} */ ([['1', 3, 100], ['2', 2, 200]])) {
    for (let i = 0; i < count; i++) {
      await post(server, { service, version, work, work_unit: 'requests' }, shopProfile(version, 10e9, i).encode());
    }
  }
}
