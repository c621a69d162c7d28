// SPDX-License-Identifier: Apache-2.0
// The system's Chromium on the real server. A Session keeps an eye on what must never happen,
// whatever is shown: a dialog, a request to another host, a script error, a refusal by the CSP.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { Server, SLOW } from '../../api/server.js';

const FLAGS = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const PATIENCE_MS = 20000 * SLOW;

/** @typedef {import('playwright-core').Page} BrowserPage */
/** @typedef {{width?: number, height?: number, dark?: boolean, touch?: boolean}} Look */

export class Session {
  /** @param {string[]} [args] further flags of the server */
  static async start(args = []) {
    const folder = process.env.BRAZIER_STATIC_DIR;
    const server = await Server.start({ args: folder ? ['--static-dir', folder, ...args] : args });
    const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'brazier-ui-'));
    const browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: [...FLAGS, `--disk-cache-dir=${profile}`],
    });
    return new Session(server, browser, profile);
  }

  /**
   * @param {Server} server
   * @param {import('playwright-core').Browser} browser
   * @param {string} profile
   */
  constructor(server, browser, profile) {
    this.server = server;
    this.browser = browser;
    this.profile = profile;
    /** @type {string[]} */
    this.wrongs = [];
  }

  /**
   * Opens the page, watched.
   * @param {string} search
   * @param {Look} [look]
   * @returns {Promise<BrowserPage>}
   */
  async open(search, { width = 1280, height = 800, dark = false, touch = false } = {}) {
    const context = await this.browser.newContext({
      viewport: { width, height }, colorScheme: dark ? 'dark' : 'light', hasTouch: touch,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    page.on('dialog', (dialog) => {
      this.wrongs.push(`dialog: ${dialog.message()}`);
      dialog.dismiss();
    });
    page.on('pageerror', (error) => this.wrongs.push(`error: ${error.message}`));
    page.on('console', (message) => {
      // An answer of the API that is an error is logged by the browser; those have tests of their own.
      if (message.type() === 'error' && !/Failed to load resource|ApiError/.test(message.text())) {
        this.wrongs.push(`console: ${message.text()}`);
      }
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(`${this.server.base}/`) && !request.url().startsWith('data:')) {
        this.wrongs.push(`request: ${request.url()}`);
      }
    });
    await page.goto(`${this.server.base}/${search}`);
    await settled(page);
    return page;
  }

  async stop() {
    await this.browser.close();
    fs.rmSync(this.profile, { recursive: true, force: true });
    await this.server.stop();
    assert.deepEqual(this.wrongs, []);
  }
}

/**
 * Waits until the page has drawn what its URL says.
 * @param {BrowserPage} page
 */
export async function settled(page) {
  await page.waitForFunction(() => !document.body.classList.contains('busy'));
  await page.evaluate(() => new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(null)));
  }));
}

/**
 * A text as one would type it: plain spaces and minus signs.
 * @param {string|null} text
 */
export function plain(text) {
  return (text ?? '').replace(/[\u202f\u00a0]/g, ' ').replace(/\u2212/g, '-');
}

/**
 * @param {BrowserPage} page
 * @param {string} selector
 */
export async function textOf(page, selector) {
  return plain(await page.locator(selector).first().textContent());
}

/**
 * The URL's parameters.
 * @param {BrowserPage} page
 */
export function parameters(page) {
  return new URL(page.url()).searchParams;
}

/**
 * The names in the function list, in order, as far as they are on the screen.
 * @param {BrowserPage} page
 */
export async function listed(page) {
  return page.locator('.list-space .list-row:visible').evaluateAll((rows) => rows
    .sort((a, b) => Number(a.getAttribute('data-at')) - Number(b.getAttribute('data-at')))
    .map((row) => row.querySelector('.who-name')?.textContent ?? ''));
}

/**
 * The digits of a cell's text or title.
 * @param {string|null} text
 */
export function digits(text) {
  return plain(text).replace(/[^0-9-]/g, '');
}
