// SPDX-License-Identifier: Apache-2.0
// The main flame graph with its breadcrumb. It holds the whole answer and at most one finer answer
// for the subtree in view. Zooming is by path hash in the URL: the node is shown at once from what
// is here, and where small frames are merged below it a finer tree is fetched and put in its place.

import { el, button } from './dom.js';
import { frameAt } from './frame.js';
import { matchedTotal, matchNodes } from './find.js';
import { layoutOf, widthFactors } from './flame/layout.js';
import { extend, findByHash, hashOf, ROOT } from './flame/path.js';
import { describer, styleOf } from './flame/style.js';
import { fileAt, hasMerged, MERGED, nameAt, pathTo, treeOf } from './flame/tree.js';
import { FlameView } from './flame/view.js';
import { name as shownName } from './format.js';

/** @typedef {import('./flame/tree.js').Tree} Tree */
/** @typedef {import('./basis.js').Lens} Lens */
/** @typedef {import('./api.js').Flamegraph} Flamegraph */
/** @typedef {{name: string, hash: string}} Crumb */
/**
 * @typedef {object} Held A tree and where its node 0 is.
 * @property {Tree} tree
 * @property {string} seed
 * @property {Crumb[]} crumbs From the whole down to node 0; with gaps when the way is unknown.
 */
/**
 * @typedef {object} Scene What the state and the answer say about how to draw.
 * @property {Lens} lens
 * @property {number} whole
 * @property {import('./color.js').Palette} palette
 * @property {import('./state.js').State} state
 * @property {string} rootLabel
 */
/**
 * @typedef {object} GraphHooks
 * @property {(change: Partial<import('./state.js').State>, replace?: boolean) => void} go
 * @property {(change: Partial<import('./state.js').State>) => void} remember Drawn already.
 * @property {(name: string, file: string) => void} focus
 * @property {(frame: import('./frame.js').Frame|null) => void} frame Shown in the details bar.
 * @property {(root: string) => Promise<Flamegraph>} finer
 * @property {(error: unknown) => void} failed
 */

const CRUMBS_START = 2; // a deep path shows its first and last frames
const CRUMBS_END = 5;

export class GraphPane {
  /**
   * @param {{graph: HTMLElement, crumbs: HTMLElement}} hosts
   * @param {GraphHooks} hooks
   */
  constructor(hosts, hooks) {
    this.crumbHost = hosts.crumbs;
    this.hooks = hooks;
    /** @type {Held|null} */
    this.full = null;
    /** @type {Held|null} */
    this.sub = null;
    /** @type {Flamegraph|null} */
    this.answer = null;
    /** @type {Scene|null} */
    this.scene = null;
    /** @type {{held: Held, node: number}|null} */
    this.shown = null;
    /** @type {{hash: string, held: Held, node: number}|null} */
    this.located = null; // the latest search: a million nodes take a tenth of a second
    this.asked = ''; // hash of the finer tree on its way
    /** @type {{tree: Tree, key: string, layout: import('./flame/layout.js').Layout}|null} */
    this.laid = null;
    /** @type {{tree: Tree, text: string, nodes: Uint8Array|null}|null} */
    this.found = null;
    this.pane = /** @type {HTMLElement} */ (hosts.graph.parentElement);
    this.view = new FlameView(hosts.graph, { label: 'Flame graph, callers above callees',
      flip: false }, {
      hover: (hit) => this.tell(hit),
      select: () => this.tell(null),
      activate: (hit) => this.activate(hit),
      range: (range) => hooks.remember({ range }),
      key: (event, node) => this.key(event, node),
    });
    this.view.onRows = (height) => this.fit(height);
  }

  /**
   * No taller than the whole graph, so that the list gets the rest; zooming moves nothing.
   * @param {number} height
   */
  fit(height) {
    if (this.scene?.state.root || this.scene?.state.range || height === 0) return;
    const all = height + this.crumbHost.offsetHeight + 2;
    this.pane.style.setProperty('--graph-most', this.scene?.state.show === 'all' ? `${all}px` : '');
  }

  /**
   * @param {Flamegraph} answer
   * @param {Scene} scene
   */
  show(answer, scene) {
    if (answer !== this.answer) {
      this.answer = answer;
      this.full = { tree: treeOf(answer.nodes, answer.names, answer.files), seed: ROOT,
        crumbs: [{ name: 'all', hash: ROOT }] };
      this.sub = null;
      this.asked = '';
    }
    this.scene = scene;
    const place = this.locate(scene.state.root ?? ROOT);
    if (place) this.display(place);
    this.refine(scene.state.root ?? ROOT, place);
  }

