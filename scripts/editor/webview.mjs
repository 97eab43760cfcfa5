// Finds the page inside a webview.

/** The innermost frame of the webview that contains `selector`. A hidden webview reloads: ask again after a switch. */
export async function webviewWith(page, selector, { timeoutMs = 60_000 } = {}) {
  const end = Date.now() + timeoutMs;
  while (Date.now() < end) {
    for (const frame of page.frames()) {
      if (!frame.url().includes('/webview/browser/pre/fake.html')) continue;
      const count = await frame
        .locator(selector)
        .count()
        .catch(() => 0); // the frame may go while we look
      if (count > 0) return frame;
    }
    await page.waitForTimeout(100);
  }
  throw new Error(`No webview shows ${selector} after ${timeoutMs / 1000} s.`);
}
