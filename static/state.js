// SPDX-License-Identifier: Apache-2.0
// The whole state of the view, and its form in the URL. A reload, a shared link and the back button
// all go through parse(); nothing that changes what is shown lives anywhere else. A parameter that
// makes no sense is dropped, never an error: links outlive versions of the page.

/** @typedef {'profile'|'second'|'work'|'share'|'sum'} Basis */
/** @typedef {'both'|'new'|'base'} Width */
/** @typedef {'all'|'graph'|'list'} Show */
/**
 * @typedef {object} State
 * @property {string|null} service
 * @property {string|null} type
 * @property {string|null} metric
 * @property {string[]} version Empty: every version.
 * @property {string[]} baseVersion Empty: no comparison by version.
 * @property {string|null} from
 * @property {string|null} until
 * @property {[string, string][]} extra Further selection parameters of the API, in their order.
 * @property {Basis} basis
 * @property {Width} width What the width of a box stands for in a comparison.
 * @property {Show} show
 * @property {string|null} root Path hash of the zoomed node (in the focus view: of the callees).
 * @property {string|null} callers Path hash of the zoomed node among the callers.
 * @property {[number, number]|null} range Part of the zoomed node's width that is in view.
 * @property {boolean} detail Every frame instead of those wide enough to see.
 * @property {string|null} focus Function in focus.
 * @property {string|null} file Its file; null: whichever.
 * @property {string} find
 * @property {string} sort
 * @property {'desc'|'asc'} order
 */

export const BASES = /** @type {Basis[]} */ (['profile', 'second', 'work', 'share', 'sum']);
export const WIDTHS = /** @type {Width[]} */ (['both', 'new', 'base']);
export const SHOWS = /** @type {Show[]} */ (['all', 'graph', 'list']);
export const SORTS = ['name', 'self', 'total', 'stacks', 'base_self', 'base_total',
  'delta_self', 'delta_total'];
// Selection parameters the page has no control for yet: kept in the URL and sent as they are.
const EXTRA = new Set(['label', 'tag', 'weight', 'profile', 'show_stacks', 'hide_stacks',
  'show_from', 'hide_frames', 'only_frames', 'base_service', 'base_type', 'base_metric',
  'base_from', 'base_until', 'base_label', 'base_tag', 'base_weight', 'base_profile']);
const HASH = /^[0-9a-f]{16}$/;

/** @returns {State} */
export function initial() {
  return {
    service: null, type: null, metric: null, version: [], baseVersion: [], from: null, until: null,
    extra: [], basis: 'profile', width: 'both', show: 'all', root: null, callers: null, range: null,
    detail: false, focus: null, file: null, find: '', sort: 'total', order: 'desc',
  };
}

/**
 * @template {string} T
 * @param {string|null} text
 * @param {T[]} allowed
 * @param {T} fallback
 * @returns {T}
 */
function oneOf(text, allowed, fallback) {
  return allowed.find((word) => word === text) ?? fallback;
}

/**
 * @param {string|null} text "0.25-0.5"
 * @returns {[number, number]|null}
 */
function parseRange(text) {
  const parts = /^(0?\.?\d{1,17}|1)-(0?\.?\d{1,17}|1)$/.exec(text ?? '');
  if (!parts) return null;
  const low = Number(parts[1]);
  const high = Number(parts[2]);
  return low >= 0 && high <= 1 && high > low ? [low, high] : null;
}

/** @param {string|null} text */
function hash(text) {
  return text !== null && HASH.test(text) ? text : null;
}

/**
 * @param {string} search With or without the question mark.
 * @returns {State}
 */
export function parse(search) {
  const query = new URLSearchParams(search);
  const state = initial();
  state.service = query.get('service');
  state.type = query.get('type');
  state.metric = query.get('metric');
  state.version = query.getAll('version');
  state.baseVersion = query.getAll('base_version');
  state.from = query.get('from');
  state.until = query.get('until');
  state.extra = [...query].filter(([name]) => EXTRA.has(name));
  state.basis = oneOf(query.get('basis'), BASES, state.basis);
  state.width = oneOf(query.get('width'), WIDTHS, state.width);
  state.show = oneOf(query.get('show'), SHOWS, state.show);
  state.root = hash(query.get('root'));
  state.callers = hash(query.get('callers'));
  state.range = parseRange(query.get('range'));
  state.detail = query.get('detail') === 'all';
  state.focus = query.get('focus');
  state.file = state.focus === null ? null : query.get('file');
  state.find = query.get('find') ?? '';
  state.sort = oneOf(query.get('sort'), SORTS, state.sort);
  state.order = oneOf(query.get('order'), ['desc', 'asc'], state.order);
  return state;
}

/**
 * The selection parameters of the API, in a fixed order.
 * @param {State} state
 * @returns {[string, string][]}
 */
export function selection(state) {
  /** @type {[string, string][]} */
  const pairs = [];
  for (const name of /** @type {const} */ (['service', 'type', 'metric'])) {
    const text = state[name];
    if (text !== null) pairs.push([name, text]);
  }
  for (const version of state.version) pairs.push(['version', version]);
  for (const version of state.baseVersion) pairs.push(['base_version', version]);
  if (state.from) pairs.push(['from', state.from]);
  if (state.until) pairs.push(['until', state.until]);
  return pairs.concat(state.extra);
}

/**
 * The URL's search part; what has its default is left out.
 * @param {State} state
 * @returns {string} "" or "?…"
 */
export function toSearch(state) {
  const query = new URLSearchParams(selection(state));
  const plain = initial();
  for (const name of /** @type {const} */ (['basis', 'width', 'show', 'root', 'callers', 'focus',
    'file', 'find', 'sort', 'order'])) {
    const text = state[name];
    if (text !== null && text !== plain[name]) query.set(name, text);
  }
  if (state.range) query.set('range', state.range.map((x) => trimmed(x)).join('-'));
  if (state.detail) query.set('detail', 'all');
  const text = query.toString();
  return text && `?${text}`;
}

/** @param {number} x A fraction: no exponent, no more digits than a zoom can use. */
function trimmed(x) {
  return x.toFixed(12).replace(/\.?0+$/, '');
}

/** @param {State} state */
export function isComparison(state) {
  return state.baseVersion.length > 0 || state.extra.some(([name]) => name.startsWith('base_'));
}
