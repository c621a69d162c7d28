// SPDX-License-Identifier: Apache-2.0
// What a selection picks: service, type, metric, versions, labels, times, one profile, having.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { get, getRefused, post, request } from './client.js';
import { Server } from './server.js';
import { Profile } from '../data/profile.js';
import { heap } from '../data/shapes.js';

/** @type {Server} */
let server;
/** @type {Record<string, any>} receipts by what makes them special */
const receipts = {};

const T0 = 1700000000000000000n;
const SECOND = 1000000000n;

/**
 * @param {bigint} timeNs
 * @param {number} value
 * @param {import('../data/profile.js').Header} [more]
 * @returns {Buffer}
 */
function cpu(timeNs, value, more = {}) {
  const types = [{ type: 'samples', unit: 'count' }, { type: 'cpu', unit: 'nanoseconds' }];
  const profile = new Profile(types, { timeNs, durationNs: 10000000000, periodType: types[1], period: 10000000, ...more });
  profile.stack(['main', `v${value}`], [1, value]);
  return profile.gzip();
}

before(async () => {
  server = await Server.start();
  receipts.one = await post(server, { service: 's', version: '1', label: 'zone:eu' }, cpu(T0, 1));
  receipts.two = await post(server, { service: 's', version: '1', label: ['zone:us', 'host:a'] }, cpu(T0 + 10n * SECOND, 10, { durationNs: 0 }));
  receipts.three = await post(server, { service: 's', version: '2', label: ['zone:eu', 'host:a'], work: 7, work_unit: 'requests' }, cpu(T0 + 20n * SECOND, 100));
  receipts.four = await post(server, { service: 's', version: '', label: 'zone:us' }, cpu(T0 + 40n * 86400n * SECOND, 1000));
  await post(server, { service: 'two types' }, cpu(T0, 5));
  await post(server, { service: 'two types' }, heap().gzip());
});
after(() => server.stop());

/**
 * @param {import('./client.js').Parameters} parameters
 * @param {bigint | number} total
 * @param {number} profiles
 */
async function selects(parameters, total, profiles) {
  for (const view of ['flamegraph', 'functions']) {
    const [side] = (await get(server, view, { service: 's', ...parameters })).sides;
    assert.equal(BigInt(side.total), BigInt(total), `${view} ${JSON.stringify(parameters)}`);
    assert.equal(side.profiles, profiles, `${view} ${JSON.stringify(parameters)}`);
  }
}

test('no restriction selects everything, over months', () => selects({}, 1111, 4));
test('one version', () => selects({ version: '1' }, 11, 2));
test('several versions', () => selects({ version: ['1', '2'] }, 111, 3));
test('the empty version is a version', () => selects({ version: '' }, 1000, 1));
test('a label', () => selects({ label: 'zone:eu' }, 101, 2));
test('labels are joined by and', () => selects({ label: ['zone:eu', 'host:a'] }, 100, 1));
test('version and label', () => selects({ version: '1', label: 'host:a' }, 10, 1));
test('a label nobody has', () => selects({ label: 'zone:mars' }, 0, 0));
test('a version nobody has', () => selects({ version: '99' }, 0, 0));
test('having a known duration', () => selects({ having: 'duration' }, 1101, 3));
test('having reported work', () => selects({ having: 'work' }, 100, 1));
test('one profile', () => selects({ profile: receipts.two.id }, 10, 1));
test('one profile that does not fit the rest', () => selects({ profile: receipts.two.id, version: '2' }, 0, 0));
test('another metric', () => selects({ metric: 'samples' }, 4, 4));

test('ranges are half open, to the nanosecond', async () => {
  await selects({ from: '1700000000' }, 1111, 4);
  await selects({ from: '1700000000000000001' }, 1110, 3);
  await selects({ until: '1700000010' }, 1, 1);
  await selects({ until: '1700000010000000001' }, 11, 2);
  await selects({ from: '1700000010', until: '1700000020' }, 10, 1);
  await selects({ from: '1700000010', until: '1700000010' }, 0, 0);
});

test('times are read as RFC 3339, s, ms, us, ns, and relative to now', async () => {
  for (const from of ['2023-11-14T22:13:40Z', '2023-11-14T22:13:40.000000000Z', '1700000020', '1700000020000', '1700000020000000', '1700000020000000000']) {
    await selects({ from }, 1100, 2);
  }
  await selects({ from: 'now-15m' }, 0, 0);
  await selects({ until: 'now-1h' }, 1111, 4);
  await selects({ until: 'now' }, 1111, 4);
  await selects({ from: 'now-7d', until: 'now' }, 0, 0);
});

