// SPDX-License-Identifier: Apache-2.0
// A row of buttons of which one is pressed: basis, widths, panes.

import { el } from './dom.js';

/**
 * @typedef {object} Segment
 * @property {string} key
 * @property {string} label
 * @property {string} [title]
 * @property {string|null} [refused] Why it cannot be chosen.
 */

export class Segments {
  /**
   * @param {HTMLElement} host
   * @param {string} label
   * @param {(key: string) => void} choose
   * @param {(why: string) => void} [refuse] A click on what cannot be chosen says why.
   */
  constructor(host, label, choose, refuse = () => {}) {
    host.setAttribute('role', 'group');
    host.setAttribute('aria-label', label);
    host.classList.add('segments');
    this.host = host;
    this.label = label;
    this.choose = choose;
    this.refuse = refuse;
    /** @type {Map<string, HTMLButtonElement>} */
    this.buttons = new Map();
  }

  /**
   * @param {Segment[]} segments
   * @param {string} current
   */
  set(segments, current) {
    const keys = [...this.buttons.keys()].join();
    if (keys !== segments.map((s) => s.key).join()) this.build(segments);
    for (const { key, label, title, refused } of segments) {
      const node = /** @type {HTMLButtonElement} */ (this.buttons.get(key));
      node.textContent = label;
      node.title = refused || title || '';
      node.dataset.refused = refused ?? '';
      node.setAttribute('aria-disabled', String(Boolean(refused)));
      node.setAttribute('aria-pressed', String(key === current));
    }
  }

  /** @param {Segment[]} segments */
  build(segments) {
    this.buttons.clear();
    for (const { key } of segments) {
      const node = el('button', { type: 'button', 'data-key': key });
      node.addEventListener('click', () => {
        if (node.dataset.refused) this.refuse(node.dataset.refused);
        else this.choose(key);
      });
      this.buttons.set(key, node);
    }
    this.host.replaceChildren(el('span', { class: 'segments-label', 'aria-hidden': 'true' },
      this.label), ...this.buttons.values());
  }
}