  /**
   * Where a hash is: in the finer tree if there, else in the whole.
   * @param {string} hash
   * @returns {{held: Held, node: number}|null}
   */
  locate(hash) {
    const { located } = this;
    if (located?.hash === hash && [this.sub, this.full].includes(located.held)) return located;
    this.located = this.search(hash);
    return this.located;
  }

  /**
   * @param {string} hash
   * @returns {{hash: string, held: Held, node: number}|null}
   */
  search(hash) {
    for (const held of [this.sub, this.full]) {
      if (!held) continue;
      const node = findByHash(held.tree, hash, held.seed);
      if (node >= 0 && !(held === this.sub && hash === ROOT)) return { hash, held, node };
    }
    return null;
  }

  /**
   * Fetches a finer tree where merged frames are in view.
   * @param {string} hash
   * @param {{held: Held, node: number}|null} place
   */
  async refine(hash, place) {
    if (hash === ROOT || hash === this.asked) return;
    if (place && !hasMerged(place.held.tree, place.node)) return;
    if (place && place.held === this.sub && place.node === 0) return;
    this.asked = hash;
    const { answer } = this;
    const crumbs = place ? this.path(place.held, place.node)
      : [{ name: 'all', hash: ROOT }, { name: '…', hash: '' }, { name: '', hash }];
    try {
      const finer = await this.hooks.finer(hash);
      if (this.asked !== hash || this.answer !== answer) return;
      const tree = treeOf(finer.nodes, finer.names, finer.files);
      const last = crumbs[crumbs.length - 1];
      last.name ||= nameAt(tree, 0);
      this.sub = { tree, seed: hash, crumbs };
      this.located = null;
      if (this.scene?.state.root === hash) this.display({ held: this.sub, node: 0 });
    } catch (error) {
      if (this.asked !== hash || this.answer !== answer) return;
      this.hooks.failed(error);
    } finally {
      if (this.asked === hash) this.asked = '';
    }
  }

  /** @param {{held: Held, node: number}} place */
  display(place) {
    const scene = /** @type {Scene} */ (this.scene);
    const { lens, whole, palette, state } = scene;
    const { tree } = place.held;
    this.shown = place;
    const key = JSON.stringify([state.width, lens.factor, lens.compare]);
    if (this.laid?.tree !== tree || this.laid.key !== key) {
      this.laid = { tree, key, layout: layoutOf(tree, ...factorsFor(lens, tree, state.width)) };
    }
    if (this.found?.tree !== tree || this.found.text !== state.find) {
      this.found = { tree, text: state.find, nodes: matchNodes(tree, state.find) };
    }
    const rootLabel = place.held === this.full ? scene.rootLabel : null;
    this.view.setModel({
      tree, layout: this.laid.layout,
      root: place.node, range: state.range, withRoot: true,
      style: styleOf(tree, lens, palette, { whole, matches: this.found.nodes, rootLabel }),
      describe: describer(tree, lens, whole),
    });
    this.showCrumbs(this.path(place.held, place.node));
    this.tell(null);
  }

  /**
   * @param {Held} held
   * @param {number} node
   * @returns {Crumb[]}
   */
  path(held, node) {
    const crumbs = held.crumbs.map((crumb) => ({ ...crumb }));
    let hash = held.seed;
    for (const i of pathTo(held.tree, node).slice(1)) {
      hash = extend(hash, nameAt(held.tree, i), fileAt(held.tree, i));
      crumbs.push({ name: nameAt(held.tree, i), hash });
    }
    return crumbs;
  }

  /** @param {Crumb[]} crumbs */
  showCrumbs(crumbs) {
    const last = crumbs.length - 1;
    const hidden = crumbs.length - CRUMBS_START - CRUMBS_END;
    const items = crumbs.flatMap((crumb, i) => {
      if (hidden > 1 && i >= CRUMBS_START && i < last - CRUMBS_END + 1) {
        return i === CRUMBS_START ? [el('li', { class: 'gap' }, `${hidden} more`)] : [];
      }
      if (crumb.hash === '') return [el('li', { class: 'gap' }, crumb.name)];
      const text = shownName(crumb.name, 80);
      const title = shownName(crumb.name);
      if (i === last) return [el('li', { 'aria-current': 'true', title }, el('span', {}, text))];
      const to = crumb.hash === ROOT ? null : crumb.hash;
      return [el('li', {}, button(text, () => this.hooks.go({ root: to, range: null }),
        { title }))];
    });
    this.crumbHost.replaceChildren(...items);
  }

