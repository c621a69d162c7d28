// SPDX-License-Identifier: Apache-2.0
// Colours of boxes as packed little-endian RGBA, ready for the strip renderer, with a text colour
// each. A single profile is painted by package; a comparison by the sign and size of a difference.

/** @typedef {{fill: number, text: string}} Paint */
/**
 * @typedef {object} Palette
 * @property {Paint[]} packages
 * @property {Paint[]} more Shades 1…4 of "the selection uses more".
 * @property {Paint[]} less
 * @property {Paint} same
 * @property {Paint} merged Several boxes too narrow to draw.
 * @property {Paint} root
 */

/** @typedef {[number, number, number]} Rgb */

const DARK_TEXT = '#14171c';
const LIGHT_TEXT = '#f4f6f9';
// #fdb863 and #7fb7e6 keep a colour distance of at least 67 for every kind of colour blindness.
// The shades lead to or past them; each is far enough from the middle for a legible label.
const DIFFERENCE = /** @type {Record<'light'|'dark', Record<'more'|'less', Rgb[]>>} */ ({
  light: {
    more: [[232, 209, 181], [243, 196, 139], [253, 184, 99], [240, 143, 30]],
    less: [[185, 209, 231], [155, 196, 230], [127, 183, 230], [66, 146, 214]],
  },
  dark: {
    more: [[112, 82, 46], [168, 121, 64], [215, 152, 78], [253, 184, 99]],
    less: [[52, 86, 120], [84, 136, 182], [106, 162, 210], [127, 183, 230]],
  },
});
const HUES = [26, 42, 12, 54, 155, 175, 198, 216, 244, 268, 330, 350];

/** @param {Rgb} rgb */
export function pack([r, g, b]) {
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

/** @param {Rgb} rgb Relative luminance, 0…1. */
export function luminance(rgb) {
  const [r, g, b] = rgb.map((c) => {
    const x = c / 255;
    return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/**
 * @param {Rgb} rgb
 * @returns {Paint}
 */
function paint(rgb) {
  const l = luminance(rgb);
  // Contrast with near-black against contrast with near-white.
  const dark = (l + 0.05) / 0.058 >= 0.97 / (l + 0.05);
  return { fill: pack(rgb), text: dark ? DARK_TEXT : LIGHT_TEXT };
}

/**
 * @param {number} h degrees
 * @param {number} s 0…1
 * @param {number} l 0…1
 * @returns {Rgb}
 */
function hsl(h, s, l) {
  const a = s * Math.min(l, 1 - l);
  const at = (/** @type {number} */ n) => {
    const k = (n + h / 30) % 12;
    return Math.round(255 * (l - a * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [at(0), at(8), at(4)];
}

/**
 * @param {boolean} dark
 * @returns {Palette}
 */
export function palette(dark) {
  const grey = /** @type {Rgb} */ (dark ? [74, 82, 95] : [221, 225, 231]);
  const difference = DIFFERENCE[dark ? 'dark' : 'light'];
  const tones = dark ? [[0.36, 0.66], [0.32, 0.6]] : [[0.58, 0.83], [0.5, 0.77]];
  return {
    packages: tones.flatMap(([s, l]) => HUES.map((h) => paint(hsl(h, s, l)))),
    more: difference.more.map(paint),
    less: difference.less.map(paint),
    same: paint(grey),
    merged: paint(dark ? [52, 58, 68] : [196, 202, 210]),
    root: paint(dark ? [92, 101, 116] : [205, 211, 219]),
  };
}

/** @param {string} text */
function hash(text) {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h >>> 0;
}

/**
 * The package of a function: what stands before the last dot after the last slash, or before the
 * first "::"; without either the folder of its file, and at last its own first letters.
 * @param {string} name
 * @param {string} file
 */
export function packageOf(name, file) {
  const head = name.slice(0, 300);
  const slash = head.lastIndexOf('/');
  const scope = head.indexOf('::');
  if (scope > 0) return head.slice(0, scope);
  const dot = head.indexOf('.', slash + 1);
  if (dot > 0) return head.slice(0, dot);
  const folder = file.lastIndexOf('/');
  if (folder > 0) return file.slice(0, folder);
  return file || head.split(/[_(<]/, 1)[0];
}

/**
 * Which of `count` package colours a function has; equal in every view and every session.
 * @param {string} name
 * @param {string} file
 * @param {number} count
 */
export function packageColor(name, file, count) {
  return hash(packageOf(name, file)) % count;
}
