// SPDX-License-Identifier: Apache-2.0
// Starts the page and owns the keys that work everywhere. The layers, each knowing those below it:
//
//   main, page                 state -> answers -> panes; the only ones that touch the URL
//   graph, focus, functions/   the panes; around them details, legend, remarks, controls
//   flame/view                 one graph: flame/{draw,gestures,mirror} on a canvas
//   loader, api                answers of the server, each fetched once
//   flame/{tree,layout,cull,pick,path,keys,label}, basis, compare, find, frame, summary, state,
//   format, color, exact       pure: no document, tested without a browser

import { byId } from './dom.js';
import { helpDialog } from './help.js';
import { Page } from './page.js';

const page = new Page();
const help = helpDialog();
document.body.append(help);
byId('help').addEventListener('click', () => help.showModal());
byId('choose').addEventListener('click', () => { // narrow screens only: opens the menus
  const open = document.body.classList.toggle('choosing');
  byId('choose').setAttribute('aria-expanded', String(open));
});
byId('refresh').addEventListener('click', () => page.refresh());

/** @param {EventTarget|null} target */
function typing(target) {
  return target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
}

/** The tree of the graph in view: of the function in focus, or the whole. */
function graphTree() {
  const host = byId('focus').hidden ? byId('graph') : byId('focus');
  const trees = host.querySelectorAll('.flame-tree');
  return /** @type {HTMLElement|undefined} */ (trees[trees.length - 1]);
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
  if (event.target === page.find && event.key === 'Escape') {
    page.find.value = '';
    page.go({ find: '' }, true);
    page.find.blur();
    return;
  }
  if (typing(event.target)) return;
  const actions = new Map([
    ['/', () => page.find.focus()], ['?', () => help.showModal()],
    ['g', () => graphTree()?.focus()],
    ['l', () => page.table.grid.focus()],
    ['Escape', () => page.go(page.state.root || page.state.range || page.state.callers
      ? { root: null, range: null, callers: null } : { focus: null, file: null })],
  ]);
  const action = actions.get(event.key);
  if (!action) return;
  event.preventDefault();
  action();
});

page.update();
