// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import test from 'node:test';
import { lensOf } from '../../../static/basis.js';
import { Rows } from '../../../static/functions/rows.js';
import { move } from '../../../static/flame/keys.js';
import { layoutOf } from '../../../static/flame/layout.js';
import { treeOf } from '../../../static/flame/tree.js';
import { nodesOf } from '../support/trees.js';

const sides = [
  { version: ['2'], profiles: 2, duration_ns: 0, work: null, total: 100, unfiltered_total: 100 },
  { version: ['1'], profiles: 1, duration_ns: 0, work: null, total: 100, unfiltered_total: 100 },
];
const answer = {
  unit: 'count', metric: 'm', kind: /** @type {const} */ ('counter'), sides, count: 4, functions: [
    { name: 'b', file: 'f', self: 1, total: '9007199254740993', stacks: 3, base_self: 0, base_total: 5, base_stacks: 1 },
    { name: 'a', file: 'f', self: 5, total: '9007199254740992', stacks: 1, base_self: 5, base_total: 5, base_stacks: 1 },
    { name: '__proto__', file: 'z', self: -7, total: 100, stacks: 2, base_self: 9, base_total: 45, base_stacks: 9 },
    { name: 'a', file: 'e', self: 5, total: 40, stacks: 1, base_self: 0, base_total: 10, base_stacks: 1 },
  ],
};
const lens = lensOf(answer, 'profile');
/** @param {Partial<import('../../../static/functions/table.js').Wish>} wish */
const order = (wish) => [...new Rows(answer).order({ sort: 'total', order: 'desc', find: '', ...wish }, lens)];

test('sorting by any column, exact where doubles are equal', () => {
  assert.deepEqual(order({}), [0, 1, 2, 3]);
  assert.deepEqual(order({ order: 'asc' }), [3, 2, 1, 0]);
  assert.deepEqual(order({ sort: 'self' }), [1, 3, 0, 2]);
  assert.deepEqual(order({ sort: 'name', order: 'asc' }), [2, 3, 1, 0]);
  assert.deepEqual(order({ sort: 'stacks' }), [0, 2, 1, 3]);
  assert.deepEqual(order({ sort: 'base_total' }), [2, 3, 0, 1]);
});

test('differences sort in the basis, not as sums', () => {
  // Per profile: 100/2 - 45 = 5 and 40/2 - 10 = 10; as sums it would be 55 and 30.
  assert.deepEqual(order({ sort: 'delta_total', order: 'asc' }).slice(0, 2), [2, 3]);
});

test('find looks at names and files', () => {
  assert.deepEqual(order({ find: 'PROTO' }), [2]);
  assert.deepEqual(order({ find: 'e' }), [3]);
  assert.deepEqual(order({ find: 'nothing' }), []);
});

test('arrow keys', () => {
  const { nodes, names, files } = nodesOf([['a', 1, [['b', 2], ['c', 5], ['d', 0]]], ['e', 3]]);
  const tree = treeOf(nodes, names, files);
  const layout = layoutOf(tree, 1, 0);
  const go = (/** @type {number} */ node, /** @type {any} */ step, root = 0) => move(tree, layout, node, root, step);
  assert.equal(go(1, 'child'), 3, 'the widest child');
  assert.equal(go(3, 'previous'), 2);
  assert.equal(go(3, 'next'), 3, 'd has no width');
  assert.equal(go(2, 'last'), 3);
  assert.equal(go(5, 'first'), 1);
  assert.equal(go(3, 'parent'), 1);
  assert.equal(go(1, 'parent', 1), 1, 'not above the zoomed node');
  assert.equal(go(0, 'next'), 0);
  assert.equal(go(2, 'child'), 2);
});