test('a side tells what it counts', async () => {
  const { sides, selection, unit, metric, kind } = await get(server, 'functions', { service: 's', version: '1' });
  assert.equal(unit, 'nanoseconds');
  assert.equal(metric, 'cpu');
  assert.equal(kind, 'counter');
  assert.equal(typeof selection, 'object');
  assert.equal(sides.length, 1);
  assert.deepEqual(sides[0].version, ['1']);
  assert.equal(sides[0].duration_ns, 10000000000);
  assert.equal(sides[0].work, null);
  assert.equal(sides[0].unfiltered_total, 11);
  const [worked] = (await get(server, 'functions', { service: 's', having: 'work' })).sides;
  assert.equal(worked.work, 7);
  assert.equal(worked.work_unit, 'requests');
});

test('an unknown service is 404, in every view', async () => {
  for (const view of ['flamegraph', 'functions', 'profiles']) {
    await getRefused(server, view, { service: 'nobody' }, 404, 'not_found');
  }
  await getRefused(server, 'focus', { service: 'nobody', function: 'f' }, 404, 'not_found');
});

test('a service with several types needs the type', async () => {
  const error = await getRefused(server, 'flamegraph', { service: 'two types' }, 400, 'bad_parameter');
  assert.match(error.message, /type/);
  assert.equal((await get(server, 'flamegraph', { service: 'two types', type: 'cpu' })).metric, 'cpu');
  assert.equal((await get(server, 'flamegraph', { service: 'two types', type: 'heap' })).metric, 'inuse_space');
});

test('parameters that are wrong are refused by name', async () => {
  /** @type {[string, import('./client.js').Parameters][]} */
  const cases = [
    ['service', {}],
    ['from', { service: 's', from: 'whenever' }],
    ['until', { service: 's', until: '2023-13-45T00:00:00Z' }],
    ['label', { service: 's', label: 'nocolon' }],
    ['profile', { service: 's', profile: 'nothex' }],
    ['having', { service: 's', having: 'money' }],
    ['min_fraction', { service: 's', min_fraction: 'x' }],
    ['min_fraction', { service: 's', min_fraction: '-1' }],
    ['min_fraction', { service: 's', min_fraction: '1/0' }],
    ['max_nodes', { service: 's', max_nodes: '-1' }],
    ['max_nodes', { service: 's', max_nodes: '10000001' }],
    ['root', { service: 's', root: 'zz' }],
    ['vesrion', { service: 's', vesrion: '1' }],
  ];
  for (const [name, parameters] of cases) {
    const error = await getRefused(server, 'flamegraph', parameters, 400, 'bad_parameter');
    assert.match(error.message, new RegExp(name), JSON.stringify(parameters));
  }
});

test('a parameter given twice where one is meant is refused', async () => {
  await getRefused(server, 'flamegraph', { service: ['s', 's'] }, 400, 'bad_parameter');
  await getRefused(server, 'flamegraph', { service: 's', metric: ['cpu', 'samples'] }, 400, 'bad_parameter');
});

test('what is not there yet is refused, never ignored', async () => {
  for (const name of ['show_stacks', 'hide_stacks', 'show_from', 'hide_frames', 'only_frames', 'tag', 'weight', 'base_tag', 'base_weight']) {
    const value = name.endsWith('weight') ? '25' : 'a:b';
    for (const view of ['flamegraph', 'functions']) {
      const error = await getRefused(server, view, { service: 's', [name]: value }, 400, 'bad_parameter');
      assert.match(error.message, new RegExp(name));
    }
    await getRefused(server, 'focus', { service: 's', function: 'main', [name]: value }, 400, 'bad_parameter');
  }
  for (const view of ['timeline', 'pprof']) {
    const answer = await request(server, 'GET', `/api/v1/${view}?service=s`);
    assert.ok([400, 404].includes(answer.status), `${view}: ${answer.status}`);
  }
  const answer = await request(server, 'DELETE', `/api/v1/profiles/${receipts.one.id}`);
  assert.ok([400, 404, 405].includes(answer.status), `DELETE: ${answer.status}`);
  await selects({}, 1111, 4);
});
