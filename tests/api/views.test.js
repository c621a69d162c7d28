// SPDX-License-Identifier: Apache-2.0
// Flame graph, function list and focus of one side, against figures worked out by hand or by the
// slow evaluator.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { get, getRefused, integer, post } from './client.js';
import { Server } from './server.js';
import { assertTree, functionsOfTree, nodeAt, readTree } from './tree.js';
import { HEAP_TYPES, generate } from '../data/generate.js';
import { functionsOf } from '../data/evaluate.js';
import { Profile } from '../data/profile.js';
import { deep, hostile, million, recursive, wide } from '../data/shapes.js';

/** @type {Server} */
let server;
before(async () => {
  server = await Server.start();
  const profile = new Profile([{ type: 'cpu', unit: 'nanoseconds' }], { timeNs: 1700000000000000000n });
  profile.stack(['main', 'serve', 'parse'], [50]);
  profile.stack(['main', 'serve', 'parse', 'alloc'], [30]);
  profile.stack(['main', 'serve', 'write'], [10]);
  profile.stack(['main', 'idle'], [5]);
  profile.stack(['start', 'parse', 'serve', 'parse'], [4]);
  profile.stack([], [1]);
  await post(server, { service: 'small' }, profile.gzip());
});
after(() => server.stop());

const WHOLE = { min_fraction: '0', max_nodes: 10000000 };

/**
 * @param {any} view a functions answer
 * @returns {Map<string, { self: bigint, total: bigint, stacks: number }>} by name and file
 */
function rowsOf(view) {
  return new Map(
    view.functions.map((/** @type {any} */ row) => [
      `${row.name}\0${row.file}`,
      { self: integer(row.self), total: integer(row.total), stacks: row.stacks },
    ]),
  );
}

/**
 * Holds flame graph and function list of a service against the evaluator, for every metric.
 * @param {string} service
 * @param {Profile[]} profiles
 */
async function checkAgainstEvaluator(service, profiles) {
  for (const [column, { type: metric }] of profiles[0].types.entries()) {
    const expected = functionsOf(profiles, column);
    const list = await get(server, 'functions', { service, metric, limit: 1000000 });
    assert.equal(integer(list.sides[0].total), expected.total, metric);
    const rows = rowsOf(list);
    for (const [key, figures] of expected.functions) {
      const row = rows.get(key);
      if (!row && figures.self === 0n && figures.total === 0n) continue;
      assert.deepEqual(row && { self: row.self, total: row.total }, { self: figures.self, total: figures.total }, `${metric} ${key}`);
    }
    assert.ok(rows.size <= expected.functions.size, 'functions nobody sent');
    const tree = readTree(await get(server, 'flamegraph', { service, metric, ...WHOLE }));
    assertTree(tree);
    assert.equal(tree[0].total, expected.total);
    for (const [key, pair] of functionsOfTree(tree)) {
      const figures = expected.functions.get(key);
      assert.deepEqual(pair && { self: pair.self, total: pair.total }, figures && { self: figures.self, total: figures.total }, key);
    }
  }
}

test('the flame graph is a tree in pre-order, heaviest first', async () => {
  const view = await get(server, 'flamegraph', { service: 'small', ...WHOLE });
  const tree = readTree(view);
  assertTree(tree);
  assert.deepEqual(
    tree.map((n) => [n.depth, n.name, Number(n.self), Number(n.total)]),
    [
      [0, 'all', 1, 100],
      [1, 'main', 0, 95],
      [2, 'serve', 0, 90],
      [3, 'parse', 50, 80],
      [4, 'alloc', 30, 30],
      [3, 'write', 10, 10],
      [2, 'idle', 5, 5],
      [1, 'start', 0, 4],
      [2, 'parse', 0, 4],
      [3, 'serve', 0, 4],
      [4, 'parse', 4, 4],
    ],
  );
  assert.equal(view.files[0], '');
  assert.equal(view.sides[0].total, 100);
});

test('the function list counts a recursive stack once', async () => {
  const view = await get(server, 'functions', { service: 'small' });
  assert.equal(view.count, 7);
  assert.deepEqual(
    view.functions.map((/** @type {any} */ f) => [f.name, f.self, f.total, f.stacks]),
    [
      ['main', 0, 95, 4],
      ['serve', 0, 94, 4],
      ['parse', 54, 84, 3],
      ['alloc', 30, 30, 1],
      ['write', 10, 10, 1],
      ['idle', 5, 5, 1],
      ['start', 0, 4, 1],
    ],
  );
});

