// SPDX-License-Identifier: Apache-2.0
// What a difference is called. One rule for the graph, the list, the details and the legend:
// difference = selection - base, measured against the larger side's whole, in the chosen basis.

import { percent, signedPercent } from './format.js';

/** @typedef {'new'|'gone'|'more'|'less'|'same'} Word */
/**
 * @typedef {object} Change
 * @property {Word} word
 * @property {number} level 0: within the dead band, 1…4: as STEPS; the sign is in `delta`.
 * @property {number} delta In the basis; NaN when a side has no such number.
 * @property {number} share delta / whole.
 */

// Shares of the whole from which the next shade is used. Below the first a difference is noise to
// the eye and is painted grey: with no dead band every frame of two equal runs would be coloured.
export const STEPS = [0.001, 0.01, 0.05, 0.2];

/**
 * @param {number} now Value of the selection in the basis.
 * @param {number} base
 * @param {boolean} inNow Whether the frame occurs in the selection at all, whatever its sum.
 * @param {boolean} inBase
 * @param {number} whole Larger of the two wholes in the basis.
 * @returns {Change}
 */
export function changeOf(now, base, inNow, inBase, whole) {
  const delta = now - base;
  const share = whole > 0 ? delta / whole : 0;
  const size = Number.isFinite(share) ? Math.abs(share) : 0;
  let level = 0;
  while (level < STEPS.length && size >= STEPS[level]) level++;
  /** @type {Word} */
  let word = level === 0 ? 'same' : delta > 0 ? 'more' : 'less';
  if (inNow && !inBase) word = 'new';
  else if (inBase && !inNow) word = 'gone';
  return { word, level, delta, share };
}

/**
 * Relative change in words: never a division by zero.
 * @param {number} now
 * @param {number} base
 * @param {Word} word
 */
export function relative(now, base, word) {
  if (word === 'new' || word === 'gone') return word;
  if (now === base) return 'no change';
  if (base === 0) return 'from 0';
  return signedPercent((now - base) / Math.abs(base));
}

/**
 * The mark before a frame's label: colour is never the only sign.
 * @param {Change} change
 */
export function mark(change) {
  switch (change.word) {
    case 'new': return 'new ';
    case 'gone': return 'gone ';
    case 'more': return '▲ ';
    case 'less': return '▼ ';
    default: return '';
  }
}

/** @param {number} level */
export function stepText(level) {
  return percent(STEPS[level - 1]).replace(/\.0+(?=\D)/, '').replace(/(\.\d)0(?=\D)/, '$1');
}
