// SPDX-License-Identifier: Apache-2.0
// How the boxes of one tree look: by package, or in a comparison by difference. Everything is
// computed for drawn boxes only, so a million nodes cost nothing until they are seen.

import { scale, show, showSigned } from '../basis.js';
import { changeOf, mark } from '../compare.js';
import { packageColor } from '../color.js';
import { percent, plural, name as shownName } from '../format.js';
import { frameAt } from '../frame.js';
import { mergedCount } from './pick.js';
import { MERGED, nameAt, fileAt } from './tree.js';

/** @typedef {import('./tree.js').Tree} Tree */
/** @typedef {import('../basis.js').Lens} Lens */
/** @typedef {import('../color.js').Palette} Palette */
/** @typedef {import('./draw.js').Style} Style */

/**
 * @param {Tree} tree
 * @param {Lens} lens
 * @param {number} whole
 * @returns {(node: number) => import('../compare.js').Change}
 */
export function changes(tree, lens, whole) {
  return (node) => changeOf(scale(lens, tree.total.f[node], 0),
    scale(lens, tree.baseTotal?.f[node] ?? 0, 1),
    tree.weight[node] > 0, (tree.baseWeight?.[node] ?? 0) > 0, whole);
}

/**
 * @param {Tree} tree
 * @param {Lens} lens
 * @param {Palette} palette
 * @param {{whole: number, matches: Uint8Array|null, rootLabel: string|null}} options
 *   matches: per node, 1 = found; rootLabel: text of node 0.
 * @returns {Style}
 */
export function styleOf(tree, lens, palette, { whole, matches, rootLabel }) {
  const changeAt = changes(tree, lens, whole);
  /** @type {Int32Array} */
  const byName = new Int32Array(tree.names.length).fill(-1);
  const packageAt = (/** @type {number} */ node) => {
    const name = tree.name[node];
    // Two functions of one name in two files share a colour: the name decides the package.
    if (byName[name] < 0) {
      byName[name] = packageColor(nameAt(tree, node), fileAt(tree, node), palette.packages.length);
    }
    return palette.packages[byName[name]];
  };
  const isRoot = (/** @type {number} */ node) => node === 0 && rootLabel !== null;
  return {
    paintOf(node, until) {
      if (until > 0 || tree.name[node] === MERGED) return palette.merged;
      if (!lens.compare) return isRoot(node) ? palette.root : packageAt(node);
      const { word, level, delta } = changeAt(node);
      if (word === 'same') return palette.same;
      if (delta === 0) return palette.same; // new or gone with nothing to show for it
      // The sign decides, not the word: what is new may be a negative value.
      const shades = delta > 0 ? palette.more : palette.less;
      return shades[Math.max(0, level - 1)];
    },
    labelOf(node, until) {
      if (until > 0) return plural(mergedCount(tree, node, until), 'narrow frame');
      if (tree.name[node] === MERGED) return 'small frames';
      return isRoot(node) ? /** @type {string} */ (rootLabel) : nameAt(tree, node);
    },
    markOf(node, until) {
      if (!lens.compare || until > 0 || tree.name[node] === MERGED) return '';
      return mark(changeAt(node));
    },
    hatchOf(node, until) {
      if (!lens.compare || until > 0 || tree.name[node] === MERGED) return 0;
      const { word } = changeAt(node);
      return word === 'new' ? 1 : word === 'gone' ? 2 : 0;
    },
    dimmed(node, until) {
      if (!matches) return false;
      const stop = Math.max(until, node + 1);
      for (let i = node; i < stop; i++) if (matches[i]) return false;
      return true;
    },
  };
}

/**
 * @param {Tree} tree
 * @param {Lens} lens
 * @param {number} whole
 * @returns {(node: number) => string}
 */
export function describer(tree, lens, whole) {
  const changeAt = changes(tree, lens, whole);
  return (node) => {
    const frame = frameAt(tree, node, 0);
    const total = scale(lens, frame.total, 0);
    const self = scale(lens, frame.self, 0);
    const share = percent(Number(frame.total) / Number(lens.sides[0].total));
    const text = `${shownName(frame.name)}, total ${show(lens, total)}, ${share}, ` +
      `self ${show(lens, self)}`;
    if (!lens.compare) return text;
    const { word, delta } = changeAt(node);
    return `${text}; ${word}, ${showSigned(lens, delta)}`;
  };
}

/**
 * How many frames of the tree differ, by word: what the legend counts.
 * @param {Tree} tree
 * @param {Lens} lens
 * @param {number} whole
 */
export function countWords(tree, lens, whole) {
  const counts = { new: 0, gone: 0, more: 0, less: 0, same: 0 };
  const changeAt = changes(tree, lens, whole);
  for (let i = 1; i < tree.count; i++) {
    if (tree.name[i] !== MERGED && (tree.weight[i] > 0 || (tree.baseWeight?.[i] ?? 0) > 0)) {
      counts[changeAt(i).word]++;
    }
  }
  return counts;
}
