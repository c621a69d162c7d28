// SPDX-License-Identifier: Apache-2.0
// The name of a node in a URL: 16 hex digits, two FNV-1a 32-bit states fed with name NUL file NUL
// of every frame from the root's child down to the node. The server computes the same.

import { fileAt, MERGED, nameAt, pathTo } from './tree.js';

/** @typedef {import('./tree.js').Tree} Tree */

export const ROOT = '811c9dc59747b28c'; // no frame yet: both bases
const PRIME = 0x01000193;
const encoder = new TextEncoder();

/**
 * @param {number} state
 * @param {Uint8Array} bytes
 */
function feed(state, bytes) {
  for (let i = 0; i < bytes.length; i++) state = Math.imul(state ^ bytes[i], PRIME);
  return Math.imul(state, PRIME); // the NUL: xor with 0 changes nothing
}

/** @param {number} state */
function hex(state) {
  return (state >>> 0).toString(16).padStart(8, '0');
}

/**
 * @param {string} from Hash of the caller's path.
 * @param {string} name
 * @param {string} file
 */
export function extend(from, name, file) {
  const bytes = [encoder.encode(name), encoder.encode(file)];
  return [from.slice(0, 8), from.slice(8)].map((part) => {
    return hex(bytes.reduce(feed, Number.parseInt(part, 16)));
  }).join('');
}

/**
 * @param {Tree} tree
 * @param {number} node Not a merged one.
 * @param {string} seed Hash of node 0.
 */
export function hashOf(tree, node, seed) {
  let hash = seed;
  for (const i of pathTo(tree, node)) {
    if (i > 0) hash = extend(hash, nameAt(tree, i), fileAt(tree, i));
  }
  return hash;
}

/**
 * The node with this hash, or -1. One pass over the tree with the states of the open path.
 * @param {Tree} tree
 * @param {string} wanted
 * @param {string} seed
 */
export function findByHash(tree, wanted, seed) {
  if (wanted === seed) return 0;
  const target = [Number.parseInt(wanted.slice(0, 8), 16) | 0,
    Number.parseInt(wanted.slice(8), 16) | 0];
  const first = new Int32Array(tree.count);
  const second = new Int32Array(tree.count);
  first[0] = Number.parseInt(seed.slice(0, 8), 16);
  second[0] = Number.parseInt(seed.slice(8), 16);
  /** @type {Uint8Array[]} */
  const names = [];
  /** @type {Uint8Array[]} */
  const files = [];
  for (let i = 1; i < tree.count; i++) {
    if (tree.name[i] === MERGED) continue;
    const name = (names[tree.name[i]] ??= encoder.encode(nameAt(tree, i)));
    const file = (files[tree.file[i]] ??= encoder.encode(fileAt(tree, i)));
    const above = tree.parent[i];
    first[i] = feed(feed(first[above], name), file);
    second[i] = feed(feed(second[above], name), file);
    if (first[i] === target[0] && second[i] === target[1]) return i;
  }
  return -1;
}
