// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import test from 'node:test';
import { frameAt } from '../../../static/frame.js';
import { matchedTotal, matchNodes } from '../../../static/find.js';
import { hasMerged, nameAt, pathTo, treeOf } from '../../../static/flame/tree.js';
import { layoutOf, widthFactors } from '../../../static/flame/layout.js';
import { nodesOf } from '../support/trees.js';

/** @param {Parameters<typeof nodesOf>} specs */
function build(...specs) {
  const { nodes, names, files } = nodesOf(...specs);
  return treeOf(nodes, names, files);
}

test('parents and ends of subtrees', () => {
  const tree = build([['a', 1, [['b', 2, [['c', 3]]], ['d', 4]]], ['e', 5]]);
  assert.deepEqual([...tree.parent], [-1, 0, 1, 2, 1, 0]);
  assert.deepEqual([...tree.end], [6, 5, 4, 4, 5, 6]);
  assert.deepEqual(pathTo(tree, 3).map((i) => nameAt(tree, i)), ['all', 'a', 'b', 'c']);
  assert.deepEqual([...tree.weight], [15, 10, 5, 3, 4, 5]);
});

test('malformed columns are refused', () => {
  const { nodes, names, files } = nodesOf([['a', 1]]);
  assert.throws(() => treeOf({ ...nodes, depth: [0, 2] }, names, files), /depth 2/);
  assert.throws(() => treeOf({ ...nodes, depth: [1, 1] }, names, files), /depth 1/);
  assert.throws(() => treeOf({ ...nodes, depth: [0, 0] }, names, files), /depth 0/);
  assert.throws(() => treeOf({ ...nodes, name: [0, 9] }, names, files), /name 9/);
  assert.throws(() => treeOf({ ...nodes, self: [1] }, names, files), RangeError);
  assert.throws(() => treeOf({ name: [], file: [], depth: [], self: [], total: [] }, [], []), /root/);
});

test('widths come from absolute weights; numbers stay signed', () => {
  const tree = build([['a', 0, [['plus', 10], ['minus', -10]]]]);
  assert.equal(tree.total.f[1], 0);
  assert.equal(tree.weight[1], 20);
  const { x, width } = layoutOf(tree, 1, 0);
  assert.deepEqual([...width], [20, 20, 10, 10]);
  assert.deepEqual([...x], [0, 0, 0, 10]);
  assert.equal(frameAt(tree, 3, 0).total, -10n);
});

test('no child is wider than its parent and siblings do not overlap', () => {
  const tree = build([['a', 3, [['b', 1], ['c', 7, [['d', -2]]]]], ['e', -5]]);
  const { x, width, filled } = layoutOf(tree, 1, 0);
  for (let i = 1; i < tree.count; i++) {
    const p = tree.parent[i];
    assert.ok(x[i] >= x[p] && x[i] + width[i] <= x[p] + width[p]);
    assert.ok(filled[i] <= x[i] + width[i]);
  }
});

test('sorted tells whether siblings only get narrower', () => {
  assert.equal(layoutOf(build([['a', 3], ['b', 2]]), 1, 0).sorted, true);
  assert.equal(layoutOf(build([['a', 2], ['b', 3]]), 1, 0).sorted, false);
});

test('the width of both sides is their mean, so a one-sided frame has half its width', () => {
  assert.deepEqual(widthFactors('both', 1, 3), [0.5, 1.5]);
  assert.deepEqual(widthFactors('new', 1, 3), [1, 0]);
  assert.deepEqual(widthFactors('base', 1, 3), [0, 3]);
  const tree = build([['same', 10], ['gone', 0]], [['same', 10], ['gone', 8]]);
  const { width } = layoutOf(tree, ...widthFactors('both', 1, 1));
  assert.deepEqual([...width], [14, 10, 4]);
  const now = layoutOf(tree, ...widthFactors('new', 1, 1));
  assert.equal(now.width[2], 0);
});

test('an all-zero tree has no width and no NaN', () => {
  const { x, width } = layoutOf(build([['a', 0, [['b', 0]]]]), 1, 0);
  assert.deepEqual([...x, ...width], [0, 0, 0, 0, 0, 0]);
});

test('exact sums beyond 2^53 and of merged siblings', () => {
  const tree = build([['a', '9007199254740993'], ['b', '9007199254740993'], ['', 5]]);
  assert.equal(frameAt(tree, 0, 0).total, 18014398509481991n);
  assert.equal(frameAt(tree, 1, tree.end[2]).total, 18014398509481986n);
  assert.equal(frameAt(tree, 3, 0).merged, true);
  assert.equal(hasMerged(tree, 0), true);
  assert.equal(hasMerged(tree, 1), false);
});

test('find counts outermost matches once', () => {
  const tree = build([['Parse', 1, [['parseValue', 2, [['x', 4]]]]], ['other', 8]]);
  const found = /** @type {Uint8Array} */ (matchNodes(tree, 'PARSE'));
  assert.deepEqual(matchedTotal(tree, found), { frames: 2, total: 7n });
  assert.equal(matchNodes(tree, ''), null);
});

test('20,000 frames deep, 50,000 roots, a million nodes', () => {
  const depth = Array.from({ length: 20001 }, (_, i) => i);
  const ones = depth.map(() => 1);
  const deep = treeOf({ name: depth.map(() => 0), file: depth.map(() => 0), depth, self: ones, total: depth.map((i) => 20001 - i) }, ['f'], ['']);
  assert.equal(deep.weight[0], 20001);
  assert.equal(layoutOf(deep, 1, 0).width[20000], 1);
  const count = 1000001;
  const flat = new Array(count).fill(1);
  const wide = treeOf({ name: new Array(count).fill(0), file: new Array(count).fill(0), depth: [0, ...flat.slice(1)], self: flat, total: flat }, ['f'], ['']);
  assert.equal(wide.end[0], count);
  assert.equal(layoutOf(wide, 1, 0).x[count - 1], count - 2);
});
