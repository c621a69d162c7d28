// SPDX-License-Identifier: Apache-2.0
// What is compared: the corpus where it is there, profiles of a Go process made on the spot, and
// generated ones of every kind.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { goCpu, goProgram } from '../data/go_cpu.js';
import { HEAP_TYPES, generate } from '../data/generate.js';
import { deep, recursive } from '../data/shapes.js';

/** @typedef {{ group: string, name: string, file: string }} Input files of one group may be merged */

/** @type {Record<string, import('../data/generate.js').Knobs>} */
const KINDS = {
  plain: {},
  recursive: { recursion: 0.6, functions: 9, depth: 50 },
  inlined: { inlines: 5, locations: 180 },
  inlinedRecursive: { inlines: 4, recursion: 0.4, functions: 12, locations: 60 },
  labelled: { labels: 3, labelValues: 6 },
  tagged: { labels: 2, labelValues: 90, samples: 900 },
  negative: { negative: 0.5 },
  zero: { zero: 0.6 },
  heap: { types: HEAP_TYPES, durationNs: 0 },
  unsymbolised: { unsymbolised: 0.5, mappings: 4, locations: 120 },
  sparse: { sparseIds: true, mappings: 2 },
  empty: { empty: 0.3 },
  sameNames: { sameNames: true },
  microseconds: { types: [{ type: 'wall', unit: 'microseconds' }, { type: 'sample', unit: 'count' }] },
  units: { types: [{ type: 'alloc_size', unit: 'kilobytes' }, { type: 'lock', unit: 'ms' }, { type: 'thing', unit: 'widgets' }] },
  wide: { samples: 900, functions: 300, depth: 30 },
};

/**
 * @param {string} folder to write into
 * @param {number} seeds of each kind
 * @returns {Input[]}
 */
export function generatedInputs(folder, seeds) {
  /** @type {Input[]} */
  const inputs = [];
  /** @param {string} group @param {string} name @param {Buffer} bytes */
  const add = (group, name, bytes) => {
    const file = path.join(folder, `${name}.pb.gz`);
    fs.writeFileSync(file, bytes);
    inputs.push({ group, name, file });
  };
  for (const [kind, knobs] of Object.entries(KINDS)) {
    for (let seed = 1; seed <= seeds; seed++) {
      const timeNs = 1700000000000000000n + BigInt(seed) * 1000000000n;
      add(kind, `${kind}-${seed}`, generate({ seed, ...knobs, timeNs }).gzip());
    }
  }
  const program = goProgram(3);
  for (let seed = 1; seed <= seeds; seed++) add('shop', `shop-${seed}`, goCpu(program, seed).gzip());
  add('deep', 'deep', deep().gzip());
  add('recursive', 'recursive-deep', recursive().gzip());
  return inputs;
}

/**
 * @param {string} folder
 * @returns {Input[]}
 */
export function goInputs(folder) {
  const source = fileURLToPath(new URL('./profiles/main.go', import.meta.url));
  execFileSync('go', ['run', source, folder], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, GO111MODULE: 'off', GOFLAGS: '', GOPROXY: 'off', GOTOOLCHAIN: 'local', GOCACHE: process.env.GOCACHE ?? path.join(folder, 'cache') },
  });
  return fs
    .readdirSync(folder)
    .filter((name) => /^go-.*\.pb\.gz$/.test(name))
    .map((name) => ({ group: name.replace(/-\d+\.pb\.gz$/, ''), name: name.replace(/\.pb\.gz$/, ''), file: path.join(folder, name) }));
}

/** @returns {Input[]} the pprof files of the corpus, or none */
export function corpusInputs() {
  const corpus = process.env.BRAZIER_CORPUS;
  if (!corpus || !fs.existsSync(path.join(corpus, 'files'))) return [];
  return fs
    .readdirSync(path.join(corpus, 'files'))
    .filter((name) => {
      const golden = path.join(corpus, 'golden', `${name}.json`);
      if (!fs.existsSync(golden)) return false;
      const { reject, legacy } = JSON.parse(fs.readFileSync(golden, 'utf8'));
      return !reject && !legacy;
    })
    .map((name) => ({ group: '', name: `corpus-${name}`, file: path.join(corpus, 'files', name) }));
}
