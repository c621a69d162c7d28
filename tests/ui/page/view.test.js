// SPDX-License-Identifier: Apache-2.0
// Choosing, reading, zooming: what a visitor does first.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { get, post } from '../../api/client.js';
import { heap } from '../../data/shapes.js';
import { digits, listed, parameters, Session, settled, textOf } from '../support/browser.js';
import { click, hover, spots } from '../support/graph.js';
import { postShop, shopProfile } from '../support/shop.js';

/** @type {Session} */
let session;

before(async () => {
  session = await Session.start();
});
after(() => session.stop());

test('an empty database shows how to post, and the page fills by itself', async () => {
  const page = await session.open('');
  assert.match(await textOf(page, '#empty'), /curl --data-binary @cpu\.pb\.gz 'http:\/\/127\.0\.0\.1:\d+\/api\/v1\/profiles\?service=shop&version=1'/);
  await postShop(session.server);
  await page.waitForFunction(() => document.querySelector('#summary')?.textContent?.includes('All versions'));
  assert.equal(await page.locator('#empty').count(), 0);
  assert.equal(parameters(page).get('service'), 'shop');
  await page.close();
});

test('service, type, metric, version and time are chosen and kept in the URL', async () => {
  await post(session.server, { service: 'store', version: '7' }, heap().encode());
  const page = await session.open('?service=shop');
  await page.locator('#service').selectOption({ label: 'store' });
  await settled(page);
  assert.equal(parameters(page).get('service'), 'store');
  assert.equal(parameters(page).get('type'), 'heap');
  assert.equal(await page.locator('#metric').evaluate((node) => /** @type {HTMLSelectElement} */ (node).selectedOptions[0]?.textContent), 'inuse_space');
  await page.locator('#metric').selectOption({ label: 'inuse_objects' });
  await settled(page);
  assert.equal(parameters(page).get('metric'), 'inuse_objects');
  assert.match(await textOf(page, '#summary'), /: 6 of inuse_objects per profile, from 1 profile/);
  await page.locator('#service').selectOption({ label: 'shop' });
  await settled(page);
  assert.equal(parameters(page).get('metric'), null);
  await page.locator('#version').selectOption({ label: '1 · 3 profiles' });
  await settled(page);
  assert.equal(parameters(page).get('version'), '1');
  await page.locator('#time').selectOption({ label: 'Last hour' });
  await settled(page);
  assert.equal(parameters(page).get('from'), 'now-1h');
  assert.match(await textOf(page, '#notice'), /No profiles here/);
  await page.goBack();
  await settled(page);
  assert.match(await textOf(page, '#summary'), /^Version 1: .* from 3 profiles/);
  await page.close();
});

test('hovering shows the API\'s numbers to the last digit', async () => {
  const page = await session.open('?service=shop&type=cpu');
  const answer = await get(session.server, 'flamegraph', { service: 'shop', type: 'cpu' });
  const map = spots(answer, (i) => answer.nodes.self[i]);
  for (const [path, spot] of map) {
    if (path === '' || spot.right - spot.left < 0.005) continue;
    await hover(page, spot);
    assert.equal(await textOf(page, '#details-name'), path.split('>').pop());
    assert.equal(digits(await textOf(page, '.exact-total')), String(answer.nodes.total[spot.index]), path);
    assert.equal(digits(await textOf(page, '.exact-self')), String(answer.nodes.self[spot.index]), path);
  }
  await page.close();
});

test('a click zooms; breadcrumb, Escape and the back button lead out', async () => {
  const page = await session.open('?service=shop&type=cpu');
  const answer = await get(session.server, 'flamegraph', { service: 'shop', type: 'cpu' });
  const map = spots(answer, (i) => answer.nodes.self[i]);
  await click(page, map.get('main>serve>search'));
  const zoomed = page.url();
  assert.match(parameters(page).get('root') ?? '', /^[0-9a-f]{16}$/);
  const crumbs = () => page.locator('#crumbs li').allTextContents();
  assert.deepEqual(await crumbs(), ['all', 'main', 'serve', 'search']);
  // The zoomed frame fills the first row: its far right end is still itself.
  await page.mouse.move(1200, ((await page.locator('#graph canvas').boundingBox())?.y ?? 0) + 8);
  assert.equal(await textOf(page, '#details-name'), 'search');
  await page.goBack();
  await settled(page);
  assert.deepEqual(await crumbs(), ['all']);
  await page.goForward();
  await settled(page);
  assert.equal(page.url(), zoomed);
  assert.deepEqual(await crumbs(), ['all', 'main', 'serve', 'search']);
  await page.reload();
  await settled(page);
  assert.deepEqual(await crumbs(), ['all', 'main', 'serve', 'search']);
  await page.locator('#crumbs button', { hasText: 'main' }).click();
  await settled(page);
  assert.deepEqual(await crumbs(), ['all', 'main']);
  await page.locator('#graph .flame-tree').focus();
  await page.keyboard.press('Escape');
  await settled(page);
  assert.deepEqual(await crumbs(), ['all']);
  assert.equal(parameters(page).get('root'), null);
  await page.close();
});

