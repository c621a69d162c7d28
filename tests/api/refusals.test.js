// SPDX-License-Identifier: Apache-2.0
// Bodies that are no profile, or a wrong one: each is refused with its own code, and nothing of it
// is stored.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import zlib from 'node:zlib';
import { get, post, postRaw, refused, request } from './client.js';
import { Server } from './server.js';
import { Profile } from '../data/profile.js';
import { Writer } from '../data/wire.js';
import { generate } from '../data/generate.js';
import { deep } from '../data/shapes.js';

/** @type {Server} */
let server;
before(async () => {
  server = await Server.start();
});
after(() => server.stop());

const CPU = [{ type: 'cpu', unit: 'nanoseconds' }];

/**
 * @param {(profile: Profile) => void} edit
 * @param {{ type: string, unit: string }[]} [types]
 * @returns {Buffer}
 */
function wrong(edit, types = CPU) {
  const profile = new Profile(types, { timeNs: 1700000000000000000n });
  profile.stack(['main', 'work'], types.map(() => 10));
  edit(profile);
  return profile.encode();
}

/**
 * A valid profile with one more field behind it.
 * @param {(w: Writer) => void} write
 * @returns {Buffer}
 */
function appended(write) {
  const w = new Writer();
  w.raw(wrong(() => {}));
  write(w);
  return Buffer.from(w.finish());
}

/**
 * @param {...[number, number]} fields number and varint value, also where it is 0
 * @returns {Uint8Array}
 */
function message(...fields) {
  const w = new Writer(16);
  for (const [field, value] of fields) {
    w.varint(field << 3);
    w.varint(value);
  }
  return w.finish();
}

const plain = wrong(() => {});
const gzip = zlib.gzipSync(plain);
const badCrc = Buffer.from(gzip);
badCrc[badCrc.length - 8] ^= 1;
const badSize = Buffer.from(gzip);
badSize[badSize.length - 4] ^= 1;

/** @type {[string, string, Uint8Array][]} */
const CASES = [
  ['nothing', 'empty_body', new Uint8Array(0)],
  ['gzip of nothing', 'empty_body', zlib.gzipSync('')],
  ['text', 'not_a_profile', Buffer.from('hello, this is not a profile at all\n')],
  ['an HTML page', 'not_a_profile', Buffer.from('<!DOCTYPE html><html><body>502 Bad Gateway</body></html>')],
  ['JSON', 'not_a_profile', Buffer.from('{"error":"not found"}')],
  ['zlib', 'not_a_profile', zlib.deflateSync(plain)],
  ['gzip in gzip', 'not_a_profile', zlib.gzipSync(gzip)],
  ['half a gzip', 'bad_gzip', gzip.subarray(0, gzip.length >> 1)],
  ['gzip without its trailer', 'bad_gzip', gzip.subarray(0, gzip.length - 8)],
  ['gzip with a wrong CRC', 'bad_gzip', badCrc],
  ['gzip with a wrong size', 'bad_gzip', badSize],
  ['gzip with garbage behind', 'bad_gzip', Buffer.concat([gzip, Buffer.from('garbage')])],
  ['a cut field', 'truncated', appended((w) => w.raw(Uint8Array.of(0x12, 0x7f, 1, 2)))],
  ['a wrong wire type', 'bad_wire', appended((w) => w.raw(Uint8Array.of(0x10, 0x01)))],
  ['a group', 'bad_wire', appended((w) => w.raw(Uint8Array.of(0x9b, 0x01)))],
  ['a varint of 11 bytes', 'bad_wire', appended((w) => w.raw(Uint8Array.of(0x60, ...new Array(10).fill(0xff), 1)))],
  ['two profiles', 'concatenated', Buffer.concat([plain, plain])],
  ['an unknown location', 'bad_ref', appended((w) => w.delimited(2, message([1, 77], [2, 1])))],
  ['location 0 in a sample', 'bad_ref', appended((w) => w.delimited(2, message([1, 1], [1, 0], [2, 1])))],
  ['an unknown function', 'bad_ref', appended((w) => w.delimited(4, Buffer.concat([message([1, 50]), Uint8Array.of(0x22, 2, 8, 99)])))],
  ['a duplicate function id', 'dup_id', wrong((p) => (p.functions[1].id = 1))],
  ['a duplicate location id', 'dup_id', wrong((p) => (p.locations[1].id = 1))],
  ['function id 0', 'zero_id', wrong((p) => p.functions.push({ name: 'zero', systemName: '', file: '', startLine: 0, id: 0 }))],
  ['location id 0', 'zero_id', wrong((p) => p.locations.push({ lines: [], mapping: -1, address: 0, id: 0 }))],
  ['a string index too large', 'bad_string_index', appended((w) => w.scalar(14, 99999))],
  ['a string index below zero', 'bad_string_index', appended((w) => w.scalar(14, -1))],
  ['more values than types', 'value_count_mismatch', wrong((p) => p.stack(['main'], [1, 2]))],
  ['fewer values than types', 'value_count_mismatch', wrong((p) => p.stack(['main'], [1]), [...CPU, { type: 'samples', unit: 'count' }])],
  ['no sample type', 'no_sample_type', wrong(() => {}, [])],
  ['a sum past int64', 'value_overflow', wrong((p) => (p.stack(['a'], [9223372036854775807n]), p.stack(['b'], [1])))],
  ['a scaled value past int64', 'value_overflow', wrong((p) => p.stack(['a'], [9223372036854775807n]), [{ type: 'cpu', unit: 'seconds' }])],
];

