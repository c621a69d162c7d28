// SPDX-License-Identifier: Apache-2.0
// The function list on the page: a grid of fixed-height rows of which only the visible ones exist.
// A million functions cost as many elements as forty. Sorted by its column buttons; a row opens the
// focus view.

import { el, setText } from '../dom.js';
import { name as shownName } from '../format.js';
import { frameOfRow } from '../frame.js';
import { columnsFor } from './columns.js';
import { Rows } from './rows.js';

/** @typedef {import('../basis.js').Lens} Lens */
/** @typedef {import('./columns.js').ListColumn} ListColumn */
/** @typedef {{sort: string, order: 'asc'|'desc', find: string}} Wish */

const TALLEST = 8_000_000; // CSS pixels: browsers lose precision or stop at 17 to 33 million
const SPARE = 4; // rows kept beyond the edges, so that scrolling shows no blanks
const LONGEST_TITLE = 2000;

export class FunctionTable {
  /**
   * @param {HTMLElement} host
   * @param {{sort: (key: string) => void, focus: (name: string, file: string) => void}} hooks
   */
  constructor(host, hooks) {
    this.hooks = hooks;
    this.head = el('div', { class: 'list-row list-head', role: 'row' });
    this.space = el('div', { class: 'list-space', role: 'rowgroup' });
    this.scroller = el('div', { class: 'list-scroll' }, this.space);
    this.grid = el('div', { class: 'list-grid', role: 'grid', tabindex: '0',
      'aria-label': 'Functions' }, el('div', { role: 'rowgroup' }, this.head), this.scroller);
    this.none = el('p', { class: 'list-none' });
    host.replaceChildren(this.grid, this.none);
    /** @type {Rows|null} */
    this.rows = null;
    /** @type {Int32Array} */
    this.shown = new Int32Array(0);
    /** @type {import('../api.js').Functions|null} */
    this.answer = null;
    /** @type {Rows|null} */
    this.arranged = null; // what `shown` was made of, and how
    this.arrangedBy = '';
    /** @type {ListColumn[]} */
    this.columns = [];
    /** @type {HTMLElement[]} */
    this.pool = [];
    this.active = 0;
    this.pending = 0;
    this.scroller.addEventListener('scroll', () => this.invalidate());
    this.grid.addEventListener('keydown', (event) => this.key(event));
    this.space.addEventListener('click', (event) => this.clicked(event));
    new ResizeObserver(() => this.invalidate()).observe(this.scroller);
  }

  /**
   * @param {import('../api.js').Functions} answer
   * @param {Lens} lens
   * @param {Wish} wish
   * @param {number} whole
   */
  show(answer, lens, wish, whole) {
    if (this.answer !== answer) {
      this.answer = answer;
      this.rows = new Rows(answer);
      this.active = 0;
      this.scroller.scrollTop = 0;
    }
    this.columns = columnsFor(lens, whole);
    this.grid.classList.toggle('compare', lens.compare);
    this.arrange(/** @type {Rows} */ (this.rows), lens, wish);
    this.header(wish);
    this.pool = [];
    this.space.replaceChildren();
    this.none.textContent = this.shown.length > 0 ? ''
      : wish.find ? 'No function has this in its name or file.' : 'No functions.';
    this.grid.setAttribute('aria-rowcount', String(this.shown.length + 1));
    this.invalidate();
  }

  /**
   * @param {Rows} rows
   * @param {Lens} lens
   * @param {Wish} wish
   */
  arrange(rows, lens, wish) {
    const key = JSON.stringify([wish, lens.basis, lens.factor]);
    if (this.arranged === rows && this.arrangedBy === key) return;
    this.shown = rows.order(wish, lens);
    if (this.arrangedBy !== key) this.scroller.scrollTop = 0;
    this.arranged = rows;
    this.arrangedBy = key;
    this.active = Math.min(this.active, Math.max(0, this.shown.length - 1));
  }

  /** @param {Wish} wish */
  header(wish) {
    const cells = [{ key: 'name', label: 'Function', title: 'Name and file', wide: false },
      ...this.columns].map((column) => {
      const sorted = column.key === wish.sort && !/%|Change/.test(column.label);
      const arrow = sorted ? (wish.order === 'asc' ? ' ↑' : ' ↓') : '';
      const sort = el('button', { type: 'button', title: column.title, tabindex: '0' },
        column.label + arrow);
      sort.addEventListener('click', () => this.hooks.sort(column.key));
      return el('div', {
        role: 'columnheader', class: column.wide ? 'wide' : null,
        'aria-sort': sorted ? (wish.order === 'asc' ? 'ascending' : 'descending') : null,
      }, sort);
    });
    // The order button that had the focus is made anew: give it back.
    const had = [...this.head.querySelectorAll('button')]
      .findIndex((b) => b === document.activeElement);
    this.head.replaceChildren(...cells);
    if (had >= 0) this.head.querySelectorAll('button')[had]?.focus();
  }

