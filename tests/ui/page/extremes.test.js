// SPDX-License-Identifier: Apache-2.0
// Profiles driven to a limit: very deep, very wide, a million samples, huge and negative values.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { get, post } from '../../api/client.js';
import { Profile } from '../../data/profile.js';
import { CPU_TYPES } from '../../data/generate.js';
import { deep, million, wide } from '../../data/shapes.js';
import { SLOW } from '../../api/server.js';
import { digits, listed, parameters, Session, settled, textOf } from '../support/browser.js';
import { click, hover, spots } from '../support/graph.js';

/** @type {Session} */
let session;

before(async () => {
  session = await Session.start();
});
after(() => session.stop());

test('a stack of 10,000 frames scrolls to its end', async () => {
  await post(session.server, { service: 'deep', version: '1' }, deep(10000).encode());
  const page = await session.open('?service=deep&type=cpu&show=graph');
  const scroll = page.locator('#graph .flame-scroll');
  const { height, inner } = await scroll.evaluate((node) => ({ height: node.scrollHeight, inner: node.clientHeight }));
  assert.equal(height, 20 * 10001);
  await scroll.evaluate((node) => { node.scrollTop = node.scrollHeight; });
  await settled(page);
  const area = await page.locator('#graph canvas').boundingBox();
  assert.ok(area && area.height <= inner + 1, 'the canvas is as high as what is seen');
  await page.mouse.move(area.x + 200, area.y + area.height - 8);
  await settled(page);
  assert.equal(await textOf(page, '#details-name'), 'level9999');
  await page.mouse.click(area.x + 200, area.y + area.height - 8);
  await settled(page);
  assert.deepEqual((await page.locator('#crumbs li').allTextContents()).slice(-1), ['level9999']);
  await page.reload();
  await settled(page);
  assert.deepEqual((await page.locator('#crumbs li').allTextContents()).slice(-1), ['level9999']);
  await page.close();
});

test('the middle of a deep stack in focus: half above, half below', async () => {
  const page = await session.open('?service=deep&type=cpu&focus=level5000&file=deep.c&show=graph');
  const rows = await page.locator('.focus-callers .flame-space').evaluate((node) => node.clientHeight);
  assert.equal(rows, 20 * 5000);
  const area = await page.locator('.focus-callers canvas').boundingBox();
  assert.ok(area);
  await page.mouse.move(area.x + 100, area.y + area.height - 8);
  await settled(page);
  assert.equal(await textOf(page, '#details-name'), 'level4999');
  await page.close();
});

test('50,000 roots: merged without loss, all of them on request', async () => {
  await post(session.server, { service: 'wide', version: '1' }, wide(50000).encode());
  const page = await session.open('?service=wide&type=cpu');
  assert.match(await textOf(page, '#notes'), /50,000 small frames merged/);
  const answer = await get(session.server, 'flamegraph', { service: 'wide', type: 'cpu' });
  const map = spots(answer, (i) => Math.abs(answer.nodes.name[i] < 0 ? answer.nodes.total[i] : answer.nodes.self[i]));
  await hover(page, map.get('(merged)'));
  assert.equal(digits(await textOf(page, '.exact-total')), String(answer.sides[0].total));
  await click(page, map.get('(merged)'));
  assert.equal(parameters(page).get('detail'), 'all');
  await hover(page, map.get('(merged)'));
  assert.equal(await textOf(page, '#details-name'), '50,000 frames narrower than a pixel');
  assert.equal(digits(await textOf(page, '.exact-total')), String(answer.sides[0].total));
  // Each click on the merged box leads deeper, until frames are wide enough to be themselves.
  for (let i = 0; i < 6 && /narrower/.test(await textOf(page, '#details-name')); i++) {
    await click(page, map.get('(merged)'));
    await hover(page, map.get('(merged)'));
  }
  assert.match(await textOf(page, '#details-name'), /^root\d+$/);
  const zoomed = await textOf(page, '#details-name');
  await page.reload();
  await settled(page);
  await hover(page, map.get('(merged)'));
  assert.equal(await textOf(page, '#details-name'), zoomed, 'the zoomed range is in the URL');
  await page.close();
});

