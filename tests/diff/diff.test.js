// SPDX-License-Identifier: Apache-2.0
// The numbers of Brazier against those of `go tool pprof`: self and total of every function, for
// every sample type, of real and generated profiles and of merges of them.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { get, post } from '../api/client.js';
import { Server, temporaryFolder } from '../api/server.js';
import { assertTree, functionsOfTree, readTree } from '../api/tree.js';
import { corpusInputs, generatedInputs, goInputs } from './inputs.js';
import { top } from './pprof.js';

/** @typedef {import('./inputs.js').Input} Input */
/** @typedef {{ tables: number, rows: number, differences: string[] }} Result */

const SEEDS = 7;
const AT_ONCE = 3;
const EXACT = 2 ** 53;

/** @type {Server} */
let server;
const folder = temporaryFolder();
/** @type {Input[]} */
let inputs = [];
before(async () => {
  inputs = [...generatedInputs(folder, SEEDS), ...goInputs(folder), ...corpusInputs()];
  server = await Server.start();
});
after(async () => {
  const complaints = server.log.split('\n').filter((line) => /level=(warn|error)/.test(line));
  for (const line of complaints.slice(0, 20)) console.error(line);
  await server.stop();
  fs.rmSync(folder, { recursive: true });
});

/**
 * Posts the files as one service and compares every metric.
 * @param {string} service
 * @param {string[]} files
 * @returns {Promise<Result>}
 */
async function compare(service, files) {
  /** @type {Result} */
  const result = { tables: 0, rows: 0, differences: [] };
  let receipt;
  for (const [i, file] of files.entries()) {
    receipt = await post(server, { service, version: String(i) }, fs.readFileSync(file));
  }
  const metrics = Object.entries(receipt.metrics);
  for (const [column, [metric, { unit }]] of metrics.entries()) {
    const printed = unit === 'nanoseconds' ? 'ns' : unit === 'bytes' ? 'B' : unit || 'count';
    const expected = await top(files, column, printed);
    const view = await get(server, 'flamegraph', { service, metric, min_fraction: 0, max_nodes: 10000000 });
    const tree = readTree(view);
    assertTree(tree);
    const got = functionsOfTree(tree, (node) => String(node.name));
    result.tables++;
    result.rows += expected.size;
    result.differences.push(...differences(expected, got).map((text) => `${service} ${metric}: ${text}`));
  }
  return result;
}

/**
 * @param {import('./pprof.js').Table} expected
 * @param {Map<string, import('../api/tree.js').Pair>} got
 * @returns {string[]}
 */
function differences(expected, got) {
  /** @type {string[]} */
  const lines = [];
  for (const [printed, row] of expected) {
    const name = printed === '<unknown>' ? '[unknown]' : printed;
    const mine = got.get(name);
    if (!mine && row.self === 0 && row.total === 0) continue;
    if (!mine) lines.push(`${name}: missing, expected ${row.self}/${row.total}`);
    else if (!same(mine.self, row.self) || !same(mine.total, row.total)) {
      lines.push(`${name}: ${mine.self}/${mine.total}, expected ${row.self}/${row.total}`);
    }
  }
  for (const [name, mine] of got) {
    const printed = name === '[unknown]' ? '<unknown>' : name;
    if (!expected.has(printed) && (mine.self !== 0n || mine.total !== 0n)) lines.push(`${name}: ${mine.self}/${mine.total}, unknown to the reference`);
  }
  return lines;
}

/**
 * The reference prints doubles; past 2^53 it can only be close.
 * @param {bigint} mine
 * @param {number} theirs
 * @returns {boolean}
 */
function same(mine, theirs) {
  if (Math.abs(theirs) < EXACT) return mine === BigInt(Math.round(theirs)) && Number.isInteger(theirs);
  return Math.abs(Number(mine) - theirs) <= Math.abs(theirs) * 2 ** -50;
}

/**
 * @param {{ service: string, files: string[] }[]} jobs
 * @returns {Promise<Result>}
 */
async function compareAll(jobs) {
  /** @type {Result} */
  const sum = { tables: 0, rows: 0, differences: [] };
  let next = 0;
  const workers = Array.from({ length: AT_ONCE }, async () => {
    while (next < jobs.length) {
      const { service, files } = jobs[next++];
      const { tables, rows, differences: found } = await compare(service, files).catch((error) => ({ tables: 0, rows: 0, differences: [`${service}: ${error.message}`] }));
      sum.tables += tables;
      sum.rows += rows;
      sum.differences.push(...found);
    }
  });
  await Promise.all(workers);
  return sum;
}

/**
 * @param {import('node:test').TestContext} t
 * @param {Result} result
 * @param {number} profiles
 */
function judge(t, result, profiles) {
  t.diagnostic(`${profiles} profiles, ${result.tables} sample types, ${result.rows} functions compared`);
  assert.deepEqual(result.differences.slice(0, 20), [], `${result.differences.length} differences`);
  assert.ok(result.rows > 0);
}

test('profiles one by one', async (t) => {
  const real = inputs.filter(({ name }) => /^(corpus|go)-/.test(name)).length;
  t.diagnostic(`${real} real profiles${corpusInputs().length === 0 ? ', none of a corpus: BRAZIER_CORPUS names no folder' : ''}`);
  assert.ok(inputs.length >= 140, `only ${inputs.length} inputs`);
  judge(t, await compareAll(inputs.map(({ name, file }) => ({ service: name, files: [file] }))), inputs.length);
});

test('merges of profiles of one kind', async (t) => {
  /** @type {Map<string, string[]>} */
  const groups = new Map();
  for (const { group, file } of inputs) if (group) groups.set(group, [...(groups.get(group) ?? []), file]);
  const jobs = [];
  for (const [group, files] of groups) {
    for (const size of [2, 3, files.length]) {
      if (files.length >= size && size > 1) jobs.push({ service: `merge ${group} ${size}`, files: files.slice(files.length - size) });
    }
  }
  assert.ok(jobs.length >= 60, `only ${jobs.length} merges`);
  judge(t, await compareAll(jobs), jobs.length);
});

test('a hundred profiles merged', async (t) => {
  const program = path.join(folder, 'many');
  fs.mkdirSync(program);
  const { goCpu, goProgram } = await import('../data/go_cpu.js');
  const shop = goProgram(5);
  const files = Array.from({ length: 100 }, (_, seed) => {
    const file = path.join(program, `${seed}.pb.gz`);
    fs.writeFileSync(file, goCpu(shop, seed).gzip(1));
    return file;
  });
  judge(t, await compareAll([{ service: 'a hundred', files }]), 100);
});
