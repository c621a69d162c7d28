// SPDX-License-Identifier: Apache-2.0
// The find box: a plain substring of the function or file name, upper and lower case alike. Pure.

import { exactAt } from './exact.js';
import { MERGED } from './flame/tree.js';

/** @typedef {import('./flame/tree.js').Tree} Tree */

/**
 * @param {string} text
 * @returns {((name: string) => boolean)|null} null: nothing to look for.
 */
export function matcher(text) {
  if (text === '') return null;
  const wanted = text.toLowerCase();
  return (name) => name.toLowerCase().includes(wanted);
}

/**
 * Which nodes match; each distinct name and file is tested once.
 * @param {Tree} tree
 * @param {string} text
 * @returns {Uint8Array|null}
 */
export function matchNodes(tree, text) {
  const test = matcher(text);
  if (!test) return null;
  const names = tree.names.map(test);
  const files = tree.files.map(test);
  const found = new Uint8Array(tree.count);
  for (let i = 1; i < tree.count; i++) {
    if (tree.name[i] !== MERGED && (names[tree.name[i]] || files[tree.file[i]])) found[i] = 1;
  }
  return found;
}

/**
 * Sum of the matches; a match below a match is already counted.
 * @param {Tree} tree
 * @param {Uint8Array} found
 * @returns {{frames: number, total: bigint}}
 */
export function matchedTotal(tree, found) {
  let frames = 0;
  let total = 0n;
  let counted = 0; // nodes before it lie below a match
  for (let i = 1; i < tree.count; i++) {
    if (!found[i]) continue;
    frames++;
    if (i < counted) continue;
    total += exactAt(tree.total, i);
    counted = tree.end[i];
  }
  return { frames, total };
}
