// SPDX-License-Identifier: Apache-2.0
// The real binary as a child process, on a database of its own in a temporary folder.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The binary under test: $BRAZIER, else the one of the usual build folder. */
export const BINARY = path.resolve(
  process.env.BRAZIER ?? fileURLToPath(new URL('../../build/brazier', import.meta.url)),
);

/** Sanitizer builds are several times slower; deadlines of the tests stretch with them. */
export const SLOW = /asan|tsan/.test(BINARY) ? 8 : 1;

const START_TIMEOUT_MS = 15000 * SLOW;
const STOP_TIMEOUT_MS = 15000 * SLOW;

/** @returns {string} a new empty folder */
export function temporaryFolder() {
  return fs.mkdtempSync(path.join(os.tmpdir(), 'brazier-test-'));
}

/** @returns {Promise<number>} a port nobody listens on just now */
export function freePort() {
  return new Promise((resolve, reject) => {
    const probe = net.createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/**
 * @typedef {object} ServerOptions
 * @property {string} [db] database file; default: a new one in a new folder, removed at stop
 * @property {string[]} [args] further flags
 * @property {number} [port]
 * @property {Record<string, string>} [env]
 */

export class Server {
  /**
   * Starts a server and waits until it listens.
   * @param {ServerOptions} [options]
   * @returns {Promise<Server>}
   */
  static async start(options = {}) {
    const folder = options.db === undefined ? temporaryFolder() : '';
    const db = options.db ?? path.join(folder, 'test.db');
    const port = options.port ?? (await freePort());
    const server = new Server(db, port, folder, options);
    try {
      await server.listening();
    } catch (error) {
      server.child.kill('SIGKILL');
      throw error;
    }
    return server;
  }

  /**
   * @param {string} db
   * @param {number} port
   * @param {string} folder to remove at stop; '' for none
   * @param {ServerOptions} options
   */
  constructor(db, port, folder, options) {
    this.db = db;
    this.port = port;
    this.folder = folder;
    this.base = `http://127.0.0.1:${port}`;
    this.log = '';
    const args = ['serve', '--listen', `127.0.0.1:${this.port}`, '--db', this.db, ...(options.args ?? [])];
    this.child = spawn(BINARY, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...options.env },
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (text) => (this.log += text));
    }
    /** @type {Promise<{ code: number | null, signal: string | null }>} */
    this.exit = new Promise((resolve) => {
      this.child.once('error', (error) => {
        this.log += `${error}\n`;
        resolve({ code: -1, signal: null });
      });
      this.child.once('close', (code, signal) => resolve({ code, signal }));
    });
  }

  /** Waits for the line that says so, or throws with the log. */
  async listening() {
    const give_up = Date.now() + START_TIMEOUT_MS;
    let ended = false;
    this.exit.then(() => (ended = true));
    while (!this.log.includes('msg=listening')) {
      if (ended) throw new Error(`${BINARY} ended before it listened:\n${this.log}`);
      if (Date.now() > give_up) throw new Error(`${BINARY} does not listen:\n${this.log}`);
      await sleep(5);
    }
  }

  /** @returns {number} */
  get pid() {
    return this.child.pid ?? -1;
  }

  /**
   * Ends it by SIGTERM, as an operator does; anything but a clean exit is an error.
   * @returns {Promise<void>}
   */
  async stop() {
    this.child.kill('SIGTERM');
    const { code, signal } = await this.ended();
    if (this.folder) fs.rmSync(this.folder, { recursive: true, force: true });
    if (code !== 0) throw new Error(`exit status ${code}, signal ${signal}:\n${this.log.slice(-8000)}`);
    if (/ERROR: \w+Sanitizer|runtime error:|WARNING: ThreadSanitizer/.test(this.log)) {
      throw new Error(`sanitizer report:\n${this.log.slice(-8000)}`);
    }
  }

  /** Ends it as a power cut would, but for the page cache. */
  async kill() {
    this.child.kill('SIGKILL');
    await this.exit;
  }

  /**
   * Waits for its end; one that takes too long is killed and shows signal SIGKILL.
   * @returns {Promise<{ code: number | null, signal: string | null }>}
   */
  async ended() {
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    const result = await this.exit;
    clearTimeout(timer);
    return result;
  }

  /** @returns {number} resident memory in bytes */
  rss() {
    const status = fs.readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(/VmRSS:\s*(\d+)/.exec(status)?.[1] ?? 0) * 1024;
  }

  /** @returns {number} the highest resident memory since resetPeak, in bytes */
  peakRss() {
    const status = fs.readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(/VmHWM:\s*(\d+)/.exec(status)?.[1] ?? 0) * 1024;
  }

  /** Makes peakRss begin again from what is resident now. */
  resetPeak() {
    fs.writeFileSync(`/proc/${this.pid}/clear_refs`, '5');
  }

  /** @returns {number} user and system time used so far, in milliseconds */
  cpuMs() {
    const stat = fs.readFileSync(`/proc/${this.pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10; // clock ticks of 10 ms
  }
}

/**
 * @param {number} ms
 * @returns {Promise<void>}
 */
export function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