test('zooming below merged frames fetches a finer tree and keeps the way back', async () => {
  const profile = new Profile(CPU_TYPES, { timeNs: 1764500000000000000n, durationNs: 1000, periodType: CPU_TYPES[1] });
  profile.stack(['main', 'big'], [1, 1000000]);
  for (let i = 0; i < 3000; i++) profile.stack(['main', 'group', `leaf${i}`], [1, i === 1234 ? 9 : 1]);
  await post(session.server, { service: 'fine', version: '1' }, profile.encode());
  const page = await session.open('?service=fine&type=cpu&show=graph');
  const finer = page.waitForResponse((response) => /root=[0-9a-f]{16}/.test(response.url()));
  await page.keyboard.press('g');
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
  assert.equal((await finer).status(), 200);
  await settled(page);
  assert.deepEqual(await page.locator('#crumbs li').allTextContents(), ['all', 'main', 'group']);
  await page.waitForFunction(() => document.querySelector('#details-name')?.textContent === 'group');
  await page.keyboard.press('ArrowDown');
  await settled(page);
  assert.equal(await textOf(page, '#details-name'), 'leaf1234');
  assert.equal(digits(await textOf(page, '.exact-total')), '9');
  await page.reload();
  await settled(page);
  assert.deepEqual(await page.locator('#crumbs li').allTextContents(), ['all', 'main', 'group']);
  await page.locator('#crumbs button', { hasText: 'main' }).click();
  await settled(page);
  await hover(page, { depth: 1, left: 0, right: 0.9, index: 0 });
  assert.equal(await textOf(page, '#details-name'), 'big');
  await page.close();
});

test('the list of 50,000 functions is whole, and only what is seen exists', async () => {
  const page = await session.open('?service=wide&type=cpu&show=list&sort=name&order=asc');
  assert.equal(await page.locator('[role=grid]').getAttribute('aria-rowcount'), '50001');
  assert.ok(await page.locator('.list-space .list-row').count() < 100);
  await page.locator('[role=grid]').focus();
  await page.keyboard.press('End');
  await settled(page);
  assert.equal((await listed(page)).at(-1), 'root9999');
  await page.locator('#find').fill('root49999');
  await settled(page);
  assert.deepEqual(await listed(page), ['root49999']);
  await page.close();
});

test('a million samples', async () => {
  const { body, total } = million();
  await post(session.server, { service: 'million', version: '1' }, body);
  const start = Date.now();
  const page = await session.open('?service=million&type=cpu');
  assert.ok(Date.now() - start < 15000 * SLOW);
  assert.equal(digits(await textOf(page, '.exact-total')), String(total));
  await page.close();
});

test('values beyond 2^53 and below zero keep every digit and have a place', async () => {
  const profile = new Profile(CPU_TYPES, { timeNs: 1764500000000000000n, durationNs: 0, periodType: CPU_TYPES[1] });
  profile.stack(['main', 'huge'], [1, 9007199254740993n]);
  profile.stack(['main', 'negative'], [-1, -9007199254740992n]);
  profile.stack(['main', 'small'], [1, 3n]);
  await post(session.server, { service: 'signed', version: '1' }, profile.encode());
  const page = await session.open('?service=signed&type=cpu&basis=sum');
  // Widths are absolute weights: both large ones take half.
  const half = { depth: 2, left: 0, right: 0.5, index: 0 };
  const texts = [];
  for (const spot of [half, { ...half, left: 0.5, right: 1 }]) {
    await hover(page, spot);
    texts.push(`${await textOf(page, '#details-name')} ${digits(await textOf(page, '.exact-total'))}`);
  }
  assert.deepEqual(texts.sort(), ['huge 9007199254740993', 'negative -9007199254740992']);
  await hover(page, { depth: 1, left: 0, right: 1, index: 0 });
  assert.equal(digits(await textOf(page, '.exact-total')), '4');
  assert.doesNotMatch(await page.locator('body').innerText(), /NaN|Infinity|undefined/);
  await page.close();
});

test('a profile whose values are all zero, and one without samples', async () => {
  const zero = new Profile(CPU_TYPES, { timeNs: 1764500000000000000n, durationNs: 1000, periodType: CPU_TYPES[1] });
  zero.stack(['main', 'idle'], [0, 0]);
  const empty = new Profile(CPU_TYPES, { timeNs: 1764500000000000001n, durationNs: 1000, periodType: CPU_TYPES[1] });
  await post(session.server, { service: 'zero', version: '1' }, zero.encode());
  await post(session.server, { service: 'zero', version: '2' }, empty.encode());
  for (const search of ['?service=zero&type=cpu', '?service=zero&type=cpu&version=2', '?service=zero&type=cpu&version=2&base_version=1',
    '?service=zero&type=cpu&basis=share']) {
    const page = await session.open(search);
    assert.doesNotMatch(await page.locator('body').innerText(), /NaN|Infinity|undefined/);
    await page.close();
  }
});
