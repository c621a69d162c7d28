// SPDX-License-Identifier: Apache-2.0
// What a screen reader sees of the canvas: a tree of the current frame, its ancestors, neighbours
// and callees. It holds a few dozen items however large the profile is, and takes the focus.

import { el } from '../dom.js';
import { children, siblings } from './keys.js';
import { pathTo } from './tree.js';

/** @typedef {import('./tree.js').Tree} Tree */
/** @typedef {import('./layout.js').Layout} Layout */

const ANCESTORS = 12;
const NEIGHBOURS = 8; // to each side
const CALLEES = 12;
let serial = 0; // two graphs on one page need ids that differ

export class Mirror {
  /**
   * @param {HTMLElement} host Becomes the focusable tree.
   * @param {string} label
   */
  constructor(host, label) {
    this.host = host;
    this.prefix = `frame-${++serial}`;
    host.setAttribute('role', 'tree');
    host.setAttribute('aria-label', label);
    host.tabIndex = 0;
  }

  /**
   * @param {Tree} tree
   * @param {Layout} layout
   * @param {number} node
   * @param {number} root
   * @param {(node: number) => string} describe
   */
  update(tree, layout, node, root, describe) {
    const items = [];
    const path = pathTo(tree, node).filter((i) => i >= root);
    for (const i of path.slice(0, -1).slice(-ANCESTORS)) {
      items.push(this.item(tree, layout, i, root, describe, true));
    }
    const list = node === root ? [node] : siblings(tree, layout, node);
    const at = Math.max(0, list.indexOf(node));
    const from = Math.max(0, at - NEIGHBOURS);
    list.slice(from, at + NEIGHBOURS + 1).forEach((i, k) => {
      const item = this.item(tree, layout, i, root, describe, i === node);
      item.setAttribute('aria-setsize', String(list.length));
      item.setAttribute('aria-posinset', String(from + k + 1));
      items.push(item);
      if (i !== node) return;
      item.setAttribute('aria-selected', 'true');
      for (const child of children(tree, layout, node).slice(0, CALLEES)) {
        items.push(this.item(tree, layout, child, root, describe, false));
      }
    });
    this.host.replaceChildren(...items);
    this.host.setAttribute('aria-activedescendant', `${this.prefix}-${node}`);
  }

  /**
   * @param {Tree} tree
   * @param {Layout} layout
   * @param {number} node
   * @param {number} root
   * @param {(node: number) => string} describe
   * @param {boolean} open
   */
  item(tree, layout, node, root, describe, open) {
    const leaf = tree.end[node] === node + 1;
    return el('div', {
      role: 'treeitem',
      id: `${this.prefix}-${node}`,
      'aria-level': tree.depth[node] - tree.depth[root] + 1,
      'aria-expanded': leaf ? null : String(open),
    }, describe(node));
  }

  clear() {
    this.host.replaceChildren();
    this.host.removeAttribute('aria-activedescendant');
  }
}
