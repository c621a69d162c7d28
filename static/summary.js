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
  const all = 'all versions';
  return [sideName(now.version ?? [], all), sideName(base?.version ?? [], all)];
}

/** @param {string} text */
function upper(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * @typedef {object} Subject One function instead of everything.
 * @property {string} name
 * @property {bigint} total
 * @property {bigint} baseTotal
 */

/**
 * @param {Lens} lens
 * @param {Subject|null} subject
 * @returns {string}
 */
function single(lens, subject) {
  const side = lens.sides[0];
  const who = sideName(side.version ?? [], 'all versions');
  const metric = name(lens.metric, 60);
  const sum = /** @type {Lens} */ ({ ...lens, basis: 'sum', factor: [1], per: '' });
  const basis = lens.basis === 'share' ? sum : lens;
  const amount = show(basis, scale(basis, subject?.total ?? Number(side.total), 0));
  const per = basis.per || ' in total';
  if (!subject) {
    return `${upper(who)}: ${amount} of ${metric}${per}, from ${plural(side.profiles, 'profile')}.`;
  }
  const share = percent(Number(subject.total) / Math.abs(Number(side.total)));
  return `${name(subject.name, 80)}: ${amount} of ${metric}${per}, ${share} of ${who}.`;
}

/**
 * "81 % less cpu per request than", or however the two amounts are best told apart.
 * @param {number} ratio
 * @param {string} what
 */
function comparison(ratio, what) {
  if (Math.abs(ratio - 1) < EQUAL) return `about as much ${what} as`;
  if (ratio >= TIMES) return `${ratio.toFixed(1)} times as much ${what} as`;
  return `${percent(Math.abs(ratio - 1), 1)} ${ratio > 1 ? 'more' : 'less'} ${what} than`;
}

/**
 * @param {Lens} lens
 * @param {Subject|null} [subject]
 * @returns {string}
 */
export function sentence(lens, subject = null) {
  if (!lens.compare) return single(lens, subject);
  const [nowName, baseName] = sideNames(lens);
  const metric = name(lens.metric, 60);
  const now = scale(lens, subject?.total ?? Number(lens.sides[0].total), 0);
  const base = scale(lens, subject?.baseTotal ?? Number(lens.sides[1].total), 1);
  const about = subject ? `${name(subject.name, 80)}: ` : '';
  if (lens.basis === 'share') {
    const shares = `${show(lens, now)} of ${nowName}, ${show(lens, base)} of ${baseName}`;
    if (subject) return `${about}${shares}.`;
    return `How ${nowName} and ${baseName} divide up their ${metric}: each side's total is 100 %.`;
  }
  const what = `${metric}${lens.per || ' in total'}`;
  const start = about ? nowName : upper(nowName);
  if (!(base > 0) || !(now > 0)) {
    return `${about}${start}: ${show(lens, now)} of ${what}; ${baseName}: ${show(lens, base)}.`;
  }
  const verb = lens.sides[0].version?.length === 1 || nowName.startsWith('the ') ? 'uses' : 'use';
  return `${about}${start} ${verb} ${comparison(now / base, what)} ${baseName} ` +
    `(${show(lens, now)} against ${show(lens, base)}).`;
}
