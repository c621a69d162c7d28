// SPDX-License-Identifier: Apache-2.0
// Where boxes lie: x and width of every node, in the unit of the weights. Input: a tree and how
// much each side counts. Output: typed columns; drawing maps them to pixels.
//
//   main ──────────────────────   width = sum of |self| below; children stand at the left in the
//   parse ───────── draw ────     tree's order, what is left over at the right is main's own
//
// Widths come from absolute weights, so a subtree whose signed values cancel out does not vanish
// and no child is wider than its parent. Numbers that are read stay signed.

/** @typedef {import('./tree.js').Tree} Tree */
/**
 * @typedef {object} Layout
 * @property {Float64Array} x
 * @property {Float64Array} width
 * @property {Float64Array} filled Where the last child ends; x for a leaf.
 * @property {boolean} sorted Siblings never grow wider to the right.
 */

/**
 * @param {Tree} tree
 * @param {number} now Factor of the selection's weights, >= 0.
 * @param {number} base Factor of the base's weights, >= 0.
 * @returns {Layout}
 */
export function layoutOf(tree, now, base) {
  const { count, parent, weight, baseWeight } = tree;
  const x = new Float64Array(count);
  const width = new Float64Array(count);
  const filled = new Float64Array(count);
  const last = new Float64Array(count).fill(Infinity); // width of the latest child
  let sorted = true;
  for (let i = 0; i < count; i++) {
    const w = weight[i] * now + (baseWeight ? baseWeight[i] * base : 0);
    width[i] = w;
    if (i > 0) {
      const above = parent[i];
      x[i] = filled[above];
      filled[above] += w;
      if (w > last[above]) sorted = false;
      last[above] = w;
    }
    filled[i] = x[i];
  }
  return { x, width, filled, sorted };
}

/**
 * The sides' factors for a width mode. "both" is the mean of the two sides: it adds up like each
 * side does, and a frame of one side only is drawn at half its width.
 * @param {import('../state.js').Width} mode
 * @param {number} now
 * @param {number} base
 * @returns {[number, number]}
 */
export function widthFactors(mode, now, base) {
  if (mode === 'new') return [now, 0];
  if (mode === 'base') return [0, base];
  return [now / 2, base / 2];
}
