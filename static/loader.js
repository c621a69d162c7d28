// SPDX-License-Identifier: Apache-2.0
// Answers for a state, each fetched once: going back and forth in the history asks nothing anew.
// Where a basis needs what some profiles lack (a duration, a count of work), the same view is asked
// again without those profiles, and the answer carries how many were left out.

import * as api from './api.js';
import { unavailable } from './basis.js';
import { selection } from './state.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./api.js').Pairs} Pairs */
/** @typedef {import('./api.js').View} View */
/**
 * @template {View} T
 * @typedef {{answer: T, leftOut: number[], lacking: 'duration'|'work'|null}} Loaded
 *   leftOut: profiles per side that lack what the basis needs.
 */

const KEPT = 10; // answers; a large one takes tens of megabytes
const EVERYTHING = /** @type {Pairs} */ ([['min_fraction', '0'], ['max_nodes', '1000000']]);

const VIEWS = { flamegraph: api.flamegraph, functions: api.functions, focus: api.focus };

export class Loader {
  constructor() {
    /** @type {Map<string, Promise<any>>} */
    this.cache = new Map();
    this.stop = new AbortController();
  }

  /** Forgets every answer: what is asked next comes from the server. */
  forget() {
    this.stop.abort();
    this.stop = new AbortController();
    this.cache.clear();
  }

  /**
   * @param {keyof typeof VIEWS} view
   * @param {Pairs} pairs
   * @returns {Promise<any>}
   */
  ask(view, pairs) {
    const key = JSON.stringify([view, pairs]);
    const held = this.cache.get(key);
    this.cache.delete(key);
    const promise = held ?? VIEWS[view](pairs, this.stop.signal).catch((error) => {
      this.cache.delete(key);
      throw error;
    });
    this.cache.set(key, promise);
    const [oldest] = this.cache.keys();
    if (this.cache.size > KEPT) this.cache.delete(oldest);
    return promise;
  }

  /**
   * @param {keyof typeof VIEWS} view
   * @param {State} state
   * @param {Pairs} pairs
   * @returns {Promise<Loaded<any>>}
   */
  async load(view, state, pairs) {
    /** @type {View} */
    const answer = await this.ask(view, pairs);
    const lacking = neededFor(state, answer);
    if (!lacking) return { answer, leftOut: [], lacking: null };
    const key = lacking === 'duration' ? 'without_duration' : 'without_work';
    return {
      answer: await this.ask(view, [...pairs, ['having', lacking]]), lacking,
      leftOut: answer.sides.map((side) => side[key] ?? 0),
    };
  }

  /**
   * @param {State} state
   * @param {string|null} root
   * @returns {Promise<Loaded<api.Flamegraph>>}
   */
  flamegraph(state, root = null) {
    const pairs = [...selection(state), ...(state.detail ? EVERYTHING : [])];
    if (root !== null) pairs.push(['root', root]);
    return this.load('flamegraph', state, pairs);
  }

  /**
   * @param {State} state
   * @returns {Promise<Loaded<api.Functions>>}
   */
  functions(state) {
    return this.load('functions', state, selection(state));
  }

  /**
   * @param {State} state
   * @returns {Promise<Loaded<api.Focus>>}
   */
  focus(state) {
    /** @type {Pairs} */
    const pairs = [...selection(state), ['function', state.focus ?? '']];
    if (state.file !== null) pairs.push(['file', state.file]);
    return this.load('focus', state, state.detail ? [...pairs, ...EVERYTHING] : pairs);
  }
}

/**
 * What the basis needs and some of the profiles lack.
 * @param {State} state
 * @param {View} view
 * @returns {'duration'|'work'|null}
 */
export function neededFor(state, view) {
  if (unavailable(state.basis, view)) return null;
  if (state.basis === 'second' && view.sides.some((side) => side.without_duration)) {
    return 'duration';
  }
  if (state.basis === 'work' && view.sides.some((side) => side.without_work)) return 'work';
  return null;
}
