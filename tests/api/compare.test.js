// SPDX-License-Identifier: Apache-2.0
// Two sides: any selection parameter with base_ in front of it.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { get, getRefused, integer, post } from './client.js';
import { Server } from './server.js';
import { assertTree, nodeAt, readTree } from './tree.js';
import { Profile } from '../data/profile.js';
import { functionsOf } from '../data/evaluate.js';
import { generate } from '../data/generate.js';

/** @type {Server} */
let server;
const T0 = 1700000000000000000n;
const CPU = [{ type: 'cpu', unit: 'nanoseconds' }];
const WHOLE = { min_fraction: '0', max_nodes: 10000000 };

before(async () => {
  server = await Server.start();
  const one = new Profile(CPU, { timeNs: T0, durationNs: 10000000000 });
  one.stack(['main', 'old'], [60]);
  one.stack(['main', 'both'], [40]);
  await post(server, { service: 's', version: '1', label: 'zone:eu', work: 10, work_unit: 'requests' }, one.gzip());
  const two = new Profile(CPU, { timeNs: T0 + 60000000000n, durationNs: 20000000000 });
  two.stack(['main', 'both'], [30]);
  two.stack(['main', 'new'], [5]);
  await post(server, { service: 's', version: '2', label: 'zone:us', work: 20, work_unit: 'requests' }, two.gzip());
  two.header = { ...two.header, timeNs: T0 + 61000000000n };
  await post(server, { service: 's', version: '2', label: 'zone:us', work: 20, work_unit: 'requests' }, two.gzip());
  await post(server, { service: 'other', version: '1' }, one.gzip());
});
after(() => server.stop());

test('the flame graph has both sides in twin columns', async () => {
  const view = await get(server, 'flamegraph', { service: 's', version: '2', base_version: '1', ...WHOLE });
  const tree = readTree(view);
  assertTree(tree);
  assert.equal(view.sides.length, 2);
  assert.deepEqual(view.sides.map((/** @type {any} */ s) => [s.version, s.profiles, s.total, s.duration_ns, s.work]), [
    [['2'], 2, 70, 40000000000, 40],
    [['1'], 1, 100, 10000000000, 10],
  ]);
  assert.deepEqual(
    tree.map((n) => [n.name, Number(n.self), Number(n.total), Number(n.baseSelf), Number(n.baseTotal)]),
    [
      ['all', 0, 70, 0, 100],
      ['main', 0, 70, 0, 100],
      ['old', 0, 0, 60, 60],
      ['both', 60, 60, 40, 40],
      ['new', 10, 10, 0, 0],
    ],
    'siblings by max(value/profiles, base/base profiles): 60, 40, 5',
  );
});

test('the function list has both sides and sorts by delta', async () => {
  const view = await get(server, 'functions', { service: 's', version: '2', base_version: '1', sort: 'delta' });
  const row = Object.fromEntries(view.functions.map((/** @type {any} */ f) => [f.name, f]));
  assert.deepEqual([row.old.total, row.old.base_total, row.old.base_self], [0, 60, 60]);
  assert.deepEqual([row.new.total, row.new.base_total], [10, 0]);
  assert.deepEqual([row.main.self, row.main.total, row.main.base_total], [0, 70, 100]);
  assert.equal(view.count, 4);
});

test('focus has both sides', async () => {
  const view = await get(server, 'focus', { service: 's', version: '2', base_version: '1', function: 'main' });
  assert.deepEqual([view.function.total, view.function.base_total], [70, 100]);
  const callees = readTree({ ...view, nodes: view.callees.nodes });
  assertTree(callees);
  assert.equal(nodeAt(callees, ['old'])?.baseTotal, 60n);
  const callers = readTree({ ...view, nodes: view.callers.nodes });
  assertTree(callers);
  assert.equal(callers[0].baseTotal, 100n);
});

test('what is not overridden is shared', async () => {
  const byLabel = await get(server, 'flamegraph', { service: 's', label: 'zone:us', base_label: 'zone:eu' });
  assert.deepEqual(byLabel.sides.map((/** @type {any} */ s) => s.total), [70, 100]);
  const sharedVersion = await get(server, 'flamegraph', { service: 's', version: '2', base_label: 'zone:eu' });
  assert.deepEqual(sharedVersion.sides.map((/** @type {any} */ s) => [s.profiles, s.total]), [[2, 70], [0, 0]]);
  const byTime = await get(server, 'flamegraph', { service: 's', from: '1700000060', base_from: '1600000000', base_until: '1700000060' });
  assert.deepEqual(byTime.sides.map((/** @type {any} */ s) => s.total), [70, 100]);
  const byService = await get(server, 'flamegraph', { service: 's', version: '1', base_service: 'other' });
  assert.deepEqual(byService.sides.map((/** @type {any} */ s) => s.total), [100, 100]);
  const { profiles } = await get(server, 'profiles', { service: 's', version: '1' });
  const byProfile = await get(server, 'flamegraph', { service: 's', version: '2', base_version: '1', base_profile: profiles[0].id });
  assert.deepEqual(byProfile.sides.map((/** @type {any} */ s) => s.total), [70, 100]);
});

test('one side may be empty', async () => {
  const view = await get(server, 'flamegraph', { service: 's', version: '2', base_version: 'none', ...WHOLE });
  const tree = readTree(view);
  assertTree(tree);
  assert.equal(view.sides[1].profiles, 0);
  assert.equal(tree[0].baseTotal, 0n);
  const reverse = await get(server, 'functions', { service: 's', version: 'none', base_version: '1' });
  assert.equal(reverse.sides[0].total, 0);
  assert.equal(reverse.functions.length, 3);
});

test('wrong base parameters are refused by name', async () => {
  const error = await getRefused(server, 'flamegraph', { service: 's', base_from: 'later' }, 400, 'bad_parameter');
  assert.match(error.message, /base_from/);
  await getRefused(server, 'flamegraph', { service: 's', base_nonsense: '1' }, 400, 'bad_parameter');
  await getRefused(server, 'flamegraph', { service: 's', base_service: 'nobody' }, 404, 'not_found');
});

test('generated sides agree with the evaluator', async () => {
  const left = [1, 2, 3].map((seed) => generate({ seed, timeNs: T0 + BigInt(seed), negative: 0.1 }));
  const right = [4, 5].map((seed) => generate({ seed, timeNs: T0 + BigInt(seed), functions: 90 }));
  for (const profile of left) await post(server, { service: 'g', version: 'l' }, profile.gzip());
  for (const profile of right) await post(server, { service: 'g', version: 'r' }, profile.gzip());
  const view = await get(server, 'functions', { service: 'g', version: 'l', base_version: 'r', limit: 100000 });
  const expected = [functionsOf(left, 1), functionsOf(right, 1)];
  assert.deepEqual(view.sides.map((/** @type {any} */ s) => integer(s.total)), expected.map((e) => e.total));
  for (const row of view.functions) {
    const key = `${row.name}\0${row.file}`;
    assert.equal(integer(row.total), expected[0].functions.get(key)?.total ?? 0n, key);
    assert.equal(integer(row.base_total), expected[1].functions.get(key)?.total ?? 0n, key);
    assert.equal(integer(row.base_self), expected[1].functions.get(key)?.self ?? 0n, key);
  }
  assertTree(readTree(await get(server, 'flamegraph', { service: 'g', version: 'l', base_version: 'r', min_fraction: '0.01' })));
});
