// SPDX-License-Identifier: Apache-2.0
// The page's one flow: state -> answers -> lens -> panes. Every change goes through go(), which
// writes the URL; update() draws whatever the URL says. A slow answer that is no longer wanted is
// dropped.

import { services as askServices } from './api.js';
import { lensOf, NAMES, oneOf, unavailable } from './basis.js';
import { palette } from './color.js';
import { Controls } from './controls.js';
import { Details } from './details.js';
import { byId } from './dom.js';
import { FocusPane } from './focus.js';
import { name as shownName, percent, plural, value } from './format.js';
import { countWords } from './flame/style.js';
import { frameOfRow, wholeOf } from './frame.js';
import { FunctionTable } from './functions/table.js';
import { GraphPane } from './graph.js';
import { showLegend } from './legend.js';
import { Loader } from './loader.js';
import { emptyDatabase, failure, nothing } from './notice.js';
import { showRemarks } from './remarks.js';
import { Segments } from './segments.js';
import { BASES, initial, parse, SHOWS, toSearch, WIDTHS } from './state.js';
import { sentence, sideNames } from './summary.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./api.js').Service} Service */
/** @typedef {import('./basis.js').Lens} Lens */
/** @typedef {import('./api.js').View} View */

const WIDTH_TITLES = {
  both: 'The mean of both sides: nothing disappears',
  new: 'As in the selection: frames that are gone have no width',
  base: 'As in the base: frames that are new have no width',
};
const WRITE_MS = 150; // browsers refuse more than some hundred history changes a minute
const POLL_MS = 3000; // how often an empty database is asked for its first profile

export class Page {
  constructor() {
    this.state = parse(location.search);
    this.loader = new Loader();
    /** @type {Service[]|null} */
    this.services = null;
    /** @type {{tree: import('./flame/tree.js').Tree, key: string,
     *   counts: ReturnType<typeof countWords>}|null} */
    this.counted = null;
    this.turn = 0; // number of the latest update; older ones give up
    this.dark = matchMedia('(prefers-color-scheme: dark)');
    this.controls = new Controls(byId('controls'), (change) => this.go(change));
    this.details = new Details(byId('details'), (name, file) => this.focus(name, file));
    const hooks = this.paneHooks();
    this.graph = new GraphPane({ graph: byId('graph'), crumbs: byId('crumbs') }, hooks);
    this.focusPane = new FocusPane(byId('focus'), hooks);
    this.table = new FunctionTable(byId('list'), {
      sort: (key) => this.sort(key), focus: (name, file) => this.focus(name, file),
    });
    this.basis = new Segments(byId('basis'), 'Values',
      (key) => this.go({ basis: /** @type {State['basis']} */ (key) }), (why) => this.say(why));
    this.width = new Segments(byId('width'), 'Width',
      (key) => this.go({ width: /** @type {State['width']} */ (key) }));
    this.show = new Segments(byId('show'), 'Show',
      (key) => this.go({ show: /** @type {State['show']} */ (key) }));
    this.find = /** @type {HTMLInputElement} */ (byId('find'));
    this.find.addEventListener('input', () => this.go({ find: this.find.value }, true));
    this.dark.addEventListener('change', () => this.restyle());
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.writeTimer = undefined;
    window.addEventListener('popstate', () => {
      clearTimeout(this.writeTimer);
      this.writeTimer = undefined;
      this.state = parse(location.search);
      this.update();
    });
  }

  /** @returns {import('./graph.js').GraphHooks} */
  paneHooks() {
    return {
      go: (change, replace) => this.go(change, replace),
      remember: (change) => this.remember(change),
      focus: (name, file) => this.focus(name, file),
      frame: (frame) => {
        if (this.lens) this.details.show(frame, this.lens, frame?.name !== this.state.focus);
      },
      finer: async (root) => (await this.loader.flamegraph(this.state, root)).answer,
      failed: (error) => {
        this.say(`That part of the graph cannot be shown: ${/** @type {Error} */ (error).message}`);
        this.go({ root: null, range: null }, true);
      },
    };
  }

  /**
   * @param {Partial<State>} change
   * @param {boolean} [replace] No new entry in the history.
   */
  go(change, replace = false) {
    this.write();
    const before = toSearch(this.state);
    this.state = { ...this.state, ...change };
    const search = toSearch(this.state);
    if (search === before) return;
    history[replace ? 'replaceState' : 'pushState'](null, '', search || location.pathname);
    this.update();
  }

  /**
   * A change the graph has drawn already, many a second: the URL follows when it pauses.
   * @param {Partial<State>} change
   */
  remember(change) {
    this.state = { ...this.state, ...change };
    clearTimeout(this.writeTimer);
    this.writeTimer = setTimeout(() => this.write(), WRITE_MS);
  }

  /** Brings the URL up to what is remembered. */
  write() {
    if (this.writeTimer === undefined) return;
    clearTimeout(this.writeTimer);
    this.writeTimer = undefined;
    history.replaceState(null, '', toSearch(this.state) || location.pathname);
  }

