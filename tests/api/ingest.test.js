// SPDX-License-Identifier: Apache-2.0
// POST /profiles: what is taken, what the receipt says, what counts as a repeat.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import zlib from 'node:zlib';
import { get, integer, parse, post, postRaw, refused, request } from './client.js';
import { Server } from './server.js';
import { generate } from '../data/generate.js';
import { Profile } from '../data/profile.js';
import { functionsOf } from '../data/evaluate.js';
import { heap } from '../data/shapes.js';

/** @type {Server} */
let server;
before(async () => {
  server = await Server.start();
});
after(() => server.stop());

const BODY = generate({ seed: 11, samples: 50 }).gzip();

test('the receipt names what was stored', async () => {
  const profile = generate({ seed: 1, samples: 120, timeNs: 1700000000123456789n });
  const receipt = await post(server, { service: 'receipt', version: '1.2', label: ['zone:eu', 'host:a:b'] }, profile.gzip());
  assert.match(receipt.id, /^[0-9a-f]{32}$/);
  assert.equal(receipt.service, 'receipt');
  assert.equal(receipt.version, '1.2');
  assert.equal(receipt.type, 'cpu');
  assert.equal(receipt.time, '2023-11-14T22:13:20.123456789Z');
  assert.equal(receipt.duration_ns, 10000000000);
  assert.equal(receipt.samples, 120);
  assert.equal(receipt.time_adjusted ?? false, false);
  assert.deepEqual(Object.keys(receipt.metrics), ['samples', 'cpu']);
  assert.equal(receipt.metrics.cpu.unit, 'nanoseconds');
  assert.equal(integer(receipt.metrics.cpu.total), functionsOf([profile], 1).total);
});

test('a body is taken raw, gzip, gzip twice, in members, and of any content type', async () => {
  const raw = generate({ seed: 2, samples: 30 }).encode();
  const gzip = zlib.gzipSync(raw);
  const members = Buffer.concat([zlib.gzipSync(raw.subarray(0, 100)), zlib.gzipSync(raw.subarray(100))]);
  const cases = [
    { name: 'raw', body: raw },
    { name: 'gzip', body: gzip },
    { name: 'members', body: members },
    { name: 'encoding', body: zlib.gzipSync(raw), headers: { 'content-encoding': 'gzip' } },
    { name: 'twice', body: zlib.gzipSync(gzip), headers: { 'content-encoding': 'gzip' } },
    { name: 'text', body: gzip, headers: { 'content-type': 'text/plain' } },
    { name: 'form', body: gzip, headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    { name: 'no type', body: gzip, headers: {} },
  ];
  const bodies = [];
  for (const { name, body, headers } of cases) {
    const answer = await postRaw(server, { service: `body ${name}` }, body, headers);
    assert.equal(answer.status, 201, `${name}: ${answer.body}`);
    const view = await get(server, 'functions', { service: `body ${name}` });
    bodies.push(JSON.stringify(view.functions));
  }
  assert.equal(new Set(bodies).size, 1, 'the same profile gives the same functions however it is packed');
});

test('an unknown content encoding is refused', async () => {
  const answer = await postRaw(server, { service: 'br' }, zlib.brotliCompressSync(BODY), { 'content-encoding': 'br' });
  refused(answer, 415, 'unsupported_media_type');
});

test('a chunked body is fine', async () => {
  const answer = await new Promise((resolve, reject) => {
    import('node:http').then(({ request: open }) => {
      const sent = open({ host: '127.0.0.1', port: server.port, method: 'POST', path: '/api/v1/profiles?service=chunked' }, (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode));
      });
      sent.on('error', reject);
      for (let i = 0; i < BODY.length; i += 1000) sent.write(BODY.subarray(i, i + 1000));
      sent.end();
    });
  });
  assert.equal(answer, 201);
});

test('a repeat answers 200 with the same id and adds nothing', async () => {
  const first = await post(server, { service: 'repeat', version: '1' }, BODY);
  const again = await postRaw(server, { service: 'repeat', version: '1' }, BODY);
  assert.equal(again.status, 200);
  assert.equal(parse(again).id, first.id);
  const repacked = await postRaw(server, { service: 'repeat', version: '1' }, zlib.gunzipSync(BODY));
  assert.equal(repacked.status, 200, 'the digest is of the inflated body');
  assert.equal((await get(server, 'flamegraph', { service: 'repeat' })).sides[0].profiles, 1);
});

