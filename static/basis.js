// SPDX-License-Identifier: Apache-2.0
// What the numbers are divided by. The server sends exact integer sums; a lens holds one factor a
// side and turns sums into what is read: per profile, per second, per unit of work, share, or sum.
// A basis that would mislead is not available, and the lens says why.

import { signed, signedPercent, percent, value, name as shownName } from './format.js';

/** @typedef {import('./api.js').Side} Side */
/** @typedef {import('./api.js').View} View */
/** @typedef {import('./state.js').Basis} Basis */
/**
 * @typedef {object} Lens
 * @property {Basis} basis The one in use.
 * @property {string|null} refused Why the wanted basis is not in use.
 * @property {string} unit
 * @property {string} metric
 * @property {Side[]} sides
 * @property {boolean} compare Two sides with profiles on both.
 * @property {(number|null)[]} factor Per side; null: no such number (no profiles, total of zero).
 * @property {string} per " per profile", " per request", … or "".
 */

export const NAMES = /** @type {Record<Basis, string>} */ ({
  profile: 'Per profile', second: 'Per second', work: 'Per unit of work', share: 'Share',
  sum: 'Sum',
});

/**
 * "requests" counts requests; one of them is a request.
 * @param {string|null|undefined} unit
 */
export function oneOf(unit) {
  if (!unit) return 'unit of work';
  const word = shownName(unit, 40);
  return word.length > 2 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

/**
 * Why a basis cannot be had for these sides, in words for the page; null when it can.
 * @param {Basis} basis
 * @param {View} view
 * @returns {string|null}
 */
export function unavailable(basis, view) {
  const filled = view.sides.filter((side) => side.profiles > 0);
  if ((basis === 'second' || basis === 'work') && view.kind !== 'counter') {
    const metric = shownName(view.metric, 60);
    return view.kind === 'gauge' ? `${metric} is a level, not something that flows by.`
      : `${metric} counts since the process began, not during the profile.`;
  }
  if (basis === 'second') {
    if (filled.some((side) => Number(side.duration_ns) === 0 && !(side.without_duration &&
      side.without_duration < side.profiles))) {
      return 'These profiles do not say how long they ran.';
    }
  }
  if (basis === 'work') {
    if (filled.some((side) => side.work === null || Number(side.work) === 0)) {
      return 'These profiles do not say how much work was done (parameter "work" when posting).';
    }
    const units = new Set(filled.map((side) => side.work_unit ?? ''));
    if (units.size > 1) return 'The two sides count different kinds of work.';
  }
  return null;
}

/**
 * @param {Side} side
 * @param {Basis} basis
 * @returns {number|null}
 */
function factorOf(side, basis) {
  if (side.profiles === 0) return null;
  let divisor = 1;
  if (basis === 'profile') divisor = side.profiles;
  else if (basis === 'second') divisor = Number(side.duration_ns) / 1e9;
  else if (basis === 'work') divisor = Number(side.work ?? 0);
  else if (basis === 'share') divisor = Math.abs(Number(side.total));
  return divisor > 0 ? 1 / divisor : null;
}

/**
 * @param {View} view Any answer: only its unit, kind and sides are used.
 * @param {Basis} wanted
 * @returns {Lens}
 */
export function lensOf(view, wanted) {
  const refused = unavailable(wanted, view);
  const basis = refused ? 'profile' : wanted;
  const work = view.sides.find((side) => side.work_unit)?.work_unit;
  const per = { profile: ' per profile', second: ' per second', work: ` per ${oneOf(work)}`,
    share: '', sum: '' }[basis];
  return {
    basis, refused, per, unit: view.unit, metric: view.metric, sides: view.sides,
    compare: view.sides.length > 1 && view.sides.every((side) => side.profiles > 0),
    factor: view.sides.map((side) => factorOf(side, basis)),
  };
}

/**
 * A sum of one side in the lens' basis; NaN when there is no such number.
 * @param {Lens} lens
 * @param {bigint|number} sum
 * @param {number} side
 */
export function scale(lens, sum, side) {
  const factor = lens.factor[side];
  return factor === null || factor === undefined ? NaN : Number(sum) * factor;
}

/**
 * @param {Lens} lens
 * @param {number} x In the basis.
 */
export function show(lens, x) {
  if (lens.basis === 'share') return percent(x);
  return value(x, lens.unit) + (lens.basis === 'second' && Number.isFinite(x) ? '/s' : '');
}

/**
 * @param {Lens} lens
 * @param {number} x A difference in the basis.
 */
export function showSigned(lens, x) {
  if (x === 0) return 'no change';
  if (lens.basis === 'share') return signedPercent(x);
  return signed(x, lens.unit) + (lens.basis === 'second' && Number.isFinite(x) ? '/s' : '');
}
