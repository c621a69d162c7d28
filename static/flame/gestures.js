// SPDX-License-Identifier: Apache-2.0
// Pointer and keyboard of one flame graph. Click zooms, drag pans a zoomed range, Ctrl+wheel zooms
// at the pointer, arrows walk the tree. Plain wheel and touch scrolling stay the browser's.

import { move } from './keys.js';

/** @typedef {import('./view.js').FlameView} FlameView */
/** @typedef {import('./keys.js').Step} Step */

const DRAG_FROM = 4; // CSS pixels: less is an unsteady click
const WHEEL = 0.0022; // natural zoom per wheel unit

/** Down leads to callees where they hang below, and to callers' callers where those stand above. */
const STEPS = /** @type {Record<string, [Step, Step]>} */ ({
  ArrowUp: ['parent', 'child'], ArrowDown: ['child', 'parent'],
  ArrowLeft: ['previous', 'previous'], ArrowRight: ['next', 'next'],
  Home: ['first', 'first'], End: ['last', 'last'],
});

export class Gestures {
  /** @param {FlameView} view */
  constructor(view) {
    this.view = view;
    /** @type {{x: number, range: [number, number], moved: boolean}|null} */
    this.drag = null;
    const { canvas, tree, scroller } = view;
    canvas.addEventListener('pointermove', (event) => this.moved(event));
    canvas.addEventListener('pointerleave', () => view.hover(null));
    canvas.addEventListener('pointerdown', (event) => this.pressed(event));
    canvas.addEventListener('pointercancel', () => { this.drag = null; });
    canvas.addEventListener('click', (event) => this.clicked(event));
    scroller.addEventListener('scroll', () => {
      view.hover(null);
      view.invalidate();
    });
    scroller.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    tree.addEventListener('keydown', (event) => this.key(event));
    tree.addEventListener('focus', () => view.invalidate());
    tree.addEventListener('blur', () => view.invalidate());
  }

  /** @param {PointerEvent} event */
  pressed(event) {
    const range = this.view.model?.range;
    if (event.button !== 0 || !this.view.model || event.pointerType === 'touch') return;
    this.drag = { x: event.clientX, range: range ?? [0, 1], moved: false };
  }

  /** @param {PointerEvent} event */
  moved(event) {
    const { view, drag } = this;
    if (drag && event.buttons & 1 && view.model?.range) {
      const by = event.clientX - drag.x;
      if (!drag.moved && Math.abs(by) >= DRAG_FROM) {
        drag.moved = true;
        view.canvas.setPointerCapture(event.pointerId);
      }
      if (drag.moved) {
        const width = drag.range[1] - drag.range[0];
        this.pan(drag.range[0] - (by / view.scroller.clientWidth) * width, width);
        return;
      }
    }
    if (event.pointerType !== 'touch') view.hover(view.at(event.clientX, event.clientY));
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const moved = this.drag?.moved;
    this.drag = null;
    if (moved) return;
    const hit = this.view.at(event.clientX, event.clientY);
    this.view.tree.focus({ preventScroll: true });
    if (!hit) return;
    if (hit.until === 0) this.view.select(hit.node);
    this.view.hooks.activate(hit);
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    const { view } = this;
    if (!view.model) return;
    const [low, high] = view.model.range ?? [0, 1];
    const width = high - low;
    const area = view.canvas.getBoundingClientRect();
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const at = low + ((event.clientX - area.left) / area.width) * width;
      const next = Math.min(1, width * Math.exp(event.deltaY * WHEEL));
      this.pan(at - ((at - low) / width) * next, next);
    } else if (view.model.range && Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      this.pan(low + (event.deltaX / area.width) * width, width);
    }
  }

  /**
   * @param {number} low
   * @param {number} width
   */
  pan(low, width) {
    const start = Math.min(1 - width, Math.max(0, low));
    this.view.setRange([start, start + width]);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { view } = this;
    const { model } = view;
    if (!model || event.altKey) return;
    const node = view.selected < 0 ? model.root : view.selected;
    const step = STEPS[event.key];
    if (step && !event.ctrlKey && !event.metaKey) {
      view.select(this.step(node, step[view.flip ? 1 : 0]));
    } else if (event.key === 'Enter' && !event.ctrlKey) {
      view.hooks.activate({ node, until: 0 });
    } else if (event.key === '+' || event.key === '-') {
      const [low, high] = model.range ?? [0, 1];
      const width = Math.min(1, (high - low) * (event.key === '+' ? 0.5 : 2));
      this.pan((low + high) / 2 - width / 2, width);
    } else if (!view.hooks.key(event, node)) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * @param {number} node
   * @param {Step} step
   */
  step(node, step) {
    const model = /** @type {import('./view.js').Model} */ (this.view.model);
    const { tree, layout, root, withRoot } = model;
    const to = move(tree, layout, node, root, step);
    // The hidden root of the callers' graph is drawn by the graph below it.
    return to === root && root === 0 && !withRoot ? node : to;
  }
}
