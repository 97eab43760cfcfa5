// Finds the page inside a webview.

/**
 * The innermost frame of the webview in front that contains `selector`, or of any, hidden ones too. These keep their content
 * or reload: ask again after a switch.
 */
export async function webviewWith(page, selector, { timeoutMs = 60_000, hiddenToo = false } = {}) {
  const end = Date.now() + timeoutMs;
  while (Date.now() < end) {
    for (const frame of hiddenToo ? framesOfWebviews(page) : await framesInFront(page)) {
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

const framesOfWebviews = (page) =>
  page.frames().filter((frame) => frame.url().includes('/webview/browser/pre/fake.html'));

/** The innermost frames of the webviews that are not hidden behind another tab. */
export async function framesInFront(page) {
  const frames = framesOfWebviews(page);
  const shown = await Promise.all(frames.map(isInFront));
  return frames.filter((_, at) => shown[at]);
}

/** A frame that is gone is not. */
export async function isInFront(frame) {
  const outer = await frame
    .parentFrame()
    ?.frameElement()
    .catch(() => undefined);
  return outer?.isVisible() ?? false;
}
