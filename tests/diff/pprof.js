// SPDX-License-Identifier: Apache-2.0
// The reference: `go tool pprof -top`, with everything switched off that hides or rounds.
import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The tool itself; the `go` in front of it would cost as much again on every call. */
const TOOL = execFileSync('go', ['tool', '-n', 'pprof'], { encoding: 'utf8' }).trim();

/** @typedef {{ self: number, total: number }} Row */
/**
 * Values are doubles: the tool scales and prints them so. Exact below 2^53.
 * @typedef {Map<string, Row>} Table by function name
 */

/**
 * @param {readonly string[]} files merged by the tool when several
 * @param {number} column index of the sample type
 * @param {string} unit to print in: ns, B, or the profile's own
 * @returns {Promise<Table>}
 */
export async function top(files, column, unit) {
  const args = ['-top', '-nodecount=0', '-nodefraction=0', '-edgefraction=0', '-functions', '-symbolize=none', `-unit=${unit}`, `-sample_index=${column}`];
  const { stdout } = await run(TOOL, [...args, ...files], {
    maxBuffer: 1 << 28,
    env: { ...process.env, PPROF_TMPDIR: '/nonexistent', PPROF_BINARY_PATH: '/nonexistent' },
  });
  return parseTop(stdout);
}

/**
 * @param {string} text
 * @returns {Table}
 */
export function parseTop(text) {
  /** @type {Table} */
  const table = new Map();
  let inside = false;
  for (const line of text.split('\n')) {
    if (/^\s+flat\s+flat%\s+sum%\s+cum\s+cum%$/.test(line)) {
      inside = true;
      continue;
    }
    if (!inside || line === '') continue;
    const match = /^\s*(\S+)\s+\S+\s+\S+\s+(\S+)\s+\S+ {2}(.*)$/.exec(line);
    if (!match) throw new Error(`cannot read ${JSON.stringify(line)}`);
    const name = match[3].replace(/ \((partial-)?inline\)$/, '');
    if (table.has(name)) throw new Error(`${name} is listed twice`);
    table.set(name, { self: valueOf(match[1]), total: valueOf(match[2]) });
  }
  if (!inside) throw new Error(`no table in ${JSON.stringify(text.slice(0, 400))}`);
  return table;
}

/**
 * @param {string} text such as -12ns
 * @returns {number}
 */
function valueOf(text) {
  const match = /^-?\d+(\.\d+)?(e\+\d+)?/.exec(text);
  if (!match) throw new Error(`no number: ${text}`);
  return Number(match[0]);
}
