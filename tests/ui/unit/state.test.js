// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import test from 'node:test';
import { initial, isComparison, parse, selection, toSearch } from '../../../static/state.js';

test('an empty URL is the initial state and back', () => {
  assert.deepEqual(parse(''), initial());
  assert.equal(toSearch(initial()), '');
});

test('every field survives the way through the URL', () => {
  const state = {
    ...initial(), service: 'a&b=c', type: 'cpu', metric: 'cpu', version: ['', '2'], baseVersion: ['1'],
    from: 'now-1h', until: '2026-11-30T16:21:00Z', extra: /** @type {[string, string][]} */ ([
      ['label', 'zone:eu'], ['label', 'zone:us'], ['base_label', 'a:b'], ['show_stacks', '/x+/']]),
    basis: /** @type {const} */ ('work'), width: /** @type {const} */ ('base'),
    show: /** @type {const} */ ('graph'), root: '0123456789abcdef', callers: 'fedcba9876543210',
    range: /** @type {[number, number]} */ ([0.25, 0.5]), detail: true,
    focus: '<b>\u0000"ü', file: '', find: '100 %', sort: 'delta_total',
    order: /** @type {const} */ ('asc'),
  };
  assert.deepEqual(parse(toSearch(state)), state);
});

test('an empty version is a version, an absent one is none', () => {
  assert.deepEqual(parse('?version=').version, ['']);
  assert.deepEqual(parse('?service=x').version, []);
  assert.match(toSearch({ ...initial(), version: [''] }), /version=/);
});

test('nonsense is dropped, not an error', () => {
  const state = parse('?basis=bogus&width=9&show=&root=xyz&callers=0123&range=1-0&sort=evil&order=up&detail=no&file=f');
  assert.deepEqual(state, initial());
  for (const range of ['0-0', 'a-b', '0.5', '-1-2', '0-2', '0.1-0.1', '1e-3-1', 'NaN-NaN']) {
    assert.equal(parse(`?range=${range}`).range, null, range);
  }
  assert.equal(parse('?root=0123456789ABCDEF').root, null);
});

test('names that are properties of every object are ordinary values', () => {
  const state = parse('?service=__proto__&focus=constructor&label=toString:valueOf');
  assert.equal(state.service, '__proto__');
  assert.equal(state.focus, 'constructor');
  assert.deepEqual(state.extra, [['label', 'toString:valueOf']]);
});

test('a tiny range keeps its digits and never becomes an exponent', () => {
  const range = /** @type {[number, number]} */ ([0.123456789012, 0.123456789014]);
  assert.deepEqual(parse(toSearch({ ...initial(), range })).range, range);
  assert.deepEqual(parse(toSearch({ ...initial(), range: [0, 1e-9] })).range, [0, 1e-9]);
});

test('the selection holds what the API needs and nothing of the view', () => {
  const state = { ...initial(), service: 's', version: ['2'], baseVersion: ['1'], find: 'x', root: '0123456789abcdef' };
  assert.deepEqual(selection(state), [['service', 's'], ['version', '2'], ['base_version', '1']]);
});

test('any base parameter makes a comparison', () => {
  assert.equal(isComparison(initial()), false);
  assert.equal(isComparison(parse('?base_version=1')), true);
  assert.equal(isComparison(parse('?base_from=now-1d')), true);
  assert.equal(isComparison(parse('?label=a:b')), false);
});
