// SPDX-License-Identifier: Apache-2.0
// Starting, stopping, starting again; what the binary says on the command line.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { get, post, postRaw, query, request } from './client.js';
import { BINARY, SLOW, Server, sleep, temporaryFolder } from './server.js';
import { generate } from '../data/generate.js';

/**
 * @param {string[]} args
 * @param {Record<string, string>} [env]
 */
function run(args, env = {}) {
  return spawnSync(BINARY, args, { encoding: 'utf8', timeout: 10000 * SLOW, env: { ...process.env, ...env } });
}

test('a restart keeps every answer as it was', async () => {
  const folder = temporaryFolder();
  const db = path.join(folder, 'kept.db');
  const targets = [
    '/api/v1/services',
    `/api/v1/flamegraph${query({ service: 's', min_fraction: 0, max_nodes: 10000000 })}`,
    `/api/v1/functions${query({ service: 's', limit: 100000, version: '1', base_version: '2' })}`,
    `/api/v1/profiles${query({ service: 's' })}`,
  ];
  /** @type {string[][]} */
  const answers = [];
  const bodies = [1, 2, 3, 4, 5].map((seed) => generate({ seed, labels: 2, timeNs: 1700000000000000000n + BigInt(seed) * 1000000000000000n }).gzip());
  for (let round = 0; round < 3; round++) {
    const server = await Server.start({ db });
    for (const [i, body] of bodies.entries()) {
      const answer = await postRaw(server, { service: 's', version: String(1 + (i % 2)) }, body);
      assert.equal(answer.status, round === 0 ? 201 : 200, 'known after a restart');
    }
    const texts = [];
    for (const target of targets) texts.push((await request(server, 'GET', target)).body.toString());
    answers.push(texts);
    if (round === 1) await server.kill();
    else await server.stop();
  }
  assert.deepEqual(answers[1], answers[0]);
  assert.deepEqual(answers[2], answers[0], 'after kill -9');
  const check = spawnSync('sqlite3', [db, 'pragma integrity_check'], { encoding: 'utf8' });
  if (!check.error) assert.equal(check.stdout.trim(), 'ok');
  fs.rmSync(folder, { recursive: true });
});

test('SIGTERM drains: what was accepted is answered and kept, exit status 0', async () => {
  const folder = temporaryFolder();
  const db = path.join(folder, 'drain.db');
  const server = await Server.start({ db });
  const bodies = Array.from({ length: 200 }, (_, seed) => generate({ seed, samples: 50, timeNs: 1700000000000000000n + BigInt(seed) }).gzip());
  /** @type {string[]} */
  const acknowledged = [];
  let next = 0;
  const clients = Array.from({ length: 8 }, async () => {
    while (next < bodies.length) {
      const answer = await postRaw(server, { service: 's' }, bodies[next++]).catch(() => null);
      if (!answer) return;
      if (answer.status === 201) acknowledged.push(JSON.parse(answer.body.toString()).id);
      else assert.equal(answer.status, 503);
    }
  });
  await sleep(30 * SLOW);
  const started = Date.now();
  await server.stop();
  assert.ok(Date.now() - started < 11000 * SLOW);
  await Promise.all(clients);
  const again = await Server.start({ db });
  const { profiles } = await get(again, 'profiles', { service: 's', limit: 1000 }).catch(() => ({ profiles: [] }));
  const kept = new Set(profiles.map((/** @type {any} */ p) => p.id));
  assert.ok(acknowledged.length > 0, 'the test was too fast or too slow');
  for (const id of acknowledged) assert.ok(kept.has(id), `${id} was acknowledged and is gone`);
  await again.stop();
  fs.rmSync(folder, { recursive: true });
});

test('SIGTERM finishes an upload in progress', async () => {
  const server = await Server.start();
  const body = generate({ seed: 9 }).gzip();
  const socket = net.connect(server.port, '127.0.0.1');
  let text = '';
  socket.on('data', (data) => (text += data));
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.write(`POST /api/v1/profiles?service=late HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${body.length}\r\n\r\n`);
  socket.write(body.subarray(0, 100));
  await sleep(100 * SLOW);
  server.child.kill('SIGTERM');
  await sleep(100 * SLOW);
  socket.write(body.subarray(100));
  await closed;
  const { code } = await server.ended();
  assert.equal(code, 0, server.log);
  assert.match(text, /^HTTP\/1\.1 (201|503) /);
  fs.rmSync(server.folder, { recursive: true });
});

