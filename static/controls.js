// SPDX-License-Identifier: Apache-2.0
// The top bar: service, type, metric, version, what to compare with, time. Every choice is a change
// of the state; the bar itself remembers nothing.

import { el } from './dom.js';
import { name as shownName, plural } from './format.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./api.js').Service} Service */
/** @typedef {{label: string, change: Partial<State>, current: boolean}} Option */

const RANGES = /** @type {[string, string|null][]} */ ([
  ['All time', null], ['Last 15 minutes', 'now-15m'], ['Last hour', 'now-1h'],
  ['Last day', 'now-1d'], ['Last 7 days', 'now-7d'], ['Last 30 days', 'now-30d'],
]);

// Another tree: what pointed into the old one is meaningless.
const UNZOOMED = { root: null, callers: null, range: null, focus: null, file: null };

/** A labelled menu whose options are changes of the state. */
class Menu {
  /**
   * @param {string} id
   * @param {string} label
   * @param {(change: Partial<State>) => void} choose
   */
  constructor(id, label, choose) {
    /** @type {Option[]} */
    this.options = [];
    this.select = el('select', { id });
    this.host = el('label', { class: 'menu', for: id }, el('span', {}, label), this.select);
    this.select.addEventListener('change', () => {
      const option = this.options[this.select.selectedIndex];
      if (option) choose(option.change);
    });
  }

  /** @param {Option[]} options */
  set(options) {
    this.options = options;
    this.select.replaceChildren(...options.map((option) => el('option', {}, option.label)));
    this.select.selectedIndex = options.findIndex((option) => option.current);
    this.select.disabled = options.length === 0;
  }
}

/**
 * @param {string} version
 */
function versionName(version) {
  return version === '' ? '(no version)' : shownName(version, 60);
}

/**
 * @param {string[]} a
 * @param {string[]} b
 */
function same(a, b) {
  return a.length === b.length && a.every((x, i) => x === b[i]);
}

export class Controls {
  /**
   * @param {HTMLElement} host
   * @param {(change: Partial<State>) => void} go
   */
  constructor(host, go) {
    this.go = go;
    const menu = (/** @type {string} */ id, /** @type {string} */ label) => new Menu(id, label, go);
    this.service = menu('service', 'Service');
    this.type = menu('type', 'Type');
    this.metric = menu('metric', 'Metric');
    this.version = menu('version', 'Version');
    this.base = menu('base-version', 'Compare to');
    this.time = new Menu('time', 'Time', (change) => this.chooseTime(change));
    this.from = el('input', { type: 'datetime-local', id: 'from', step: '1' });
    this.until = el('input', { type: 'datetime-local', id: 'until', step: '1' });
    this.custom = el('div', { class: 'custom-time' },
      el('label', { class: 'menu', for: 'from' }, el('span', {}, 'From (UTC)'), this.from),
      el('label', { class: 'menu', for: 'until' }, el('span', {}, 'Until (UTC)'), this.until));
    this.custom.hidden = true;
    for (const input of [this.from, this.until]) {
      input.addEventListener('change', () => this.customTime());
    }
    host.replaceChildren(...[this.service, this.type, this.metric, this.version, this.base,
      this.time].map((m) => m.host), this.custom);
  }

  /**
   * @param {Service[]} services
   * @param {State} state
   * @param {string|null} metric The one the server answered with.
   */
  update(services, state, metric) {
    const service = services.find((s) => s.name === state.service);
    this.service.set(this.serviceOptions(services, state));
    const types = service?.types ?? [];
    this.type.set(types.map(({ type }) => ({
      label: type, current: type === state.type,
      change: { type, metric: null, ...UNZOOMED },
    })));
    const metrics = types.find((t) => t.type === state.type)?.metrics ?? [];
    const chosen = state.metric ?? metric;
    this.metric.set(metrics.map(({ name }) => ({
      label: shownName(name, 60), current: name === chosen, change: { metric: name },
    })));
    const versions = [...(service?.versions ?? [])].reverse(); // newest first
    this.version.set(this.versionOptions(versions, state));
    this.base.set(this.baseOptions(versions, state));
    this.updateTime(state);
  }

