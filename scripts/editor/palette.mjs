// The command palette and the lists that commands show, used as a person does.

const rows = (page) => page.locator('.quick-input-list .monaco-list-row');
const box = (page) => page.locator('.quick-input-widget input[type=text]');

/** Runs a command by its full title, such as "View: Toggle Zen Mode". */
export async function runCommand(page, title, { timeoutMs = 60_000 } = {}) {
  await inPalette(page, title, timeoutMs, (row) => row.click({ timeout: 4_000 }));
}

/** Waits until the palette knows a command. What its extension brings for comparison is known then, too. */
export async function knowsCommand(page, title, { timeoutMs = 60_000 } = {}) {
  await inPalette(page, title, timeoutMs, (row) => row.waitFor({ timeout: 4_000 }));
  await page.keyboard.press('Escape');
}

async function inPalette(page, title, timeoutMs, use) {
  const row = rows(page)
    .filter({ has: page.getByText(title, { exact: true }) })
    .first();
  const end = Date.now() + timeoutMs;
  for (;;) {
    await page.keyboard.press('F1');
    try {
      await box(page).fill(`>${title}`, { timeout: 4_000 });
      await use(row);
      return;
    } catch (cause) {
      if (Date.now() > end) throw new Error(`The palette has no command "${title}".`, { cause });
    }
    // What takes the focus closes the list, and it does not follow when an extension arrives late: open it anew.
    await page.keyboard.press('Escape');
  }
}

/**
 * Runs a command that shows a list and picks its first row that contains `text`. What takes the focus while the list opens,
 * such as a page that has just been drawn, closes the list: then once more.
 */
export async function chooseFrom(page, title, text, { timeoutMs = 60_000 } = {}) {
  const end = Date.now() + timeoutMs;
  for (;;) {
    await runCommand(page, title);
    try {
      await pickRow(page, text, { timeoutMs: 15_000 });
      return;
    } catch (cause) {
      if (Date.now() > end) throw new Error(`The list of "${title}" has no row "${text}".`, { cause });
    }
    await page.keyboard.press('Escape');
  }
}

/** Picks the first row of the open list that contains `text`. */
export async function pickRow(page, text, { timeoutMs = 60_000 } = {}) {
  await rows(page).filter({ hasText: text }).first().click({ timeout: timeoutMs });
}

/** Picks the row at a place of the open list, from 0. */
export async function pickNth(page, place) {
  await rows(page).nth(place).click();
}

/** Waits until the open list has a row that contains `text`. */
export async function listedRow(page, text, { timeoutMs = 60_000 } = {}) {
  await rows(page).filter({ hasText: text }).first().waitFor({ timeout: timeoutMs });
}

/** The rows of the open list, as text. */
export async function listedRows(page) {
  await rows(page).first().waitFor();
  return (await rows(page).allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim());
}

/** Types into the open input box and accepts it. */
export async function answer(page, text) {
  await box(page).fill(text);
  await page.keyboard.press('Enter');
}

/** Opens a file of the workspace by name, through Quick Open. */
export async function openFile(page, name, { timeoutMs = 60_000 } = {}) {
  const end = Date.now() + timeoutMs;
  for (;;) {
    await page.keyboard.press('Control+p');
    try {
      await box(page).fill(name, { timeout: 4_000 });
      // A click, not Enter: the first row is another file until the list has been filtered.
      await rows(page).filter({ hasText: name }).first().click({ timeout: 4_000 });
      break;
    } catch (cause) {
      // A page that has just been drawn takes the focus, which closes the list.
      if (Date.now() > end) throw new Error(`Quick Open has no file "${name}".`, { cause });
      // The same words in the same list are not searched for again.
      await page.keyboard.press('Escape');
    }
  }
  await page.locator('.tab.active').filter({ hasText: name }).first().waitFor();
}