test('SIGINT stops it as well', async () => {
  const server = await Server.start();
  server.child.kill('SIGINT');
  assert.equal((await server.ended()).code, 0);
  fs.rmSync(server.folder, { recursive: true });
});

test('it refuses other addresses than loopback without a token, and says what to do', () => {
  for (const address of ['0.0.0.0:0', '[::]:0', '192.0.2.1:0']) {
    const result = run(['serve', '--listen', address, '--db', ':memory:']);
    assert.notEqual(result.status, 0, address);
    assert.match(result.stderr, /--token-file/);
    assert.match(result.stderr, /127\.0\.0\.1/);
  }
});

test('it refuses a configuration it does not understand', () => {
  for (const args of [['--listne', 'x'], ['--listen', 'nowhere'], ['--listen', '127.0.0.1:99999'], ['--threads', '0'], ['--threads', 'many'], ['--max-inflated', '-1'], ['--log-level', 'loud'], ['--db'], ['extra']]) {
    const result = run(['serve', ...args]);
    assert.notEqual(result.status, 0, args.join(' '));
    assert.ok(result.stderr.length > 0, args.join(' '));
  }
  assert.notEqual(run(['frobnicate']).status, 0);
  assert.notEqual(run([]).status, 0);
  assert.notEqual(run(['serve'], { BRAZIER_LISTEN: 'nowhere' }).status, 0, 'variables are checked too');
});

test('--help explains every flag and its variable; --version; --print-config', () => {
  for (const args of [['--help'], ['serve', '--help']]) {
    const result = run(args);
    assert.equal(result.status, 0);
    for (const flag of ['--listen', '--db', '--token-file', '--public-host', '--max-inflated', 'BRAZIER_LISTEN', 'BRAZIER_DB']) {
      assert.ok(result.stdout.includes(flag), flag);
    }
  }
  assert.match(run(['--version']).stdout, /\d+\.\d+/);
  const printed = run(['serve', '--print-config', '--threads', '3'], { BRAZIER_DB: '/tmp/from-variable.db', BRAZIER_THREADS: '5' });
  assert.equal(printed.status, 0);
  assert.match(printed.stdout, /from-variable\.db/);
  assert.match(printed.stdout, /threads = 3/, 'flags win over variables');
});

test('a database it cannot use stops the start with a message', () => {
  const folder = temporaryFolder();
  const text = path.join(folder, 'text.db');
  fs.writeFileSync(text, 'this is no database, only text that is long enough to be looked at '.repeat(100));
  for (const db of [text, path.join(folder, 'no', 'such', 'folder', 'x.db'), folder]) {
    const result = run(['serve', '--listen', '127.0.0.1:0', '--db', db]);
    assert.equal(result.signal, null, `${db}: ${result.stderr}`);
    assert.notEqual(result.status, 0, db);
    assert.ok(result.stderr.length > 0, db);
  }
  assert.match(fs.readFileSync(text, 'utf8'), /^this is no database/, 'and it is left as it was');
  fs.rmSync(folder, { recursive: true });
});

test('a port in use stops the start', async () => {
  const server = await Server.start();
  const result = run(['serve', '--listen', `127.0.0.1:${server.port}`, '--db', `${server.db}2`]);
  assert.notEqual(result.status, 0);
  assert.equal(result.signal, null);
  await post(server, { service: 's' }, generate().gzip());
  await server.stop();
});

test('two servers do not share a database', async () => {
  const server = await Server.start();
  const result = run(['serve', '--listen', '127.0.0.1:0', '--db', server.db]);
  assert.notEqual(result.status, 0, 'a second writer would break the id space of the first');
  assert.equal(result.signal, null, 'it must not run on');
  await server.stop();
});
