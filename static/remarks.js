// SPDX-License-Identifier: Apache-2.0
// The line of remarks: what is left out, not available, merged, or selected beyond the menus. What
// is not shown is said.

import { isComparison } from './state.js';
import { button, el } from './dom.js';
import { name as shownName, plural } from './format.js';
import { sideNames } from './summary.js';

/**
 * @typedef {object} Facts
 * @property {import('./loader.js').Loaded<import('./api.js').View>} loaded
 * @property {import('./api.js').Flamegraph|null} graph
 * @property {import('./basis.js').Lens} lens
 * @property {import('./state.js').State} state
 * @property {(change: Partial<import('./state.js').State>) => void} go
 */

/**
 * @param {Facts} facts
 * @returns {Node[]}
 */
function leftOut({ loaded, lens, state }) {
  const notes = [];
  const missing = loaded.leftOut.reduce((a, b) => a + b, 0);
  if (missing > 0) {
    const what = loaded.lacking === 'duration' ? 'a duration' : 'a work count';
    notes.push(el('span', { class: 'left-out' },
      `${plural(missing, 'profile')} without ${what} ${missing === 1 ? 'is' : 'are'} left out.`));
  }
  if (lens.refused) notes.push(el('span', {}, `${lens.refused} Shown per profile.`));
  if (!isComparison(state) || lens.compare) return notes;
  const names = sideNames(lens);
  loaded.answer.sides.forEach((side, i) => {
    if (side.profiles > 0) return;
    notes.push(el('span', {}, `Nothing matches ${names[i]}: no comparison.`));
  });
  return notes;
}

/**
 * @param {Facts} facts
 * @returns {Node[]}
 */
function merged({ graph, state, go }) {
  const cut = graph?.truncated?.nodes ?? 0;
  if (cut > 0) {
    return [el('span', {}, `${plural(cut, 'small frame')} merged. `, state.detail ? null
      : button('Show every frame', () => go({ detail: true }), { class: 'link' }))];
  }
  if (!state.detail) return [];
  return [el('span', {}, 'Every frame is shown. ',
    button('Merge small ones', () => go({ detail: false }), { class: 'link' }))];
}

/**
 * @param {HTMLElement} host
 * @param {Facts} facts
 */
export function showRemarks(host, facts) {
  const { state, go } = facts;
  const chips = state.extra.map((pair) => el('span', { class: 'chip' },
    `${pair[0]}: ${shownName(pair[1], 60)} `, button('×',
      () => go({ extra: state.extra.filter((other) => other !== pair) }),
      { 'aria-label': `Remove ${pair[0]}` })));
  host.replaceChildren(...leftOut(facts), ...merged(facts), ...chips);
}
