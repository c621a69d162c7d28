// SPDX-License-Identifier: Apache-2.0
// Two versions side by side: colours, words, numbers, widths, basis.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { get, post } from '../../api/client.js';
import { heap } from '../../data/shapes.js';
import { digits, listed, parameters, plain, Session, settled, textOf } from '../support/browser.js';
import { click, colorOf, hover, spots } from '../support/graph.js';
import { postShop, shopProfile } from '../support/shop.js';

const BOTH = { service: 'shop', type: 'cpu', version: '2', base_version: '1' };
const SEARCH = '?service=shop&type=cpu&version=2&base_version=1';

/** @type {Session} */
let session;

before(async () => {
  session = await Session.start();
  await postShop(session.server);
});
after(() => session.stop());

/** Spots of the comparison in the width "both": the mean of the two sides per profile. */
async function both() {
  const answer = await get(session.server, 'flamegraph', BOTH);
  const [now, base] = answer.sides.map((/** @type {any} */ side) => side.profiles);
  const map = spots(answer, (i) => answer.nodes.self[i] / now / 2 + answer.nodes.base_self[i] / base / 2);
  return { answer, map };
}

/** @param {[number, number, number]} rgb */
function family([r, , b]) {
  if (r - b > 25) return 'orange';
  if (b - r > 25) return 'blue';
  return 'grey';
}

test('choosing what to compare with', async () => {
  const page = await session.open('?service=shop&type=cpu');
  assert.equal(await page.locator('#legend').isVisible(), false);
  await page.locator('#base-version').selectOption({ label: 'Version 1' });
  await settled(page);
  // Comparing "all versions" with one of them would mix it into both sides.
  assert.equal(parameters(page).get('version'), '2');
  assert.equal(parameters(page).get('base_version'), '1');
  assert.equal(await page.locator('#legend').isVisible(), true);
  await page.locator('#base-version').selectOption({ label: 'Nothing' });
  await settled(page);
  assert.equal(parameters(page).get('base_version'), null);
  await page.close();
});

for (const dark of [false, true]) {
  test(`orange uses more, blue less, grey the same (${dark ? 'dark' : 'light'})`, async () => {
    const page = await session.open(SEARCH, { dark });
    const { map } = await both();
    /** @type {[string, string][]} */
    const expected = [['main>serve>search>regexp.Compile', 'blue'], ['main>serve>search', 'blue'],
      ['main>serve>search>cache.Get', 'orange'], ['main>serve>render', 'orange'], ['main>gc', 'grey']];
    for (const [path, color] of expected) {
      const rgb = await colorOf(page, map.get(path));
      assert.equal(family(rgb), color, `${path}: ${rgb}`);
    }
    await page.close();
  });
}

test('the legend says it in words and numbers', async () => {
  const page = await session.open(SEARCH);
  const text = await textOf(page, '#legend');
  for (const part of ['Version 2 uses▼ less', '▲ more', '±0.1 % same', '+0.1 %', '-20 % or more', '+20 % or more',
    'new (1)', 'gone (1)']) {
    assert.ok(text.includes(part), `${part} in: ${text}`);
  }
  await page.close();
});

test('new and gone are words, in the graph, the details and the list', async () => {
  const page = await session.open(SEARCH);
  const { map } = await both();
  await hover(page, map.get('main>serve>search>regexp.Compile'));
  assert.equal(await textOf(page, '#details .badge'), 'gone');
  await hover(page, map.get('main>serve>search>cache.Get'));
  assert.equal(await textOf(page, '#details .badge'), 'new');
  const row = page.locator('.list-row', { hasText: 'regexp.Compile' });
  assert.match(plain(await row.textContent()), /gone/);
  await page.locator('#graph .flame-tree').focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
  const tree = plain(await page.locator('#graph .flame-tree').textContent());
  assert.match(tree, /search, total .*less, -\d/);
  assert.doesNotMatch(await page.locator('body').innerText(), /NaN|Infinity|undefined/);
  await page.close();
});

