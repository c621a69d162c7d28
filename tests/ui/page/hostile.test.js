// SPDX-License-Identifier: Apache-2.0
// Names that are markup, script, control characters and property names. A Session fails at its end
// when there was a dialog, a foreign request, a script error or a refusal by the CSP.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { get, post, request } from '../../api/client.js';
import { HOSTILE_NAMES } from '../../data/hostile.js';
import { hostile } from '../../data/shapes.js';
import { parameters, Session, settled, textOf } from '../support/browser.js';
import { hover, spots } from '../support/graph.js';

const EVIL = '<img src=x onerror=alert(1)>"\'&';

/** @type {Session} */
let session;

before(async () => {
  session = await Session.start();
  await post(session.server, { service: EVIL, version: '<script>alert(2)</script>', work: 5, work_unit: '<b>s' },
    hostile(true).encode());
  await post(session.server, { service: EVIL, version: '__proto__', work: 5, work_unit: '<b>s' },
    hostile().encode());
});
after(() => session.stop());

/**
 * Elements by tag, and everything that could run or load something.
 * @param {import('playwright-core').Page} page
 */
function census(page) {
  return page.evaluate(() => ({
    tags: [...new Set([...document.querySelectorAll('*')].map((node) => node.tagName))].sort(),
    handlers: [...document.querySelectorAll('*')].filter((node) => [...node.attributes].some((a) => a.name.startsWith('on'))).length,
    images: [...document.images].map((node) => node.getAttribute('src')),
    scripts: document.scripts.length,
  }));
}

test('the page\'s files come with the strict policy', async () => {
  const answer = await request(session.server, 'GET', '/');
  const policy = String(answer.headers['content-security-policy']);
  for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self' data:",
    "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"]) {
    assert.ok(policy.includes(part), `${part} in ${policy}`);
  }
});

test('hostile names are text, wherever they show', async () => {
  const clean = await session.open('?service=nothing');
  const before_ = await census(clean);
  await clean.close();
  const page = await session.open(`?service=${encodeURIComponent(EVIL)}&base_version=__proto__&version=${encodeURIComponent('<script>alert(2)</script>')}`);
  const answer = await get(session.server, 'flamegraph', { service: EVIL, version: '<script>alert(2)</script>', base_version: '__proto__' });
  const [now, base] = answer.sides;
  const map = spots(answer, (i) => answer.nodes.self[i] / now.profiles + (answer.nodes.base_self[i]) / base.profiles);
  for (const spot of map.values()) if (spot.depth > 0) await hover(page, spot);
  for (const label of ['Per <b>', 'Share', 'Sum']) await page.locator('#basis button', { hasText: label }).click();
  await settled(page);
  await page.locator('#graph .flame-tree').focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
  await settled(page);
  const after_ = await census(page);
  assert.deepEqual(after_.tags.filter((tag) => !before_.tags.includes(tag) && !/^(TABLE|TR|TH|TD|LI|UL|STRONG|CANVAS|BUTTON|SPAN|OPTION)$/.test(tag)), []);
  assert.equal(after_.handlers, 0);
  assert.deepEqual(after_.images, before_.images);
  assert.equal(after_.scripts, before_.scripts);
  await page.close();
});

test('every hostile function can be focused, and its link opens it again', async () => {
  const { functions } = await get(session.server, 'functions', { service: EVIL, version: '__proto__', limit: 1000 });
  const page = await session.open(`?service=${encodeURIComponent(EVIL)}&version=__proto__`);
  for (const name of HOSTILE_NAMES.filter((n) => n.length < 2000).slice(0, 16)) {
    const row = functions.find((/** @type {any} */ f) => f.name === name);
    if (!row) continue; // the server renders what is not UTF-8, and may name the nameless
    const query = new URLSearchParams({ service: EVIL, type: 'cpu', version: '__proto__', focus: name, file: row.file });
    await page.goto(`${session.server.base}/?${query}`);
    await settled(page);
    assert.equal(parameters(page).get('focus'), name);
    assert.equal(await page.locator('#focus').isVisible(), true, JSON.stringify(name));
    assert.equal((await textOf(page, '.exact-total')).replace(/\D/g, ''), String(row.total), JSON.stringify(name));
  }
  await page.close();
});

test('hostile URL parameters do nothing', async () => {
  const query = new URLSearchParams({ service: EVIL, find: EVIL, focus: EVIL, file: EVIL, root: EVIL, basis: EVIL, from: EVIL, label: EVIL });
  const page = await session.open(`?${query}#${EVIL}`);
  const { handlers, scripts } = await census(page);
  assert.equal(handlers, 0);
  assert.equal(scripts, 1);
  assert.match(await textOf(page, '#notice'), /Code: (bad_parameter|not_found)/);
  await page.close();
});
