// SPDX-License-Identifier: Apache-2.0
// The legend of a comparison: always there, in words and numbers. Swatches are drawn on a small
// canvas with the renderer's own colours and hatches, so the legend cannot differ from the graph.

import { stepText, STEPS } from './compare.js';
import { el } from './dom.js';
import { exact } from './format.js';
import { hatchTile } from './flame/draw.js';

/** @typedef {import('./color.js').Paint} Paint */

const WIDE = 22; // CSS pixels of one swatch
const HIGH = 14;

/**
 * @param {Paint} paint
 * @param {boolean|null} rising Direction of the hatch; null: none.
 */
function swatch(paint, rising) {
  const ratio = window.devicePixelRatio || 1;
  const canvas = el('canvas', { class: 'swatch', 'aria-hidden': 'true',
    width: Math.round(WIDE * ratio), height: Math.round(HIGH * ratio) });
  const context = canvas.getContext('2d');
  if (!context) return canvas;
  const { fill } = paint;
  context.fillStyle = `rgb(${fill & 255}, ${(fill >> 8) & 255}, ${(fill >> 16) & 255})`;
  context.fillRect(0, 0, canvas.width, canvas.height);
  if (rising !== null) {
    context.fillStyle = context.createPattern(hatchTile(rising, ratio), 'repeat') ?? '#000';
    context.fillRect(0, 0, canvas.width, canvas.height);
  }
  return canvas;
}

/**
 * @param {Paint} paint
 * @param {string} text
 * @param {string} [title]
 * @param {boolean|null} [rising]
 */
function entry(paint, text, title = '', rising = null) {
  const [number, ...words] = text.split(' ');
  return el('li', { title: title || null }, swatch(paint, rising),
    el('span', {}, number, el('span', { class: 'word' }, ['', ...words].join(' '))));
}

/**
 * @param {HTMLElement} host
 * @param {import('./color.js').Palette} palette
 * @param {{now: string, base: string, metric: string, whole: string,
 *   counts: {new: number, gone: number, more: number, less: number, same: number}}} facts
 */
export function showLegend(host, palette, facts) {
  const ends = (/** @type {number} */ i) => (i === STEPS.length - 1 ? ' or more' : '');
  const steps = STEPS.map((_, i) => i);
  const title = `Difference of the total, as a share of the larger whole (${facts.whole})`;
  const less = [...steps].reverse().map((i) =>
    entry(palette.less[i], `\u2212${stepText(i + 1)}${ends(i)}`, title));
  const more = steps.map((i) => entry(palette.more[i], `+${stepText(i + 1)}${ends(i)}`, title));
  const same = entry(palette.same, `±${stepText(1)} same`, title);
  host.replaceChildren(
    el('strong', {}, `${facts.now} uses`),
    el('strong', { class: 'legend-less' }, '▼ less'),
    el('ul', { class: 'legend-scale' }, ...less, same, ...more),
    el('strong', { class: 'legend-more' }, '▲ more'),
    el('ul', { class: 'legend-marks' },
      entry(palette.more[1], `new (${exact(facts.counts.new)})`,
        `frames not in ${facts.base}`, true),
      entry(palette.less[1], `gone (${exact(facts.counts.gone)})`,
        `frames only in ${facts.base}`, false)));
}
