// SPDX-License-Identifier: Apache-2.0
// The only place that makes elements. Everything that comes from a profile enters the page as a
// text node or an attribute value set here; no markup is ever parsed.

/** @typedef {Record<string, string|number|boolean|null|undefined>} Attributes */

/**
 * Makes an element. `class` and attributes come by name; a boolean sets or leaves out the
 * attribute; null and undefined leave it out. Strings among the children become text nodes.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} [attributes]
 * @param {(Node|string|null|undefined)[]} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    node.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) if (child !== null && child !== undefined) node.append(child);
  return node;
}

/**
 * The element with this id; the page's own markup always has it.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const node = document.getElementById(id);
  if (!node) throw new Error(`index.html has no #${id}`);
  return node;
}

/**
 * Sets text only when it changed: a table row that scrolls by keeps most of its cells.
 * @param {Element} node
 * @param {string} text
 */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * A button with a text label.
 * @param {string} label
 * @param {() => void} action
 * @param {Attributes} [attributes]
 */
export function button(label, action, attributes = {}) {
  const node = el('button', { type: 'button', ...attributes }, label);
  node.addEventListener('click', action);
  return node;
}
