// SPDX-License-Identifier: Apache-2.0
// One sentence above the graph: what is shown, and in a comparison what came out.

import { scale, show } from './basis.js';
import { name, percent, plural } from './format.js';

/** @typedef {import('./basis.js').Lens} Lens */

const EQUAL = 0.005; // under half a percent apart: "about as much"
const TIMES = 2; // from twice as much on, "2.4 times as much" reads better than "140 % more"

/**
 * @param {string[]} versions
 * @param {string} otherwise When a side is not told apart by its version.
 */
export function sideName(versions, otherwise) {
  const shown = versions.map((v) => (v === '' ? '(none)' : name(v, 40)));
  if (shown.length === 0) return otherwise;
  if (shown.length === 1) return `version ${shown[0]}`;
  return `versions ${shown.slice(0, -1).join(', ')} and ${shown[shown.length - 1]}`;
}

/**
 * @param {Lens} lens
 * @returns {[string, string]} Names of the selection and of the base.
 */
export function sideNames(lens) {
  const [now, base] = lens.sides;
  const same = !base || String(now.version) === String(base.version);
  if (base && same) return ['the selection', 'the base'];
  return [sideName(now.version ?? [], 'all versions'), sideName(base?.version ?? [], 'all versions')];
}

/** @param {string} text */
function upper(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * @param {Lens} lens
 * @returns {string}
 */
function single(lens) {
  const side = lens.sides[0];
  const who = upper(sideName(side.version ?? [], 'all versions'));
  const metric = name(lens.metric, 60);
  const basis = lens.basis === 'share' ? { ...lens, basis: /** @type {const} */ ('sum'),
    factor: [1], per: '' } : lens;
  const amount = show(basis, scale(basis, Number(side.total), 0));
  const many = plural(side.profiles, 'profile');
  return `${who}: ${amount} of ${metric}${basis.per || ' in total'}, from ${many}.`;
}

/**
 * @param {Lens} lens
 * @returns {string}
 */
export function sentence(lens) {
  if (!lens.compare) return single(lens);
  const [nowName, baseName] = sideNames(lens);
  const metric = name(lens.metric, 60);
  if (lens.basis === 'share') {
    return `How ${nowName} and ${baseName} divide up their ${metric}: each side's total is 100 %.`;
  }
  const now = scale(lens, Number(lens.sides[0].total), 0);
  const base = scale(lens, Number(lens.sides[1].total), 1);
  const per = lens.per || ' in total';
  const verb = lens.sides[0].version?.length === 1 || nowName.startsWith('the ') ? 'uses' : 'use';
  const amounts = `(${show(lens, now)} against ${show(lens, base)})`;
  if (!(base > 0) || !(now >= 0)) {
    return `${upper(nowName)}: ${show(lens, now)} of ${metric}${per}; ${baseName}: ${show(lens, base)}.`;
  }
  const ratio = now / base;
  let middle;
  if (Math.abs(ratio - 1) < EQUAL) middle = `about as much ${metric}${per} as`;
  else if (ratio >= TIMES) middle = `${ratio.toFixed(1)} times as much ${metric}${per} as`;
  else {
    middle = `${percent(Math.abs(ratio - 1), 1)} ${ratio > 1 ? 'more' : 'less'} ${metric}${per} than`;
  }
  return `${upper(nowName)} ${verb} ${middle} ${baseName} ${amounts}.`;
}
