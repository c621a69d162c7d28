// SPDX-License-Identifier: Apache-2.0
// Reads a tree in pre-order columns as the views send it, and checks what must hold for every one.
import assert from 'node:assert/strict';
import { integer } from './client.js';

/** @typedef {{ self: bigint, total: bigint }} Pair */
/** @typedef {{ name: string | null, file: string, depth: number, self: bigint, total: bigint, baseSelf: bigint, baseTotal: bigint }} Node */
/** `name` is null for what was cut off and merged. */

/**
 * @param {any} view a flame graph, or the callees or callers of a focus together with its names
 * @returns {Node[]} pre-order
 */
export function readTree(view) {
  const { names, files, nodes } = view;
  const count = nodes.name.length;
  const compared = nodes.base_total !== undefined;
  for (const column of ['name', 'file', 'depth', 'self', 'total']) {
    assert.equal(nodes[column].length, count, `column ${column}`);
  }
  /** @type {Node[]} */
  const tree = [];
  for (let i = 0; i < count; i++) {
    const name = nodes.name[i];
    assert.ok(name >= -1 && name < names.length, `node ${i}: name ${name} of ${names.length}`);
    if (name >= 0) assert.ok(nodes.file[i] >= 0 && nodes.file[i] < files.length, `node ${i}: file`);
    tree.push({
      name: name === -1 ? null : names[name],
      file: name === -1 ? '' : files[nodes.file[i]],
      depth: nodes.depth[i],
      self: integer(nodes.self[i]),
      total: integer(nodes.total[i]),
      baseSelf: compared ? integer(nodes.base_self[i]) : 0n,
      baseTotal: compared ? integer(nodes.base_total[i]) : 0n,
    });
  }
  return tree;
}

/**
 * total = self + children on both sides, depths grow by one, no frame twice under one parent.
 * @param {Node[]} tree
 */
export function assertTree(tree) {
  assert.equal(tree[0].depth, 0);
  const rest = tree.map((node) => node.total - node.self);
  const baseRest = tree.map((node) => node.baseTotal - node.baseSelf);
  /** @type {number[]} */
  const path = [];
  const children = tree.map(() => new Set());
  tree.forEach((node, i) => {
    if (i > 0) {
      assert.ok(node.depth >= 1 && node.depth <= tree[i - 1].depth + 1, `node ${i}: depth ${node.depth}`);
      const parent = path[node.depth - 1];
      rest[parent] -= node.total;
      baseRest[parent] -= node.baseTotal;
      const key = `${node.name}\0${node.file}`;
      assert.ok(!children[parent].has(key), `node ${i}: a second ${node.name} below one parent`);
      children[parent].add(key);
    }
    path[node.depth] = i;
  });
  rest.forEach((left, i) => assert.equal(left, 0n, `node ${i} ${tree[i].name}: total is not self + children`));
  baseRest.forEach((left, i) => assert.equal(left, 0n, `node ${i} ${tree[i].name}: base total`));
}

/**
 * @param {Node[]} tree
 * @param {string[]} names from below the root
 * @returns {Node | undefined}
 */
export function nodeAt(tree, names) {
  /** @type {(string | null)[]} */
  const path = [];
  for (const node of tree) {
    path.length = node.depth;
    if (node.depth > 0) path[node.depth - 1] = node.name;
    if (node.depth === names.length && names.every((name, i) => path[i] === name)) return node;
  }
  return undefined;
}

/**
 * Self and total of every function, each path counted once.
 * @param {Node[]} tree
 * @param {(node: Node) => string} [identity]
 * @returns {Map<string, Pair>}
 */
export function functionsOfTree(tree, identity = (node) => `${node.name}\0${node.file}`) {
  /** @type {Map<string, Pair & { open: number }>} */
  const rows = new Map();
  /** @type {{ open: number }[]} */
  const path = [];
  for (const node of tree) {
    if (node.depth === 0) continue;
    while (path.length >= node.depth) {
      const left = path.pop();
      if (left) left.open--;
    }
    const key = identity(node);
    const row = rows.get(key) ?? { self: 0n, total: 0n, open: 0 };
    rows.set(key, row);
    row.self += node.self;
    if (row.open++ === 0) row.total += node.total;
    path.push(row);
  }
  return rows;
}

/**
 * @param {Node[]} tree
 * @returns {string} one line a node, for comparing by eye
 */
export function drawTree(tree) {
  return tree.map((n) => `${'  '.repeat(n.depth)}${n.name} ${n.self}/${n.total}`).join('\n');
}