  /**
   * @param {string} name
   * @param {string} file
   */
  focus(name, file) {
    this.go({ focus: name, file, root: null, callers: null, range: null,
      show: this.state.show === 'list' ? 'all' : this.state.show });
    if (byId('main').scrollHeight > byId('main').clientHeight) byId('focus').scrollIntoView();
  }

  /** @param {string} key */
  sort(key) {
    const { sort, order } = this.state;
    const first = key === 'name' ? 'asc' : 'desc';
    const next = key !== sort ? first : order === 'desc' ? 'asc' : 'desc';
    this.go({ sort: key, order: next }, true);
  }

  /** Asks the server anew. */
  async refresh() {
    this.loader.forget();
    this.services = null;
    await this.update();
  }

  /**
   * What to offer besides trying again: out of the focus, or whatever the URL asked for, to the
   * first service.
   * @returns {[string, () => void]}
   */
  wayOut() {
    if (this.state.focus !== null) {
      return ['Back to the whole graph', () => this.go({ focus: null, file: null, root: null,
        callers: null, range: null })];
    }
    return ['Start over', () => {
      this.go({ ...initial(), show: this.state.show });
      this.refresh();
    }];
  }

  restyle() {
    this.graph.view.restyle();
    this.focusPane.restyle();
    this.update();
  }

  async update() {
    const turn = ++this.turn;
    document.body.classList.add('busy');
    try {
      this.services ??= await askServices();
      if (turn !== this.turn) return;
      if (this.services.length === 0) {
        this.wait();
        return;
      }
      this.complete(this.services);
      this.controls.update(this.services, this.state, this.lens?.metric ?? null);
      const { graph, focus, list } = this.load();
      byId('list').classList.add('stale');
      // The list can be many times the graph's size: the graph does not wait for it.
      if (graph || focus) {
        const [g, f] = await Promise.all([graph, focus]);
        if (turn === this.turn) this.render(g, f, list !== null);
      }
      const l = await list;
      if (turn === this.turn && l) this.renderList(l, !graph && !focus);
    } catch (error) {
      if (turn !== this.turn) return;
      console.error(error);
      this.replace(failure(error, () => this.refresh(), this.wayOut()));
    } finally {
      if (turn === this.turn) document.body.classList.remove('busy');
    }
  }

  /** The empty database: shows how to post, and looks again until there is something. */
  wait() {
    this.services = null;
    if (!byId('notice').querySelector('#empty')) this.replace(emptyDatabase(location.origin));
    document.body.classList.add('no-data');
    clearTimeout(this.pollTimer);
    this.pollTimer = setTimeout(() => { if (!this.services) this.update(); }, POLL_MS);
  }

  /**
   * What the URL leaves open: the service heard from last, and its most telling type.
   * @param {Service[]} services
   */
  complete(services) {
    document.body.classList.remove('no-data');
    const { state } = this;
    const before = toSearch(state);
    if (state.service === null) {
      state.service = services.reduce((a, b) => (b.last > a.last ? b : a)).name;
    }
    const types = services.find((s) => s.name === state.service)?.types ?? [];
    if (state.type === null && types.length > 0) {
      state.type = (types.find((t) => t.type === 'cpu') ?? types[0]).type;
    }
    const search = toSearch(state);
    if (search !== before) history.replaceState(null, '', search);
  }

  /** The answers the state needs, on their way. */
  load() {
    const { state, loader } = this;
    const drawn = state.show !== 'list';
    const graph = drawn && state.focus === null ? loader.flamegraph(state) : null;
    const focus = drawn && state.focus !== null ? loader.focus(state) : null;
    const list = state.show === 'graph' ? null : loader.functions(state);
    list?.catch(() => {}); // awaited later: until then a failure is not unhandled
    return { graph, focus, list };
  }

  /** @param {HTMLElement} notice Instead of graph and list. */
  replace(notice) {
    byId('notice').replaceChildren(notice);
    document.body.classList.add('replaced');
  }

  /**
   * What every view has: menus, sentence, remarks. False when there is nothing to draw.
   * @param {import('./loader.js').Loaded<View>} loaded
   * @param {import('./api.js').Flamegraph|null} graph
   * @param {import('./frame.js').Frame|null} subject
   */
  frameOfPage(loaded, graph, subject) {
    const view = loaded.answer;
    const lens = lensOf(view, this.state.basis);
    this.lens = lens;
    this.controls.update(/** @type {Service[]} */ (this.services), this.state, view.metric);
    this.bars(view, lens);
    showRemarks(byId('notes'), { loaded, graph, lens, state: this.state,
      go: (change) => this.go(change) });
    byId('summary').textContent = sentence(lens, subject);
    const what = [this.state.service ?? '', view.metric].map((text) => shownName(text, 60));
    document.title = `${what.join(' · ')} – Brazier`;
    byId('main').dataset.show = this.state.show;
    if (view.sides.every((side) => side.profiles === 0)) {
      this.replace(nothing('No profiles here', 'Nothing was posted for this version, type and ' +
        'time. Choose another version or a longer time.'));
      return false;
    }
    document.body.classList.remove('replaced');
    byId('notice').replaceChildren();
    return true;
  }

