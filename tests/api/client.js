// SPDX-License-Identifier: Apache-2.0
// Requests to a server under test: plain ones, JSON ones, and bytes written to a bare socket.
import http from 'node:http';
import net from 'node:net';
import zlib from 'node:zlib';
import assert from 'node:assert/strict';

/** @typedef {import('./server.js').Server} Server */
/** @typedef {{ status: number, headers: http.IncomingHttpHeaders, body: Buffer, wire: Buffer }} Answer */
/** `wire` is the body as it came, `body` without Content-Encoding. */
/** @typedef {Record<string, string | number | bigint | readonly (string | number)[] | undefined>} Parameters */

/**
 * @param {Parameters} parameters arrays repeat the parameter, undefined ones are left out
 * @returns {string} the query with its question mark, or ''
 */
export function query(parameters) {
  const parts = [];
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) {
      parts.push(`${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`);
    }
  }
  return parts.length > 0 ? `?${parts.join('&')}` : '';
}

/**
 * @param {Server | { port: number }} server
 * @param {string} method
 * @param {string} target path and query
 * @param {{ headers?: http.OutgoingHttpHeaders, body?: Uint8Array, agent?: http.Agent }} [options]
 * @returns {Promise<Answer>}
 */
export function request(server, method, target, options = {}) {
  return new Promise((resolve, reject) => {
    const { headers = {}, body, agent } = options;
    const sent = http.request(
      {
        host: '127.0.0.1',
        port: server.port,
        method,
        path: target,
        agent: agent ?? false,
        headers: { ...(body ? { 'content-length': body.length } : {}), ...headers },
      },
      (response) => {
        /** @type {Buffer[]} */
        const parts = [];
        response.on('data', (part) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => {
          const wire = Buffer.concat(parts);
          const plain = response.headers['content-encoding'] === 'gzip' && wire.length > 0;
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: plain ? zlib.gunzipSync(wire) : wire,
            wire,
          });
        });
      },
    );
    sent.setTimeout(120000, () => sent.destroy(new Error(`no answer to ${method} ${target}`)));
    // A server that refuses early closes while we still write; its answer may be there all the same.
    sent.on('error', (error) => setTimeout(() => reject(error), 100));
    sent.end(body);
  });
}

/**
 * @param {Answer} answer
 * @returns {any} the parsed body; fails when it is not JSON in UTF-8
 */
export function parse(answer) {
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(answer.body));
}

/**
 * GET of a JSON view that must succeed.
 * @param {Server} server
 * @param {string} view below /api/v1/
 * @param {Parameters} [parameters]
 * @returns {Promise<any>}
 */
export async function get(server, view, parameters = {}) {
  const target = `/api/v1/${view}${query(parameters)}`;
  const answer = await request(server, 'GET', target);
  assert.equal(answer.status, 200, `GET ${target}: ${answer.body.subarray(0, 300)}`);
  return parse(answer);
}

/**
 * @param {Server} server
 * @param {Parameters} parameters
 * @param {Uint8Array} body
 * @param {http.OutgoingHttpHeaders} [headers]
 * @returns {Promise<Answer>}
 */
export function postRaw(server, parameters, body, headers = {}) {
  return request(server, 'POST', `/api/v1/profiles${query(parameters)}`, { body, headers });
}

/**
 * A POST that must store.
 * @param {Server} server
 * @param {Parameters} parameters
 * @param {Uint8Array} body
 * @returns {Promise<any>} the receipt
 */
export async function post(server, parameters, body) {
  const answer = await postRaw(server, parameters, body);
  assert.equal(answer.status, 201, `POST ${query(parameters)}: ${answer.body.subarray(0, 300)}`);
  return parse(answer);
}

/**
 * Asserts a refusal: its status, its code, and a message for people.
 * @param {Answer} answer
 * @param {number} status
 * @param {string} code
 * @returns {{ code: string, message: string, detail?: any }} the error
 */
export function refused(answer, status, code) {
  const text = answer.body.toString('utf8').slice(0, 300);
  assert.equal(answer.status, status, `expected ${status} ${code}, got ${answer.status} ${text}`);
  const { error } = parse(answer);
  assert.equal(error.code, code, text);
  assert.equal(typeof error.message, 'string');
  assert.ok(error.message.length > 0, 'an empty message');
  return error;
}

/**
 * GET that must be refused.
 * @param {Server} server
 * @param {string} view
 * @param {Parameters} parameters
 * @param {number} status
 * @param {string} code
 * @returns {Promise<{ code: string, message: string, detail?: any }>}
 */
export async function getRefused(server, view, parameters, status, code) {
  const answer = await request(server, 'GET', `/api/v1/${view}${query(parameters)}`);
  return refused(answer, status, code);
}

/**
 * Writes bytes to a socket and reads until the server closes, or until nothing came for `quietMs`.
 * @param {Server} server
 * @param {string | Uint8Array} bytes
 * @param {{ quietMs?: number }} [options]
 * @returns {Promise<{ text: string, closed: boolean }>}
 */
export function rawExchange(server, bytes, options = {}) {
  const quietMs = options.quietMs ?? 1500;
  return new Promise((resolve) => {
    const socket = net.connect(server.port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.setTimeout(quietMs);
    socket.on('data', (data) => (text += data.toString('latin1')));
    socket.on('timeout', () => {
      socket.destroy();
      resolve({ text, closed: false });
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve({ text, closed: true }));
  });
}

/**
 * @param {string} text of one or several HTTP answers
 * @returns {number[]} their status codes
 */
export function statuses(text) {
  return [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map((match) => Number(match[1]));
}

/**
 * A JSON integer as the API writes it: a number inside +-(2^53-1), else a decimal string.
 * @param {unknown} value
 * @returns {bigint}
 */
export function integer(value) {
  if (typeof value === 'number') {
    assert.ok(Number.isSafeInteger(value), `${value} is not exact`);
    return BigInt(value);
  }
  assert.equal(typeof value, 'string');
  assert.match(String(value), /^-?\d+$/);
  const big = BigInt(String(value));
  assert.ok(big > 9007199254740991n || big < -9007199254740991n, `"${value}" fits a number`);
  return big;
}