  /**
   * @param {Service[]} services
   * @param {State} state
   * @returns {Option[]}
   */
  serviceOptions(services, state) {
    const options = services.map(({ name }) => ({
      label: shownName(name, 80), current: name === state.service,
      change: {
        service: name, type: null, metric: null, version: [], baseVersion: [], extra: [],
        ...UNZOOMED,
      },
    }));
    if (state.service !== null && !options.some((o) => o.current)) {
      return [{ label: `${shownName(state.service, 80)} (unknown)`, current: true,
        change: { service: state.service } }, ...options];
    }
    return options;
  }

  /**
   * @param {Service['versions']} versions
   * @param {State} state
   * @returns {Option[]}
   */
  versionOptions(versions, state) {
    const options = [
      { label: 'All versions', current: state.version.length === 0,
        change: /** @type {Partial<State>} */ ({ version: [] }) },
      ...versions.map(({ version, profiles }) => ({
        label: `${versionName(version)} · ${plural(profiles, 'profile')}`,
        current: same(state.version, [version]), change: { version: [version] },
      })),
    ];
    if (!options.some((o) => o.current)) {
      options.push({ label: state.version.map(versionName).join(', '), current: true,
        change: { version: state.version } });
    }
    return options;
  }

  /**
   * @param {Service['versions']} versions
   * @param {State} state
   * @returns {Option[]}
   */
  baseOptions(versions, state) {
    const rest = state.extra.filter(([key]) => !key.startsWith('base_'));
    const other = state.extra.filter(([key]) => key.startsWith('base_'));
    const options = [
      { label: 'Nothing', current: state.baseVersion.length === 0 && other.length === 0,
        change: /** @type {Partial<State>} */ ({ baseVersion: [], extra: rest, width: 'both' }) },
      ...versions.map(({ version }) => {
        // Against a version, "all versions" would hold that version itself: take the newest other.
        const newest = versions.find((v) => v.version !== version)?.version;
        const mixed = state.version.length === 0 && newest !== undefined;
        return {
          label: `Version ${versionName(version)}`,
          current: same(state.baseVersion, [version]),
          change: { baseVersion: [version], ...(mixed ? { version: [newest] } : {}) },
        };
      }),
    ];
    if (!options.some((o) => o.current)) {
      const text = [...state.baseVersion.map(versionName),
        ...other.map(([key, value]) => `${key.slice(5)} ${shownName(value, 40)}`)];
      options.push({ label: text.join(', '), current: true, change: {} });
    }
    return options;
  }

  /** @param {State} state */
  updateTime(state) {
    const { from, until } = state;
    const preset = until === null && RANGES.some(([, value]) => value === from);
    const options = RANGES.map(([label, value]) => ({
      label, current: preset && value === from,
      change: /** @type {Partial<State>} */ ({ from: value, until: null }),
    }));
    options.push({ label: 'Custom…', current: !preset, change: {} });
    this.time.set(options);
    if (preset) this.custom.hidden = !this.picking;
    else this.custom.hidden = false;
    if (this.picking) this.time.select.selectedIndex = options.length - 1;
    this.from.value = inputTime(from);
    this.until.value = inputTime(until);
  }

  /** @param {Partial<State>} change */
  chooseTime(change) {
    this.picking = Object.keys(change).length === 0;
    this.custom.hidden = !this.picking;
    if (this.picking) this.from.focus();
    else this.go(change);
  }

  customTime() {
    const text = (/** @type {string} */ value) => (value ? `${withSeconds(value)}Z` : null);
    this.picking = false;
    this.go({ from: text(this.from.value), until: text(this.until.value) });
  }
}

/** @param {string} value "2026-11-30T16:21" or with seconds. */
function withSeconds(value) {
  return value.length === 16 ? `${value}:00` : value;
}

/** @param {string|null} text A time of the state, for a datetime-local input. */
function inputTime(text) {
  return text && /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? text.slice(0, 19).replace(/Z$/, '') : '';
}