  /**
   * What the details bar shows: the box under the pointer, else the chosen frame.
   * @param {import('./flame/view.js').Hit|null} hit
   */
  tell(hit) {
    if (!this.shown) return;
    const { held } = this.shown;
    const chosen = this.view.selected >= 0 ? this.view.selected : this.shown.node;
    const { node, until } = hit ?? { node: chosen, until: 0 };
    const whole = held === this.full && node === 0;
    this.hooks.frame({ ...frameAt(held.tree, node, until), whole });
  }

  /** @param {import('./flame/view.js').Hit} hit */
  activate({ node, until }) {
    if (!this.shown) return;
    const { held, node: root } = this.shown;
    const { tree, seed } = held;
    if (until > 0) return this.spread(node, until);
    if (tree.name[node] === MERGED) {
      const parent = tree.parent[node];
      // Already in the finest tree of this parent: then every frame has to be asked for.
      if (parent === root) return this.hooks.go({ detail: true });
      return this.hooks.go({ root: hashOf(tree, parent, seed), range: null });
    }
    const hash = hashOf(tree, node, seed);
    if (node === root && hash !== ROOT && !this.view.model?.range) return this.out();
    return this.hooks.go({ root: hash === ROOT ? null : hash, range: null });
  }

  /** One level out: what a click on the frame that fills the row already means. */
  out() {
    if (!this.shown) return;
    const crumbs = this.path(this.shown.held, this.shown.node).filter((c) => c.hash !== '');
    const to = crumbs[crumbs.length - 2];
    if (to) this.hooks.go({ root: to.hash === ROOT ? null : to.hash, range: null });
  }

  /**
   * Zooms by range into a box of several frames.
   * @param {number} node
   * @param {number} until
   */
  spread(node, until) {
    const { held, node: root } = /** @type {{held: Held, node: number}} */ (this.shown);
    const { layout } = /** @type {import('./flame/view.js').Model} */ (this.view.model);
    let last = node;
    for (let i = node; i < until; i = held.tree.end[i]) last = i;
    const whole = layout.width[root];
    const low = (layout.x[node] - layout.x[root]) / whole;
    const high = (layout.x[last] + layout.width[last] - layout.x[root]) / whole;
    const [from, to] = this.view.model?.range ?? [0, 1];
    // A box that fills the view already: its left part, so that every click leads deeper.
    const full = high - low > (to - from) * 0.6;
    const left = Math.max(low, from);
    this.hooks.go({ range: full ? [left, left + (Math.min(high, to) - left) / 16] : [low, high] });
  }

  /**
   * @param {KeyboardEvent} event
   * @param {number} node
   */
  key(event, node) {
    if (!this.shown) return false;
    const { tree } = this.shown.held;
    if (event.key === 'Escape' || event.key === '0') {
      this.hooks.go({ root: null, range: null });
    } else if (event.key === 'Backspace') {
      this.out();
    } else if (event.key === 'f' && node > 0 && tree.name[node] !== MERGED) {
      this.hooks.focus(nameAt(tree, node), fileAt(tree, node));
    } else if (event.key === 'c' && !event.ctrlKey && !event.metaKey) {
      navigator.clipboard?.writeText(nameAt(tree, node)).catch(() => {});
    } else {
      return false;
    }
    return true;
  }

  /** @returns {{frames: number, total: bigint}|null} What the find box matches in view. */
  matched() {
    const { found } = this;
    return found?.nodes ? matchedTotal(found.tree, found.nodes) : null;
  }
}

/**
 * Factors of the layout: the lens' own, or where a side's signed total is zero one by weight.
 * @param {Lens} lens
 * @param {Tree} tree
 * @param {import('./state.js').Width} mode
 * @returns {[number, number]}
 */
export function factorsFor(lens, tree, mode) {
  const weights = [tree.weight[0], tree.baseWeight?.[0] ?? 0];
  const [now, base] = weights.map((weight, i) =>
    lens.factor[i] ?? (weight > 0 ? 1 / weight : 0));
  if (lens.sides.length < 2) return [now, 0];
  return lens.compare ? widthFactors(mode, now, base) : [now, base];
}
