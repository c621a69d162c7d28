#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// The benchmark proper; run.sh builds what it needs and calls it. Everything is measured in one run
// on one machine, so that the ratios mean something.
//
//   node bench.js LOAD-GENERATOR OUTPUT.json [--posts N] [--queries N]
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import http from 'node:http';
import { parseArgs } from 'node:util';
import { get, query, request } from '../api/client.js';
import { Server, temporaryFolder } from '../api/server.js';
import { goCpu, goProgram } from '../data/go_cpu.js';

const CONNECTIONS = 8;
const FILES = 1000;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { posts: { type: 'string', default: '6000' }, queries: { type: 'string', default: '200' } },
});
const [loader, output] = positionals;
const folder = temporaryFolder();

/** @returns {string[]} a thousand profiles of one program, about 27 KB gzip each */
function writeProfiles() {
  const program = goProgram(1);
  return Array.from({ length: FILES }, (_, seed) => {
    const file = path.join(folder, `${String(seed).padStart(4, '0')}.pb.gz`);
    fs.writeFileSync(file, goCpu(program, seed).gzip());
    return file;
  });
}

/**
 * @param {Server} server
 * @param {number} posts
 * @param {number} firstTime
 * @param {string[]} files
 * @param {string} service
 */
function load(server, posts, firstTime, files, service) {
  const target = `/api/v1/profiles${query({ service, version: '1' })}`;
  const out = execFileSync(loader, [String(server.port), String(CONNECTIONS), String(posts), String(firstTime), target, ...files], { encoding: 'utf8', maxBuffer: 1 << 20 });
  const [, seconds, p50, p99] = out.trim().split(' ').map(Number);
  return { seconds, p50, p99 };
}

/**
 * @param {string[]} files
 * @returns {Promise<Record<string, number>>}
 */
async function measureIngest(files) {
  const server = await Server.start({ db: path.join(folder, 'ingest.db') });
  const posts = Number(options.posts);
  load(server, 500, 1600000000, files, 'bench'); // the dictionary and the page cache fill
  const before = server.cpuMs();
  const { seconds, p50, p99 } = load(server, posts, 1600100000, files, 'bench');
  const cpu = server.cpuMs() - before;
  const rss = server.rss();
  await server.stop();
  const bytes = fs.statSync(path.join(folder, 'ingest.db')).size;
  return { posts, cpuMsPerProfile: cpu / posts, perSecond: posts / seconds, p50Ms: p50, p99Ms: p99, rssBytes: rss, databaseBytesPerProfile: bytes / (posts + 500) };
}

/**
 * @param {string[]} files
 * @returns {Promise<Record<string, number>>}
 */
async function measureFlameGraph(files) {
  const db = path.join(folder, 'query.db');
  let server = await Server.start({ db });
  load(server, FILES, 1700000000, files, 'bench');
  await server.stop();
  server = await Server.start({ db });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const target = `/api/v1/flamegraph${query({ service: 'bench', metric: 'cpu' })}`;
  const once = async () => {
    const answer = await request(server, 'GET', target, { agent, headers: { 'accept-encoding': 'gzip' } });
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body}`);
    return answer;
  };
  const idle = server.cpuMs();
  const first = performance.now();
  const answer = await once();
  const coldMs = performance.now() - first;
  const coldCpuMs = server.cpuMs() - idle;
  const queries = Number(options.queries);
  const before = server.cpuMs();
  const began = performance.now();
  for (let i = 0; i < queries; i++) await once();
  const wallMs = (performance.now() - began) / queries;
  const cpuMs = (server.cpuMs() - before) / queries;
  const view = JSON.parse(answer.body.toString());
  if (view.sides[0].profiles !== FILES) throw new Error(`${view.sides[0].profiles} profiles`);
  agent.destroy();
  const whole = await get(server, 'flamegraph', { service: 'bench', metric: 'cpu', min_fraction: 0, max_nodes: 10000000 });
  await server.stop();
  return { queries, cpuMs, wallMs, coldMs, coldCpuMs, nodes: view.nodes.name.length, allNodes: whole.nodes.name.length, answerBytes: answer.wire.length };
}

/**
 * @param {string[]} files
 * @returns {number} user and system milliseconds of `go tool pprof -proto`
 */
function measureTool(files) {
  const tool = execFileSync('go', ['tool', '-n', 'pprof'], { encoding: 'utf8' }).trim();
  const script = 'TIMEFORMAT="%U %S"; { time "$@" >/dev/null 2>/dev/null; } 2>&1';
  const args = ['-c', script, 'time', tool, '-proto', '-symbolize=none', `-output=${path.join(folder, 'merged.pb.gz')}`, ...files];
  const out = execFileSync('bash', args, { encoding: 'utf8', env: { ...process.env, PPROF_BINARY_PATH: '/nonexistent' } });
  if (fs.statSync(path.join(folder, 'merged.pb.gz')).size < 1000) throw new Error('the tool merged nothing');
  const [user, system] = out.trim().split(/\s+/).map(Number);
  return (user + system) * 1000;
}

const files = writeProfiles();
const sizes = files.map((file) => fs.statSync(file).size);
const bytesPerProfile = sizes.reduce((a, b) => a + b, 0) / FILES;
const ingest = await measureIngest(files);
const flame = await measureFlameGraph(files);
const toolCpuMs = measureTool(files);
fs.rmSync(folder, { recursive: true });

const ratio = toolCpuMs / flame.cpuMs;
/** @type {[string, number, string, number, boolean][]} figure, value, unit, target, met */
const rows = [
  ['ingest, server CPU a profile', ingest.cpuMsPerProfile, 'ms', 0.35, ingest.cpuMsPerProfile <= 0.35],
  ['ingest, durable profiles', ingest.perSecond, '/s', 1500, ingest.perSecond >= 1500],
  ['flame graph of 1,000 profiles, server CPU', flame.cpuMs, 'ms', 8, flame.cpuMs <= 8],
  ['`go tool pprof -proto` of the same, CPU', toolCpuMs, 'ms', NaN, true],
  ['ratio', ratio, 'x', 300, ratio >= 300],
];
console.log(`${os.cpus().length} x ${os.cpus()[0]?.model ?? 'unknown'}; ${FILES} profiles of ${(bytesPerProfile / 1000).toFixed(1)} kB gzip; ${CONNECTIONS} connections\n`);
console.log('| figure | measured | target | |\n|---|--:|--:|---|');
for (const [name, value, unit, target, met] of rows) {
  const digits = value < 10 ? 3 : value < 100 ? 1 : 0;
  console.log(`| ${name} | ${value.toFixed(digits)} ${unit} | ${Number.isNaN(target) ? '' : `${target} ${unit}`} | ${met ? (Number.isNaN(target) ? '' : 'met') : 'MISSED'} |`);
}
console.log(`\ningest: p50 ${ingest.p50Ms} ms, p99 ${ingest.p99Ms} ms, ${(ingest.databaseBytesPerProfile / 1000).toFixed(1)} kB of database a profile, RSS ${(ingest.rssBytes / 1e6).toFixed(0)} MB`);
console.log(`flame graph: ${flame.nodes} of ${flame.allNodes} nodes, ${(flame.answerBytes / 1000).toFixed(0)} kB gzip, ${flame.wallMs.toFixed(1)} ms each; the first after a start ${flame.coldMs.toFixed(0)} ms (${flame.coldCpuMs} ms CPU)`);
fs.writeFileSync(output, `${JSON.stringify({ node: process.version, cores: os.cpus().length, bytesPerProfile, ingest, flame, toolCpuMs, ratio, met: rows.every((row) => row[4]) }, null, 2)}\n`);
