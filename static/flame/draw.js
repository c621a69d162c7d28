// SPDX-License-Identifier: Apache-2.0
// The row-strip renderer. Boxes are written as runs into one image of one pixel line a row, which
// is then stretched to the row height in a single drawImage: the cost hardly depends on how many
// boxes there are. Labels, hatches and outlines come on top, for boxes wide enough to show them.

/** @typedef {import('./cull.js').Boxes} Boxes */
/** @typedef {import('../color.js').Paint} Paint */
/** @typedef {0|1|2} Hatch 0 none, 1 new, 2 gone. */
/**
 * @typedef {object} Style How a box looks; asked for drawn boxes only.
 * @property {(node: number, until: number) => Paint} paintOf
 * @property {(node: number, until: number) => string} labelOf
 * @property {(node: number, until: number) => string} markOf Text before the label.
 * @property {(node: number, until: number) => Hatch} hatchOf
 * @property {(node: number, until: number) => boolean} dimmed
 */
/**
 * @typedef {object} Place Where things are on the canvas, all in device pixels.
 * @property {number} ratio Device pixels per CSS pixel.
 * @property {number} width
 * @property {number} height
 * @property {number} rowHeight
 * @property {(row: number) => number} top Upper edge of a row.
 */
/** @typedef {{background: string, outline: string, ring: string, font: string}} Ink */

const LABEL_ROOM = 22; // CSS pixels: narrower boxes have no room for three letters
const LABELS_MAX = 3000; // text is the slowest part of a frame; more labels than this fit no screen
const HATCH_FROM = 5; // device pixels
const GAP_FROM = 4; // device pixels: narrower boxes would be more gap than box
const PAD = 5; // CSS pixels before a label
const DIM = 0x48; // alpha of what a search does not match

/**
 * @param {boolean} rising
 * @param {number} ratio
 */
export function hatchTile(rising, ratio) {
  const size = Math.round(6 * ratio);
  const tile = new OffscreenCanvas(size, size);
  const ink = /** @type {OffscreenCanvasRenderingContext2D} */ (tile.getContext('2d'));
  ink.strokeStyle = 'rgba(20, 23, 28, 0.32)';
  ink.lineWidth = ratio;
  ink.beginPath();
  for (const shift of [-size, 0, size]) {
    ink.moveTo(shift, rising ? size : 0);
    ink.lineTo(shift + size, rising ? 0 : size);
  }
  ink.stroke();
  return tile;
}

export class Renderer {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {(context: CanvasRenderingContext2D) => import('./label.js').Labels} labels
   */
  constructor(canvas, labels) {
    const context = canvas.getContext('2d');
    if (!context) throw new Error('this browser has no 2D canvas');
    this.canvas = canvas;
    this.context = context;
    this.labels = labels(context);
    this.strip = new OffscreenCanvas(1, 1);
    /** @type {ImageData|null} */
    this.image = null;
    /** @type {(CanvasPattern|null)[]} */
    this.hatches = [];
    this.hatchRatio = 0;
  }

  /**
   * @param {Boxes} boxes
   * @param {Place} place
   * @param {Style} style
   * @param {Ink} ink
   */
  draw(boxes, place, style, ink) {
    const { context } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = ink.background;
    context.fillRect(0, 0, place.width, place.height);
    const rows = boxes.start.length - 1;
    if (rows <= 0 || place.width <= 0) return;
    this.strips(boxes, place, style, rows, ink);
    this.hatch(boxes, place, style, rows);
    this.text(boxes, place, style, rows, ink);
  }

