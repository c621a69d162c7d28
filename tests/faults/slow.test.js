// SPDX-License-Identifier: Apache-2.0
// Clients that drip a byte a second, send nothing, or do not read what they asked for. They are cut
// off by deadline; meanwhile others are served at once.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import net from 'node:net';
import { post, request } from '../api/client.js';
import { SLOW, Server, sleep } from '../api/server.js';
import { Profile } from '../data/profile.js';

const DRIPS = 300;
const BODY_DRIPS = 100;
const SLOW_READERS = 8;
const HEADER_MS = 12000 * SLOW;
const BODY_MS = 35000 * SLOW;
const SEND_MS = 66000 * SLOW;

/** @type {Server} */
let server;
before(async () => {
  server = await Server.start();
});
after(() => server.stop());

/**
 * @param {string} head sent at once
 * @param {(sent: number) => string} drip what follows, once a second
 * @returns {Promise<number>} milliseconds until the server closed
 */
function dripping(head, drip) {
  return new Promise((resolve) => {
    const from = Date.now();
    const socket = net.connect(server.port, '127.0.0.1', () => {
      socket.write(head);
      let sent = 0;
      const timer = setInterval(() => socket.write(drip(sent++)), 1000);
      socket.on('close', () => clearInterval(timer));
    });
    socket.on('data', () => {});
    socket.on('error', () => {});
    socket.on('close', () => resolve(Date.now() - from));
  });
}

/**
 * Asks for a long answer and never reads.
 * @param {string} target
 * @returns {Promise<number>} milliseconds until the server closed
 */
async function notReading(target) {
  const from = Date.now();
  const socket = net.connect(server.port, '127.0.0.1');
  socket.pause();
  socket.on('error', () => {});
  socket.write(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  // A paused socket does not notice the end; ask the kernel by looking for ours in its table.
  await new Promise((resolve) => socket.once('connect', resolve));
  const { localPort } = socket;
  while (Date.now() - from < SEND_MS && (await isOpen(localPort))) await sleep(500);
  const took = Date.now() - from;
  socket.destroy();
  return took;
}

/**
 * @param {number | undefined} clientPort
 * @returns {Promise<boolean>} whether the server's end of this connection is established
 */
async function isOpen(clientPort) {
  const { readFile } = await import('node:fs/promises');
  const hex = (/** @type {number} */ port) => port.toString(16).toUpperCase().padStart(4, '0');
  const table = await readFile('/proc/net/tcp', 'utf8');
  return new RegExp(`:${hex(server.port)} [0-9A-F]{8}:${hex(clientPort ?? 0)} 01 `).test(table);
}

test('slow clients are cut off and harm nobody', { timeout: 200000 * SLOW }, async (t) => {
  const wide = new Profile([{ type: 'cpu', unit: 'nanoseconds' }], { timeNs: 1700000000000000000n });
  for (let i = 0; i < 40000; i++) wide.sample([wide.frame(`${i}${'long name '.repeat(60)}${(i * 7919) % 10007}`)], [1]);
  await post(server, { service: 'wide' }, wide.encode());

  const target = '/api/v1/flamegraph?service=wide&min_fraction=0&max_nodes=1000000';
  const answerBytes = (await request(server, 'GET', target)).wire.length;
  const rss = server.rss();
  const host = `Host: 127.0.0.1:${server.port}\r\n`;
  const headers = Array.from({ length: DRIPS }, () => dripping(`GET /healthz HTTP/1.1\r\n${host}X: `, () => 'a'));
  const lines = Array.from({ length: DRIPS }, () => dripping('GET', () => 'x'));
  const bodies = Array.from({ length: BODY_DRIPS }, (_, i) =>
    i % 2 === 0
      ? dripping(`POST /api/v1/profiles?service=drip HTTP/1.1\r\n${host}Content-Length: 100000\r\n\r\n`, () => 'a')
      : dripping(`POST /api/v1/profiles?service=drip HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n`, () => '1\r\na\r\n'),
  );
  const readers = Array.from({ length: SLOW_READERS }, () => notReading(target));

  /** @type {number[]} */
  const times = [];
  let peak = 0;
  let over = false;
  const watcher = (async () => {
    while (!over) {
      const from = performance.now();
      assert.equal((await request(server, 'GET', '/api/v1/services')).status, 200);
      times.push(performance.now() - from);
      peak = Math.max(peak, server.rss() - rss);
      await sleep(20);
    }
  })();
  const headerTimes = await Promise.all([...headers, ...lines]);
  const bodyTimes = await Promise.all(bodies);
  const readerTimes = await Promise.all(readers);
  over = true;
  await watcher;
  times.sort((a, b) => a - b);
  const p99 = times[Math.floor(times.length * 0.99)];
  t.diagnostic(`headers cut after ${Math.max(...headerTimes)} ms, bodies ${Math.max(...bodyTimes)} ms, readers ${Math.max(...readerTimes)} ms; others' p99 ${p99.toFixed(1)} ms; +${(peak / 1048576).toFixed(1)} MiB`);
  assert.ok(Math.max(...headerTimes) <= HEADER_MS, 'a dripping header');
  assert.ok(Math.max(...bodyTimes) <= BODY_MS, 'a dripping body');
  assert.ok(Math.max(...readerTimes) < SEND_MS, 'a reader that does not read');
  assert.ok(Math.min(...bodyTimes) > 5000, 'a slow but honest body gets its time');
  assert.ok(p99 < 50 * SLOW, `p99 of others ${p99} ms`);
  const allowed = 100 * 1048576 + SLOW_READERS * 2 * answerBytes; // the buffer of an answer grows by doubling
  if (SLOW === 1) assert.ok(peak < allowed, `+${peak} bytes, ${answerBytes} an answer`);
});
