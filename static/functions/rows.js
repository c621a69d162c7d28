// SPDX-License-Identifier: Apache-2.0
// The function list as data: exact columns, sorting by any of them, finding. Pure.

import { scale } from '../basis.js';
import { column, compareAt } from '../exact.js';
import { matcher } from '../find.js';

/** @typedef {import('../api.js').FunctionRow} FunctionRow */
/** @typedef {import('../basis.js').Lens} Lens */
/** @typedef {import('../exact.js').Column} Column */

export class Rows {
  /** @param {import('../api.js').Functions} answer */
  constructor(answer) {
    this.list = answer.functions;
    const count = this.list.length;
    const of = (/** @type {(row: FunctionRow) => import('../exact.js').Wire|undefined} */ get) =>
      column(this.list.map((row) => get(row) ?? 0), count);
    /** @type {Map<string, Column>} */
    this.columns = new Map([
      ['self', of((row) => row.self)], ['total', of((row) => row.total)],
      ['stacks', of((row) => row.stacks)], ['base_self', of((row) => row.base_self)],
      ['base_total', of((row) => row.base_total)],
    ]);
  }

  /** @param {string} name */
  column(name) {
    return /** @type {Column} */ (this.columns.get(name));
  }

  /**
   * Row numbers in the wanted order, those that match only.
   * @param {{sort: string, order: 'asc'|'desc', find: string}} wish
   * @param {Lens} lens
   * @returns {Int32Array}
   */
  order({ sort, order, find }, lens) {
    const test = matcher(find);
    const chosen = [];
    for (let i = 0; i < this.list.length; i++) {
      if (!test || test(this.list[i].name) || test(this.list[i].file)) chosen.push(i);
    }
    const by = this.comparison(sort, lens);
    const turn = order === 'asc' ? 1 : -1;
    const total = this.column('total');
    return Int32Array.from(chosen).sort((a, b) =>
      turn * by(a, b) || compareAt(total, b, a) || this.byName(a, b) || a - b);
  }

  /**
   * @param {number} a
   * @param {number} b
   */
  byName(a, b) {
    const x = this.list[a];
    const y = this.list[b];
    if (x.name !== y.name) return x.name < y.name ? -1 : 1;
    return x.file === y.file ? 0 : x.file < y.file ? -1 : 1;
  }

  /**
   * @param {string} sort
   * @param {Lens} lens
   * @returns {(a: number, b: number) => number}
   */
  comparison(sort, lens) {
    if (sort === 'name') return (a, b) => this.byName(a, b);
    if (!sort.startsWith('delta_')) {
      const values = this.column(sort);
      return (a, b) => compareAt(values, a, b);
    }
    const now = this.column(sort.slice(6)).f;
    const base = this.column(`base_${sort.slice(6)}`).f;
    const delta = now.map((x, i) => {
      const by = scale(lens, x, 0) - scale(lens, base[i], 1);
      return Number.isFinite(by) ? by : 0; // a side without profiles has no differences to order
    });
    return (a, b) => delta[a] - delta[b];
  }
}
