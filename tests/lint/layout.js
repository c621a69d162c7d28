// SPDX-License-Identifier: Apache-2.0
// The rules of this repository that no ordinary tool knows: which room may include which, sizes,
// banned functions, licence lines, words that must not stay. Prints one line a finding.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const repo = fileURLToPath(new URL('../../', import.meta.url));

const FILE_LINES = 400;
const FUNCTION_LINES = 60;
const COLUMNS = 100;

/** What a file in a room may include: its own room and those below it. First match counts. */
const ROOMS = [
  { prefix: 'proto/base/', may: ['proto/base/'] },
  { prefix: 'proto/', may: ['proto/'] },
  { prefix: 'storage/', may: ['storage/', 'proto/'] },
  { prefix: 'server/', may: ['server/', 'storage/', 'proto/'] },
  { prefix: 'samples/', may: ['samples/', 'proto/'] },
  { prefix: 'tests/', may: ['tests/', 'samples/', 'server/', 'storage/', 'proto/'] },
];

/** Generated protobuf code is seen by the encoder and readers of foreign formats, and by tests. */
const PROTOBUF_READERS = /^(proto\/encode|server\/ingest\/|tests\/|samples\/)/;

/** Calls without a bound, without an error, or that take stack by the caller's wish. */
const BANNED_CALLS = /\b(strcpy|strcat|sprintf|vsprintf|gets|atoi|atol|atoll|atof|alloca|strtok|tmpnam|system|popen|setjmp|longjmp)\s*\(/;

/** Ways to make markup out of text. */
const MARKUP = /\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment)\b|\beval\s*\(|new Function\b/;

const UNFINISHED = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX', 'HA' + 'CK'].join('|')})\\b`);
const ELSEWHERE = /(^|[\s"'`(=])\/work\/|https?:\/\/(registry|proxy|deb|security|pypi)\./;

/** @type {string[]} */
const findings = [];

/**
 * @param {string} file
 * @param {number} line from 1
 * @param {string} what
 */
function report(file, line, what) {
  findings.push(`${file}:${line}: ${what}`);
}

/** @returns {string[]} every file that is or would be committed */
function listFiles() {
  const out = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: repo, maxBuffer: 1 << 26 });
  const files = out.toString().split('\0').filter(Boolean);
  return files.filter((file) => fs.existsSync(path.join(repo, file)) && fs.statSync(path.join(repo, file)).isFile());
}

/**
 * The code of a C file with comments and the insides of strings blanked, line structure kept.
 * @param {string} text
 * @returns {string[]}
 */
function codeLines(text) {
  const blank = (/** @type {string} */ part) => part.replace(/[^\n]/g, ' ');
  return text
    .replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, (part) =>
      part[0] === '"' || part[0] === "'" ? part[0] + blank(part.slice(1, -1)) + part[0] : blank(part),
    )
    .split('\n');
}

/**
 * @param {string} file
 * @param {string[]} lines
 */
function checkIncludes(file, lines) {
  const room = ROOMS.find(({ prefix }) => file.startsWith(prefix));
  lines.forEach((line, i) => {
    const included = /^\s*#\s*include\s+"([^"]+)"/.exec(line)?.[1];
    if (!included || !room) return;
    if (!room.may.some((prefix) => included.startsWith(prefix))) {
      report(file, i + 1, `includes "${included}"; ${room.prefix} may include ${room.may.join(' ')} only`);
    }
    if (included.endsWith('.pb-c.h') && !PROTOBUF_READERS.test(file)) {
      report(file, i + 1, 'generated protobuf code is for the encoder and foreign formats only');
    }
  });
}

/**
 * Functions begin and end with a brace in the first column.
 * @param {string} file
 * @param {string[]} code
 */
function checkFunctions(file, code) {
  let start = -1;
  code.forEach((line, i) => {
    if (line === '{') start = i;
    if (line === '}' && start >= 0) {
      const length = i - start - 1;
      if (length > FUNCTION_LINES) report(file, start, `function of ${length} lines, at most ${FUNCTION_LINES}`);
      start = -1;
    }
  });
}

/**
 * @param {string} file
 * @param {string} text
 */
function checkC(file, text) {
  const lines = text.split('\n');
  const code = codeLines(text);
  checkIncludes(file, lines);
  checkFunctions(file, code);
  if (file.endsWith('.h') && !/^#ifndef BRAZIER_\w+_H\n#define BRAZIER_\w+_H$/m.test(text)) report(file, 1, 'no include guard BRAZIER_..._H');
  code.forEach((line, i) => {
    const banned = BANNED_CALLS.exec(line);
    if (banned) report(file, i + 1, `${banned[1]} is banned`);
    if (/\bgoto\b/.test(line)) report(file, i + 1, 'goto; release by the cleanup attribute');
    if (line.includes('\t')) report(file, i + 1, 'tab');
    if ([...lines[i]].length > COLUMNS) report(file, i + 1, `line of ${[...lines[i]].length} columns`);
  });
}

/** Header files that include each other in a circle. @param {string[]} files */
function checkCycles(files) {
  const headers = files.filter((file) => file.endsWith('.h'));
  /** @type {Map<string, string[]>} */
  const edges = new Map();
  for (const file of headers) {
    const text = fs.readFileSync(path.join(repo, file), 'utf8');
    edges.set(file, [...text.matchAll(/^\s*#\s*include\s+"([^"]+)"/gm)].map((m) => m[1]));
  }
  const free = new Set();
  let changed = true;
  while (changed) {
    changed = false;
    for (const [file, to] of edges) {
      if (!free.has(file) && to.every((t) => free.has(t) || !edges.has(t))) {
        free.add(file);
        changed = true;
      }
    }
  }
  for (const file of headers) if (!free.has(file)) report(file, 1, 'is part of, or includes, a circle of headers');
}

/**
 * @param {string} file
 * @param {string} text
 */
function checkAny(file, text) {
  const lines = text.split('\n');
  const source = /\.(c|h|js|mjs|sh|css|html|py|go|proto|cmake|sql)$|CMakeLists\.txt$|\.ci\/run$/.test(file);
  if (source && !lines.slice(0, 3).some((line) => line.includes('SPDX-License-Identifier: Apache-2.0'))) report(file, 1, 'no SPDX line at the top');
  if (/\.(c|h|js|mjs|sh|css|go)$/.test(file) && lines.length - 1 > FILE_LINES) report(file, lines.length, `file of ${lines.length - 1} lines, at most ${FILE_LINES}`);
  if (text.length > 0 && !text.endsWith('\n')) report(file, lines.length, 'no newline at the end');
  lines.forEach((line, i) => {
    if (source && /[ \t\r]$/.test(line)) report(file, i + 1, 'space at the end of the line');
    const word = UNFINISHED.exec(line);
    if (word) report(file, i + 1, `${word[1]}: finish it or open an issue`);
    if (ELSEWHERE.test(line)) report(file, i + 1, 'names a path or host that means nothing elsewhere');
    if (file.startsWith('static/') && MARKUP.test(line)) report(file, i + 1, 'text goes into the page as text only');
  });
}

const files = listFiles();
for (const file of files) {
  const bytes = fs.readFileSync(path.join(repo, file));
  if (bytes.includes(0) || file.endsWith('package-lock.json') || file === 'LICENSE') continue;
  const text = bytes.toString('utf8');
  checkAny(file, text);
  if (/\.[ch]$/.test(file)) checkC(file, text);
}
checkCycles(files);
for (const finding of findings) console.log(`error: ${finding}`);
console.log(`${files.length} files looked at, ${findings.length} findings`);
process.exit(findings.length > 0 || files.length === 0 ? 1 : 0);