test('another version, label, type or time is another profile', async () => {
  const ids = new Set();
  for (const more of [{}, { version: '2' }, { label: 'a:b' }, { label: ['a:b', 'c:d'] }, { type: 'wall' }, { time: '2024-01-02T03:04:05Z' }]) {
    ids.add((await post(server, { service: 'distinct', version: '1', ...more }, BODY)).id);
  }
  assert.equal(ids.size, 6);
  const swapped = await postRaw(server, { service: 'distinct', version: '1', label: ['c:d', 'a:b'] }, BODY);
  assert.equal(swapped.status, 200, 'the order of labels does not matter');
});

test('a profile without a time is never a repeat, unless a parameter gives it one', async () => {
  const body = generate({ seed: 3, samples: 10, timeNs: 0 }).gzip();
  const first = await post(server, { service: 'timeless' }, body);
  const second = await post(server, { service: 'timeless' }, body);
  assert.notEqual(first.id, second.id);
  const time = '2024-05-06T07:08:09.000000001Z';
  const timed = await post(server, { service: 'timeless', time }, body);
  assert.equal(timed.time, time);
  assert.equal((await postRaw(server, { service: 'timeless', time }, body)).status, 200);
});

test('an Idempotency-Key decides', async () => {
  const body = generate({ seed: 4, samples: 10, timeNs: 0 }).gzip();
  const first = await postRaw(server, { service: 'keyed' }, body, { 'idempotency-key': 'one' });
  assert.equal(first.status, 201);
  const again = await postRaw(server, { service: 'keyed' }, body, { 'idempotency-key': 'one' });
  assert.equal(again.status, 200);
  assert.equal(parse(again).id, parse(first).id);
  const other = await postRaw(server, { service: 'keyed' }, body, { 'idempotency-key': 'two' });
  assert.equal(other.status, 201);
});

test('times too far off give way to the time of receipt, and the receipt says so', async () => {
  const ahead = BigInt(Date.now() + 20 * 60000) * 1000000n;
  for (const timeNs of [-1, 1, 946684799999999999n, ahead, 9223372036854775807n]) {
    const receipt = await post(server, { service: 'clock' }, generate({ seed: 5, samples: 3, timeNs }).gzip());
    assert.equal(receipt.time_adjusted, true, `time ${timeNs}`);
    assert.ok(Math.abs(Date.parse(receipt.time) - Date.now()) < 60000, receipt.time);
  }
  for (const timeNs of [946684800000000000n, BigInt(Date.now() + 5 * 60000) * 1000000n]) {
    const receipt = await post(server, { service: 'clock' }, generate({ seed: 5, samples: 3, timeNs }).gzip());
    assert.equal(receipt.time_adjusted ?? false, false, `time ${timeNs}`);
  }
});

test('time, duration, work and type come from parameters when given', async () => {
  const receipt = await post(server, { service: 'given', type: 'Wall-Clock', time: '1700000001', duration: '2500000000', work: 12, work_unit: 'requests' }, BODY);
  assert.equal(receipt.type, 'wall_clock');
  assert.equal(receipt.time, '2023-11-14T22:13:21.000000000Z');
  const list = await get(server, 'profiles', { service: 'given' });
  assert.equal(list.profiles[0].work, 12);
  assert.equal(list.profiles[0].duration_ns, receipt.duration_ns);
});

test('impossible durations are stored as unknown', async () => {
  for (const durationNs of [-5, 86400000000001n, 1700000000000000000n]) {
    const receipt = await post(server, { service: 'durations' }, generate({ seed: 6, samples: 3, durationNs }).gzip());
    assert.equal(receipt.duration_ns, 0, `duration ${durationNs}`);
  }
});

