// SPDX-License-Identifier: Apache-2.0
// Where a frame is on the canvas, worked out from the API's answer alone: the tests click where a
// frame must be, not where the page says it is.
import { settled } from './browser.js';

/** @typedef {import('playwright-core').Page} BrowserPage */
/**
 * @typedef {object} Spot
 * @property {number} depth
 * @property {number} left 0..1 of the root's width
 * @property {number} right
 * @property {number} index
 */

/**
 * Spots of all nodes by "root>child>…" of their names.
 * @param {any} answer of /flamegraph, or one of focus' trees with names
 * @param {(index: number) => number} selfOf width of a node's own part
 * @returns {Map<string, Spot>}
 */
export function spots(answer, selfOf) {
  const { nodes } = answer;
  const count = nodes.name.length;
  const width = Array.from({ length: count }, (_, i) => selfOf(i));
  const parent = new Array(count).fill(-1);
  for (let i = 1; i < count; i++) {
    let above = i - 1;
    while (nodes.depth[above] >= nodes.depth[i]) above = parent[above];
    parent[i] = above;
  }
  for (let i = count - 1; i > 0; i--) width[parent[i]] += width[i];
  const left = new Array(count).fill(0);
  const next = new Array(count).fill(0);
  /** @type {string[]} */
  const paths = [];
  /** @type {Map<string, Spot>} */
  const result = new Map();
  for (let i = 0; i < count; i++) {
    const name = nodes.name[i] < 0 ? '(merged)' : answer.names[nodes.name[i]];
    if (i > 0) {
      left[i] = next[parent[i]];
      next[parent[i]] += width[i];
    }
    next[i] = left[i];
    paths[i] = i === 0 ? '' : paths[parent[i]] ? `${paths[parent[i]]}>${name}` : name;
    result.set(paths[i], { depth: nodes.depth[i], left: left[i] / width[0], right: (left[i] + width[i]) / width[0], index: i });
  }
  return result;
}

/**
 * @param {BrowserPage} page
 * @param {Spot|undefined} spot
 * @param {{selector?: string, skip?: number}} [where] skip: rows above the first one in view
 */
export async function pointOf(page, spot, { selector = '#graph canvas', skip = 0 } = {}) {
  if (!spot) throw new Error('no such frame');
  const area = await page.locator(selector).boundingBox();
  if (!area) throw new Error('no canvas');
  const row = await page.locator('#graph').evaluate((node) =>
    Number.parseFloat(getComputedStyle(node).getPropertyValue('--flame-row')));
  return { x: area.x + ((spot.left + spot.right) / 2) * area.width, y: area.y + (spot.depth - skip + 0.5) * row };
}

/**
 * @param {BrowserPage} page
 * @param {Spot|undefined} spot
 * @param {Parameters<typeof pointOf>[2]} [where]
 */
export async function hover(page, spot, where) {
  const { x, y } = await pointOf(page, spot, where);
  await page.mouse.move(x, y);
  await settled(page);
}

/**
 * @param {BrowserPage} page
 * @param {Spot|undefined} spot
 * @param {Parameters<typeof pointOf>[2]} [where]
 */
export async function click(page, spot, where) {
  const { x, y } = await pointOf(page, spot, where);
  await page.mouse.click(x, y);
  await settled(page);
}

/**
 * The colour drawn near the right end of a frame's box, clear of its label: the median of a few
 * pixels, so that a hatch does not decide.
 * @param {BrowserPage} page
 * @param {Spot|undefined} spot
 * @returns {Promise<[number, number, number]>}
 */
export async function colorOf(page, spot) {
  if (!spot) throw new Error('no such frame');
  return page.locator('#graph canvas').evaluate((canvas, { right, depth }) => {
    const image = /** @type {HTMLCanvasElement} */ (canvas);
    const ratio = devicePixelRatio;
    const row = Number.parseFloat(getComputedStyle(image).getPropertyValue('--flame-row')) * ratio;
    const context = /** @type {CanvasRenderingContext2D} */ (image.getContext('2d'));
    const { data } = context.getImageData(Math.floor(right * image.width) - 14, Math.floor(depth * row) + 3, 11, Math.floor(row) - 6);
    const channel = (/** @type {number} */ c) => {
      const values = [];
      for (let i = c; i < data.length; i += 4) values.push(data[i]);
      return values.sort((a, b) => a - b)[values.length >> 1];
    };
    return /** @type {[number, number, number]} */ ([channel(0), channel(1), channel(2)]);
  }, spot);
}
