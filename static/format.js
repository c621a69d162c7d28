// SPDX-License-Identifier: Apache-2.0
// Numbers and names as people read them. Input: plain doubles (already divided by the basis) or
// exact integers. Never prints NaN or Infinity: what has no value is a dash.

const NONE = '–';
const MINUS = '\u2212';
const THIN = '\u202f'; // narrow no-break space between a number and its unit
const TIME = /** @type {[number, string][]} */ ([
  [1, 'ns'], [1e3, 'µs'], [1e6, 'ms'], [1e9, 's'], [60e9, 'min'], [3600e9, 'h'], [86400e9, 'd'],
]);
// From which value on a time is written in the next unit: 90 s stays 90 s.
const TIME_FROM = [0, 1e3, 1e6, 1e9, 120e9, 7200e9, 172800e9];
const BYTES = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
const COUNTS = ['', 'k', 'M', 'G', 'T', 'P', 'E'];
const NEXT = 0.9995; // of a unit: what would be printed as 1,000 of the smaller one
const NAME_SHOWN = 400; // longer names would make one row of the list megabytes of text

/** @param {string} digits */
function group(digits) {
  return digits.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/**
 * Three significant digits for a non-negative number, never exponents for ordinary sizes.
 * @param {number} x
 */
function three(x) {
  if (x === 0) return '0';
  if (x >= 99.95) return group(x.toFixed(0));
  if (x >= 9.995) return x.toFixed(1);
  if (x >= 0.9995) return x.toFixed(2);
  if (x >= 0.00095) return String(Number(x.toPrecision(2)));
  return x.toExponential(1).replace('e-', 'e\u2212');
}

/**
 * In the smallest unit a whole number is exact and is written as one.
 * @param {number} x
 */
function few(x) {
  return Number.isInteger(x) ? group(String(x)) : three(x);
}

/**
 * @param {number} x
 * @param {number} step
 * @param {string[]} units
 */
function scaled(x, step, units) {
  let i = 0;
  while (x >= step * NEXT && i < units.length - 1) {
    x /= step;
    i++;
  }
  return (i === 0 ? few(x) : three(x)) + (units[i] ? THIN + units[i] : '');
}

/**
 * A value in its unit: "7.80 s", "1.30 GiB", "12,345".
 * @param {number} x
 * @param {string} unit As the API names it.
 */
export function value(x, unit) {
  if (!Number.isFinite(x)) return NONE;
  if (x === 0) return '0';
  const sign = x < 0 ? MINUS : '';
  const a = Math.abs(x);
  if (unit === 'nanoseconds') {
    let i = TIME.length - 1;
    while (i > 0 && a < TIME_FROM[i] * NEXT) i--;
    return sign + (i === 0 ? few(a) : three(a / TIME[i][0])) + THIN + TIME[i][1];
  }
  if (unit === 'bytes') return sign + scaled(a, 1024, BYTES);
  const plain = Number.isInteger(a) && a < 1e6 ? group(String(a)) : scaled(a, 1000, COUNTS);
  return sign + plain + (unit === 'count' || unit === '' ? '' : THIN + name(unit, 40));
}

/**
 * With its sign always written; zero has none.
 * @param {number} x
 * @param {string} unit
 */
export function signed(x, unit) {
  return (x > 0 ? '+' : '') + value(x, unit);
}

/**
 * @param {number} ratio 0.5 is 50 %.
 * @param {number} [whole] 1: round to whole percents, for sentences.
 */
export function percent(ratio, whole = 0) {
  if (!Number.isFinite(ratio)) return NONE;
  const sign = ratio < 0 ? MINUS : '';
  const a = Math.abs(ratio) * 100;
  let text;
  if (a === 0) text = '0';
  else if (a >= 999.5 || (whole && a >= 9.5)) text = group(a.toFixed(0));
  else if (a >= 9.995 || whole) text = a.toFixed(1);
  else if (a >= 0.01) text = a.toFixed(2);
  else text = '<0.01';
  return `${sign}${text}${THIN}%`;
}

/** @param {number} ratio */
export function signedPercent(ratio) {
  return (ratio > 0 ? '+' : '') + percent(ratio);
}

/**
 * Every digit, grouped.
 * @param {bigint|number} number
 * @param {string} [unit]
 */
export function exact(number, unit = '') {
  const text = String(number);
  const digits = text.startsWith('-') ? MINUS + group(text.slice(1)) : group(text);
  return unit ? `${digits} ${name(unit, 40)}` : digits;
}

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export function plural(count, one, many = `${one}s`) {
  return `${group(String(count))} ${count === 1 ? one : many}`;
}

/**
 * A name from a profile, made safe to look at: control characters become visible pictures and
 * characters that turn the writing direction are spelled out, so a name cannot disguise another.
 * @param {string} text
 * @param {number} [limit] UTF-16 units shown.
 */
export function name(text, limit = NAME_SHOWN) {
  if (text === '') return '(no name)';
  let shown = text.length > limit ? cut(text, limit) + '…' : text;
  // eslint-disable-next-line no-control-regex
  shown = shown.replace(/[\u0000-\u001f\u007f]/g, (c) => {
    return c === '\u007f' ? '\u2421' : String.fromCharCode(0x2400 + c.charCodeAt(0));
  });
  return shown.replace(/[\u0080-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, (c) => {
    return `<U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`;
  });
}

/**
 * The first `limit` units without a lone half of a surrogate pair at the end.
 * @param {string} text
 * @param {number} limit
 */
export function cut(text, limit) {
  const end = text.charCodeAt(limit - 1) >> 10 === 0x36 ? limit - 1 : limit;
  return text.slice(0, end);
}

/**
 * @param {string} iso RFC 3339 in UTC.
 * @returns {string} "30 Nov 2026, 16:21 UTC", or the text itself when it is no time.
 */
export function time(iso) {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return name(iso, 40);
  const day = at.toLocaleDateString('en-GB', {
    day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC',
  });
  return `${day}, ${at.toISOString().slice(11, 16)} UTC`;
}
