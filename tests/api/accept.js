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

/**
 * @param {Server} server
 * @param {string[]} args
 * @returns {Promise<number>} exit status
 */
function runner(server, args) {
  const command = [path.join(String(corpus), 'accept.mjs'), '--base', server.base, '--prefix', 'run1-', ...args];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve) => child.once('close', (code) => resolve(code ?? 1)));
}

const folder = temporaryFolder();
const db = path.join(folder, 'accept.db');
let status = 0;
for (const args of [[], ['--no-post']]) {
  console.log(args.length > 0 ? 'after a restart:' : 'posting and asking:');
  const server = await Server.start({ db });
  status ||= await runner(server, args);
  await server.stop().catch((error) => {
    console.error(`FAIL the server: ${error.message}`);
    status ||= 1;
  });
}
fs.rmSync(folder, { recursive: true });
process.exit(status);
