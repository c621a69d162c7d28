// SPDX-License-Identifier: Apache-2.0
// Small bodies that would like much memory or time: gzip bombs and protobuf bombs, alone and sixteen
// at once. The server stays small, and keeps answering others.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import os from 'node:os';
import zlib from 'node:zlib';
import { get, post, postRaw, refused, request } from '../api/client.js';
import { SLOW, Server, sleep } from '../api/server.js';
import { Writer } from '../data/wire.js';
import { generate } from '../data/generate.js';

const MIB = 1024 * 1024;
const GZIP_RISE = 32 * MIB;
const GZIP_MS = 50 * SLOW;
/** Arena budget, body and inflated body of one request. */
const REQUEST_RISE = (256 + 64 + 16) * MIB;
/** On a machine with other work at hand every answer waits for its turn. */
const HEALTH_MS = 100 * SLOW * Math.max(1, os.loadavg()[0] / os.cpus().length);
const ATTEMPTS = 4;
const SANITIZED = SLOW > 1;

/** @type {Server} */
let server;
before(async () => {
  server = await Server.start();
  await post(server, { service: 'before' }, generate().gzip());
});
after(() => server.stop());

/**
 * Asks /healthz all the time while `work` goes on.
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<{ result: T, riseBytes: number, healthMs: number, tookMs: number }>}
 */
async function watched(work) {
  server.resetPeak();
  const before_ = server.rss();
  let over = false;
  let healthMs = 0;
  const watcher = (async () => {
    while (!over) {
      const from = performance.now();
      const { status } = await request(server, 'GET', '/healthz');
      assert.equal(status, 200);
      healthMs = Math.max(healthMs, performance.now() - from);
      await sleep(5);
    }
  })();
  const from = performance.now();
  const result = await work();
  const tookMs = performance.now() - from;
  over = true;
  await watcher;
  return { result, riseBytes: server.peakRss() - before_, healthMs, tookMs };
}

const zeros64 = zlib.gzipSync(Buffer.alloc(64 * MIB), { level: 9 });
const zeros256 = zlib.gzipSync(Buffer.alloc(256 * MIB), { level: 9 });
const strings64 = zlib.gzipSync(Buffer.alloc(64 * MIB, Uint8Array.of(0x32, 0x00)), { level: 9 });
const liar = Buffer.from(zeros256);
liar.writeUInt32LE(1000, liar.length - 4); // says that it inflates to 1000 bytes
const members = Buffer.concat(new Array(64).fill(zlib.gzipSync(Buffer.alloc(2 * MIB), { level: 9 })));

/** @type {[string, Buffer, Record<string, string>][]} */
const GZIP_BOMBS = [
  ['64 MiB of zeros', zeros64, {}],
  ['256 MiB of zeros', zeros256, {}],
  ['64 MiB of empty strings', strings64, {}],
  ['a size that lies', liar, {}],
  ['64 members', members, {}],
  ['a bomb in Content-Encoding', zeros256, { 'content-encoding': 'gzip' }],
  ['a bomb in a bomb', zlib.gzipSync(zeros256, { level: 9 }), { 'content-encoding': 'gzip' }],
];

for (const [name, body, headers] of GZIP_BOMBS) {
  test(`gzip bomb: ${name}`, async (t) => {
    const posts = 8;
    let best = Infinity;
    const cpu = server.cpuMs();
    const { result, riseBytes } = await watched(async () => {
      const answers = [];
      for (let i = 0; i < posts; i++) {
        const from = performance.now();
        answers.push(await postRaw(server, { service: 'bomb' }, body, headers));
        best = Math.min(best, performance.now() - from);
      }
      return answers;
    });
    for (const answer of result) refused(answer, 413, 'too_large');
    const each = (server.cpuMs() - cpu) / posts;
    t.diagnostic(`${body.length} bytes: ${best.toFixed(1)} ms, ${each.toFixed(1)} ms CPU, +${(riseBytes / MIB).toFixed(1)} MiB`);
    assert.ok(each <= GZIP_MS, `${each} ms of CPU each`);
    assert.ok(best <= 2 * GZIP_MS, `${best} ms`);
    if (!SANITIZED) assert.ok(riseBytes <= GZIP_RISE, `${riseBytes} bytes`);
  });
}

