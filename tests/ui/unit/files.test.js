// SPDX-License-Identifier: Apache-2.0
// What must hold of the page's files as text.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../static', import.meta.url));
const files = fs.readdirSync(root, { withFileTypes: true }).flatMap((entry) => entry.isDirectory()
  ? fs.readdirSync(path.join(root, entry.name)).map((name) => `${entry.name}/${name}`) : [entry.name]);
const read = (/** @type {string} */ name) => fs.readFileSync(path.join(root, name), 'utf8');
const html = read('index.html');

test('every module is preloaded, and nothing else', () => {
  const listed = [...html.matchAll(/rel="modulepreload" href="([^"]+)"/g)].map((m) => m[1]);
  assert.deepEqual(listed.sort(), files.filter((f) => f.endsWith('.js') && f !== 'main.js').sort());
});

test('no inline script or style, no foreign address, no markup from text', () => {
  assert.doesNotMatch(html, /<style|style="|\son\w+=|<script(?! type="module" src="main\.js"><)/);
  for (const name of files) {
    const text = read(name).replaceAll('http://www.w3.org/2000/svg', '').replaceAll('http://localhost:6060', '');
    assert.doesNotMatch(text, /https?:\/\//, name);
    if (name.endsWith('.js')) {
      assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function\b/, name);
      assert.ok(text.startsWith('// SPDX-License-Identifier: Apache-2.0\n'), name);
      assert.ok(text.split('\n').length <= 401, `${name} is longer than 400 lines`);
      assert.ok(text.split('\n').every((line) => line.length <= 100), `${name} has a line over 100 columns`);
    }
  }
});