test('the function list sorts, pages and searches', async () => {
  /** @param {import('./client.js').Parameters} parameters */
  const names = async (parameters) => (await get(server, 'functions', { service: 'small', ...parameters })).functions.map((/** @type {any} */ f) => f.name);
  assert.deepEqual(await names({ sort: 'self', limit: 2 }), ['parse', 'alloc']);
  assert.deepEqual(await names({ sort: 'name', order: 'asc' }), ['alloc', 'idle', 'main', 'parse', 'serve', 'start', 'write']);
  assert.deepEqual(await names({ sort: 'total', order: 'asc', limit: 1 }), ['start']);
  assert.deepEqual(await names({ limit: 2, offset: 2 }), ['parse', 'alloc']);
  assert.deepEqual(await names({ offset: 100 }), []);
  assert.deepEqual(await names({ q: 'se' }), ['serve', 'parse']);
  assert.deepEqual(await names({ q: 'SE' }), [], 'case matters');
  const paged = await get(server, 'functions', { service: 'small', q: 'se', limit: 1 });
  assert.equal(paged.count, 2, 'count is of all matches, not of the page');
  for (const wrong of [{ sort: 'colour' }, { order: 'up' }, { limit: 0 }, { limit: 1000001 }, { offset: -1 }, { limit: 'x' }]) {
    await getRefused(server, 'functions', { service: 'small', ...wrong }, 400, 'bad_parameter');
  }
});

test('min_fraction merges light nodes per parent and keeps every sum', async () => {
  const view = await get(server, 'flamegraph', { service: 'small', min_fraction: '0.2', max_nodes: 1000 });
  const tree = readTree(view);
  assertTree(tree);
  assert.equal(tree[0].total, 100n);
  assert.equal(nodeAt(tree, ['main', 'serve', 'parse', 'alloc'])?.total, 30n);
  assert.equal(nodeAt(tree, ['main', 'serve', 'write']), undefined);
  const merged = tree.filter((n) => n.name === null).map((n) => [n.depth, Number(n.total)]);
  assert.deepEqual(merged.sort(), [[1, 4], [2, 5], [3, 10]]);
  assert.equal(view.truncated.nodes, 6);
  assert.equal(Number(view.truncated.total), 19);
});

test('max_nodes keeps the heaviest', async () => {
  for (const max of [1, 2, 3, 5, 8, 11, 100]) {
    const tree = readTree(await get(server, 'flamegraph', { service: 'small', min_fraction: 0, max_nodes: max }));
    assertTree(tree);
    assert.equal(tree[0].total, 100n);
    assert.ok(tree.filter((n) => n.name !== null).length <= Math.max(max, 1), `${max} nodes asked`);
    if (max >= 3) assert.equal(tree[1].name, 'main');
  }
});

test('root zooms into the node its path names', async () => {
  const root = pathHash([['main', ''], ['serve', '']]);
  const tree = readTree(await get(server, 'flamegraph', { service: 'small', root, ...WHOLE }));
  assertTree(tree);
  assert.equal(tree[0].total, 90n);
  assert.ok(nodeAt(tree, ['parse', 'alloc']) ?? nodeAt(tree, ['main', 'serve', 'parse', 'alloc']), 'its callees are there');
  const gone = await get(server, 'flamegraph', { service: 'small', root: '0123456789abcdef' }).catch((e) => e);
  assert.ok(gone instanceof Error || gone.nodes, 'an unknown root has an answer');
});

/**
 * @param {[string, string][]} frames name and file
 * @returns {string} the 16 hex digits of api.md
 */
function pathHash(frames) {
  const bytes = Buffer.from(frames.map(([name, file]) => `${name}\0${file}\0`).join(''));
  return [0x811c9dc5, 0x9747b28c]
    .map((basis) => bytes.reduce((h, byte) => Math.imul(h ^ byte, 0x01000193) >>> 0, basis))
    .map((h) => h.toString(16).padStart(8, '0'))
    .join('');
}

test('focus joins callees and callers at the outermost occurrence', async () => {
  const view = await get(server, 'focus', { service: 'small', function: 'parse' });
  const callees = readTree({ ...view, nodes: view.callees.nodes });
  const callers = readTree({ ...view, nodes: view.callers.nodes });
  assertTree(callees);
  assertTree(callers);
  assert.equal(callees[0].name, 'parse');
  assert.equal(callees[0].total, 84n);
  assert.equal(callers[0].total, 84n);
  assert.equal(nodeAt(callees, ['alloc'])?.total, 30n);
  assert.equal(nodeAt(callees, ['serve', 'parse'])?.total, 4n);
  assert.equal(nodeAt(callers, ['serve', 'main'])?.total, 80n);
  assert.equal(nodeAt(callers, ['start'])?.total, 4n);
  assert.equal(nodeAt(callers, ['serve', 'parse']), undefined);
  assert.equal(Number(view.function.total), 84);
  assert.equal(Number(view.function.self), 54);
});

test('focus of a function nobody has', async () => {
  await getRefused(server, 'focus', { service: 'small' }, 400, 'bad_parameter');
  await getRefused(server, 'focus', { service: 'small', function: 'nobody' }, 404, 'not_found');
});

test('focus tells files apart', async () => {
  const profile = new Profile([{ type: 'cpu', unit: 'nanoseconds' }], { timeNs: 1700000000000000000n });
  profile.sample([profile.frame('init', 'a.c')], [3]);
  profile.sample([profile.frame('init', 'b.c')], [4]);
  await post(server, { service: 'files' }, profile.gzip());
  const one = await get(server, 'focus', { service: 'files', function: 'init', file: 'b.c' });
  assert.equal(Number(one.function.total), 4);
  const list = await get(server, 'functions', { service: 'files' });
  assert.deepEqual(list.functions.map((/** @type {any} */ f) => [f.name, f.file, f.total]), [['init', 'b.c', 4], ['init', 'a.c', 3]]);
});

