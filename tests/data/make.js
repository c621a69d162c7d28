#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Writes generated profiles to files, for a look with other tools and for the benchmark.
//
//   node make.js SHAPE FOLDER [--count N] [--seed N] [--size N] [--raw]
//
// SHAPE: go random labels inlined negative hostile broken sparse unsymbolised deep recursive wide
// million heap. --count files SHAPE-00000.pb.gz .. are written, each from its own seed; --size is
// what a shape has most of (samples, depth, roots); --raw leaves the gzip out.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { parseArgs } from 'node:util';
import { generate } from './generate.js';
import { goCpu, goProgram } from './go_cpu.js';
import { deep, heap, hostile, million, recursive, wide } from './shapes.js';

/** @typedef {(seed: number, size: number | undefined) => Buffer} Shape makes protobuf bytes */

const program = goProgram(1);

/** @type {Record<string, Shape>} */
const SHAPES = {
  go: (seed, size) => goCpu(program, seed, size === undefined ? {} : { samples: size }).encode(),
  random: (seed, samples = 300) => generate({ seed, samples }).encode(),
  labels: (seed, samples = 300) => generate({ seed, samples, labels: 3 }).encode(),
  inlined: (seed, samples = 300) => generate({ seed, samples, inlines: 4, recursion: 0.3 }).encode(),
  negative: (seed, samples = 300) => generate({ seed, samples, negative: 0.4 }).encode(),
  sparse: (seed, samples = 300) => generate({ seed, samples, sparseIds: true, mappings: 3 }).encode(),
  unsymbolised: (seed, samples = 300) => generate({ seed, samples, unsymbolised: 0.5, mappings: 3 }).encode(),
  hostile: () => hostile().encode(),
  broken: () => hostile(true).encode(),
  deep: (_, depth) => deep(depth).encode(),
  recursive: (_, depth) => recursive(depth).encode(),
  wide: (_, roots) => wide(roots).encode(),
  million: (_, samples) => zlib.gunzipSync(million(samples).body),
  heap: (seed) => heap(seed).encode(),
};

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    size: { type: 'string' },
    raw: { type: 'boolean', default: false },
  },
});
const [shapeName = '', folder] = positionals;
const shape = SHAPES[shapeName];
if (!shape || !folder) {
  console.error(`usage: make.js SHAPE FOLDER [--count N] [--seed N] [--size N] [--raw]\nSHAPE: ${Object.keys(SHAPES).join(' ')}`);
  process.exit(2);
}
fs.mkdirSync(folder, { recursive: true });
for (let i = 0; i < Number(options.count); i++) {
  const bytes = shape(Number(options.seed) + i, options.size === undefined ? undefined : Number(options.size));
  const file = path.join(folder, `${shapeName}-${String(i).padStart(5, '0')}.pb${options.raw ? '' : '.gz'}`);
  fs.writeFileSync(file, options.raw ? bytes : zlib.gzipSync(bytes));
}
