// SPDX-License-Identifier: Apache-2.0
// One flame graph on the page: a canvas as large as what is seen of it, scrolled virtually, with
// pointer and keyboard. It knows a tree, a layout and a style; what a click means is its owner's
// business. Drawing happens at most once an animation frame.

import { el } from '../dom.js';
import { cull } from './cull.js';
import { Renderer } from './draw.js';
import { Gestures } from './gestures.js';
import { Labels } from './label.js';
import { Mirror } from './mirror.js';
import { pick } from './pick.js';

/** @typedef {import('./tree.js').Tree} Tree */
/** @typedef {import('./layout.js').Layout} Layout */
/** @typedef {import('./cull.js').Boxes} Boxes */
/** @typedef {{node: number, until: number}} Hit until > 0: several siblings in one box. */
/**
 * @typedef {object} Model
 * @property {Tree} tree
 * @property {Layout} layout
 * @property {number} root The zoomed node.
 * @property {[number, number]|null} range Part of its width in view, as fractions.
 * @property {boolean} withRoot Whether the root's own row is drawn.
 * @property {import('./draw.js').Style} style
 * @property {(node: number) => string} describe For screen readers.
 */
/**
 * @typedef {object} Hooks
 * @property {(hit: Hit|null) => void} hover
 * @property {(node: number) => void} select
 * @property {(hit: Hit) => void} activate Click or Enter.
 * @property {(range: [number, number]|null) => void} range
 * @property {(event: KeyboardEvent, node: number) => boolean} key Other keys; true: handled.
 */

const NARROWEST = 1e-9; // of a node's width: beyond it doubles run out of digits

export class FlameView {
  /**
   * @param {HTMLElement} host
   * @param {{label: string, flip: boolean}} options flip: callers above, the root at the bottom.
   * @param {Hooks} hooks
   */
  constructor(host, options, hooks) {
    this.host = host;
    this.flip = options.flip;
    this.hooks = hooks;
    this.canvas = el('canvas', { 'aria-hidden': 'true' });
    this.space = el('div', { class: 'flame-space' }, this.canvas);
    this.scroller = el('div', { class: 'flame-scroll', tabindex: '-1' }, this.space);
    this.tree = el('div', { class: 'flame-tree' });
    host.classList.add('flame');
    host.replaceChildren(this.scroller, this.tree);
    this.mirror = new Mirror(this.tree, options.label);
    this.renderer = new Renderer(this.canvas, (context) => new Labels((text) => {
      context.font = this.ink().font;
      return context.measureText(text).width;
    }));
    /** @type {Model|null} */
    this.model = null;
    /** @type {Boxes|null} */
    this.boxes = null;
    this.selected = -1;
    /** @type {Hit|null} */
    this.hovered = null;
    this.rows = 0;
    this.pending = 0;
    this.stale = true; // rows must be counted again
    /** @type {import('./draw.js').Ink|null} */
    this.inks = null;
    this.resetScroll = false;
    /** @type {import('./draw.js').Place|null} */
    this.place = null;
    /** @type {((height: number) => void)|null} */
    this.onRows = null;
    this.gestures = new Gestures(this);
    new ResizeObserver(() => this.invalidate(true)).observe(this.scroller);
  }

  /** @param {Model|null} model */
  setModel(model) {
    const other = !this.model || !model || model.tree !== this.model.tree ||
      model.root !== this.model.root;
    this.model = model;
    this.hovered = null;
    if (other) {
      this.selected = model ? model.root : -1;
      this.scrollTo(0);
      this.resetScroll = true;
    }
    if (model) this.mirrorNow();
    else this.mirror.clear();
    this.invalidate(true);
  }

  /** Colours or the font changed: ask the style sheet again. */
  restyle() {
    this.inks = null;
    this.renderer.labels.cache.clear();
    this.invalidate(true);
  }

  /** @returns {import('./draw.js').Ink} */
  ink() {
    if (!this.inks) {
      const css = getComputedStyle(this.host);
      const get = (/** @type {string} */ name) => css.getPropertyValue(name).trim();
      this.inks = {
        background: get('--surface'), outline: get('--text'), ring: get('--accent'),
        font: `${get('--flame-size')} ${get('--flame-font')}`,
      };
    }
    return this.inks;
  }