/** @type {Record<string, import('../data/generate.js').Knobs>} */
const GENERATED = {
  plain: {},
  recursive: { recursion: 0.6, functions: 8, depth: 60 },
  inlined: { inlines: 5, locations: 200 },
  labelled: { labels: 4, labelValues: 8 },
  tagged: { labels: 1, labelValues: 500, samples: 3000 },
  negative: { negative: 0.5 },
  zero: { zero: 0.7 },
  heap: { types: HEAP_TYPES, durationNs: 0 },
  unsymbolised: { unsymbolised: 0.4, mappings: 4, locations: 150 },
  sparse: { sparseIds: true },
  empty: { empty: 0.3 },
  files: { sameNames: true, functions: 40 },
  large: { maxValue: 9007199254740991 / 1000 },
  crowded: { samples: 1500, functions: 400, depth: 40 },
};
for (const [name, knobs] of Object.entries(GENERATED)) {
  test(`generated: ${name}, alone and added up`, async () => {
    const profiles = [0, 1, 2].map((i) => generate({ seed: 100 + i, ...knobs, timeNs: 1700000000000000000n + BigInt(i) }));
    const service = `generated ${name}`;
    await post(server, { service }, profiles[0].gzip());
    await checkAgainstEvaluator(service, profiles.slice(0, 1));
    await post(server, { service }, profiles[1].gzip());
    await post(server, { service }, profiles[2].encode());
    await checkAgainstEvaluator(service, profiles);
  });
}

test('hostile names come back to the byte, as JSON in UTF-8', async () => {
  const profile = hostile();
  await post(server, { service: 'hostile' }, profile.gzip());
  await checkAgainstEvaluator('hostile', [profile]);
});

test('names that are not UTF-8 stay apart and keep their values', async () => {
  const profile = hostile(true);
  await post(server, { service: 'broken' }, profile.gzip());
  const list = await get(server, 'functions', { service: 'broken' });
  const expected = functionsOf([profile], 1);
  assert.equal(integer(list.sides[0].total), expected.total);
  assert.equal(list.count, profile.functions.length);
});

test('totals past 2^53 are exact decimal strings', async () => {
  const profile = new Profile([{ type: 'cpu', unit: 'nanoseconds' }], { timeNs: 1700000000000000000n });
  profile.stack(['a'], [9007199254740993n]);
  profile.stack(['b'], [9223372036854775807n - 9007199254740993n]);
  await post(server, { service: 'huge' }, profile.gzip());
  const view = await get(server, 'functions', { service: 'huge' });
  assert.equal(view.sides[0].total, '9223372036854775807');
  assert.deepEqual(view.functions.map((/** @type {any} */ f) => f.self), ['9214364837600034814', '9007199254740993']);
  profile.header = { ...profile.header, timeNs: 1700000000000000001n };
  await post(server, { service: 'huge' }, profile.gzip());
  await getRefused(server, 'functions', { service: 'huge' }, 400, 'value_overflow');
});

test('a stack of 10,000 frames is kept whole', async () => {
  const profile = deep();
  await post(server, { service: 'deep' }, profile.gzip());
  const tree = readTree(await get(server, 'flamegraph', { service: 'deep', ...WHOLE }));
  assertTree(tree);
  assert.equal(tree.length, 10002);
  assert.equal(tree.reduce((most, node) => Math.max(most, node.depth), 0), 10000);
  const focus = await get(server, 'focus', { service: 'deep', function: 'level5000', file: 'deep.c', ...WHOLE });
  assert.equal(focus.function.total, 30000000);
  assert.equal((await get(server, 'functions', { service: 'deep', limit: 100000 })).count, 10001);
});

test('a function that calls itself 5,000 times counts once', async () => {
  await post(server, { service: 'again' }, recursive().gzip());
  const { functions } = await get(server, 'functions', { service: 'again' });
  assert.deepEqual(functions.map((/** @type {any} */ f) => [f.name, f.self, f.total]).sort(), [['again', 20, 20], ['main', 0, 20]]);
});

test('50,000 roots are kept, and cut by default with every sum intact', async () => {
  const profile = wide();
  await post(server, { service: 'wide' }, profile.gzip());
  const whole = readTree(await get(server, 'flamegraph', { service: 'wide', ...WHOLE }));
  assertTree(whole);
  assert.equal(whole.length, 50001);
  const cut = await get(server, 'flamegraph', { service: 'wide' });
  const tree = readTree(cut);
  assertTree(tree);
  assert.equal(tree[0].total, whole[0].total);
  assert.ok(cut.truncated.nodes > 40000, 'each root is below 1/8000');
});

test('a million samples in a small body', async () => {
  const { body, total } = million();
  const receipt = await post(server, { service: 'million' }, body);
  assert.equal(receipt.samples, 1000000);
  assert.equal(receipt.metrics.cpu.total, total);
  assert.equal((await get(server, 'functions', { service: 'million' })).count, 65);
});
