// SPDX-License-Identifier: Apache-2.0
// Where an arrow key leads in the tree. Pure: the view turns the answer into scrolling and paint.

/** @typedef {import('./tree.js').Tree} Tree */
/** @typedef {import('./layout.js').Layout} Layout */
/** @typedef {'parent'|'child'|'previous'|'next'|'first'|'last'} Step */

/**
 * Siblings of a node that have a width, in order; of the root itself alone.
 * @param {Tree} tree
 * @param {Layout} layout
 * @param {number} node
 * @returns {number[]}
 */
export function siblings(tree, layout, node) {
  const parent = tree.parent[node];
  if (parent < 0) return [node];
  return children(tree, layout, parent);
}

/**
 * @param {Tree} tree
 * @param {Layout} layout
 * @param {number} node
 * @returns {number[]}
 */
export function children(tree, layout, node) {
  const list = [];
  for (let i = node + 1; i < tree.end[node]; i = tree.end[i]) {
    if (layout.width[i] > 0) list.push(i);
  }
  return list;
}

/**
 * @param {Tree} tree
 * @param {Layout} layout
 * @param {number} node
 * @param {number} root The zoomed node: steps stay within it.
 * @param {Step} step
 * @returns {number} The same node when there is nothing that way.
 */
export function move(tree, layout, node, root, step) {
  if (step === 'parent') return node === root ? node : tree.parent[node];
  if (step === 'child') {
    let best = node;
    for (const i of children(tree, layout, node)) {
      if (best === node || layout.width[i] > layout.width[best]) best = i;
    }
    return best;
  }
  if (node === root) return node;
  const list = siblings(tree, layout, node);
  const at = list.indexOf(node);
  if (step === 'first') return list[0] ?? node;
  if (step === 'last') return list[list.length - 1] ?? node;
  return list[step === 'next' ? at + 1 : at - 1] ?? node;
}
