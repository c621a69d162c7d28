// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import test from 'node:test';
import * as format from '../../../static/format.js';

/** @param {string} text with plain spaces and signs */
const plain = (text) => text.replace(/\u202f/g, ' ').replace(/\u2212/g, '-');

test('times, sizes and counts are read as people write them', () => {
  /** @type {[number, string, string][]} */
  const cases = [
    [7.8e9, 'nanoseconds', '7.80 s'], [0, 'nanoseconds', '0'], [3, 'nanoseconds', '3 ns'],
    [999.97e6, 'nanoseconds', '1.00 s'], [1500, 'nanoseconds', '1.50 µs'], [90e9, 'nanoseconds', '90.0 s'],
    [150e9, 'nanoseconds', '2.50 min'], [3 * 3600e9, 'nanoseconds', '3.00 h'], [-2.5e6, 'nanoseconds', '-2.50 ms'],
    [1395864371, 'bytes', '1.30 GiB'], [1023, 'bytes', '1,023 B'], [1024, 'bytes', '1.00 KiB'],
    [20, 'bytes', '20 B'], [1048575, 'bytes', '1.00 MiB'], [-(2 ** 53), 'bytes', '-8.00 PiB'],
    [12345, 'count', '12,345'], [1234567, 'count', '1.23 M'], [0.5, 'count', '0.5'], [0.0000123, 'count', '1.2e-5'],
    [3, 'widgets', '3 widgets'], [12.3456, 'count', '12.3'],
  ];
  for (const [x, unit, expected] of cases) assert.equal(plain(format.value(x, unit)), expected);
});

test('nothing prints NaN or Infinity', () => {
  for (const x of [NaN, Infinity, -Infinity, 0 / 0]) {
    for (const unit of ['nanoseconds', 'bytes', 'count', '']) {
      assert.equal(format.value(x, unit), '–');
      assert.equal(format.signed(x, unit).replace('+', ''), '–');
    }
    assert.equal(format.percent(x), '–');
  }
});

test('percents', () => {
  assert.equal(plain(format.percent(1)), '100.0 %');
  assert.equal(plain(format.percent(0.0321)), '3.21 %');
  assert.equal(plain(format.percent(0.00001)), '<0.01 %');
  assert.equal(plain(format.percent(-0.5)), '-50.0 %');
  assert.equal(plain(format.percent(12.5)), '1,250 %');
  assert.equal(plain(format.percent(0.813, 1)), '81 %');
  assert.equal(plain(format.percent(0.0321, 1)), '3.2 %');
  assert.equal(plain(format.signedPercent(0.1)), '+10.0 %');
});

test('exact numbers have every digit', () => {
  assert.equal(plain(format.exact(9007199254740993n, 'bytes')), '9,007,199,254,740,993 bytes');
  assert.equal(plain(format.exact(-1234n)), '-1,234');
  assert.equal(format.exact(0n), '0');
});

test('names cannot disguise themselves', () => {
  assert.equal(format.name('a\u0000b\nc\u007f'), 'a␀b␊c␡');
  assert.equal(format.name('\u202Egnp.exe'), '<U+202E>gnp.exe');
  assert.equal(format.name('zero\u200bwidth'), 'zero<U+200B>width');
  assert.equal(format.name(''), '(no name)');
  assert.equal(format.name('<b>&amp;'), '<b>&amp;');
  assert.equal(format.name('x'.repeat(70000)).length, 401);
});

test('a cut never leaves half a character', () => {
  assert.equal(format.cut('ab😀cd', 3), 'ab');
  assert.equal(format.cut('ab😀cd', 4), 'ab😀');
  assert.equal(format.name('a'.repeat(399) + '😀'.repeat(4)), 'a'.repeat(399) + '…');
});

test('counting words', () => {
  assert.equal(format.plural(1, 'frame'), '1 frame');
  assert.equal(format.plural(50000, 'frame'), '50,000 frames');
});