for (const [name, code, body] of CASES) {
  test(`${name} is refused as ${code} and leaves nothing`, async () => {
    const service = `refused ${name}`;
    refused(await postRaw(server, { service }, body), 400, code);
    const { services } = await get(server, 'services');
    assert.ok(!services.some((/** @type {any} */ s) => s.name === service));
    assert.equal((await request(server, 'GET', '/healthz')).status, 200);
  });
}

test('the message names the field, the index and the limit', async () => {
  const error = refused(await postRaw(server, { service: 'm' }, wrong((p) => p.stack(['main'], [1, 2]))), 400, 'value_count_mismatch');
  assert.match(error.message, /1\b.*2|2\b.*1/);
  assert.doesNotMatch(error.message, /\/|sqlite|SELECT/i, 'no paths, no SQL');
});

test('past a limit is 413 too_large', async () => {
  refused(await postRaw(server, { service: 'deep' }, deep(65536).gzip()), 413, 'too_large');
  const long = new Profile(CPU, { timeNs: 1700000000000000000n });
  long.stack(['x'.repeat(5 * 1024 * 1024)], [1]);
  refused(await postRaw(server, { service: 'name' }, long.gzip()), 413, 'too_large');
  refused(await postRaw(server, { service: 'big' }, zlib.gzipSync(Buffer.alloc(80 * 1024 * 1024))), 413, 'too_large');
});

test('a Content-Length over the limit is refused before the body', async () => {
  const answer = await request(server, 'POST', '/api/v1/profiles?service=huge', { headers: { 'content-length': 40 * 1024 * 1024, expect: '100-continue' } }).catch((error) => error);
  if (!(answer instanceof Error)) refused(answer, 413, 'too_large');
  const { services } = await get(server, 'services');
  assert.ok(!services.some((/** @type {any} */ s) => s.name === 'huge'));
});

test('--max-inflated sets the limit', async () => {
  const small = await Server.start({ args: ['--max-inflated', '20000'] });
  try {
    await post(small, { service: 'small' }, generate({ samples: 10 }).gzip());
    const error = refused(await postRaw(small, { service: 'large' }, generate({ samples: 5000 }).gzip()), 413, 'too_large');
    assert.match(error.message, /20000/);
  } finally {
    await small.stop();
  }
});

test('odd but valid profiles are accepted', async () => {
  /** @type {[string, Buffer][]} */
  const odd = [
    ['unknown fields', appended((w) => (w.scalar(77, 5), w.delimited(78, Uint8Array.of(1, 2, 3))))],
    ['negative values', wrong((p) => p.stack(['main'], [-100]))],
    ['int64 minimum', wrong((p) => p.stack(['main'], [-9223372036854775808n]))],
    ['a sample without locations', wrong((p) => p.sample([], [5]))],
    ['a location without lines', wrong((p) => p.sample([p.location([])], [5]))],
    ['an unknown mapping id', appended((w) => w.delimited(4, message([1, 50], [2, 99])))],
    ['an empty name', wrong((p) => p.stack([''], [5]))],
    ['duplicate type names', wrong(() => {}, [...CPU, ...CPU])],
    ['an empty type', wrong(() => {}, [{ type: '', unit: '' }])],
    ['an unknown default type', wrong((p) => (p.header = { ...p.header, defaultType: 'nothing' }))],
    ['an invalid drop_frames', wrong((p) => (p.header = { ...p.header, dropFrames: '((((' }))],
    ['a runaway drop_frames', wrong((p) => (p.header = { ...p.header, dropFrames: '(a+)+$' }, p.stack(['main', `${'a'.repeat(40)}!`], [5])))],
  ];
  for (const [name, body] of odd) {
    const answer = await postRaw(server, { service: `odd ${name}` }, body);
    assert.equal(answer.status, 201, `${name}: ${answer.body}`);
    await get(server, 'flamegraph', { service: `odd ${name}` });
  }
});

test('drop_frames cuts the leaf side below the match, keep_frames saves it', async () => {
  const drop = wrong((p) => (p.header = { ...p.header, dropFrames: 'noise' }, p.stack(['main', 'work', 'noise', 'deeper'], [7])));
  await post(server, { service: 'drop' }, drop);
  const names = (await get(server, 'functions', { service: 'drop' })).functions.map((/** @type {any} */ f) => f.name);
  assert.deepEqual(names.sort(), ['main', 'work']);
  const keep = wrong((p) => (p.header = { ...p.header, dropFrames: 'noise.*', keepFrames: 'noise' }, p.stack(['main', 'work', 'noise', 'deeper'], [7])));
  await post(server, { service: 'keep' }, keep);
  const kept = (await get(server, 'functions', { service: 'keep' })).functions.map((/** @type {any} */ f) => f.name);
  assert.ok(kept.includes('noise') && kept.includes('deeper'), kept.join());
});
