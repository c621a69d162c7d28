// SPDX-License-Identifier: Apache-2.0
// The HTTP side: framing, hosts, origins, methods, compression, static files, headers, logs.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { get, parse, post, postRaw, query, rawExchange, refused, request, statuses } from './client.js';
import { Server, sleep } from './server.js';
import { generate } from '../data/generate.js';

/** @type {Server} */
let server;
const BODY = generate({ seed: 21, samples: 400 }).gzip();
before(async () => {
  server = await Server.start();
  await post(server, { service: 's' }, BODY);
});
after(() => server.stop());

/**
 * @param {string} start request line and headers but Host
 * @param {string} [body]
 * @returns {string}
 */
function message(start, body = '') {
  return `${start}\r\nHost: 127.0.0.1:${server.port}\r\n\r\n${body}`;
}

test('ambiguous framing is refused and the connection closed', async () => {
  const smuggled = `GET /api/v1/services HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n\r\n`;
  const post0 = 'POST /api/v1/profiles?service=smuggled HTTP/1.1\r\n';
  const cases = {
    'two Content-Lengths': message(`${post0}Content-Length: 4\r\nContent-Length: ${4 + smuggled.length}`, `abcd${smuggled}`),
    'two equal Content-Lengths': message(`${post0}Content-Length: 4\r\nContent-Length: 4`, `abcd${smuggled}`),
    'Content-Length and chunked': message(`${post0}Content-Length: 4\r\nTransfer-Encoding: chunked`, `0\r\n\r\n${smuggled}`),
    'chunked and Content-Length': message(`${post0}Transfer-Encoding: chunked\r\nContent-Length: 4`, `0\r\n\r\n${smuggled}`),
    'two Content-Lengths on GET': message('GET /healthz HTTP/1.1\r\nContent-Length: 0\r\nContent-Length: 5', `abcde${smuggled}`),
    'a Content-Length that is no number': message(`${post0}Content-Length: 4x`, `abcd${smuggled}`),
    'a negative Content-Length': message(`${post0}Content-Length: -1`, `abcd${smuggled}`),
    'a list as Content-Length': message(`${post0}Content-Length: 4, 4`, `abcd${smuggled}`),
    'an unknown transfer coding': message(`${post0}Transfer-Encoding: xchunked`, `0\r\n\r\n${smuggled}`),
    'space before the colon': message(`${post0}Content-Length : 4`, `abcd${smuggled}`),
    'no Host': `GET /healthz HTTP/1.1\r\n\r\n${smuggled}`,
    'two Hosts': `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nHost: 127.0.0.1:${server.port}\r\n\r\n${smuggled}`,
  };
  for (const [name, bytes] of Object.entries(cases)) {
    const { text, closed } = await rawExchange(server, bytes);
    const codes = statuses(text);
    // libmicrohttpd repeats the head of some refusals; what counts is that nothing else follows.
    assert.ok(codes.every((code) => code >= 400 && code < 500), `${name}: ${codes}`);
    assert.ok(!text.includes('"services"'), `${name}: the second request was answered`);
    assert.ok(closed, `${name}: the connection stays open`);
  }
  const { services } = await get(server, 'services');
  assert.ok(!services.some((/** @type {any} */ s) => s.name === 'smuggled'));
});

test('pipelined and kept-alive requests are answered in order', async () => {
  const one = message('GET /healthz HTTP/1.1');
  const { text } = await rawExchange(server, one + one + message('GET /nowhere HTTP/1.1'), { quietMs: 500 });
  assert.deepEqual(statuses(text), [200, 200, 404]);
});

test('Expect: 100-continue is answered', async () => {
  const head = message(`POST /api/v1/profiles?service=expect HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: ${BODY.length}`);
  const { text } = await rawExchange(server, Buffer.concat([Buffer.from(head, 'latin1'), BODY]), { quietMs: 800 });
  assert.deepEqual(statuses(text), [100, 201]);
});

