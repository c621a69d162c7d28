// SPDX-License-Identifier: Apache-2.0
// The numbers of one frame, whether it is a node of a tree, several siblings drawn as one box, or a
// row of the function list. Exact sums; the lens turns them into what is read.

import { scale } from './basis.js';
import { changeOf } from './compare.js';
import { exactAt, toBig } from './exact.js';
import { fileAt, MERGED, nameAt } from './flame/tree.js';
import { mergedCount } from './flame/pick.js';
import { plural } from './format.js';

/** @typedef {import('./flame/tree.js').Tree} Tree */
/** @typedef {import('./basis.js').Lens} Lens */
/**
 * @typedef {object} Frame
 * @property {string} name
 * @property {string} file
 * @property {boolean} merged Stands for several frames: has no name of its own, no focus.
 * @property {boolean} [whole] The root of everything: no function either.
 * @property {bigint} self
 * @property {bigint} total
 * @property {bigint} baseSelf
 * @property {bigint} baseTotal
 * @property {boolean} inNow Occurs in the selection, whatever its sum.
 * @property {boolean} inBase
 */

/**
 * @param {Tree} tree
 * @param {number} node
 * @param {number} until > 0: the siblings from `node` up to it.
 * @returns {Frame}
 */
export function frameAt(tree, node, until) {
  const { self, total, baseSelf, baseTotal } = tree;
  if (until === 0) {
    const merged = tree.name[node] === MERGED;
    return {
      name: merged ? 'Frames too small to list' : nameAt(tree, node),
      file: fileAt(tree, node), merged,
      self: exactAt(self, node), total: exactAt(total, node),
      baseSelf: baseSelf ? exactAt(baseSelf, node) : 0n,
      baseTotal: baseTotal ? exactAt(baseTotal, node) : 0n,
      inNow: tree.weight[node] > 0, inBase: (tree.baseWeight?.[node] ?? 0) > 0,
    };
  }
  const frame = {
    name: `${plural(mergedCount(tree, node, until), 'frame')} narrower than a pixel`, file: '',
    merged: true, self: 0n, total: 0n, baseSelf: 0n, baseTotal: 0n, inNow: true, inBase: true,
  };
  frame.self = sumOf(tree, self, node, until);
  frame.total = sumOf(tree, total, node, until);
  if (baseSelf) frame.baseSelf = sumOf(tree, baseSelf, node, until);
  if (baseTotal) frame.baseTotal = sumOf(tree, baseTotal, node, until);
  return frame;
}

/**
 * Exact sum over siblings. Doubles add while they are exact, which is most of the time and many
 * times faster: a box may stand for a million frames under a moving pointer.
 * @param {Tree} tree
 * @param {import('./exact.js').Column} values
 * @param {number} node
 * @param {number} until
 */
function sumOf(tree, values, node, until) {
  let sum = 0n;
  let part = 0;
  for (let i = node; i < until; i = tree.end[i]) {
    const next = part + values.f[i];
    if (values.big?.has(i) || !Number.isSafeInteger(next)) {
      sum += BigInt(part) + exactAt(values, i);
      part = 0;
    } else {
      part = next;
    }
  }
  return sum + BigInt(part);
}

/**
 * @param {import('./api.js').FunctionRow} row
 * @returns {Frame}
 */
export function frameOfRow(row) {
  const self = toBig(row.self);
  const total = toBig(row.total);
  const baseSelf = toBig(row.base_self);
  const baseTotal = toBig(row.base_total);
  return {
    name: row.name, file: row.file, merged: false, self, total, baseSelf, baseTotal,
    inNow: row.stacks > 0 || self !== 0n || total !== 0n,
    inBase: (row.base_stacks ?? 0) > 0 || baseSelf !== 0n || baseTotal !== 0n,
  };
}

/**
 * The larger side's whole in the basis: what differences are measured against.
 * @param {Lens} lens
 */
export function wholeOf(lens) {
  const sides = lens.sides.map((side, i) => Math.abs(scale(lens, Number(side.total), i)));
  return Math.max(0, ...sides.filter((x) => Number.isFinite(x)));
}

/**
 * @param {Lens} lens
 * @param {Frame} frame
 * @param {number} whole
 * @param {'self'|'total'} [column]
 */
export function frameChange(lens, frame, whole, column = 'total') {
  const base = column === 'self' ? frame.baseSelf : frame.baseTotal;
  return changeOf(scale(lens, frame[column], 0), scale(lens, base, 1),
    frame.inNow, frame.inBase, whole);
}
