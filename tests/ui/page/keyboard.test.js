// SPDX-License-Identifier: Apache-2.0
// Without a mouse, on a phone, and as a screen reader hears it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parameters, plain, Session, settled, textOf } from '../support/browser.js';
import { postShop } from '../support/shop.js';

/** @type {Session} */
let session;

before(async () => {
  session = await Session.start();
  await postShop(session.server);
});
after(() => session.stop());

test('arrows move, Enter zooms, Escape resets, f focuses', async () => {
  const page = await session.open('?service=shop&type=cpu');
  await page.keyboard.press('g');
  const name = () => textOf(page, '#details-name');
  const press = async (/** @type {string[]} */ ...keys) => {
    for (const key of keys) await page.keyboard.press(key);
    await settled(page);
  };
  await press('ArrowDown', 'ArrowDown');
  assert.equal(await name(), 'serve', 'the widest callee');
  await press('ArrowRight');
  assert.equal(await name(), 'gc');
  await press('ArrowLeft', 'ArrowDown');
  const deeper = await name();
  await press('Enter');
  assert.match(parameters(page).get('root') ?? '', /^[0-9a-f]{16}$/);
  assert.equal(await page.locator('#crumbs [aria-current]').textContent(), deeper);
  await press('Escape');
  assert.equal(parameters(page).get('root'), null);
  await press('ArrowDown', 'ArrowDown', 'f');
  assert.equal(parameters(page).get('focus'), 'serve');
  await page.keyboard.press('g');
  await press('Escape');
  assert.equal(parameters(page).get('focus'), null);
  await page.close();
});

test('the accessibility tree holds the frame, its numbers and its place', async () => {
  const page = await session.open('?service=shop&type=cpu&version=2&base_version=1');
  await page.keyboard.press('g');
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
  await settled(page);
  const item = await page.evaluate(() => {
    const tree = document.activeElement;
    const node = document.getElementById(tree?.getAttribute('aria-activedescendant') ?? '');
    return node && { role: tree?.getAttribute('role'), text: node.textContent, level: node.getAttribute('aria-level'),
      set: node.getAttribute('aria-setsize'), pos: node.getAttribute('aria-posinset'), items: tree?.children.length };
  });
  assert.equal(item?.role, 'tree');
  assert.match(plain(item?.text ?? ''), /^(search|render), total [\d.]+ \w+, [\d.]+ %, self .*; (more|less), [+-]/);
  assert.deepEqual([item?.level, item?.set, item?.pos], ['4', '2', '1']);
  assert.ok((item?.items ?? 99) < 50);
  await page.close();
});

test('/ finds, Escape clears, ? explains', async () => {
  const page = await session.open('?service=shop&type=cpu');
  await page.keyboard.press('/');
  await page.keyboard.type('gc');
  await settled(page);
  assert.equal(parameters(page).get('find'), 'gc');
  await page.keyboard.press('Escape');
  await settled(page);
  assert.equal(parameters(page).get('find'), null);
  await page.keyboard.press('?');
  assert.equal(await page.locator('dialog[open]').count(), 1);
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('dialog[open]').count(), 0);
  await page.close();
});

test('the list by keyboard: arrows and Enter', async () => {
  const page = await session.open('?service=shop&type=cpu&sort=name&order=asc');
  await page.keyboard.press('l');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await settled(page);
  assert.equal(parameters(page).get('focus'), 'gc');
  await page.close();
});

test('everything can be reached with Tab, and the focus is seen', async () => {
  const page = await session.open('?service=shop&type=cpu&version=2&base_version=1');
  const seen = new Set();
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press('Tab');
    const { what, outline } = await page.evaluate(() => {
      const node = /** @type {HTMLElement} */ (document.activeElement);
      if (node === document.body) return { what: '', outline: '' }; // the turn from the end to the start
      return { what: node.id || node.getAttribute('role') || node.textContent || '', outline: getComputedStyle(node).outlineStyle };
    });
    if (seen.has(what)) break;
    seen.add(what);
    if (what) assert.notEqual(outline, 'none', what);
  }
  for (const wanted of ['service', 'type', 'metric', 'version', 'base-version', 'time', 'find', 'tree', 'grid']) {
    assert.ok(seen.has(wanted), `${wanted} in ${[...seen].join(', ')}`);
  }
  await page.close();
});

for (const dark of [false, true]) {
  test(`a phone of 390 pixels, ${dark ? 'dark' : 'light'}: nothing sticks out, a tap zooms`, async () => {
    const page = await session.open('?service=shop&type=cpu&version=2&base_version=1', { width: 390, height: 844, dark, touch: true });
    const { width, out } = await page.evaluate(() => ({
      width: document.documentElement.scrollWidth,
      out: [...document.querySelectorAll('button, select, input, canvas, p, table')].filter((node) => {
        const box = node.getBoundingClientRect();
        return box.width > 0 && !node.closest('.segments') && (box.left < -1 || box.right > 391);
      }).map((node) => `${node.tagName}#${node.id} ${node.textContent?.slice(0, 40)}`),
    }));
    assert.equal(width, 390);
    assert.deepEqual(out, []);
    const canvas = page.locator('#graph canvas');
    await canvas.scrollIntoViewIfNeeded();
    const area = await canvas.boundingBox();
    assert.ok(area);
    await page.touchscreen.tap(area.x + 60, area.y + 24 * 2.5);
    await settled(page);
    assert.equal(await textOf(page, '#details-name'), 'serve');
    assert.match(parameters(page).get('root') ?? '', /^[0-9a-f]{16}$/);
    await page.close();
  });
}