test('hover shows both sides and the difference, exact', async () => {
  const page = await session.open(SEARCH);
  const { answer, map } = await both();
  const title = async (/** @type {string} */ cell) => digits(await page.locator(`#details .${cell}`).getAttribute('title'));
  for (const path of ['main>serve', 'main>serve>search', 'main>serve>search>regexp.Compile', 'main>serve>render', 'main>gc']) {
    const spot = map.get(path);
    await hover(page, spot);
    const i = spot?.index ?? -1;
    assert.equal(await title('exact-total'), String(answer.nodes.total[i]), path);
    assert.equal(await title('exact-base-total'), String(answer.nodes.base_total[i]), path);
    assert.equal(await title('exact-self'), String(answer.nodes.self[i]), path);
    assert.equal(await title('exact-base-self'), String(answer.nodes.base_self[i]), path);
    assert.equal(digits(await page.locator('#details .delta').first().getAttribute('title')),
      String(answer.nodes.total[i] - answer.nodes.base_total[i]), path);
  }
  await page.close();
});

test('the list shows the base and sorts by difference', async () => {
  const page = await session.open(SEARCH);
  await page.getByRole('columnheader', { name: 'Δ Total' }).getByRole('button').click();
  await settled(page);
  assert.equal((await listed(page))[0], 'render');
  await page.getByRole('columnheader', { name: /Δ Total/ }).getByRole('button').click();
  await settled(page);
  assert.equal(parameters(page).get('sort'), 'delta_total');
  assert.equal(parameters(page).get('order'), 'asc');
  const names = await listed(page);
  assert.equal(names[names.length - 1], 'render');
  const { functions } = await get(session.server, 'functions', BOTH);
  const search = functions.find((/** @type {any} */ f) => f.name === 'search');
  const cells = await page.locator('.list-row', { hasText: 'search.go' }).locator('.number').evaluateAll((list) => list.map((c) => c.getAttribute('title')));
  assert.deepEqual(cells.slice(0, 6).map(digits), [search.self, search.base_self, search.self - search.base_self,
    search.total, search.base_total, search.total - search.base_total].map(String));
  await page.close();
});

test('widths: a gone frame has none in "New", a new one none in "Base"', async () => {
  const page = await session.open(SEARCH);
  const answer = await get(session.server, 'flamegraph', BOTH);
  await page.locator('#width button', { hasText: 'New' }).click();
  await settled(page);
  assert.equal(parameters(page).get('width'), 'new');
  const now = spots(answer, (i) => answer.nodes.self[i]);
  await hover(page, now.get('main>serve>search>cache.Get'));
  assert.equal(await textOf(page, '#details-name'), 'cache.Get');
  await page.locator('#width button', { hasText: 'Base' }).click();
  await settled(page);
  const base = spots(answer, (i) => answer.nodes.base_self[i]);
  await hover(page, base.get('main>serve>search>regexp.Compile'));
  assert.equal(await textOf(page, '#details-name'), 'regexp.Compile');
  await page.close();
});

