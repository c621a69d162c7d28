// SPDX-License-Identifier: Apache-2.0
// The keys, in a dialog.

import { button, el } from './dom.js';

const KEYS = /** @type {[string, string][]} */ ([
  ['← →', 'Neighbouring frame'], ['↑ ↓', 'Caller, heaviest callee'],
  ['Home End', 'First, last neighbour'], ['Enter', 'Zoom to the frame; on the top one, zoom out'],
  ['Backspace', 'One level out'], ['Esc 0', 'Back to the whole graph'],
  ['+ −', 'Zoom in, out; also Ctrl + wheel'], ['f', 'Focus: callers and callees of the function'],
  ['c', 'Copy the name'], ['/', 'Find'], ['g l', 'To the graph, to the list'],
  ['?', 'This help'],
]);

/** @returns {HTMLDialogElement} */
export function helpDialog() {
  const dialog = el('dialog', { class: 'help', 'aria-labelledby': 'help-title' });
  dialog.append(
    el('div', { class: 'help-head' }, el('h2', { id: 'help-title' }, 'Keys'),
      button('Close', () => dialog.close(), { class: 'quiet' })),
    el('dl', {}, ...KEYS.flatMap(([keys, what]) => [
      el('dt', {}, ...keys.split(' ').map((key) => el('kbd', {}, key))), el('dd', {}, what)])),
    el('p', { class: 'faint' }, 'A click zooms, a click in the list focuses. The address bar ' +
      'always holds the whole view: copy it to share what you see.'));
  dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
  return dialog;
}