test('only known Hosts are served', async () => {
  const port = server.port;
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, '127.0.0.1', 'localhost', `LOCALHOST:${port}`]) {
    const answer = await request(server, 'GET', '/api/v1/services', { headers: { host } });
    assert.equal(answer.status, 200, host);
  }
  for (const host of ['evil.example', `evil.example:${port}`, `127.0.0.1.evil.example:${port}`, `localhost.evil.example`, 'xlocalhost', '127.0.0.2', `user@localhost:${port}`, '10.0.0.1']) {
    const answer = await request(server, 'GET', '/api/v1/services', { headers: { host } });
    assert.ok(answer.status === 421 || answer.status === 400, `${host}: ${answer.status}`);
    if (answer.status === 421) refused(answer, 421, 'misdirected');
  }
  refused(await postRaw(server, { service: 'rebound' }, BODY, { host: 'evil.example' }), 421, 'misdirected');
  assert.equal((await request(server, 'GET', '/', { headers: { host: 'evil.example' } })).status, 421);
});

test('--public-host adds one', async () => {
  const other = await Server.start({ args: ['--public-host', 'flames.example'] });
  try {
    for (const host of ['flames.example', 'flames.example:80']) {
      assert.equal((await request(other, 'GET', '/api/v1/services', { headers: { host } })).status, 200, host);
    }
    assert.equal((await request(other, 'GET', '/api/v1/services', { headers: { host: 'other.example' } })).status, 421);
  } finally {
    await other.stop();
  }
});

test('a cross-site POST is refused and stores nothing', async () => {
  for (const headers of [
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: `http://127.0.0.1:${server.port}`, 'sec-fetch-site': 'cross-site' },
    { origin: `http://127.0.0.1:${server.port + 1}` },
  ]) {
    refused(await postRaw(server, { service: 'csrf' }, BODY, headers), 403, 'forbidden');
  }
  const { services } = await get(server, 'services');
  assert.ok(!services.some((/** @type {any} */ s) => s.name === 'csrf'));
  for (const headers of [{ origin: `http://127.0.0.1:${server.port}`, 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }, {}]) {
    const answer = await postRaw(server, { service: 'own page' }, BODY, headers);
    assert.ok(answer.status === 201 || answer.status === 200, JSON.stringify(headers));
  }
});

test('no answer lets another origin read it', async () => {
  const answer = await request(server, 'GET', '/api/v1/services', { headers: { origin: 'http://evil.example' } });
  assert.equal(answer.headers['access-control-allow-origin'], undefined);
});

test('wrong paths are 404 and wrong methods 405 with Allow', async () => {
  for (const target of ['/nowhere', '/api/v1', '/api/v1/', '/api/v2/services', '/api/v1/services/', '/index.htm', '/healthz/x']) {
    refused(await request(server, 'GET', target), 404, 'not_found');
  }
  for (const [method, target] of [['POST', '/api/v1/services'], ['PUT', '/api/v1/profiles'], ['DELETE', '/api/v1/flamegraph'], ['POST', '/healthz'], ['PATCH', '/']]) {
    const answer = await request(server, method, target);
    refused(answer, 405, 'method_not_allowed');
    assert.ok(answer.headers.allow, `${method} ${target}: no Allow`);
  }
});

test('HEAD answers as GET without the body', async () => {
  for (const target of ['/healthz', '/', '/api/v1/services']) {
    const answer = await request(server, 'HEAD', target);
    assert.equal(answer.status, 200, target);
    assert.equal(answer.wire.length, 0, target);
  }
});

test('paths that climb or hide reach nothing', async () => {
  const climbing = ['/../../etc/passwd', '/static/../../etc/passwd', '/%2e%2e/%2e%2e/etc/passwd', '/..%2f..%2fetc%2fpasswd', '//etc/passwd', '/index.html%00.js', '/..\\..\\etc\\passwd', '/%c0%ae%c0%ae/etc/passwd', '/./app.css/..'];
  for (const path of climbing) {
    const { text } = await rawExchange(server, message(`GET ${path} HTTP/1.1\r\nConnection: close`), { quietMs: 500 });
    const [status] = statuses(text);
    assert.ok(status >= 400 && status < 500, `${path}: ${status}`);
    assert.ok(!text.includes('root:'), path);
  }
});

