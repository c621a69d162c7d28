// SPDX-License-Identifier: Apache-2.0
// 8 writers and 8 readers at once on one service. Built with ThreadSanitizer it finds races; in any
// build every answer must be consistent in itself, and the last one complete.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import http from 'node:http';
import { get, integer, parse, query, request } from '../api/client.js';
import { SLOW, Server } from '../api/server.js';
import { assertTree, readTree } from '../api/tree.js';
import { Random } from '../data/random.js';
import { generate } from '../data/generate.js';
import { UPLOAD_TOTAL, upload } from './uploads.js';

const MILLISECONDS = SLOW > 1 ? 20000 : 6000;

/** @type {Server} */
let server;
before(async () => {
  server = await Server.start();
});
after(() => server.stop());

const VIEWS = [
  ['flamegraph', { service: 'busy', min_fraction: 0 }],
  ['flamegraph', { service: 'busy', version: '1', base_version: '2' }],
  ['functions', { service: 'busy', sort: 'self', limit: 50 }],
  ['functions', { service: 'busy', label: 'zone:a', base_label: 'zone:b' }],
  ['focus', { service: 'busy', function: 'package1.function1' }],
  ['profiles', { service: 'busy', limit: 20 }],
  ['services', {}],
];

test('ingest and query at once', { timeout: 240000 }, async (t) => {
  const until = Date.now() + MILLISECONDS;
  let next = 0;
  let queries = 0;
  let growing = 0;
  const writer = async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    while (Date.now() < until) {
      const number = next++;
      const zone = number % 2 === 0 ? 'zone:a' : 'zone:b';
      const target = `/api/v1/profiles${query({ service: 'busy', version: String(number % 3), label: zone })}`;
      const answer = await request(server, 'POST', target, { body: upload(number), agent });
      assert.equal(answer.status, 201, answer.body.toString());
      if (number % 10 === 0) {
        // New functions all the time: the dictionary grows under the readers.
        const body = generate({ seed: number, functions: 40 + (number % 500), samples: 80, labels: 2 }).gzip();
        const grown = await request(server, 'POST', `/api/v1/profiles${query({ service: 'growing', version: String(number) })}`, { body, agent });
        assert.equal(grown.status, 201, grown.body.toString());
        growing++;
      }
    }
    agent.destroy();
  };
  const reader = async (/** @type {number} */ seed) => {
    const random = new Random(seed);
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    while (Date.now() < until) {
      const [view, parameters] = random.pick(VIEWS);
      const chosen = random.chance(0.3) && view === 'flamegraph' ? { service: 'growing' } : parameters;
      const answer = await request(server, 'GET', `/api/v1/${view}${query(/** @type {any} */ (chosen))}`, { agent, headers: { 'accept-encoding': 'gzip' } });
      if (answer.status === 404) continue; // nothing is stored yet
      assert.equal(answer.status, 200, answer.body.toString());
      const json = parse(answer);
      if (view === 'flamegraph') {
        const tree = readTree(json);
        assertTree(tree);
        assert.equal(tree[0].total, integer(json.sides[0].total));
        if (chosen === VIEWS[0][1]) assert.equal(tree[0].total, UPLOAD_TOTAL * BigInt(json.sides[0].profiles), 'half a profile');
      }
      queries++;
    }
    agent.destroy();
  };
  await Promise.all([...Array.from({ length: 8 }, writer), ...Array.from({ length: 8 }, (_, i) => reader(i + 1))]);
  const whole = await get(server, 'flamegraph', { service: 'busy' });
  t.diagnostic(`${next} profiles and ${growing} growing ones stored, ${queries} queries answered`);
  assert.equal(whole.sides[0].profiles, next);
  assert.equal(integer(whole.sides[0].total), UPLOAD_TOTAL * BigInt(next));
  assert.ok(next > 20 && queries > 20);
});