  /**
   * @param {import('./loader.js').Loaded<import('./api.js').Flamegraph>|null} graph
   * @param {import('./loader.js').Loaded<import('./api.js').Focus>|null} focus
   * @param {boolean} withList
   */
  render(graph, focus, withList) {
    const loaded = graph ?? focus;
    if (!loaded) return;
    const subject = focus && frameOfRow(focus.answer.function);
    byId('focus').hidden = !focus;
    byId('graph-pane').hidden = !graph;
    byId('details').hidden = false;
    byId('list').hidden = !withList;
    if (!this.frameOfPage(loaded, graph?.answer ?? null, subject)) return;
    const lens = /** @type {Lens} */ (this.lens);
    const scene = { lens, whole: wholeOf(lens), palette: palette(this.dark.matches),
      state: this.state, rootLabel: rootText(lens) };
    if (graph) this.graph.show(graph.answer, scene);
    if (focus) this.focusPane.show(focus.answer, scene);
    this.legend(scene);
    this.matched(graph !== null);
  }

  /**
   * @param {import('./loader.js').Loaded<import('./api.js').Functions>} list
   * @param {boolean} alone No graph is shown, which would have said the rest.
   */
  renderList(list, alone) {
    byId('list').hidden = false;
    if (alone) {
      for (const id of ['focus', 'graph-pane', 'details', 'legend']) byId(id).hidden = true;
      if (!this.frameOfPage(list, null, null)) return;
      this.matched(false);
    }
    const lens = lensOf(list.answer, this.state.basis);
    this.table.show(list.answer, lens, this.state, wholeOf(lens));
    byId('list').classList.remove('stale');
  }

  /** @param {import('./graph.js').Scene} scene */
  legend(scene) {
    const { lens, whole } = scene;
    byId('legend').hidden = !lens.compare;
    const tree = this.state.focus === null ? this.graph.full?.tree : this.focusPane.trees?.callees;
    if (!lens.compare || !tree) return;
    const [now, base] = sideNames(lens);
    showLegend(byId('legend'), scene.palette, {
      now: now.charAt(0).toUpperCase() + now.slice(1), base, metric: lens.metric,
      whole: lens.basis === 'share' ? '100 %' : value(whole, lens.unit) + lens.per,
      counts: this.counts(tree, lens, whole),
    });
  }

  /**
   * Counted once for a tree in a basis, not for every key typed into the find box.
   * @param {import('./flame/tree.js').Tree} tree
   * @param {Lens} lens
   * @param {number} whole
   */
  counts(tree, lens, whole) {
    const key = lens.factor.join();
    if (this.counted?.tree !== tree || this.counted.key !== key) {
      this.counted = { tree, key, counts: countWords(tree, lens, whole) };
    }
    return this.counted.counts;
  }

  /** @param {boolean} drawn */
  matched(drawn) {
    if (document.activeElement !== this.find) this.find.value = this.state.find;
    const result = drawn ? this.graph.matched() : null;
    const total = Math.abs(Number(this.lens?.sides[0].total ?? 0));
    byId('matched').textContent = result
      ? `${plural(result.frames, 'frame')}, ${percent(Number(result.total) / total)}` : '';
  }

  /**
   * @param {View} view
   * @param {Lens} lens
   */
  bars(view, lens) {
    const unit = view.sides.find((side) => side.work_unit)?.work_unit;
    const versions = [this.state.version, this.state.baseVersion].map((list) => list.join(', '));
    byId('choose').textContent = [this.state.service ?? '', view.metric,
      versions.filter(Boolean).join(' vs ')].filter(Boolean)
      .map((text) => shownName(text, 60)).join(' · ');
    this.basis.set(BASES.map((key) => ({
      key, label: key === 'work' && unit ? `Per ${oneOf(unit)}` : NAMES[key],
      refused: unavailable(key, view),
    })), lens.basis);
    byId('width').hidden = !lens.compare || this.state.show === 'list';
    this.width.set(WIDTHS.map((key) => ({
      key, label: { both: 'Both', new: 'New', base: 'Base' }[key],
      title: WIDTH_TITLES[key],
    })), this.state.width);
    this.show.set(SHOWS.map((key) => ({
      key, label: { all: 'All', graph: 'Graph', list: 'List' }[key],
    })), this.state.show);
  }

  /** @param {string} text */
  say(text) {
    const toast = byId('toast');
    toast.textContent = text;
    toast.classList.add('shown');
    clearTimeout(this.toastTimer);
    this.toastTimer = setTimeout(() => toast.classList.remove('shown'), 5000);
  }
}

/** @param {Lens} lens */
function rootText(lens) {
  const profiles = lens.sides.map((side) => plural(side.profiles, 'profile'));
  return `all (${profiles.join(' against ')})`;
}
