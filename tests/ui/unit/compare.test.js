// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import test from 'node:test';
import { lensOf, scale, show, showSigned, unavailable, oneOf } from '../../../static/basis.js';
import { changeOf, mark, relative } from '../../../static/compare.js';
import { luminance, packageOf, palette } from '../../../static/color.js';
import { neededFor } from '../../../static/loader.js';
import { initial } from '../../../static/state.js';
import { sentence } from '../../../static/summary.js';

/** @typedef {import('../../../static/api.js').Side} Side */

/** @param {Partial<Side>} [change] @returns {Side} */
const side = (change = {}) => ({ version: ['2'], profiles: 10, duration_ns: 100e9, work: 50, work_unit: 'requests',
  total: 1e9, unfiltered_total: 1e9, without_duration: 0, without_work: 0, ...change });
/** @param {Side[]} sides @param {Partial<import('../../../static/api.js').View>} [change] */
const view = (sides, change = {}) => ({ unit: 'nanoseconds', metric: 'cpu', kind: /** @type {const} */ ('counter'), sides, ...change });
/** @param {string} text */
const plain = (text) => text.replace(/\u202f/g, ' ').replace(/\u2212/g, '-');

test('the factors of every basis', () => {
  const v = view([side()]);
  assert.equal(scale(lensOf(v, 'profile'), 1e9, 0), 1e8);
  assert.equal(scale(lensOf(v, 'second'), 1e9, 0), 1e7);
  assert.equal(scale(lensOf(v, 'work'), 1e9, 0), 2e7);
  assert.equal(scale(lensOf(v, 'share'), 5e8, 0), 0.5);
  assert.equal(scale(lensOf(v, 'sum'), 123n, 0), 123);
  assert.equal(plain(show(lensOf(v, 'second'), 1e7)), '10.0 ms/s');
});

test('a basis that would mislead is refused with a reason', () => {
  assert.match(unavailable('work', view([side({ work: null })])) ?? '', /how much work/);
  assert.match(unavailable('work', view([side({ work: 0 })])) ?? '', /how much work/);
  assert.match(unavailable('work', view([side(), side({ work_unit: 'messages' })])) ?? '', /different kinds/);
  assert.match(unavailable('second', view([side({ duration_ns: 0, without_duration: 10 })])) ?? '', /how long/);
  assert.match(unavailable('second', view([side()], { kind: 'gauge' })) ?? '', /level/);
  for (const basis of /** @type {const} */ (['second', 'work'])) {
    assert.match(unavailable(basis, view([side()], { kind: 'cumulative' })) ?? '', /since the process began/);
  }
  assert.equal(unavailable('work', view([side(), side({ profiles: 0, work: null })])), null);
  const lens = lensOf(view([side({ work: null })]), 'work');
  assert.equal(lens.basis, 'profile');
  assert.ok(lens.refused);
});

test('profiles without a duration or work are asked away', () => {
  const state = { ...initial(), basis: /** @type {const} */ ('second') };
  assert.equal(neededFor(state, view([side({ without_duration: 3 })])), 'duration');
  assert.equal(neededFor(state, view([side()])), null);
  assert.equal(neededFor({ ...state, basis: 'work' }, view([side(), side({ without_work: 1 })])), 'work');
  assert.equal(neededFor({ ...state, basis: 'profile' }, view([side({ without_duration: 3 })])), null);
});

test('no profiles, no total: a dash, never NaN', () => {
  for (const basis of /** @type {const} */ (['profile', 'second', 'work', 'share', 'sum'])) {
    for (const empty of [side({ profiles: 0, total: 0 }), side({ total: 0 })]) {
      const lens = lensOf(view([side(), empty]), basis);
      for (const text of [show(lens, scale(lens, 0n, 1)), showSigned(lens, scale(lens, 5n, 0) - scale(lens, 0n, 1)), sentence(lens)]) {
        assert.doesNotMatch(text, /NaN|Infinity|undefined|null/);
      }
    }
  }
});