  /**
   * @param {Boxes} boxes
   * @param {Place} place
   * @param {Style} style
   * @param {number} rows
   * @param {Ink} ink
   */
  strips(boxes, place, style, rows, ink) {
    const { context, strip } = this;
    const { width } = place;
    if (!this.image || this.image.width !== width || this.image.height !== rows) {
      this.image = context.createImageData(width, rows);
      strip.width = width;
      strip.height = rows;
    }
    const pixels = new Uint32Array(this.image.data.buffer);
    pixels.fill(0);
    for (let r = 0; r < rows; r++) {
      for (let b = boxes.start[r]; b < boxes.start[r + 1]; b++) {
        const left = boxes.left[b];
        // A pixel of gap keeps neighbours apart where there is room for one.
        const right = boxes.right[b] - left > GAP_FROM ? boxes.right[b] - 1 : boxes.right[b];
        let { fill } = style.paintOf(boxes.node[b], boxes.until[b]);
        if (style.dimmed(boxes.node[b], boxes.until[b])) fill = (fill & 0xffffff) | (DIM << 24);
        pixels.fill(fill, r * width + left, r * width + right);
      }
    }
    const ink2 = /** @type {OffscreenCanvasRenderingContext2D} */ (strip.getContext('2d'));
    ink2.putImageData(this.image, 0, 0);
    context.imageSmoothingEnabled = false;
    const line = Math.max(1, Math.round(place.ratio));
    const down = rows < 2 || place.top(boxes.firstRow + 1) > place.top(boxes.firstRow);
    if (down) {
      const top = place.top(boxes.firstRow);
      context.drawImage(strip, 0, 0, width, rows, 0, top, width, rows * place.rowHeight);
    } else {
      context.save();
      context.translate(0, place.top(boxes.firstRow) + place.rowHeight);
      context.scale(1, -1);
      context.drawImage(strip, 0, 0, width, rows, 0, 0, width, rows * place.rowHeight);
      context.restore();
    }
    context.fillStyle = ink.background;
    for (let r = 0; r < rows; r++) {
      context.fillRect(0, place.top(boxes.firstRow + r) + place.rowHeight - line, width, line);
    }
  }

  /**
   * @param {Boxes} boxes
   * @param {Place} place
   * @param {Style} style
   * @param {number} rows
   */
  hatch(boxes, place, style, rows) {
    const { context } = this;
    if (this.hatchRatio !== place.ratio) {
      this.hatchRatio = place.ratio;
      this.hatches = [null, ...[true, false].map((rising) =>
        context.createPattern(hatchTile(rising, place.ratio), 'repeat'))];
    }
    const line = Math.max(1, Math.round(place.ratio));
    for (let r = 0; r < rows; r++) {
      const top = place.top(boxes.firstRow + r);
      for (let b = boxes.start[r]; b < boxes.start[r + 1]; b++) {
        const wide = boxes.right[b] - boxes.left[b];
        if (wide < HATCH_FROM) continue;
        const pattern = this.hatches[style.hatchOf(boxes.node[b], boxes.until[b])];
        if (!pattern) continue;
        context.fillStyle = pattern;
        context.fillRect(boxes.left[b], top, wide - 1, place.rowHeight - line);
      }
    }
  }

  /**
   * @param {Boxes} boxes
   * @param {Place} place
   * @param {Style} style
   * @param {number} rows
   * @param {Ink} ink
   */
  text(boxes, place, style, rows, ink) {
    const { context } = this;
    const { ratio } = place;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = ink.font;
    context.textBaseline = 'middle';
    let count = 0;
    for (let r = 0; r < rows && count < LABELS_MAX; r++) {
      const y = (place.top(boxes.firstRow + r) + place.rowHeight / 2) / ratio;
      for (let b = boxes.start[r]; b < boxes.start[r + 1]; b++) {
        const wide = (boxes.right[b] - boxes.left[b]) / ratio;
        if (wide < LABEL_ROOM) continue;
        const node = boxes.node[b];
        const until = boxes.until[b];
        const mark = style.markOf(node, until);
        const before = mark ? this.labels.measure(mark) : 0;
        const room = wide - 2 * PAD - before;
        const name = style.labelOf(node, until);
        const fitted = room > 8 ? this.labels.fit(name, room) : '';
        if (!fitted && before + 2 * PAD > wide) continue;
        context.globalAlpha = style.dimmed(node, until) ? 0.55 : 1;
        context.fillStyle = context.globalAlpha < 1 ? ink.outline : style.paintOf(node, until).text;
        context.fillText(mark + fitted, boxes.left[b] / ratio + PAD, y);
        count++;
      }
    }
    context.globalAlpha = 1;
  }

  /**
   * @param {Boxes} boxes
   * @param {number} box
   * @param {Place} place
   * @param {string} color
   * @param {number} thick CSS pixels.
   */
  outline(boxes, box, place, color, thick) {
    const { context } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    let row = 0;
    while (boxes.start[row + 1] <= box) row++;
    const line = Math.max(1, Math.round(thick * place.ratio));
    const left = boxes.left[box];
    const wide = Math.max(line * 2, boxes.right[box] - left);
    context.strokeStyle = color;
    context.lineWidth = line;
    context.strokeRect(left + line / 2, place.top(boxes.firstRow + row) + line / 2,
      wide - line, place.rowHeight - line);
  }
}