test('sixteen gzip bombs at once', async (t) => {
  const { result, riseBytes, healthMs } = await watched(() =>
    Promise.all(Array.from({ length: 16 }, () => postRaw(server, { service: 'bomb' }, zeros256))),
  );
  for (const answer of result) assert.ok([413, 503].includes(answer.status), String(answer.status));
  t.diagnostic(`+${(riseBytes / MIB).toFixed(1)} MiB, healthz at most ${healthMs.toFixed(1)} ms`);
  if (!SANITIZED) assert.ok(riseBytes <= 16 * GZIP_RISE);
});

/**
 * As many copies of one field as fit into `bytes`.
 * @param {Uint8Array} one
 * @param {number} bytes
 * @returns {Buffer}
 */
function repeated(one, bytes) {
  return Buffer.alloc(Math.floor(bytes / one.length) * one.length, one);
}

/**
 * @param {number} number of the field
 * @param {Uint8Array} content
 * @returns {Uint8Array}
 */
function field(number, content) {
  const w = new Writer(content.length + 8);
  w.delimited(number, content);
  return w.finish();
}

const nothing = new Uint8Array(0);
const labels = repeated(field(3, nothing), 63 * 2);
const packed = new Writer();
packed.packed(1, new Array(62).fill(1));

/** @type {[string, Uint8Array][]} */
const FIELDS = [
  ['empty sample types', field(1, nothing)],
  ['empty samples', field(2, nothing)],
  ['empty mappings', field(3, nothing)],
  ['empty locations', field(4, nothing)],
  ['empty functions', field(5, nothing)],
  ['empty strings', field(6, nothing)],
  ['samples of 63 empty labels', field(2, labels)],
  ['samples of 62 locations', field(2, packed.finish())],
  ['unpacked comments', Uint8Array.of(0x68, 0x00)],
  ['an unknown field', Uint8Array.of(0xb8, 0x02, 0x00)],
  ['locations of 40 empty lines', field(4, repeated(field(4, nothing), 80))],
];

for (const [name, one] of FIELDS) {
  test(`protobuf bomb: ${name}`, async (t) => {
    const prefix = generate({ samples: 1 }).encode();
    for (const size of [4 * MIB, 30 * MIB]) {
      const body = Buffer.concat([prefix, repeated(one, size)]);
      const first = await watched(() => postRaw(server, { service: 'bomb' }, body));
      const { result, riseBytes, tookMs } = first;
      let { healthMs } = first;
      for (let i = 1; i < ATTEMPTS && healthMs >= HEALTH_MS; i++) {
        const again = await watched(() => postRaw(server, { service: 'bomb' }, body));
        healthMs = Math.min(healthMs, again.healthMs); // what blocks does so every time
      }
      t.diagnostic(`${size / MIB} MiB: ${result.status}, ${tookMs.toFixed(0)} ms, +${(riseBytes / MIB).toFixed(1)} MiB, healthz at most ${healthMs.toFixed(1)} ms`);
      assert.ok(result.status === 201 || result.status === 400 || result.status === 413, `${result.status} ${result.body}`);
      if (!SANITIZED) assert.ok(riseBytes <= REQUEST_RISE, `${riseBytes} bytes`);
      assert.ok(healthMs < HEALTH_MS, `healthz took ${healthMs} ms`);
    }
  });
}

test('sixteen protobuf bombs at once', async (t) => {
  const body = repeated(field(6, nothing), 30 * MIB);
  const { result, riseBytes, healthMs } = await watched(() =>
    Promise.all(Array.from({ length: 16 }, () => postRaw(server, { service: 'bomb' }, body).catch((error) => ({ status: 0, error })))),
  );
  for (const { status } of result) assert.ok([0, 400, 413, 503].includes(status), String(status));
  t.diagnostic(`${result.map(({ status }) => status).join(' ')}, +${(riseBytes / MIB).toFixed(1)} MiB, healthz at most ${healthMs.toFixed(1)} ms`);
  if (!SANITIZED) assert.ok(riseBytes <= (1024 + 16 * 64 + 64) * MIB, `${riseBytes} bytes`);
});

test('the server is as it was', async () => {
  assert.equal((await get(server, 'functions', { service: 'before' })).sides[0].profiles, 1);
  await post(server, { service: 'after' }, generate().gzip());
});