  /** @param {boolean} [rows] Whether the number of rows may have changed. */
  invalidate(rows = false) {
    if (rows) this.stale = true;
    if (!this.pending) {
      this.pending = requestAnimationFrame(() => {
        this.pending = 0;
        this.frame();
      });
    }
  }

  /** CSS pixels, made to fall on whole device pixels: else deep rows drift from the scroll bar. */
  rowHeight() {
    const ratio = window.devicePixelRatio || 1;
    const css = getComputedStyle(this.host).getPropertyValue('--flame-row');
    return Math.round((Number.parseFloat(css) || 20) * ratio) / ratio;
  }

  /** Rows above the first drawn one: the root's own when it is left out. */
  skipped() {
    return this.model && !this.model.withRoot && this.model.root === 0 ? 1 : 0;
  }

  /**
   * Edges of what is in view, in the layout's unit; null when there is no width at all.
   * @returns {[number, number]|null}
   */
  edges() {
    if (!this.model) return null;
    const { layout, root, range } = this.model;
    const width = layout.width[root];
    if (!(width > 0)) return null;
    const [low, high] = range ?? [0, 1];
    return [layout.x[root] + low * width, layout.x[root] + high * width];
  }

  frame() {
    const { model, canvas, scroller } = this;
    const ratio = window.devicePixelRatio || 1;
    const edges = this.edges();
    const cssWidth = scroller.clientWidth;
    const pixels = Math.round(cssWidth * ratio);
    const row = this.rowHeight();
    if (this.stale) this.count(edges, pixels, row);
    const cssHeight = scroller.clientHeight;
    const height = Math.round(cssHeight * ratio);
    if (canvas.width !== pixels || canvas.height !== height) {
      canvas.width = pixels;
      canvas.height = height;
      canvas.style.width = `${cssWidth}px`;
      canvas.style.height = `${cssHeight}px`;
    }
    if (!model || !edges || pixels < 1 || height < 1) {
      this.boxes = null;
      this.renderer.context.clearRect(0, 0, pixels, height);
      return;
    }
    const scroll = scroller.scrollTop;
    const first = Math.floor(scroll / row);
    const last = Math.ceil((scroll + cssHeight) / row);
    const [low, high] = this.flip ? [this.rows - 1 - last, this.rows - 1 - first] : [first, last];
    const skip = this.skipped();
    this.boxes = cull(model.tree, model.layout, {
      root: model.root, low: edges[0], high: edges[1], pixels,
      firstRow: Math.max(0, low) + skip, lastRow: Math.min(this.rows - 1, high) + skip,
    });
    this.place = this.placeFor(ratio, pixels, height, row, scroll, skip, cssHeight);
    this.renderer.draw(this.boxes, this.place, model.style, this.ink());
    this.outlines();
  }

  /**
   * @param {[number, number]|null} edges
   * @param {number} pixels
   * @param {number} row
   */
  count(edges, pixels, row) {
    this.stale = false;
    let deepest = -1;
    if (this.model && edges && pixels > 0) {
      const { tree, layout, root } = this.model;
      deepest = cull(tree, layout, {
        root, low: edges[0], high: edges[1], pixels, firstRow: 0, lastRow: -1,
      }).deepest;
    }
    this.rows = Math.max(0, deepest + 1 - this.skipped());
    const height = this.rows * row;
    this.space.style.height = `${height}px`;
    this.onRows?.(height);
    if (this.resetScroll) {
      this.resetScroll = false;
      this.scrollTo(this.flip ? height : 0);
    }
  }

