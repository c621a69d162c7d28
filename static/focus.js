// SPDX-License-Identifier: Apache-2.0
// One function in the middle of two flame graphs: its callers above, its callees below, joined at
// the function itself, each side zoomable. Everything through it is merged, however it was reached.

import { el, button } from './dom.js';
import { frameAt, frameOfRow } from './frame.js';
import { matchNodes } from './find.js';
import { factorsFor } from './graph.js';
import { layoutOf } from './flame/layout.js';
import { findByHash, hashOf, ROOT } from './flame/path.js';
import { describer, styleOf } from './flame/style.js';
import { fileAt, MERGED, nameAt, treeOf } from './flame/tree.js';
import { FlameView } from './flame/view.js';
import { name as shownName } from './format.js';

/** @typedef {import('./flame/tree.js').Tree} Tree */
/** @typedef {import('./graph.js').Scene} Scene */
/** @typedef {'callers'|'callees'} Part */

const URL_KEY = /** @type {const} */ ({ callers: 'callers', callees: 'root' });

export class FocusPane {
  /**
   * @param {HTMLElement} host
   * @param {import('./graph.js').GraphHooks} hooks
   */
  constructor(host, hooks) {
    this.hooks = hooks;
    this.title = el('h2', { class: 'focus-name' });
    this.file = el('span', { class: 'focus-file' });
    const close = button('Back to the whole graph', () => hooks.go({
      focus: null, file: null, root: null, callers: null, range: null,
    }), { class: 'quiet' });
    const upper = el('div', { class: 'focus-callers' });
    const lower = el('div', { class: 'focus-callees' });
    this.note = el('p', { class: 'focus-note' });
    host.replaceChildren(
      el('div', { class: 'focus-head' }, this.title, this.file,
        el('span', { class: 'focus-label' }, '↑ callers   ↓ callees'), close),
      this.note, upper, lower);
    this.upper = upper;
    /** @type {Record<Part, FlameView>} */
    this.views = {
      callers: new FlameView(upper, { label: 'Callers of the function', flip: true },
        this.viewHooks('callers')),
      callees: new FlameView(lower, { label: 'The function and its callees', flip: false },
        this.viewHooks('callees')),
    };
    // As high as its rows, up to what the style sheet allows, so that it rests on the function.
    this.views.callers.onRows = (height) => { upper.style.height = `${height}px`; };
    /** @type {Record<Part, Tree>|null} */
    this.trees = null;
    /** @type {Scene|null} */
    this.scene = null;
    /** @type {import('./api.js').Focus|null} */
    this.answer = null;
  }

  /**
   * @param {Part} part
   * @returns {import('./flame/view.js').Hooks}
   */
  viewHooks(part) {
    return {
      hover: (hit) => this.tell(part, hit),
      select: () => this.tell(part, null),
      activate: (hit) => this.activate(part, hit),
      range: (range) => { if (part === 'callees') this.hooks.remember({ range }); },
      key: (event, node) => this.key(part, event, node),
    };
  }

  /**
   * @param {import('./api.js').Focus} answer
   * @param {Scene} scene
   */
  show(answer, scene) {
    const { state, lens, whole, palette } = scene;
    if (answer !== this.answer) {
      this.answer = answer;
      this.trees = {
        callers: treeOf(answer.callers.nodes, answer.names, answer.files),
        callees: treeOf(answer.callees.nodes, answer.names, answer.files),
      };
    }
    this.scene = scene;
    const trees = /** @type {Record<Part, Tree>} */ (this.trees);
    this.title.textContent = shownName(answer.function.name);
    this.file.textContent = answer.function.file ? shownName(answer.function.file) : '';
    for (const part of /** @type {Part[]} */ (['callers', 'callees'])) {
      const tree = trees[part];
      const wanted = state[URL_KEY[part]];
      const node = wanted === null ? 0 : Math.max(0, findByHash(tree, wanted, ROOT));
      this.views[part].setModel({
        tree, layout: layoutOf(tree, ...factorsFor(lens, tree, state.width)), root: node,
        range: part === 'callees' ? state.range : null, withRoot: part === 'callees',
        style: styleOf(tree, lens, palette, {
          whole, matches: matchNodes(tree, state.find), rootLabel: null,
        }),
        describe: describer(tree, lens, whole),
      });
    }
    this.note.hidden = trees.callers.count > 1;
    this.note.textContent = 'No callers: every stack starts with this function.';
    this.hooks.frame(frameOfRow(answer.function));
  }

  /** Colours or the font changed. */
  restyle() {
    this.views.callers.restyle();
    this.views.callees.restyle();
  }

  /**
   * @param {Part} part
   * @param {import('./flame/view.js').Hit|null} hit
   */
  tell(part, hit) {
    if (!this.trees || !this.answer) return;
    const { selected } = this.views[part];
    if (hit) this.hooks.frame(frameAt(this.trees[part], hit.node, hit.until));
    else if (selected > 0) this.hooks.frame(frameAt(this.trees[part], selected, 0));
    else this.hooks.frame(frameOfRow(this.answer.function));
  }

  /**
   * @param {Part} part
   * @param {import('./flame/view.js').Hit} hit
   */
  activate(part, { node, until }) {
    const trees = /** @type {Record<Part, Tree>} */ (this.trees);
    const view = this.views[part];
    const tree = trees[part];
    if (until > 0) {
      const { layout, root } = /** @type {import('./flame/view.js').Model} */ (view.model);
      const whole = layout.width[root];
      let last = node;
      for (let i = node; i < until; i = tree.end[i]) last = i;
      view.setRange([(layout.x[node] - layout.x[root]) / whole,
        (layout.x[last] + layout.width[last] - layout.x[root]) / whole]);
      return;
    }
    if (tree.name[node] === MERGED) {
      this.hooks.go({ detail: true });
      return;
    }
    // A click on what fills the row already leads one frame back towards the function.
    const to = node === view.model?.root && node > 0 ? tree.parent[node] : node;
    const range = part === 'callees' ? { range: null } : {};
    this.hooks.go({ [URL_KEY[part]]: to === 0 ? null : hashOf(tree, to, ROOT), ...range });
  }

  /**
   * @param {Part} part
   * @param {KeyboardEvent} event
   * @param {number} node
   */
  key(part, event, node) {
    const tree = /** @type {Record<Part, Tree>} */ (this.trees)[part];
    const zoomed = this.scene?.state.root || this.scene?.state.callers ||
      this.views.callees.model?.range;
    if (event.key === 'Escape' || event.key === '0') {
      if (zoomed) this.hooks.go({ root: null, callers: null, range: null });
      else this.hooks.go({ focus: null, file: null });
    } else if (event.key === 'f' && tree.name[node] !== MERGED) {
      this.hooks.focus(nameAt(tree, node), fileAt(tree, node));
    } else if (event.key === 'c' && !event.ctrlKey && !event.metaKey) {
      navigator.clipboard?.writeText(nameAt(tree, node)).catch(() => {});
    } else {
      return false;
    }
    return true;
  }
}
