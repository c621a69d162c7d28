// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import test from 'node:test';
import { forms, Labels } from '../../../static/flame/label.js';

test('the end of a qualified name says most', () => {
  assert.deepEqual(forms('github.com/a/pkg.(*T).M'), ['github.com/a/pkg.(*T).M', 'pkg.(*T).M', 'M']);
  assert.deepEqual(forms('std::map<a::b, c/d>::find'), ['std::map<a::b, c/d>::find', 'map<a::b, c/d>::find']);
  assert.deepEqual(forms('a/pkg.(*T).M.func1.2'), ['a/pkg.(*T).M.func1.2', 'pkg.(*T).M.func1.2', 'M.func1.2']);
  assert.deepEqual(forms('main'), ['main']);
  assert.deepEqual(forms(''), ['']);
});

test('a label never is wider than its room, whatever the letters', () => {
  const width = (/** @type {string} */ text) => [...text].reduce((sum, c) => sum + (/[iI.l]/.test(c) ? 3 : c === '…' ? 9 : 8), 0);
  const labels = new Labels(width);
  for (const name of ['iiiiiiiiiiiiWWWWWWWWWWWWWW', 'std::vector<int>::push_back(int const&)', 'a😀b😀c😀d😀e😀', 'x'.repeat(5000)]) {
    for (let room = 0; room < 200; room += 7) {
      const text = labels.fit(name, room);
      assert.ok(width(text) <= room, `${text} in ${room}`);
      assert.ok(!/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text), 'half a character');
    }
  }
  assert.equal(labels.fit('short', 100), 'short');
});
