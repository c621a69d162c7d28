// SPDX-License-Identifier: Apache-2.0
// Which boxes are on the screen. One pre-order walk that skips what is left, right, below or too
// narrow, so its cost follows the pixels and not the nodes. Siblings narrower than a pixel become
// one merged box that says how many it stands for: nothing is dropped without a trace.

/** @typedef {import('./tree.js').Tree} Tree */
/** @typedef {import('./layout.js').Layout} Layout */
/**
 * @typedef {object} Window What of the tree is looked at.
 * @property {number} root The node that fills row 0.
 * @property {number} low Left edge, in the layout's unit.
 * @property {number} high Right edge, above low.
 * @property {number} pixels Width in device pixels.
 * @property {number} firstRow
 * @property {number} lastRow
 */
/**
 * @typedef {object} Boxes Drawn boxes, row by row, each row from left to right.
 * @property {Int32Array} start First box of each row; one entry more than rows.
 * @property {Int32Array} left Device pixels.
 * @property {Int32Array} right
 * @property {Int32Array} node The node, or of a merged box its first node.
 * @property {Int32Array} until 0 for a node; of a merged box the first sibling after it.
 * @property {number} firstRow
 * @property {number} lastRow
 * @property {number} deepest Deepest row with anything in it, within or below the window.
 */

class List {
  constructor() {
    this.count = 0;
    this.data = new Int32Array(4096 * 5);
  }

  /**
   * @param {number} row
   * @param {number} left
   * @param {number} right
   * @param {number} node
   * @param {number} until
   */
  add(row, left, right, node, until) {
    const at = this.count * 5;
    if (at === this.data.length) {
      const wider = new Int32Array(at * 2);
      wider.set(this.data);
      this.data = wider;
    }
    const { data } = this;
    data[at] = row;
    data[at + 1] = left;
    data[at + 2] = right;
    data[at + 3] = node;
    data[at + 4] = until;
    this.count++;
  }
}

/**
 * Buckets the list by row; the walk's order within a row is from left to right already.
 * @param {List} list
 * @param {Window} view
 * @param {number} deepest
 * @returns {Boxes}
 */
function byRow(list, view, deepest) {
  const rows = Math.max(0, view.lastRow - view.firstRow + 1);
  const start = new Int32Array(rows + 1);
  for (let i = 0; i < list.count; i++) start[list.data[i * 5] - view.firstRow + 1]++;
  for (let r = 0; r < rows; r++) start[r + 1] += start[r];
  const next = start.slice();
  const left = new Int32Array(list.count);
  const right = new Int32Array(list.count);
  const node = new Int32Array(list.count);
  const until = new Int32Array(list.count);
  for (let i = 0; i < list.count; i++) {
    const at = i * 5;
    const to = next[list.data[at] - view.firstRow]++;
    left[to] = list.data[at + 1];
    right[to] = list.data[at + 2];
    node[to] = list.data[at + 3];
    until[to] = list.data[at + 4];
  }
  return {
    start, left, right, node, until, firstRow: view.firstRow, lastRow: view.lastRow, deepest,
  };
}

/**
 * The end of a run of siblings narrower than a pixel, and where it ends in x.
 * @param {Tree} tree
 * @param {Layout} layout
 * @param {number} node
 * @param {number} narrow Width of one pixel, in the layout's unit.
 * @param {number} high
 * @returns {[number, number]}
 */
function run(tree, layout, node, narrow, high) {
  const parent = tree.parent[node];
  const stop = parent < 0 ? tree.end[node] : tree.end[parent];
  // With sorted siblings every later one is as narrow: the rest of the parent in one step.
  if (layout.sorted && parent >= 0) return [stop, layout.filled[parent]];
  let i = node;
  let edge = layout.x[node];
  while (i < stop && layout.width[i] < narrow && edge < high) {
    edge = layout.x[i] + layout.width[i];
    i = tree.end[i];
  }
  return [i, edge];
}

/**
 * @param {Tree} tree
 * @param {Layout} layout
 * @param {Window} view
 * @returns {Boxes}
 */
export function cull(tree, layout, view) {
  const { depth, parent, end } = tree;
  const { x, width } = layout;
  const scale = view.pixels / (view.high - view.low);
  const narrow = 1 / scale;
  const stop = end[view.root];
  const top = depth[view.root];
  const list = new List();
  let deepest = 0;
  let i = view.root;
  while (i < stop) {
    const row = depth[i] - top;
    const left = Math.round((x[i] - view.low) * scale);
    if (left >= view.pixels) {
      i = i === view.root ? stop : end[parent[i]];
    } else if (x[i] + width[i] <= view.low) {
      i = end[i];
    } else if (width[i] < narrow) {
      const [next, edge] = run(tree, layout, i, narrow, view.high);
      const right = Math.min(view.pixels, Math.round((edge - view.low) * scale));
      if (right > Math.max(0, left)) {
        deepest = Math.max(deepest, row);
        if (row >= view.firstRow && row <= view.lastRow) {
          // One narrow node by itself is still that node, not a merged box.
          list.add(row, Math.max(0, left), right, i, next > end[i] ? next : 0);
        }
      }
      i = next;
    } else {
      const right = Math.min(view.pixels, Math.round((x[i] + width[i] - view.low) * scale));
      deepest = Math.max(deepest, row);
      if (row >= view.firstRow && row <= view.lastRow && right > Math.max(0, left)) {
        list.add(row, Math.max(0, left), right, i, 0);
      }
      i++;
    }
  }
  return byRow(list, view, deepest);
}
