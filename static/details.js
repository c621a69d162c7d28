// SPDX-License-Identifier: Apache-2.0
// The details bar: everything about the frame under the pointer, else about the chosen one. Fixed
// height, no delay. Read numbers are in the basis; the exact sums stand beside them.

import { scale, show, showSigned } from './basis.js';
import { relative } from './compare.js';
import { el, button } from './dom.js';
import { exact, name as shownName, percent } from './format.js';
import { frameChange, wholeOf } from './frame.js';
import { sideNames } from './summary.js';

/** @typedef {import('./basis.js').Lens} Lens */
/** @typedef {import('./frame.js').Frame} Frame */

const LONGEST_TITLE = 2000;
const SIDE_SHOWN = 24; // letters of a side's name

export class Details {
  /**
   * @param {HTMLElement} host
   * @param {(name: string, file: string) => void} focus
   */
  constructor(host, focus) {
    this.host = host;
    this.name = el('span', { class: 'details-name', id: 'details-name' });
    this.file = el('span', { class: 'details-file', id: 'details-file' });
    this.badge = el('span', { class: 'badge' });
    /** @type {Frame|null} */
    this.frame = null;
    this.focusButton = button('Focus', () => {
      if (this.frame) focus(this.frame.name, this.frame.file);
    }, { class: 'quiet', title: 'Callers and callees of this function (f)' });
    this.copyButton = button('Copy name', () => this.copy(), { class: 'quiet', title: 'Copy (c)' });
    this.table = el('table', { class: 'details-numbers' });
    host.replaceChildren(
      el('div', { class: 'details-who' },
        el('div', { class: 'details-line' }, this.badge, this.name),
        el('div', { class: 'details-line' }, this.file, this.focusButton, this.copyButton)),
      this.table);
  }

  /**
   * @param {Frame|null} frame
   * @param {Lens} lens
   * @param {boolean} canFocus
   */
  show(frame, lens, canFocus) {
    this.frame = frame;
    this.host.classList.toggle('empty', frame === null);
    this.focusButton.hidden = !canFocus || !frame || frame.merged || frame.whole === true;
    this.copyButton.hidden = !frame || frame.merged || frame.whole === true;
    if (!frame) return;
    this.name.textContent = shownName(frame.name);
    this.name.title = shownName(frame.name, LONGEST_TITLE);
    this.file.textContent = frame.file ? shownName(frame.file) : '';
    this.file.title = frame.file ? shownName(frame.file, LONGEST_TITLE) : '';
    const change = lens.compare ? frameChange(lens, frame, wholeOf(lens)) : null;
    this.badge.hidden = !change || frame.merged;
    if (change) {
      this.badge.textContent = change.word;
      this.badge.className = `badge badge-${change.word}`;
    }
    this.table.replaceChildren(...(lens.compare ? both(frame, lens) : one(frame, lens)));
  }

  copy() {
    if (this.frame) navigator.clipboard?.writeText(this.frame.name).catch(() => {});
  }
}

/**
 * @param {string} text
 * @param {string} [title]
 * @param {string} [className]
 */
function cell(text, title = '', className = '') {
  return el('td', { title: title || null, class: className || null }, text);
}

/** @param {string} text */
function head(text) {
  return el('th', { scope: 'col' }, text);
}

/**
 * @param {Lens} lens
 * @param {0|1} side
 */
function sideHead(lens, side) {
  const text = sideNames(lens)[side];
  return text.charAt(0).toUpperCase() + text.slice(1, SIDE_SHOWN);
}

/** @param {string} text A column that narrow screens leave out. */
function faintHead(text) {
  return el('th', { scope: text ? 'col' : null, class: 'faint' }, text);
}

/**
 * @param {bigint} part
 * @param {import('./exact.js').Wire} whole
 */
function shareOf(part, whole) {
  return percent(Number(part) / Math.abs(Number(whole)));
}

/**
 * @param {Frame} frame
 * @param {Lens} lens
 */
function one(frame, lens) {
  const side = lens.sides[0].profiles > 0 || lens.sides.length < 2 ? 0 : 1;
  const whole = lens.sides[side].total;
  const row = (/** @type {string} */ label, /** @type {bigint} */ sum) => el('tr', {},
    el('th', { scope: 'row' }, label),
    cell(show(lens, scale(lens, sum, side)), exact(sum, lens.unit)),
    cell(shareOf(sum, whole)),
    cell(exact(sum, lens.unit), '', `exact exact-${label.toLowerCase()}`));
  return [
    el('tr', {}, el('th'), head(lens.per.trim() || 'sum'), head('of all'), head('exact sum')),
    row('Total', side ? frame.baseTotal : frame.total),
    row('Self', side ? frame.baseSelf : frame.self),
  ];
}

/**
 * @param {Frame} frame
 * @param {Lens} lens
 */
function both(frame, lens) {
  const row = (/** @type {'Total'|'Self'} */ label, /** @type {bigint} */ sum,
    /** @type {bigint} */ baseSum) => {
    const now = scale(lens, sum, 0);
    const base = scale(lens, baseSum, 1);
    const change = frameChange(lens, frame, wholeOf(lens), label === 'Self' ? 'self' : 'total');
    return el('tr', {},
      el('th', { scope: 'row' }, label),
      cell(show(lens, now), exact(sum, lens.unit), `exact-${label.toLowerCase()}`),
      cell(shareOf(sum, lens.sides[0].total), '', 'faint'),
      cell(show(lens, base), exact(baseSum, lens.unit), `exact-base-${label.toLowerCase()}`),
      cell(shareOf(baseSum, lens.sides[1].total), '', 'faint'),
      cell(showSigned(lens, change.delta), `${exact(sum - baseSum, lens.unit)} as sums`, 'delta'),
      cell(relative(now, base, frame.merged ? 'same' : change.word), '', 'faint'));
  };
  return [
    el('tr', {}, el('th'), head(sideHead(lens, 0)), faintHead(''),
      head(sideHead(lens, 1)), faintHead(''),
      head('Difference'), faintHead('Change')),
    row('Total', frame.total, frame.baseTotal),
    row('Self', frame.self, frame.baseSelf),
  ];
}