  invalidate() {
    this.pending ||= requestAnimationFrame(() => {
      this.pending = 0;
      this.draw();
    });
  }

  /** Row height in CSS pixels, as the style sheet has it. */
  rowHeight() {
    return Number.parseFloat(getComputedStyle(this.grid).getPropertyValue('--list-row')) || 26;
  }

  draw() {
    const row = this.rowHeight();
    const count = this.shown.length;
    const height = Math.min(count * row, TALLEST);
    this.space.style.height = `${height}px`;
    const room = this.scroller.clientHeight;
    const fit = Math.ceil(room / row) + SPARE;
    const first = this.firstRow(row, room, height);
    const y = height === count * row ? first * row
      : Math.min(this.scroller.scrollTop, height - room);
    const last = Math.min(count, first + fit);
    while (this.pool.length < last - first) {
      this.pool.push(this.emptyRow());
      this.space.append(this.pool[this.pool.length - 1]);
    }
    this.pool.forEach((node, i) => {
      node.hidden = first + i >= last;
      if (!node.hidden) this.fill(node, first + i, y + i * row);
    });
    this.grid.setAttribute('aria-activedescendant', count ? `function-${this.active}` : '');
  }

  /**
   * @param {number} row
   * @param {number} room
   * @param {number} height
   */
  firstRow(row, room, height) {
    const count = this.shown.length;
    const top = this.scroller.scrollTop;
    if (height === count * row) return Math.min(Math.floor(top / row), Math.max(0, count - 1));
    // Too many rows for their true height: the scroll position is a fraction of the list.
    const rest = Math.max(1, height - room);
    return Math.floor((Math.min(top, rest) / rest) * Math.max(0, count - Math.floor(room / row)));
  }

  emptyRow() {
    const cells = this.columns.map((column) => el('div', {
      role: 'gridcell', class: column.wide ? 'number wide' : 'number',
    }));
    return el('div', { class: 'list-row', role: 'row' },
      el('div', { role: 'gridcell', class: 'who' }, el('span', { class: 'who-name' }),
        el('span', { class: 'who-file' })), ...cells);
  }

  /**
   * @param {HTMLElement} node
   * @param {number} at Place in the list.
   * @param {number} y
   */
  fill(node, at, y) {
    const row = /** @type {Rows} */ (this.rows).list[this.shown[at]];
    const frame = frameOfRow(row);
    node.style.transform = `translateY(${y}px)`;
    node.dataset.at = String(at);
    node.id = `function-${at}`;
    node.setAttribute('aria-rowindex', String(at + 2));
    node.classList.toggle('active', at === this.active);
    const [who, ...cells] = /** @type {HTMLElement[]} */ ([...node.children]);
    setText(who.children[0], shownName(row.name));
    setText(who.children[1], row.file ? shownName(row.file) : '');
    who.title = shownName(row.name, LONGEST_TITLE) +
      (row.file ? `\n${shownName(row.file, LONGEST_TITLE)}` : '');
    cells.forEach((cell, i) => {
      const { text, title = '', bar = 0, mood = '' } = this.columns[i].cell(frame, row);
      setText(cell, text);
      cell.title = title;
      cell.style.setProperty('--bar-width', `${(bar * 100).toFixed(1)}%`);
      cell.dataset.mood = mood;
    });
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const row = event.target instanceof Element ? event.target.closest('.list-row') : null;
    if (!(row instanceof HTMLElement)) return;
    if (String(getSelection())) return; // the name was selected to be copied
    this.open(Number(row.dataset.at));
  }

  /** @param {number} at */
  open(at) {
    const row = this.rows?.list[this.shown[at]];
    if (!row) return;
    this.active = at;
    this.hooks.focus(row.name, row.file);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.target !== this.grid || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / this.rowHeight()) - 1);
    const steps = new Map([['ArrowDown', 1], ['ArrowUp', -1], ['PageDown', page],
      ['PageUp', -page], ['Home', -Infinity], ['End', Infinity]]);
    const by = steps.get(event.key);
    if (event.key === 'Enter') this.open(this.active);
    else if (by !== undefined) this.activate(this.active + by);
    else return;
    event.preventDefault();
  }

  /** @param {number} at */
  activate(at) {
    const count = this.shown.length;
    this.active = Math.max(0, Math.min(count - 1, at));
    const row = this.rowHeight();
    const { scroller } = this;
    const height = Math.min(count * row, TALLEST);
    if (height < count * row) {
      scroller.scrollTop = (this.active / Math.max(1, count - 1)) * height;
    } else if (this.active * row < scroller.scrollTop) {
      scroller.scrollTop = this.active * row;
    } else if ((this.active + 1) * row > scroller.scrollTop + scroller.clientHeight) {
      scroller.scrollTop = (this.active + 1) * row - scroller.clientHeight;
    }
    this.invalidate();
  }
}
