// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import test from 'node:test';
import { column, compareAt, exactAt, toBig } from '../../../static/exact.js';

test('numbers and decimal strings are the same integers', () => {
  assert.equal(toBig(-7), -7n);
  assert.equal(toBig('9223372036854775807'), 9223372036854775807n);
  assert.equal(toBig('-9223372036854775808'), -9223372036854775808n);
  assert.equal(toBig(null), 0n);
});

test('what is no exact integer is refused', () => {
  for (const bad of [1.5, NaN, Infinity, 2 ** 53, '1.5', '', '0x10', '1e3', ' 1', 'NaN']) {
    assert.throws(() => toBig(bad), TypeError, String(bad));
  }
});

test('a column keeps every digit', () => {
  const values = column([1, '9007199254740993', '-9007199254740993', 0], 4);
  assert.equal(exactAt(values, 0), 1n);
  assert.equal(exactAt(values, 1), 9007199254740993n);
  assert.equal(exactAt(values, 2), -9007199254740993n);
  assert.equal(exactAt(values, 3), 0n);
});

test('a missing column is zeros, a short one an error', () => {
  assert.equal(exactAt(column(undefined, 3), 2), 0n);
  assert.throws(() => column([1, 2], 3), RangeError);
});

test('order tells apart what a double cannot', () => {
  const values = column(['9007199254740993', '9007199254740992'], 2);
  assert.equal(values.f[0], values.f[1]);
  assert.equal(compareAt(values, 0, 1), 1);
  assert.equal(compareAt(values, 1, 0), -1);
  assert.equal(compareAt(values, 0, 0), 0);
});
