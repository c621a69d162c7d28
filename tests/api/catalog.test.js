// SPDX-License-Identifier: Apache-2.0
// What can be chosen: GET /services and GET /profiles; and how types, units and kinds are told.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { get, getRefused, post } from './client.js';
import { Server } from './server.js';
import { Profile } from '../data/profile.js';

/** @type {Server} */
let server;
before(async () => {
  server = await Server.start();
});
after(() => server.stop());

const T0 = 1700000000000000000n;

/**
 * @param {{ type: string, unit: string }[]} types
 * @param {import('../data/profile.js').Header} [header]
 * @param {number[]} [values]
 * @returns {Buffer}
 */
function profileOf(types, header = {}, values = types.map((_, i) => i + 1)) {
  const profile = new Profile(types, { timeNs: T0, ...header });
  profile.stack(['main'], values);
  return profile.gzip();
}

test('an empty store has no services', async () => {
  assert.deepEqual(await get(server, 'services'), { services: [] });
});

test('services list versions newest last, types, metrics and labels', async () => {
  const types = [{ type: 'samples', unit: 'count' }, { type: 'cpu', unit: 'nanoseconds' }];
  await post(server, { service: 'shop', version: '2', label: 'zone:us' }, profileOf(types, { timeNs: T0 }));
  await post(server, { service: 'shop', version: '10', label: ['zone:eu', 'host:a'] }, profileOf(types, { timeNs: T0 + 5n }));
  await post(server, { service: 'shop', version: '1', label: 'zone:eu' }, profileOf(types, { timeNs: T0 + 2n }));
  await post(server, { service: 'shop', version: '2', label: 'zone:eu' }, profileOf(types, { timeNs: T0 + 1n }));
  const { services } = await get(server, 'services');
  const shop = services.find((/** @type {any} */ s) => s.name === 'shop');
  assert.equal(shop.profiles, 4);
  assert.equal(shop.first, '2023-11-14T22:13:20.000000000Z');
  assert.equal(shop.last, '2023-11-14T22:13:20.000000005Z');
  assert.deepEqual(shop.versions.map((/** @type {any} */ v) => [v.version, v.profiles]), [['2', 2], ['1', 1], ['10', 1]]);
  assert.deepEqual(shop.labels, { host: ['a'], zone: ['eu', 'us'] });
  assert.deepEqual(shop.types.map((/** @type {any} */ t) => [t.type, t.metrics]), [
    ['cpu', [{ name: 'samples', unit: 'count', kind: 'counter' }, { name: 'cpu', unit: 'nanoseconds', kind: 'counter' }]],
  ]);
});

test('profiles are listed newest first, in pages that join without gap or repeat', async () => {
  for (let i = 0; i < 25; i++) {
    await post(server, { service: 'pages', version: String(i % 3) }, profileOf([{ type: 'cpu', unit: 'nanoseconds' }], { timeNs: T0 + BigInt(i >> 1), durationNs: i }));
  }
  const whole = await get(server, 'profiles', { service: 'pages' });
  assert.equal(whole.profiles.length, 25);
  const times = whole.profiles.map((/** @type {any} */ p) => p.time);
  assert.deepEqual(times, [...times].sort().reverse());
  for (const key of ['id', 'service', 'version', 'type', 'labels', 'time', 'duration_ns', 'work', 'samples', 'total', 'bytes']) {
    assert.ok(key in whole.profiles[0], `no ${key}`);
  }
  for (const limit of [1, 4, 25, 26]) {
    const ids = [];
    let cursor;
    do {
      /** @type {any} */
      const page = await get(server, 'profiles', { service: 'pages', limit, cursor });
      assert.ok(page.profiles.length <= limit);
      ids.push(...page.profiles.map((/** @type {any} */ p) => p.id));
      cursor = page.next ?? page.cursor ?? undefined;
    } while (cursor);
    assert.deepEqual(ids, whole.profiles.map((/** @type {any} */ p) => p.id), `limit ${limit}`);
  }
  assert.equal((await get(server, 'profiles', { service: 'pages', version: '1' })).profiles.length, 8);
  for (const wrong of [{ limit: 0 }, { limit: 1001 }, { cursor: 'nonsense' }]) {
    await getRefused(server, 'profiles', { service: 'pages', ...wrong }, 400, 'bad_parameter');
  }
});

/** @type {[string, { type: string, unit: string }[], import('../data/profile.js').Header, string][]} */
const INFERRED = [
  ['period type cpu', [{ type: 'x', unit: 'count' }], { periodType: { type: 'cpu', unit: 'nanoseconds' } }, 'cpu'],
  ['period type wall', [{ type: 'cpu', unit: 'count' }], { periodType: { type: 'wall', unit: 'nanoseconds' } }, 'wall'],
  ['sample type wall', [{ type: 'wall', unit: 'nanoseconds' }, { type: 'cpu', unit: 'nanoseconds' }], {}, 'wall'],
  ['sample type cpu', [{ type: 'samples', unit: 'count' }, { type: 'cpu', unit: 'nanoseconds' }], {}, 'cpu'],
  ['inuse_space', [{ type: 'inuse_space', unit: 'bytes' }], {}, 'heap'],
  ['alloc_space alone', [{ type: 'alloc_space', unit: 'bytes' }], {}, 'heap_alloc'],
  ['space', [{ type: 'objects', unit: 'count' }, { type: 'space', unit: 'bytes' }], {}, 'heap'],
  ['contentions', [{ type: 'contentions', unit: 'count' }, { type: 'delay', unit: 'nanoseconds' }], {}, 'contention'],
  ['goroutine', [{ type: 'goroutine', unit: 'count' }], {}, 'goroutine'],
  ['threadcreate', [{ type: 'threadcreate', unit: 'count' }], {}, 'threadcreate'],
  ['thread', [{ type: 'thread', unit: 'count' }], {}, 'threads'],
  ['another period type', [{ type: 'events', unit: 'count' }], { periodType: { type: 'page-faults', unit: 'count' } }, 'page_faults'],
  ['nothing known', [{ type: 'events', unit: 'count' }], {}, 'other'],
];
for (const [name, types, header, expected] of INFERRED) {
  test(`the type inferred from ${name} is ${expected}`, async () => {
    const receipt = await post(server, { service: `inferred ${name}` }, profileOf(types, header));
    assert.equal(receipt.type, expected);
  });
}

