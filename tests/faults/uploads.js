// SPDX-License-Identifier: Apache-2.0
// Any number of distinct profiles for little work: one template and a time of its own for each. A
// profile is known by its number alone, so that nothing needs to be kept to check it later.
import zlib from 'node:zlib';
import { generate } from '../data/generate.js';
import { Writer } from '../data/wire.js';

const FIRST_NS = 1700000000000000000n;
const STEP_NS = 1000003n;

const template = generate({ seed: 77, samples: 60, depth: 15, timeNs: 0 });
const encoded = template.encode();

/** What one of them adds to the metric cpu. */
export const UPLOAD_TOTAL = template.samples.reduce((sum, { values }) => sum + BigInt(values[1]), 0n);

/**
 * @param {number} number
 * @returns {Buffer} every third one gzip
 */
export function upload(number) {
  const w = new Writer(encoded.length + 16);
  w.raw(encoded);
  w.scalar(9, FIRST_NS + BigInt(number) * STEP_NS);
  const body = Buffer.from(w.finish());
  return number % 3 === 0 ? zlib.gzipSync(body, { level: 1 }) : body;
}

/**
 * @param {string} time of a listed profile
 * @returns {number} which upload it is
 */
export function numberOf(time) {
  const match = /^(.*)\.(\d{9})Z$/.exec(time);
  if (!match) throw new Error(`not a time: ${time}`);
  const ns = BigInt(Date.parse(`${match[1]}Z`)) * 1000000n + BigInt(match[2]);
  return Number((ns - FIRST_NS) / STEP_NS);
}
