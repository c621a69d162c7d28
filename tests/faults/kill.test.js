// SPDX-License-Identifier: Apache-2.0
// 8 clients post without pause while the server is killed and started again 200 times. Whatever was
// acknowledged must be there afterwards, byte for byte, and nothing twice.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import zlib from 'node:zlib';
import { get, integer, query, request } from '../api/client.js';
import { SLOW, Server, freePort, sleep, temporaryFolder } from '../api/server.js';
import { Random } from '../data/random.js';
import { UPLOAD_TOTAL, numberOf, upload } from './uploads.js';

const KILLS = Number(process.env.KILLS ?? 200);
const CLIENTS = 8;
const RESTART_MS = 1000 * SLOW;
const GIVE_UP_MS = 180000;

/** @typedef {{ port: number, stopped: boolean, next: number, repeats: number }} Shared */

/**
 * Posts one upload after the other; an upload whose answer was lost is sent again until it has one.
 * @param {Shared} shared
 * @param {Map<number, string>} acknowledged ids by upload
 */
async function client(shared, acknowledged) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  while (!shared.stopped) {
    const number = shared.next++;
    const body = upload(number);
    while (!shared.stopped) {
      const answer = await request(shared, 'POST', `/api/v1/profiles${query({ service: 'kept', version: String(number % 4) })}`, { body, agent }).catch(() => null);
      if (!answer) {
        await sleep(5);
        continue;
      }
      const text = answer.body.toString();
      if (answer.status === 503) continue;
      assert.ok(answer.status === 201 || answer.status === 200, `upload ${number}: ${answer.status} ${text}`);
      if (answer.status === 200) shared.repeats++;
      acknowledged.set(number, JSON.parse(text).id);
      break;
    }
  }
  agent.destroy();
}

/**
 * @param {Server} server
 * @returns {Promise<any[]>} every profile in the store
 */
async function listAll(server) {
  const all = [];
  let cursor;
  do {
    /** @type {any} */
    const page = await get(server, 'profiles', { service: 'kept', limit: 1000, cursor });
    all.push(...page.profiles);
    cursor = page.next ?? undefined;
  } while (cursor);
  return all;
}

/** @param {Buffer} bytes */
const inflated = (bytes) => (bytes[0] === 0x1f && bytes[1] === 0x8b ? zlib.gunzipSync(bytes) : bytes);

/**
 * @param {Server} server
 * @param {any[]} listed
 */
async function readBack(server, listed) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
  let next = 0;
  const reader = async () => {
    while (next < listed.length) {
      const { id, time } = listed[next++];
      const answer = await request(server, 'GET', `/api/v1/profiles/${id}`, { agent });
      assert.equal(answer.status, 200, id);
      assert.ok(inflated(answer.body).equals(inflated(upload(numberOf(time)))), `${id} is not what was sent`);
    }
  };
  await Promise.all([reader(), reader(), reader(), reader()]);
  agent.destroy();
}

test(`nothing acknowledged is lost or doubled over ${KILLS} kills`, { timeout: 2 * GIVE_UP_MS }, async (t) => {
  const folder = temporaryFolder();
  const db = path.join(folder, 'killed.db');
  const port = await freePort();
  const random = new Random(Date.now());
  /** @type {Shared} */
  const shared = { port, stopped: false, next: 0, repeats: 0 };
  /** @type {Map<number, string>} */
  const acknowledged = new Map();
  let server = await Server.start({ db, port });
  const clients = Array.from({ length: CLIENTS }, () => client(shared, acknowledged));
  const failed = Promise.all(clients);
  failed.catch(() => {});
  const began = Date.now();
  let kills = 0;
  let slowest = 0;
  for (; kills < KILLS && Date.now() - began < GIVE_UP_MS; kills++) {
    await sleep(random.between(5, 90));
    await server.kill();
    const from = Date.now();
    server = await Server.start({ db, port });
    slowest = Math.max(slowest, Date.now() - from);
  }
  await sleep(200);
  shared.stopped = true;
  await failed;
  assert.equal(kills, KILLS, 'too slow: restarts took all the time there was');
  await server.kill();
  server = await Server.start({ db, port });

  const listed = await listAll(server);
  t.diagnostic(`${acknowledged.size} acknowledged, ${listed.length} stored, ${shared.repeats} retries recognised, slowest restart ${slowest} ms, ${Date.now() - began} ms`);
  const ids = new Set(listed.map(({ id }) => id));
  assert.equal(ids.size, listed.length, 'an id twice');
  assert.equal(new Set(listed.map(({ time }) => time)).size, listed.length, 'an upload under two ids');
  for (const [number, id] of acknowledged) assert.ok(ids.has(id), `upload ${number}, ${id}, was acknowledged and is gone`);
  assert.ok(listed.length <= shared.next);
  await readBack(server, listed);
  const view = await get(server, 'flamegraph', { service: 'kept', metric: 'cpu' });
  assert.equal(view.sides[0].profiles, listed.length, 'the sums count every profile once');
  assert.equal(integer(view.sides[0].total), UPLOAD_TOTAL * BigInt(listed.length));
  assert.ok(acknowledged.size > KILLS, 'too few uploads to mean anything');
  assert.ok(slowest < RESTART_MS, `a restart took ${slowest} ms`);
  await server.stop();
  const check = spawnSync('sqlite3', [db, 'pragma integrity_check'], { encoding: 'utf8' });
  if (!check.error) assert.equal(check.stdout.trim(), 'ok');
  fs.rmSync(folder, { recursive: true });
});
