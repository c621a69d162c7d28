// SPDX-License-Identifier: Apache-2.0
// Requests cut anywhere and requests mangled at random: nothing of them is stored, nothing breaks.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import net from 'node:net';
import { get, rawExchange, request, statuses } from '../api/client.js';
import { Server } from '../api/server.js';
import { Random } from '../data/random.js';
import { generate } from '../data/generate.js';

/** @type {Server} */
let server;
const body = generate({ seed: 5, samples: 20 }).encode();
before(async () => {
  server = await Server.start();
});
after(() => server.stop());

/**
 * Sends and closes at once, as a client that dies does.
 * @param {Uint8Array} bytes
 * @returns {Promise<void>}
 */
function sendAndLeave(bytes) {
  return new Promise((resolve) => {
    const socket = net.connect(server.port, '127.0.0.1', () => socket.write(bytes, () => socket.destroy()));
    socket.on('error', () => {});
    socket.on('close', () => resolve());
  });
}

/** @param {string} headers */
const head = (headers) => Buffer.from(`POST /api/v1/profiles?service=cut HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n${headers}\r\n\r\n`);

test('an upload that does not arrive whole is not stored', async () => {
  const whole = Buffer.concat([head(`Content-Length: ${body.length}`), body]);
  for (let cut = 1; cut < whole.length; cut += 97) await sendAndLeave(whole.subarray(0, cut));
  await sendAndLeave(whole.subarray(0, whole.length - 1));
  const chunk = Buffer.concat([head('Transfer-Encoding: chunked'), Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')]);
  await sendAndLeave(chunk); // every byte of the profile, but no last chunk
  const { services } = await get(server, 'services');
  assert.deepEqual(services, []);
});

test('2,000 mangled requests', async () => {
  const random = new Random(99);
  const good = Buffer.concat([head(`Content-Length: ${body.length}\r\nAccept-Encoding: gzip`), body]);
  const tokens = ['\r\n', '\n', '\0', ':', ' ', 'Content-Length: 5\r\n', 'Transfer-Encoding: chunked\r\n', 'Host: x\r\n', '%00', '\u00ff', 'HTTP/1.0', 'HTTP/2.0', 'POST ', '?service=x&service=y', 'Expect: 100-continue\r\n', 'Connection: upgrade\r\nUpgrade: h2c\r\n'];
  for (let i = 0; i < 2000; i++) {
    let bytes = Buffer.from(good.subarray(0, random.between(1, 400)));
    for (let edits = random.between(1, 6); edits > 0; edits--) {
      const at = random.below(Math.min(bytes.length, 200));
      if (random.chance(0.5)) bytes[at] = random.below(256);
      else bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(random.pick(tokens), 'latin1'), bytes.subarray(at)]);
    }
    await sendAndLeave(bytes);
  }
  assert.equal((await request(server, 'GET', '/healthz')).status, 200);
});

test('heads past any size are refused', async () => {
  const long = 'a'.repeat(200000);
  for (const text of [`GET /${long} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`, `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ${long}\r\n\r\n`, `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n${'X: y\r\n'.repeat(20000)}\r\n`]) {
    const { text: answer, closed } = await rawExchange(server, text, { quietMs: 3000 });
    const [status] = statuses(answer);
    assert.ok(closed, 'kept open');
    assert.ok(status === undefined || (status >= 400 && status < 500), String(status));
  }
});

test('a request line of another protocol', async () => {
  for (const text of ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 'SSH-2.0-OpenSSH_9.2\r\n', 'EHLO there\r\n', '*1\r\n$4\r\nPING\r\n', 'GET /healthz\r\n\r\n', 'GET /healthz HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n']) {
    const { text: answer } = await rawExchange(server, Buffer.from(text, 'latin1'), { quietMs: 500 });
    assert.ok(!answer.startsWith('HTTP/1.1 2'), text);
  }
  assert.equal((await request(server, 'GET', '/healthz')).status, 200);
});