test('the function list has every function, sorts by any column and finds', async () => {
  const page = await session.open('?service=shop&type=cpu');
  const { functions } = await get(session.server, 'functions', { service: 'shop', type: 'cpu', limit: 1000 });
  /** @param {(a: any, b: any) => number} by */
  const names = (by) => [...functions].sort(by).map((f) => f.name);
  assert.deepEqual((await listed(page)).sort(), names((a, b) => (a.name < b.name ? -1 : 1)).sort());
  /** @type {[string, (f: any) => number][]} */
  const columns = [['Self', (f) => f.self], ['Total', (f) => f.total], ['Stacks', (f) => f.stacks]];
  for (const [label, value] of columns) {
    const head = page.getByRole('columnheader', { name: new RegExp(`^${label}( [↑↓])?$`) }).getByRole('button');
    await head.click();
    await settled(page);
    const once = await listed(page);
    await head.click();
    await settled(page);
    const twice = await listed(page);
    const first = (/** @type {string[]} */ list) => list.map((name) => value(functions.find((/** @type {any} */ f) => f.name === name)));
    const rising = [...first(once)].sort((a, b) => a - b);
    assert.ok([String(first(once)), String(first(twice))].includes(String(rising)), label);
    assert.ok([String(first(once)), String(first(twice))].includes(String(rising.reverse())), label);
  }
  await page.locator('#find').fill('REGEXP');
  await settled(page);
  assert.deepEqual(await listed(page), ['regexp.Compile']);
  assert.match(await textOf(page, '#matched'), /1 frame, \d+\.\d %/);
  assert.equal(parameters(page).get('find'), 'REGEXP');
  await page.reload();
  await settled(page);
  assert.deepEqual(await listed(page), ['regexp.Compile']);
  await page.close();
});

test('a click on a function shows callers above and callees below; back returns', async () => {
  const page = await session.open('?service=shop&type=cpu');
  const whole = page.url();
  await page.locator('.list-row', { hasText: 'search' }).first().click();
  await settled(page);
  assert.equal(parameters(page).get('focus'), 'search');
  const focus = await get(session.server, 'focus', { service: 'shop', type: 'cpu', function: 'search', file: 'search.go' });
  const lower = spots({ names: focus.names, nodes: focus.callees.nodes }, (i) => focus.callees.nodes.self[i]);
  const total = () => textOf(page, '.exact-total').then(digits);
  assert.equal(await total(), String(focus.function.total));
  await hover(page, lower.get('regexp.Compile'), { selector: '.focus-callees canvas' });
  assert.equal(await textOf(page, '#details-name'), 'regexp.Compile');
  assert.equal(await total(), String(focus.callees.nodes.total[lower.get('regexp.Compile')?.index ?? -1]));
  // The nearest caller is the lowest row of the upper graph.
  const upper = spots({ names: focus.names, nodes: focus.callers.nodes }, (i) => focus.callers.nodes.self[i]);
  const area = await page.locator('.focus-callers canvas').boundingBox();
  assert.ok(area);
  const serve = /** @type {import('../support/graph.js').Spot} */ (upper.get('serve'));
  const at = { x: area.x + ((serve.left + serve.right) / 2) * area.width, y: area.y + area.height - 8 };
  await page.mouse.move(at.x, at.y);
  await settled(page);
  assert.equal(await textOf(page, '#details-name'), 'serve');
  assert.equal(await total(), String(focus.callers.nodes.total[serve.index]));
  await page.mouse.click(at.x, at.y);
  await settled(page);
  assert.match(parameters(page).get('callers') ?? '', /^[0-9a-f]{16}$/);
  await page.goBack();
  await page.goBack();
  await settled(page);
  assert.equal(page.url(), whole);
  assert.equal(await page.locator('#graph-pane').isVisible(), true);
  await page.close();
});

test('an unknown service is a clear error, and the page goes on', async () => {
  const page = await session.open('?service=nobody&type=cpu');
  assert.match(await textOf(page, '#notice'), /Not found.*Code: not_found/s);
  await page.locator('#service').selectOption({ label: 'shop' });
  await settled(page);
  assert.match(await textOf(page, '#summary'), /cpu per profile/);
  await page.close();
});

test('new profiles appear with Refresh', async () => {
  const page = await session.open('?service=shop&type=cpu');
  assert.match(await textOf(page, '#summary'), /from 5 profiles/);
  await post(session.server, { service: 'shop', version: '3' }, shopProfile('2', 10e9, 50).encode());
  await page.locator('#refresh').click();
  await settled(page);
  assert.match(await textOf(page, '#summary'), /from 6 profiles/);
  await page.close();
});
