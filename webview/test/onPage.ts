// Tests in pages of their own, in one browser for each file of tests.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openPage, type PageOptions, type PanelPage, startBrowser } from './browserPage.ts';

let browser: Browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser.close());

/** A test in a page of its own that must have done nothing it may not. */
export function onPage(name: string, options: PageOptions, act: (panel: PanelPage) => Promise<void>): void {
  test(name, async () => {
    const panel = await openPage(browser, options);
    try {
      await act(panel);
      assert.deepEqual(await panel.faults(), []);
    } finally {
      await panel.close();
    }
  });
}
