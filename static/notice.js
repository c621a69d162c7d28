// SPDX-License-Identifier: Apache-2.0
// What stands in place of a graph: an empty database, nothing found, an error. Each says what to do
// next.

import { button, el } from './dom.js';

/**
 * @param {string} command
 * @returns {HTMLElement}
 */
function commandLine(command) {
  const copy = button('Copy', () => {
    navigator.clipboard?.writeText(command).then(() => { copy.textContent = 'Copied'; }, () => {});
  }, { class: 'quiet' });
  return el('div', { class: 'command' }, el('code', {}, command), copy);
}

/**
 * @param {string} origin Of this page, for commands that work when pasted.
 */
export function emptyDatabase(origin) {
  const post = `${origin}/api/v1/profiles?service=shop&version=1`;
  return el('section', { class: 'notice', id: 'empty' },
    el('h2', {}, 'No profiles yet'),
    el('p', {}, 'Post a first one: any pprof file will do, compressed or not.'),
    commandLine(`curl --data-binary @cpu.pb.gz '${post}'`),
    el('p', {}, 'Or straight from a running Go program:'),
    commandLine('curl -s http://localhost:6060/debug/pprof/profile?seconds=10 | ' +
      `curl --data-binary @- '${post}'`),
    el('p', { class: 'faint', role: 'status' },
      'Waiting for the first profile; this page will show it by itself.'));
}

/**
 * @param {unknown} error
 * @param {() => void} retry
 * @param {[string, () => void]} out What else to do.
 */
export function failure(error, retry, [label, leave]) {
  const code = error && typeof error === 'object' && 'code' in error ? String(error.code) : '';
  const message = error instanceof Error ? error.message : String(error);
  return el('section', { class: 'notice', role: 'alert' },
    el('h2', {}, code === 'not_found' ? 'Not found' : 'That did not work'),
    el('p', {}, message),
    code ? el('p', { class: 'faint' }, `Code: ${code}`) : null,
    el('div', { class: 'choices' }, button('Try again', retry, { class: 'primary' }),
      button(label, leave)));
}

/**
 * @param {string} text
 * @param {string} hint
 */
export function nothing(text, hint) {
  return el('section', { class: 'notice' }, el('h2', {}, text), el('p', {}, hint));
}
