// SPDX-License-Identifier: Apache-2.0
// The columns of the function list: what each is called, how it sorts, and what a cell says.

import { scale, show, showSigned } from '../basis.js';
import { relative } from '../compare.js';
import { exact, percent } from '../format.js';
import { frameChange } from '../frame.js';

/** @typedef {import('../basis.js').Lens} Lens */
/** @typedef {import('../frame.js').Frame} Frame */
/** @typedef {import('../api.js').FunctionRow} FunctionRow */
/**
 * @typedef {object} Cell
 * @property {string} text
 * @property {string} [title]
 * @property {number} [bar] Share of the whole, 0…1: drawn behind the text.
 * @property {string} [mood] more | less
 */
/**
 * @typedef {object} ListColumn
 * @property {string} key Sort key.
 * @property {string} label
 * @property {string} title
 * @property {boolean} wide Left out where the list is narrow.
 * @property {(frame: Frame, row: FunctionRow) => Cell} cell
 */

/** @param {number} x */
function bar(x) {
  return Number.isFinite(x) ? Math.min(1, Math.abs(x)) : 0;
}

/**
 * @param {Lens} lens
 * @param {'self'|'total'} which
 * @param {0|1} side
 * @param {string} label
 * @returns {ListColumn}
 */
function sum(lens, which, side, label) {
  const at = side === 0 ? which : which === 'self' ? 'baseSelf' : 'baseTotal';
  const whole = Math.abs(Number(lens.sides[side]?.total ?? 0));
  return {
    key: (side ? 'base_' : '') + which, label, wide: which === 'self' || side === 1,
    title: `${which === 'self' ? 'In the function itself' : 'With everything it calls'}${lens.per}`,
    cell: (frame) => ({
      text: show(lens, scale(lens, frame[at], side)),
      title: exact(frame[at], lens.unit), bar: bar(Number(frame[at]) / whole),
    }),
  };
}

/**
 * @param {Lens} lens
 * @param {'self'|'total'} which
 * @param {string} label
 * @returns {ListColumn}
 */
function share(lens, which, label) {
  const whole = Math.abs(Number(lens.sides[0].total));
  return {
    key: which, label, wide: which === 'self', title: 'Share of all',
    cell: (frame) => ({ text: percent(Number(frame[which]) / whole) }),
  };
}

/**
 * @param {Lens} lens
 * @param {number} whole
 * @param {'self'|'total'} which
 * @param {string} label
 * @returns {ListColumn}
 */
function delta(lens, whole, which, label) {
  return {
    key: `delta_${which}`, label, wide: which === 'self', title: `New minus base${lens.per}`,
    cell: (frame) => {
      const by = frameChange(lens, frame, whole, which);
      const base = which === 'self' ? frame.baseSelf : frame.baseTotal;
      return {
        text: showSigned(lens, by.delta), title: `${exact(frame[which] - base, lens.unit)} as sums`,
        mood: by.level === 0 ? '' : by.delta > 0 ? 'more' : 'less',
      };
    },
  };
}

/**
 * @param {Lens} lens
 * @param {number} whole
 * @returns {ListColumn}
 */
function change(lens, whole) {
  return {
    key: 'delta_total', label: 'Change', wide: true, title: 'Change of the total against the base',
    cell: (frame) => ({
      text: relative(scale(lens, frame.total, 0), scale(lens, frame.baseTotal, 1),
        frameChange(lens, frame, whole).word),
    }),
  };
}

/**
 * @param {Lens} lens
 * @param {number} whole
 * @returns {ListColumn[]} Without the first one, the function itself.
 */
export function columnsFor(lens, whole) {
  /** @type {ListColumn} */
  const stacks = {
    key: 'stacks', label: 'Stacks', wide: true, title: 'Distinct stacks that contain the function',
    cell: (_, row) => ({ text: exact(row.stacks) }),
  };
  if (!lens.compare) {
    const side = lens.sides.length > 1 && lens.sides[0].profiles === 0 ? 1 : 0;
    const list = [sum(lens, 'self', side, 'Self'), share(lens, 'self', 'Self %'),
      sum(lens, 'total', side, 'Total'), share(lens, 'total', 'Total %'), stacks];
    return list.filter((column) => lens.basis !== 'share' || !column.label.endsWith('%'));
  }
  return [
    sum(lens, 'self', 0, 'Self'), sum(lens, 'self', 1, 'Base self'),
    delta(lens, whole, 'self', 'Δ Self'),
    sum(lens, 'total', 0, 'Total'), sum(lens, 'total', 1, 'Base total'),
    delta(lens, whole, 'total', 'Δ Total'), change(lens, whole), stacks,
  ];
}