  /**
   * @param {number} ratio
   * @param {number} width
   * @param {number} height
   * @param {number} row
   * @param {number} scroll
   * @param {number} skip
   * @param {number} cssHeight
   * @returns {import('./draw.js').Place}
   */
  placeFor(ratio, width, height, row, scroll, skip, cssHeight) {
    const rowHeight = Math.round(row * ratio);
    // Callers shorter than the pane stand at its lower edge, next to the function.
    const shift = this.flip ? Math.max(0, cssHeight - this.rows * row) : 0;
    const top = (/** @type {number} */ r) => {
      const line = this.flip ? this.rows - 1 - (r - skip) : r - skip;
      return line * rowHeight - Math.round((scroll - shift) * ratio);
    };
    return { ratio, width, height, rowHeight, top };
  }

  outlines() {
    const { boxes, place } = this;
    if (!boxes || !place) return;
    const focused = this.tree === document.activeElement && this.tree.matches(':focus-visible');
    for (let b = 0; b < boxes.node.length; b++) {
      const node = boxes.node[b];
      if (this.hovered?.node === node && this.hovered.until === boxes.until[b]) {
        this.renderer.outline(boxes, b, place, this.ink().outline, 1);
      }
      const chosen = node === this.selected && boxes.until[b] === 0;
      if (chosen && (focused || node !== this.model?.root)) {
        this.renderer.outline(boxes, b, place, focused ? this.ink().ring : this.ink().outline, 2);
      }
    }
  }

  /**
   * What is under a point of the viewport.
   * @param {number} clientX
   * @param {number} clientY
   * @returns {Hit|null}
   */
  at(clientX, clientY) {
    const { boxes, place } = this;
    if (!boxes || !place) return null;
    const area = this.canvas.getBoundingClientRect();
    const x = Math.floor((clientX - area.left) * place.ratio);
    const y = (clientY - area.top) * place.ratio;
    const line = Math.floor((y - place.top(boxes.firstRow)) / place.rowHeight);
    const row = boxes.firstRow + (this.flip ? -line : line);
    const box = pick(boxes, row, x);
    return box < 0 ? null : { node: boxes.node[box], until: boxes.until[box] };
  }

  /** @param {Hit|null} hit */
  hover(hit) {
    if (hit?.node === this.hovered?.node && hit?.until === this.hovered?.until) return;
    this.hovered = hit;
    this.canvas.classList.toggle('over', hit !== null);
    this.hooks.hover(hit);
    this.invalidate();
  }

  /** @param {number} node */
  select(node) {
    if (!this.model) return;
    this.selected = node;
    this.reveal(node);
    this.mirrorNow();
    this.hooks.select(node);
    this.invalidate();
  }

  mirrorNow() {
    const { model } = this;
    if (!model || this.selected < 0) return;
    this.mirror.update(model.tree, model.layout, this.selected, model.root, model.describe);
  }

  /**
   * Scrolls, and pans when zoomed by range, until the frame is in view.
   * @param {number} node
   */
  reveal(node) {
    const model = /** @type {Model} */ (this.model);
    const { tree, layout, root, range } = model;
    const row = this.rowHeight();
    const line = tree.depth[node] - tree.depth[root] - this.skipped();
    const y = (this.flip ? this.rows - 1 - line : line) * row;
    const { scrollTop, clientHeight } = this.scroller;
    if (y < scrollTop) this.scrollTo(y);
    else if (y + row > scrollTop + clientHeight) this.scrollTo(y + row - clientHeight);
    const edges = this.edges();
    if (!range || !edges || node === root) return;
    const [low, high] = edges;
    const middle = layout.x[node] + layout.width[node] / 2;
    if (middle < low || middle > high) {
      const half = (range[1] - range[0]) / 2;
      const at = (middle - layout.x[root]) / layout.width[root];
      const start = Math.min(1 - 2 * half, Math.max(0, at - half));
      this.setRange([start, start + 2 * half]);
    }
  }

  /** @param {number} y */
  scrollTo(y) {
    this.scroller.scrollTop = y;
  }

  /** @param {[number, number]|null} range */
  setRange(range) {
    if (!this.model) return;
    if (range && range[1] - range[0] < NARROWEST) return;
    this.model.range = range && range[1] - range[0] < 0.999999 ? range : null;
    this.hooks.range(this.model.range);
    this.invalidate(true);
  }
}