test('every basis divides the same sums; a reload keeps it', async () => {
  const page = await session.open(SEARCH);
  const answer = await get(session.server, 'flamegraph', BOTH);
  const [now, base] = answer.sides;
  /** @type {[string, string, number|null][]} */
  const cases = [
    ['Per profile', 'profile', (now.total / now.profiles) / (base.total / base.profiles)],
    ['Per second', 'second', (now.total / now.duration_ns) / (base.total / base.duration_ns)],
    ['Per request', 'work', (now.total / now.work) / (base.total / base.work)],
    ['Sum', 'sum', now.total / base.total],
    ['Share', 'share', null],
  ];
  for (const [label, key, ratio] of cases) {
    await page.locator('#basis button', { hasText: label }).click();
    await settled(page);
    assert.equal(parameters(page).get('basis') ?? 'profile', key);
    const text = await textOf(page, '#summary');
    if (ratio === null) assert.match(text, /each side's total is 100 %/);
    else {
      const percent = Math.abs(ratio - 1) * 100;
      assert.ok(text.startsWith(`Version 2 uses ${percent.toFixed(percent >= 9.5 ? 0 : 1)} % less cpu`), `${label} ${ratio}: ${text}`);
    }
    assert.doesNotMatch(await page.locator('body').innerText(), /NaN|Infinity|undefined/);
  }
  await page.reload();
  await settled(page);
  assert.equal(await page.locator('#basis [aria-pressed=true]').textContent(), 'Share');
  await page.close();
});

test('per request: the sentence of the whole page', async () => {
  const page = await session.open(`${SEARCH}&basis=work`);
  assert.match(await textOf(page, '#summary'), /^Version 2 uses 75 % less cpu per request than version 1 \(24\.7 ms against 97\.\d ms\)\.$/);
  await page.close();
});

test('a basis that would mislead is refused with its reason', async () => {
  await post(session.server, { service: 'store', version: '7' }, heap().encode());
  const page = await session.open('?service=store&type=heap&basis=work');
  assert.match(await textOf(page, '#notes'), /is a level.*Shown per profile/);
  const button = page.locator('#basis button', { hasText: 'Per second' });
  assert.equal(await button.getAttribute('aria-disabled'), 'true');
  await button.click({ force: true });
  assert.match(await textOf(page, '#toast'), /is a level/);
  assert.equal(parameters(page).get('basis'), 'work');
  await page.close();
});

test('profiles without a duration or work are left out of those bases, and it says so', async () => {
  await postShop(session.server, 'mixed');
  await post(session.server, { service: 'mixed', version: '2' }, shopProfile('2', 0, 9).encode());
  const page = await session.open('?service=mixed&type=cpu&version=2&basis=second');
  assert.match(await textOf(page, '#notes'), /1 profile without a duration is left out\./);
  const some = await get(session.server, 'flamegraph', { service: 'mixed', type: 'cpu', version: '2', having: 'duration' });
  assert.equal(digits(await textOf(page, '.exact-total')), String(some.nodes.total[0]));
  await page.locator('#basis button', { hasText: 'Per request' }).click();
  await settled(page);
  assert.match(await textOf(page, '#notes'), /1 profile without a work count is left out\./);
  await page.locator('#basis button', { hasText: 'Per profile' }).click();
  await settled(page);
  assert.doesNotMatch(await textOf(page, '#notes'), /left out/);
  const all = await get(session.server, 'flamegraph', { service: 'mixed', type: 'cpu', version: '2' });
  assert.equal(digits(await textOf(page, '.exact-total')), String(all.nodes.total[0]));
  await page.close();
});

test('a side without profiles is said, not divided by', async () => {
  const page = await session.open('?service=shop&type=cpu&version=2&base_version=99');
  assert.match(await textOf(page, '#notes'), /Nothing matches version 99/);
  assert.doesNotMatch(await page.locator('body').innerText(), /NaN|Infinity|undefined/);
  assert.equal(await page.locator('#graph canvas').isVisible(), true);
  await page.close();
});

test('focus and zoom keep the comparison; the whole view is in the URL', async () => {
  const page = await session.open(`${SEARCH}&basis=work`);
  const { answer } = await both();
  const [now, base] = answer.sides;
  const map = spots(answer, (i) => answer.nodes.self[i] / now.work / 2 + answer.nodes.base_self[i] / base.work / 2);
  await click(page, map.get('main>serve>render'));
  await page.locator('#width button', { hasText: 'New' }).click();
  await settled(page);
  await page.locator('.list-row', { hasText: 'search.go' }).click();
  await settled(page);
  await page.locator('#find').fill('render');
  await settled(page);
  const looks = (/** @type {import('playwright-core').Page} */ p) => p.locator('#focus canvas').evaluateAll((list) =>
    list.map((canvas) => /** @type {HTMLCanvasElement} */ (canvas).toDataURL()));
  const other = await session.open(new URL(page.url()).search);
  await page.mouse.move(1, 1);
  await settled(page);
  assert.equal(await textOf(other, '.focus-name'), 'search');
  assert.match(await textOf(other, '#summary'), /^search: version 2 uses \d+ % less cpu per request than version 1 \(/);
  assert.equal(await other.locator('#find').inputValue(), 'render');
  assert.equal(await textOf(other, '#summary'), await textOf(page, '#summary'));
  assert.deepEqual(await listed(other), await listed(page));
  const [mine, theirs] = [await looks(page), await looks(other)];
  assert.equal(mine.length, 2);
  assert.ok(mine.every((image, i) => image === theirs[i]), 'the shared link looks the same');
  await other.close();
  await page.close();
});