test('answers over 1 KiB are gzip for who asks, and only for them', async () => {
  const target = `/api/v1/flamegraph${query({ service: 's', min_fraction: 0 })}`;
  const plain = await request(server, 'GET', target);
  assert.equal(plain.headers['content-encoding'], undefined);
  assert.ok(plain.wire.length > 1024);
  for (const accept of ['gzip', 'deflate, gzip;q=0.5', 'br, GZIP', '*']) {
    const packed = await request(server, 'GET', target, { headers: { 'accept-encoding': accept } });
    if (accept !== '*') assert.equal(packed.headers['content-encoding'], 'gzip', accept);
    assert.deepEqual(parse(packed), parse(plain), accept);
    assert.match(String(packed.headers.vary), /accept-encoding/i);
  }
  for (const accept of ['identity', 'gzip;q=0', 'br', 'xgzip']) {
    const answer = await request(server, 'GET', target, { headers: { 'accept-encoding': accept } });
    assert.equal(answer.headers['content-encoding'], undefined, accept);
  }
  const small = await request(server, 'GET', '/healthz', { headers: { 'accept-encoding': 'gzip' } });
  assert.equal(small.headers['content-encoding'], undefined);
});

test('every answer carries the safety headers', async () => {
  for (const target of ['/', '/api/v1/services', '/nowhere', '/healthz']) {
    const { headers } = await request(server, 'GET', target);
    assert.equal(headers['x-content-type-options'], 'nosniff', target);
    const policy = String(headers['content-security-policy'] ?? '');
    if (target === '/' || policy) {
      assert.match(policy, /default-src 'none'/, target);
    }
    assert.equal(headers['set-cookie'], undefined);
  }
  const policy = String((await request(server, 'GET', '/')).headers['content-security-policy']);
  for (const part of ["script-src 'self'", "style-src 'self'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"]) {
    assert.ok(policy.includes(part), part);
  }
  assert.doesNotMatch(policy, /unsafe/);
});

test('API answers are not cached', async () => {
  assert.match(String((await request(server, 'GET', '/api/v1/services')).headers['cache-control']), /no-store|no-cache/);
});

