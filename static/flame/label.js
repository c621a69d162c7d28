// SPDX-License-Identifier: Apache-2.0
// Text that fits a box. The end of a qualified name says most, so a name that does not fit loses
// its folders first, then its package, and only then characters in the middle.

import { cut, name as shown } from '../format.js';

/** @typedef {(text: string) => number} Measure Width in CSS pixels. */

/**
 * Shorter forms of a name, longest first: "a/b/pkg.(*T).M", "pkg.(*T).M", "M".
 * @param {string} name
 * @returns {string[]}
 */
export function forms(name) {
  const list = [name];
  // Template and argument lists hold slashes and colons of their own: look before them only.
  const stop = name.search(/[(<[]/);
  const head = stop > 0 ? name.slice(0, stop) : name;
  const slash = head.lastIndexOf('/');
  if (slash >= 0 && slash < name.length - 1) list.push(name.slice(slash + 1));
  const scope = head.lastIndexOf('::');
  if (scope >= 0 && scope < name.length - 2) list.push(name.slice(scope + 2));
  // A closure is called after its function: "M.func1", not "func1".
  const dot = name.replace(CLOSURE, '').lastIndexOf('.');
  if (dot > slash && scope < 0 && dot < name.length - 1) list.push(name.slice(dot + 1));
  return list;
}

const CLOSURE = /(\.func\d+|\.\d+|\.gowrap\d+)+$/;
const SHORTEST = 5; // characters: what is cut shorter says nothing
const TRIES = 6; // cuts before a label is given up: letters can differ widely within one name

/**
 * @param {string} text
 * @param {number} keep Characters that stay, besides the ellipsis.
 */
function middleCut(text, keep) {
  const head = Math.ceil(keep / 2);
  const tail = text.slice(text.length - (keep - head));
  // Half a surrogate pair at the cut would be drawn as a box.
  return cut(text, head) + '…' + (tail.charCodeAt(0) >> 10 === 0x37 ? tail.slice(1) : tail);
}

export class Labels {
  /** @param {Measure} measure */
  constructor(measure) {
    this.measure = measure;
    /** @type {Map<string, {text: string, width: number}[]>} */
    this.cache = new Map();
  }

  /**
   * @param {string} name
   * @returns {{text: string, width: number}[]}
   */
  formsOf(name) {
    let list = this.cache.get(name);
    if (!list) {
      if (this.cache.size > 20000) this.cache.clear(); // a bound, not a policy: refilling is cheap
      list = forms(shown(name)).map((text) => ({ text, width: this.measure(text) }));
      this.cache.set(name, list);
    }
    return list;
  }

  /**
   * @param {string} name
   * @param {number} room CSS pixels.
   * @returns {string} '' when nothing sensible fits.
   */
  fit(name, room) {
    const list = this.formsOf(name);
    for (const form of list) if (form.width <= room) return form.text;
    const { text, width } = list[list.length - 1];
    let keep = Math.floor((text.length * room) / width) - 1;
    // The ratio is a guess where letters differ in width; what does not fit is cut again.
    for (let tries = 0; keep >= SHORTEST && tries < TRIES; tries++) {
      const short = middleCut(text, keep);
      const over = this.measure(short) / room;
      if (over <= 1) return short;
      keep = Math.min(keep - 1, Math.floor(keep / over));
    }
    return '';
  }
}
