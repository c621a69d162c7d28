// SPDX-License-Identifier: Apache-2.0
// A call tree in typed columns, made from the API's pre-order nodes in one pass. Adds what drawing
// and picking need (parent, end of subtree, weights) and checks the shape: everything after this
// may rely on it. Nothing recurses: stacks are up to 65,535 frames deep.

import { column } from '../exact.js';

/** @typedef {import('../exact.js').Column} Column */
/**
 * @typedef {object} Tree
 * @property {number} count
 * @property {string[]} names
 * @property {string[]} files
 * @property {Int32Array} name Index into names; -1: several small nodes merged into one.
 * @property {Int32Array} file
 * @property {Int32Array} depth
 * @property {Int32Array} parent -1 for node 0.
 * @property {Int32Array} end First node after the subtree.
 * @property {Column} self
 * @property {Column} total
 * @property {Column|null} baseSelf
 * @property {Column|null} baseTotal
 * @property {Float64Array} weight Sum of |self| over the subtree: what widths are made of.
 * @property {Float64Array|null} baseWeight
 * @property {number} merged How many nodes stand for several.
 */

export const MERGED = -1;

/**
 * @param {Int32Array} depth
 * @returns {{parent: Int32Array, end: Int32Array}}
 */
function structure(depth) {
  const count = depth.length;
  const parent = new Int32Array(count).fill(-1);
  const end = new Int32Array(count).fill(count);
  let open = new Int32Array(256); // the node last seen at each depth, up to `top`
  let top = -1;
  for (let i = 0; i < count; i++) {
    const d = depth[i];
    if (i === 0 ? d !== 0 : d < 1 || d > top + 1) {
      throw new RangeError(`node ${i} has depth ${d} after depth ${top}`);
    }
    while (top >= d) end[open[top--]] = i;
    if (d === open.length) {
      const wider = new Int32Array(open.length * 2);
      wider.set(open);
      open = wider;
    }
    open[d] = i;
    top = d;
    if (d > 0) parent[i] = open[d - 1];
  }
  return { parent, end };
}

/**
 * @param {Column} self
 * @param {Column} total
 * @param {Int32Array} name
 * @param {Int32Array} parent
 */
function weights(self, total, name, parent) {
  const weight = new Float64Array(parent.length);
  for (let i = parent.length - 1; i >= 0; i--) {
    // A merged node has no children here; its whole value is its own.
    weight[i] += Math.abs(name[i] === MERGED ? total.f[i] : self.f[i]);
    if (i > 0) weight[parent[i]] += weight[i];
  }
  return weight;
}

/**
 * @param {import('../api.js').Nodes} nodes
 * @param {string[]} names
 * @param {string[]} files
 * @returns {Tree}
 */
export function treeOf(nodes, names, files) {
  const count = nodes.name.length;
  if (count === 0) throw new RangeError('a tree without a root');
  for (const key of /** @type {const} */ (['file', 'depth', 'self', 'total'])) {
    if (nodes[key].length !== count) throw new RangeError(`${nodes[key].length} ${key} entries`);
  }
  const name = Int32Array.from(nodes.name);
  const file = Int32Array.from(nodes.file);
  const depth = Int32Array.from(nodes.depth);
  const { parent, end } = structure(depth);
  const self = column(nodes.self, count);
  const total = column(nodes.total, count);
  const two = nodes.base_total !== undefined;
  const baseSelf = two ? column(nodes.base_self, count) : null;
  const baseTotal = two ? column(nodes.base_total, count) : null;
  let merged = 0;
  for (let i = 0; i < count; i++) {
    if (name[i] < MERGED || name[i] >= names.length) throw new RangeError(`name ${name[i]}`);
    if (name[i] === MERGED) merged++;
  }
  return {
    count, names, files, name, file, depth, parent, end, self, total, baseSelf, baseTotal, merged,
    weight: weights(self, total, name, parent),
    baseWeight: baseSelf && baseTotal ? weights(baseSelf, baseTotal, name, parent) : null,
  };
}

/**
 * @param {Tree} tree
 * @param {number} node
 * @returns {string} '' for a merged node.
 */
export function nameAt(tree, node) {
  const name = tree.name[node];
  return name < 0 ? '' : tree.names[name];
}

/**
 * @param {Tree} tree
 * @param {number} node
 */
export function fileAt(tree, node) {
  return tree.name[node] < 0 ? '' : tree.files[tree.file[node]] ?? '';
}

/**
 * Nodes from the root down to `node`, both included.
 * @param {Tree} tree
 * @param {number} node
 * @returns {number[]}
 */
export function pathTo(tree, node) {
  const path = [];
  for (let i = node; i >= 0; i = tree.parent[i]) path.push(i);
  return path.reverse();
}

/**
 * Whether the subtree holds a node that stands for several.
 * @param {Tree} tree
 * @param {number} node
 */
export function hasMerged(tree, node) {
  if (tree.merged === 0) return false;
  for (let i = node; i < tree.end[node]; i++) if (tree.name[i] === MERGED) return true;
  return false;
}