test('the page and what it loads come with types and ETags', async () => {
  const page = await request(server, 'GET', '/');
  assert.equal(page.status, 200);
  assert.match(String(page.headers['content-type']), /^text\/html; charset=utf-8$/i);
  const assets = [...page.body.toString().matchAll(/(?:src|href)="([^":#]+)"/g)].map((m) => m[1]).filter((a) => a !== '/');
  assert.ok(assets.length >= 2, 'the page loads a script and a style');
  for (const asset of ['/', ...assets]) {
    const target = asset.startsWith('/') ? asset : `/${asset.replace(/^\.\//, '')}`;
    const first = await request(server, 'GET', target, { headers: { 'accept-encoding': 'gzip' } });
    assert.equal(first.status, 200, target);
    const etag = String(first.headers.etag);
    assert.match(etag, /^(W\/)?"[^"]+"$/, target);
    for (const known of [etag, `"other", ${etag}`, '*']) {
      const again = await request(server, 'GET', target, { headers: { 'if-none-match': known, 'accept-encoding': 'gzip' } });
      assert.equal(again.status, 304, `${target} ${known}`);
      assert.equal(again.wire.length, 0);
    }
    const other = await request(server, 'GET', target, { headers: { 'if-none-match': '"other"' } });
    assert.equal(other.status, 200);
    assert.deepEqual(other.body, first.body, 'plain and gzip are the same file');
    if (target.endsWith('.js')) assert.match(String(first.headers['content-type']), /^text\/javascript/);
    if (target.endsWith('.css')) assert.match(String(first.headers['content-type']), /^text\/css/);
  }
});

test('healthz, readyz and metrics', async () => {
  assert.equal((await request(server, 'GET', '/healthz')).status, 200);
  assert.equal((await request(server, 'GET', '/readyz')).status, 200);
  const answer = await request(server, 'GET', '/metrics');
  assert.equal(answer.status, 200);
  assert.match(String(answer.headers['content-type']), /^text\/plain; version=0\.0\.4/);
  const text = answer.body.toString();
  for (const line of text.trim().split('\n')) {
    assert.match(line, /^(# (HELP|TYPE) \S+ .+|[a-zA-Z_:][\w:]*(\{[^{}]*\})? -?[\d.eE+-]+(Inf|NaN)?)$/, line);
  }
  assert.match(text, /^brazier_\w*stored\w*(\{.*\})? [1-9]/m, 'profiles were stored');
});

test('refusals are counted by reason', async () => {
  const before_ = (await request(server, 'GET', '/metrics')).body.toString();
  refused(await postRaw(server, { service: 'm' }, Buffer.from('no profile here')), 400, 'not_a_profile');
  const after_ = (await request(server, 'GET', '/metrics')).body.toString();
  const counter = (/** @type {string} */ text) => Number(/^brazier_\S*"not_a_profile"\S* (\d+)/m.exec(text)?.[1] ?? 0);
  assert.equal(counter(after_), counter(before_) + 1);
});

test('the log is one line an event, whatever names hold', async () => {
  const forged = 'x\nlevel=error msg=forged\r\n\u001b[31m\u2028';
  await post(server, { service: forged, version: forged, label: `${'k'}:${forged}` }, BODY);
  await request(server, 'GET', `/api/v1/flamegraph${query({ service: `${forged} nobody` })}`);
  await rawExchange(server, message(`GET /%0Alevel=error%20msg=forged HTTP/1.1\r\nUser-Agent: a\u001b[2Jb\r\nConnection: close`), { quietMs: 500 });
  await sleep(100);
  for (const line of server.log.trimEnd().split('\n')) {
    assert.match(line, /^(ts|time|level|at)=/, `not a log line: ${JSON.stringify(line)}`);
    const control = [...line].some((c) => c < ' ' || c === '\u007f' || c === '\u2028');
    assert.ok(!control, JSON.stringify(line));
  }
  assert.doesNotMatch(server.log, /^level=error msg=forged/m);
});

test('odd queries are refused or read as they should be', async () => {
  const cases = {
    '/api/v1/flamegraph?service=%': [400, 404],
    '/api/v1/flamegraph?service=%zz': [400, 404],
    '/api/v1/flamegraph?service=%ff%fe': [400, 404],
    '/api/v1/flamegraph?service=a%00b': [400, 404],
    '/api/v1/flamegraph?service': [400],
    '/api/v1/flamegraph?&&service=s&&': [200, 400],
    '/api/v1/flamegraph?=x&service=s': [400],
    [`/api/v1/flamegraph?service=s&${'version=1&'.repeat(100)}`]: [400],
    [`/api/v1/flamegraph?service=s${'&version=1'.repeat(300)}`]: [400],
    '/api/v1/functions?service=s&q=a+b%20c': [200],
  };
  for (const [target, allowed] of Object.entries(cases)) {
    const answer = await request(server, 'GET', target);
    assert.ok(allowed.includes(answer.status), `${target.slice(0, 80)}: ${answer.status}`);
    parse(answer);
  }
});

test('SQL in parameters is text', async () => {
  for (const service of ["' OR 1=1 --", "s'; DROP TABLE profile; --", '%', '_', 's" OR ""="']) {
    refused(await request(server, 'GET', `/api/v1/flamegraph${query({ service })}`), 404, 'not_found');
  }
  assert.equal((await get(server, 'flamegraph', { service: 's' })).sides[0].profiles, 1);
});