test('types are kept in one spelling', async () => {
  for (const [given, kept] of [['goroutines', 'goroutine'], ['wallclock', 'wall'], ['CPU', 'cpu'], ['page-faults', 'page_faults']]) {
    const receipt = await post(server, { service: `spelling ${given}`, type: given }, profileOf([{ type: 'n', unit: 'count' }]));
    assert.equal(receipt.type, kept);
  }
  assert.equal((await get(server, 'functions', { service: 'spelling goroutines', type: 'goroutines' })).sides[0].profiles, 1, 'also when asking');
});

test('units are brought to nanoseconds and bytes, exactly', async () => {
  /** @type {[string, string, number][]} */
  const cases = [
    ['microseconds', 'nanoseconds', 1000],
    ['us', 'nanoseconds', 1000],
    ['milliseconds', 'nanoseconds', 1000000],
    ['ms', 'nanoseconds', 1000000],
    ['seconds', 'nanoseconds', 1000000000],
    ['s', 'nanoseconds', 1000000000],
    ['kilobytes', 'bytes', 1024],
    ['kB', 'bytes', 1024],
    ['MB', 'bytes', 1048576],
    ['count', 'count', 1],
    ['widgets', 'widgets', 1],
  ];
  for (const [unit, kept, factor] of cases) {
    const receipt = await post(server, { service: `unit ${unit}` }, profileOf([{ type: 'm', unit }], {}, [7]));
    assert.equal(receipt.metrics.m.unit, kept, unit);
    assert.equal(receipt.metrics.m.total, 7 * factor, unit);
  }
});

test('profiles of mixed units add up, and a foreign unit gets a metric of its own', async () => {
  await post(server, { service: 'mixed' }, profileOf([{ type: 'cpu', unit: 'microseconds' }], { timeNs: T0 }, [3]));
  await post(server, { service: 'mixed' }, profileOf([{ type: 'cpu', unit: 'nanoseconds' }], { timeNs: T0 + 1n }, [5]));
  await post(server, { service: 'mixed' }, profileOf([{ type: 'cpu', unit: 'count' }], { timeNs: T0 + 2n }, [9]));
  assert.equal((await get(server, 'functions', { service: 'mixed', metric: 'cpu' })).sides[0].total, 3005);
  assert.equal((await get(server, 'functions', { service: 'mixed', metric: 'cpu:count' })).sides[0].total, 9);
});

test('empty and repeated sample types have names', async () => {
  const types = [{ type: '', unit: '' }, { type: 'cpu', unit: 'nanoseconds' }, { type: 'cpu', unit: 'nanoseconds' }, { type: '', unit: '' }];
  const receipt = await post(server, { service: 'names' }, profileOf(types));
  assert.deepEqual(Object.entries(receipt.metrics).map(([name, m]) => [name, m.total]), [['value', 1], ['cpu', 2], ['cpu#2', 3], ['value#2', 4]]);
});

test('kinds: gauges, counters, cumulative', async () => {
  const heap = ['alloc_space', 'inuse_space', 'inuse_objects', 'space', 'objects', 'live'].map((type) => ({ type, unit: 'bytes' }));
  /** @param {number} durationNs */
  const kinds = async (durationNs) => {
    const service = `kinds ${durationNs}`;
    const types = [...heap, ...['contentions', 'delay', 'goroutine', 'threadcreate', 'anything'].map((type) => ({ type, unit: 'count' }))];
    await post(server, { service }, profileOf(types, { durationNs }));
    const { services } = await get(server, 'services');
    const { metrics } = services.find((/** @type {any} */ s) => s.name === service).types[0];
    return Object.fromEntries(metrics.map((/** @type {any} */ m) => [m.name, m.kind]));
  };
  const gauges = { inuse_space: 'gauge', inuse_objects: 'gauge', space: 'gauge', objects: 'gauge', live: 'gauge', goroutine: 'gauge', threadcreate: 'gauge', anything: 'counter' };
  assert.deepEqual(await kinds(0), { ...gauges, alloc_space: 'cumulative', contentions: 'cumulative', delay: 'cumulative' });
  assert.deepEqual(await kinds(1000), { ...gauges, alloc_space: 'counter', contentions: 'counter', delay: 'counter' });
});

test('the default metric is the named one, else the last', async () => {
  const types = [{ type: 'a', unit: 'count' }, { type: 'b', unit: 'count' }, { type: 'c', unit: 'count' }];
  await post(server, { service: 'named' }, profileOf(types, { defaultType: 'b' }));
  await post(server, { service: 'last' }, profileOf(types, { defaultType: 'zzz' }));
  assert.equal((await get(server, 'functions', { service: 'named' })).metric, 'b');
  assert.equal((await get(server, 'functions', { service: 'last' })).metric, 'c');
});
