// SPDX-License-Identifier: Apache-2.0
// Which box is under a point: binary search in the drawn row, so what is picked is what is seen.

/** @typedef {import('./cull.js').Boxes} Boxes */

/**
 * @param {Boxes} boxes
 * @param {number} row
 * @param {number} x Device pixels.
 * @returns {number} Index into the boxes, or -1.
 */
export function pick(boxes, row, x) {
  const at = row - boxes.firstRow;
  if (at < 0 || at >= boxes.start.length - 1) return -1;
  let low = boxes.start[at];
  let high = boxes.start[at + 1] - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (x < boxes.left[middle]) high = middle - 1;
    else if (x >= boxes.right[middle]) low = middle + 1;
    else return middle;
  }
  return -1;
}

/**
 * How many frames a merged box stands for: the siblings themselves, not what is below them.
 * @param {import('./tree.js').Tree} tree
 * @param {number} node
 * @param {number} until
 */
export function mergedCount(tree, node, until) {
  let count = 0;
  for (let i = node; i < until; i = tree.end[i]) count++;
  return count;
}