test('words and levels of a change', () => {
  assert.deepEqual(changeOf(10, 10, true, true, 100), { word: 'same', level: 0, delta: 0, share: 0 });
  assert.equal(changeOf(10.05, 10, true, true, 100).word, 'same');
  assert.equal(changeOf(10.5, 10, true, true, 100).level, 1);
  assert.equal(changeOf(13, 10, true, true, 100).level, 2);
  assert.equal(changeOf(40, 10, true, true, 100).level, 4);
  assert.equal(changeOf(1, 10, true, true, 100).word, 'less');
  assert.equal(changeOf(1, 0, true, false, 100).word, 'new');
  assert.equal(changeOf(0, 1, false, true, 100).word, 'gone');
  assert.equal(changeOf(0, 5, true, true, 0).share, 0);
  const empty = changeOf(5, NaN, true, true, 100);
  assert.equal(empty.level, 0);
  assert.equal(mark(changeOf(40, 10, true, true, 100)), '▲ ');
});

test('relative changes never divide by zero', () => {
  assert.equal(relative(5, 0, 'new'), 'new');
  assert.equal(relative(0, 5, 'gone'), 'gone');
  assert.equal(relative(5, 0, 'more'), 'from 0');
  assert.equal(relative(0, 0, 'same'), 'no change');
  assert.equal(plain(relative(3, 2, 'more')), '+50.0 %');
  assert.equal(plain(relative(-1, -2, 'more')), '+50.0 %');
});

test('one sentence says how it came out', () => {
  const base = side({ version: ['1'], total: 5e9 });
  const told = (/** @type {Partial<Side>} */ change, /** @type {any} */ basis = 'work') =>
    plain(sentence(lensOf(view([side(change), base]), basis)));
  assert.equal(told({ total: 9.5e8 }), 'Version 2 uses 81 % less cpu per request than version 1 (19.0 ms against 100 ms).');
  assert.match(told({ total: 6e9 }), /^Version 2 uses 20 % more cpu per request than version 1/);
  assert.match(told({ total: 20e9 }), /^Version 2 uses 4\.0 times as much cpu per request as version 1/);
  assert.match(told({ total: 5.01e9 }, 'profile'), /about as much cpu per profile as version 1/);
  assert.match(told({ total: -5e9 }, 'sum'), /^Version 2: -5\.00 s of cpu in total; version 1: 5\.00 s/);
  assert.match(plain(sentence(lensOf(view([side()]), 'profile'))), /^Version 2: 100 ms of cpu per profile, from 10 profiles/);
});

test('requests become a request', () => {
  assert.equal(oneOf('requests'), 'request');
  assert.equal(oneOf('mess'), 'mess');
  assert.equal(oneOf(null), 'unit of work');
});

test('text on every colour has a contrast of at least 4.5', () => {
  for (const dark of [false, true]) {
    const p = palette(dark);
    for (const { fill, text } of [...p.packages, ...p.more, ...p.less, p.same, p.merged, p.root]) {
      const back = luminance([fill & 255, (fill >> 8) & 255, (fill >> 16) & 255]);
      const front = luminance(/** @type {[number, number, number]} */ ([1, 3, 5].map((i) => Number.parseInt(text.slice(i, i + 2), 16))));
      const ratio = (Math.max(back, front) + 0.05) / (Math.min(back, front) + 0.05);
      assert.ok(ratio >= 4.5, `${fill.toString(16)} ${text}: ${ratio.toFixed(2)}`);
    }
  }
});

test('more is orange and less is blue in every shade, and the families are the tested ones', () => {
  for (const dark of [false, true]) {
    const { more, less } = palette(dark);
    for (const { fill } of more) assert.ok((fill & 255) - ((fill >> 16) & 255) >= 30);
    for (const { fill } of less) assert.ok(((fill >> 16) & 255) - (fill & 255) >= 30);
    assert.ok(more.some(({ fill }) => (fill & 0xffffff) === 0x63b8fd), '#fdb863');
    assert.ok(less.some(({ fill }) => (fill & 0xffffff) === 0xe6b77f), '#7fb7e6');
  }
});

test('packages', () => {
  assert.equal(packageOf('github.com/a/b.(*T).M', 'x.go'), 'github.com/a/b');
  assert.equal(packageOf('std::vector<int>::push_back', ''), 'std');
  assert.equal(packageOf('malloc', '/usr/src/libc/malloc.c'), '/usr/src/libc');
  assert.equal(packageOf('__proto__', ''), '');
});
