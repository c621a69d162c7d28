// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import test from 'node:test';
import { cull } from '../../../static/flame/cull.js';
import { layoutOf } from '../../../static/flame/layout.js';
import { mergedCount, pick } from '../../../static/flame/pick.js';
import { treeOf } from '../../../static/flame/tree.js';
import { nodesOf } from '../support/trees.js';

/**
 * @param {Parameters<typeof nodesOf>[0]} specs
 */
function scene(specs) {
  const { nodes, names, files } = nodesOf(specs);
  const tree = treeOf(nodes, names, files);
  return { tree, layout: layoutOf(tree, 1, 0) };
}

/**
 * @param {ReturnType<typeof scene>} scene
 * @param {Partial<import('../../../static/flame/cull.js').Window>} [change]
 */
function look({ tree, layout }, change = {}) {
  return cull(tree, layout, { root: 0, low: 0, high: layout.width[0], pixels: 100, firstRow: 0, lastRow: 99, ...change });
}

/**
 * The boxes as "row:left-right node", merged ones as "row:left-right node..until".
 * @param {ReturnType<typeof look>} boxes
 */
function told(boxes) {
  const list = [];
  for (let r = 0; r + 1 < boxes.start.length; r++) {
    for (let b = boxes.start[r]; b < boxes.start[r + 1]; b++) {
      const more = boxes.until[b] ? `..${boxes.until[b]}` : '';
      list.push(`${boxes.firstRow + r}:${boxes.left[b]}-${boxes.right[b]} ${boxes.node[b]}${more}`);
    }
  }
  return list;
}

test('boxes stand under their parents', () => {
  const view = look(scene([['a', 10, [['b', 40]]], ['c', 50]]));
  assert.deepEqual(told(view), ['0:0-100 0', '1:0-50 1', '1:50-100 3', '2:0-40 2']);
  assert.equal(view.deepest, 2);
});

test('siblings narrower than a pixel become one box that knows how many it is', () => {
  const many = Array.from({ length: 300 }, (_, i) => /** @type {[string, number]} */ ([`n${i}`, 1]));
  const { tree, layout } = scene([['big', 700], ...many]);
  const view = look({ tree, layout });
  assert.deepEqual(told(view), ['0:0-100 0', '1:0-70 1', '1:70-100 2..302']);
  assert.equal(mergedCount(tree, 2, 302), 300);
});

test('unsorted siblings: only neighbours that are narrow are merged', () => {
  const view = look(scene([['a', 3], ['b', 3], ['c', 494], ['d', 4], ['e', 496]]));
  assert.deepEqual(told(view).slice(1), ['1:0-1 1..3', '1:1-50 3', '1:50-100 5']);
});

test('a single narrow node stays itself', () => {
  const view = look(scene([['a', 995], ['b', 5]]));
  assert.deepEqual(told(view).slice(1), ['1:0-100 1']);
  assert.deepEqual(told(look(scene([['a', 991], ['b', 9]]))).slice(1), ['1:0-99 1', '1:99-100 2']);
});

test('what is outside the window is not there', () => {
  const s = scene([['a', 50, [['b', 25]]], ['c', 25]]);
  assert.deepEqual(told(look(s, { low: 80, high: 100 })), ['0:0-100 0', '1:0-100 3']);
  assert.deepEqual(told(look(s, { firstRow: 2, lastRow: 2 })), ['2:0-25 2']);
  const none = look(s, { firstRow: 0, lastRow: -1 });
  assert.equal(none.node.length, 0);
  assert.equal(none.deepest, 2);
});

test('a zoomed node is row 0', () => {
  const s = scene([['a', 50, [['b', 25, [['d', 5]]]]], ['c', 25]]);
  const view = look(s, { root: 2, low: s.layout.x[2], high: s.layout.x[2] + s.layout.width[2] });
  assert.deepEqual(told(view), ['0:0-100 2', '1:0-17 3']);
});

test('rows are gap-free and in order whatever the values', () => {
  let seed = 9;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  /** @param {number} depth @returns {[string, number, any[]]} */
  const grow = (depth) => [`f${Math.floor(random() * 9)}`, Math.floor(random() ** 4 * 1000) - 20,
    depth === 0 ? [] : Array.from({ length: Math.floor(random() * 7) }, () => grow(depth - 1))];
  for (let round = 0; round < 60; round++) {
    const s = scene([grow(6), grow(6), grow(5)]);
    if (s.layout.width[0] === 0) continue;
    const low = s.layout.width[0] * random() * 0.5;
    const boxes = look(s, { low, high: low + s.layout.width[0] * (0.01 + random() * 0.5), pixels: 250 });
    for (let r = 0; r + 1 < boxes.start.length; r++) {
      for (let b = boxes.start[r]; b < boxes.start[r + 1]; b++) {
        assert.ok(boxes.left[b] >= 0 && boxes.right[b] <= 250 && boxes.left[b] < boxes.right[b]);
        if (b > boxes.start[r]) assert.ok(boxes.left[b] >= boxes.right[b - 1], 'overlap');
        assert.equal(pick(boxes, r, boxes.left[b]), b);
        assert.equal(pick(boxes, r, boxes.right[b] - 1), b);
      }
    }
    assert.equal(pick(boxes, 50, 10), -1);
  }
});

test('the cost follows the pixels, not the nodes', () => {
  const count = 1000001;
  const flat = new Array(count).fill(1);
  const tree = treeOf({ name: new Array(count).fill(0), file: new Array(count).fill(0), depth: [0, ...flat.slice(1)], self: flat, total: flat }, ['f'], ['']);
  const layout = layoutOf(tree, 1, 0);
  const start = process.cpuUsage(); // and not the clock: other tests run beside this one
  for (let i = 0; i < 50; i++) look({ tree, layout });
  const { user } = process.cpuUsage(start);
  assert.ok(user < 500000, `a million sorted narrow siblings are one step, not ${user / 50} µs`);
});

test('a stack of 20,000 frames: rows far down are reached', () => {
  const depth = Array.from({ length: 20001 }, (_, i) => i);
  const tree = treeOf({ name: depth.map(() => 0), file: depth.map(() => 0), depth, self: depth.map((i) => (i === 20000 ? 1 : 0)), total: depth.map(() => 1) }, ['f'], ['']);
  const view = look({ tree, layout: layoutOf(tree, 1, 0) }, { firstRow: 19990, lastRow: 20010 });
  assert.equal(view.deepest, 20000);
  assert.equal(view.node.length, 11);
});
