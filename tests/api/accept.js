#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Runs the acceptance runner of the corpus ($BRAZIER_CORPUS) against the binary on a fresh database,
// then restarts the server and asks everything again without sending anything.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { Server, temporaryFolder } from './server.js';

const corpus = process.env.BRAZIER_CORPUS;
if (!corpus) {
  console.error('accept: BRAZIER_CORPUS names the corpus folder');
  process.exit(2);
}

/** Cases that need what is not built yet, and what that is. One that passes must leave this list. */
const WAITING = new Map([['bugs/13-same-stack-different-labels', 'selection by sample labels, tag=']]);

/**
 * @param {Server} server
 * @param {string[]} args
 * @param {string} report file
 * @returns {Promise<boolean>} whether all that can pass did
 */
async function runner(server, args, report) {
  const command = [path.join(String(corpus), 'accept.mjs'), '--base', server.base, '--prefix', 'run1-', '--json', report, ...args];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'inherit', 'inherit'] });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (!fs.existsSync(report)) return false;
  /** @type {{ results: { group: string, id: string, status: string }[] }} */
  const { results } = JSON.parse(fs.readFileSync(report, 'utf8'));
  const failed = results.filter(({ status }) => status === 'failed').map(({ group, id }) => `${group}/${id}`);
  for (const name of failed) if (WAITING.has(name)) console.log(`waits: ${name} needs ${WAITING.get(name)}`);
  const early = [...WAITING.keys()].filter((name) => !failed.includes(name));
  for (const name of early) console.log(`FAIL ${name} passes now: take it off the list of waiting cases`);
  const unexpected = failed.filter((name) => !WAITING.has(name));
  return unexpected.length === 0 && early.length === 0 && (code === 0 || failed.length > 0);
}

const folder = temporaryFolder();
const db = path.join(folder, 'accept.db');
let good = true;
for (const args of [[], ['--no-post']]) {
  console.log(args.length > 0 ? 'after a restart:' : 'posting and asking:');
  const server = await Server.start({ db });
  good = (await runner(server, args, path.join(folder, 'report.json'))) && good;
  await server.stop().catch((error) => {
    console.error(`FAIL the server: ${error.message}`);
    good = false;
  });
}
fs.rmSync(folder, { recursive: true });
process.exit(good ? 0 : 1);
