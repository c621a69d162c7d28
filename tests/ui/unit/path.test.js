// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import test from 'node:test';
import { extend, findByHash, hashOf, ROOT } from '../../../static/flame/path.js';
import { treeOf } from '../../../static/flame/tree.js';
import { nodesOf } from '../support/trees.js';

/**
 * FNV-1a as its definition says it, over the whole byte string at once.
 * @param {string} text
 * @param {number} start
 */
function fnv(text, start) {
  let h = BigInt(start);
  for (const byte of Buffer.from(text)) h = ((h ^ BigInt(byte)) * 0x01000193n) & 0xffffffffn;
  return h.toString(16).padStart(8, '0');
}

test('the hash of a path is FNV-1a of its names and files', () => {
  const text = 'main\0main.c\0ünï\0\0';
  const expected = fnv(text, 0x811c9dc5) + fnv(text, 0x9747b28c);
  assert.equal(extend(extend(ROOT, 'main', 'main.c'), 'ünï', ''), expected);
});

test('a node is found by its hash, from the root or from a subtree', () => {
  const { nodes, names, files } = nodesOf([['a', 1, [['b', 2], ['c', 3, [['b', 4]]]]], ['', 1], ['b', 5]]);
  const tree = treeOf(nodes, names, files);
  for (const node of [0, 1, 2, 3, 4, 6]) {
    assert.equal(findByHash(tree, hashOf(tree, node, ROOT), ROOT), node);
  }
  assert.equal(findByHash(tree, '0000000000000000', ROOT), -1);
  const seed = extend(ROOT, 'x', 'y');
  assert.equal(findByHash(tree, hashOf(tree, 4, seed), seed), 4);
  assert.equal(findByHash(tree, hashOf(tree, 4, ROOT), seed), -1);
});