test('bad parameters are refused by name and store nothing', async () => {
  /** @type {[string, import('./client.js').Parameters][]} */
  const cases = [
    ['service', {}],
    ['service', { service: '' }],
    ['service', { service: 'x'.repeat(256) }],
    ['type', { service: 'wrong', type: 'no spaces' }],
    ['type', { service: 'wrong', type: 'x'.repeat(65) }],
    ['label', { service: 'wrong', label: 'no-colon' }],
    ['label', { service: 'wrong', label: Array.from({ length: 31 }, (_, i) => `k${i}:v`) }],
    ['time', { service: 'wrong', time: 'yesterday' }],
    ['duration', { service: 'wrong', duration: 'long' }],
    ['work', { service: 'wrong', work: '-1', work_unit: 'requests' }],
    ['work', { service: 'wrong', work: '1.5', work_unit: 'requests' }],
    ['tpye', { service: 'wrong', tpye: 'cpu' }],
  ];
  for (const [name, parameters] of cases) {
    const error = refused(await postRaw(server, parameters, BODY), 400, 'bad_parameter');
    assert.match(error.message, new RegExp(name), `message for ${JSON.stringify(parameters)}`);
  }
  const { services } = await get(server, 'services');
  assert.ok(!services.some((/** @type {any} */ s) => s.name === 'wrong'));
});

test('a service of 255 bytes, an empty version and 30 labels are fine', async () => {
  const label = Array.from({ length: 30 }, (_, i) => `key${i}:value:${i}`);
  const receipt = await post(server, { service: 's'.repeat(255), version: '', label }, BODY);
  assert.equal(receipt.version, '');
});

test('names in any script come back as they went', async () => {
  const service = 'Käse/\u65e5\u672c <b>&amp; "q" \u{1f525}';
  await post(server, { service, version: 'v\u00e9\u0301', label: 'zone:\u00fc' }, BODY);
  const { services } = await get(server, 'services');
  const found = services.find((/** @type {any} */ s) => s.name === service);
  assert.equal(found.versions[0].version, 'v\u00e9\u0301');
  assert.deepEqual(found.labels, { zone: ['\u00fc'] });
});

test('GET /profiles/{id} gives back the body, gzip', async () => {
  const gzip = generate({ seed: 7, samples: 40 }).gzip();
  const sent = await post(server, { service: 'raw' }, gzip);
  const back = await request(server, 'GET', `/api/v1/profiles/${sent.id}`);
  assert.equal(back.status, 200);
  assert.deepEqual(zlib.gunzipSync(back.wire), zlib.gunzipSync(gzip));
  const plain = generate({ seed: 8, samples: 40 }).encode();
  const { id } = await post(server, { service: 'raw' }, plain);
  const inflated = await request(server, 'GET', `/api/v1/profiles/${id}`);
  const bytes = inflated.body[0] === 0x1f ? zlib.gunzipSync(inflated.body) : inflated.body;
  assert.deepEqual(bytes, plain);
  for (const wrong of ['0'.repeat(32), 'xyz', sent.id.slice(1), `${sent.id}0`, '../profiles']) {
    const answer = await request(server, 'GET', `/api/v1/profiles/${wrong}`);
    assert.ok(answer.status === 404 || answer.status === 400, `${wrong}: ${answer.status}`);
  }
});

test('zero samples are a profile, with total 0 and no NaN', async () => {
  const receipt = await post(server, { service: 'idle' }, new Profile([{ type: 'cpu', unit: 'nanoseconds' }], { timeNs: 1700000000000000000n }).gzip());
  assert.equal(receipt.samples, 0);
  assert.equal(receipt.metrics.cpu.total, 0);
  const view = await get(server, 'flamegraph', { service: 'idle' });
  assert.deepEqual(view.nodes.total, [0]);
  assert.equal(view.sides[0].profiles, 1);
});

test('a heap profile keeps its four columns and its default', async () => {
  const receipt = await post(server, { service: 'heap' }, heap().gzip());
  assert.equal(receipt.type, 'heap');
  assert.deepEqual(Object.keys(receipt.metrics), ['alloc_objects', 'alloc_space', 'inuse_objects', 'inuse_space']);
  const view = await get(server, 'functions', { service: 'heap' });
  assert.equal(view.metric, 'inuse_space');
  assert.equal(view.kind, 'gauge');
  assert.equal((await get(server, 'functions', { service: 'heap', metric: 'alloc_space' })).kind, 'cumulative');
});
