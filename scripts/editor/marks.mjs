// Reads what an extension put into a text editor: code lenses, text after lines, line colours, marks in the overview ruler.
// Only what is in the viewport exists in the page.

/** The code lenses in view: [{ line, titles }]. */
export const codeLenses = (page) =>
  page.evaluate(() => {
    const numbers = [...document.querySelectorAll('.monaco-editor .margin-view-overlays > div')]
      .map((row) => ({
        top: row.getBoundingClientRect().top,
        line: Number(row.querySelector('.line-numbers')?.textContent),
      }))
      .sort((a, b) => a.top - b.top);
    return [...document.querySelectorAll('.monaco-editor .codelens-decoration')].map((lens) => {
      const { top } = lens.getBoundingClientRect();
      const titles = [...lens.querySelectorAll('a, :scope > span:not(.codicon)')].map((part) =>
        part.textContent.trim(),
      );
      return {
        line: numbers.find((row) => row.top > top)?.line,
        titles: titles.filter((title) => title && title !== '|'),
      };
    });
  });

/** The decorated lines in view: [{ line, text, after, background }]; `after` is what is shown behind the text. */
export const decoratedLines = (page) =>
  page.evaluate(() => {
    const rows = new Map();
    const rowOf = (element) => {
      const { top } = element.style;
      if (!rows.has(top)) rows.set(top, { after: [] });
      return rows.get(top);
    };
    for (const margin of document.querySelectorAll('.monaco-editor .margin-view-overlays > div'))
      rowOf(margin).line = Number(margin.querySelector('.line-numbers')?.textContent);
    for (const line of document.querySelectorAll('.monaco-editor .view-lines > .view-line')) {
      const row = rowOf(line);
      row.text = line.textContent.replaceAll('\u00a0', ' ');
      for (const span of line.querySelectorAll('span[class*="ced-"]')) {
        const { content } = getComputedStyle(span, '::after');
        if (!['none', 'normal', '""'].includes(content)) row.after.push(JSON.parse(content));
      }
    }
    for (const overlay of document.querySelectorAll('.monaco-editor .view-overlays > div'))
      for (const mark of overlay.querySelectorAll('.cdr[class*="ced-"]')) {
        const { backgroundColor } = getComputedStyle(mark);
        if (backgroundColor !== 'rgba(0, 0, 0, 0)') rowOf(overlay).background = backgroundColor;
      }
    return [...rows.values()]
      .filter((row) => row.line && (row.after.length > 0 || row.background))
      .sort((a, b) => a.line - b.line);
  });

/** How many rows of pixels the overview ruler of the first editor has in each colour: { "r,g,b": rows }. */
export const overviewMarks = (page) =>
  page.evaluate(() => {
    const ruler = document.querySelector('.monaco-editor canvas.decorationsOverviewRuler');
    if (!ruler || ruler.width === 0) return {};
    const { data } = ruler.getContext('2d').getImageData(0, 0, ruler.width, ruler.height);
    const rows = {};
    for (let y = 0; y < ruler.height; y++) {
      const colours = new Set();
      for (let x = 0; x < ruler.width; x++) {
        const at = 4 * (y * ruler.width + x);
        if (data[at + 3] > 100) colours.add(data.slice(at, at + 3).join(','));
      }
      for (const colour of colours) rows[colour] = (rows[colour] ?? 0) + 1;
    }
    return rows;
  });

/** Rests the pointer on the text of a line and gives what the hover says. */
export async function hoverOver(page, text) {
  const line = page.locator('.monaco-editor .view-line').filter({ hasText: text }).first();
  const hover = page.locator('.monaco-hover:not(.hidden)').filter({ hasText: /\S/ }).first();
  // A lens that arrives moves the line away below the pointer: point again.
  for (let tries = 5; ; tries--) {
    await page.mouse.move(0, 0);
    await line.locator('span span').last().hover();
    const shown = await hover.waitFor({ timeout: 6_000 }).then(
      () => true,
      () => false,
    );
    if (shown) return (await hover.allInnerTexts()).join('\n').replaceAll('\u00a0', ' ');
    if (tries === 1) throw new Error(`No hover appeared over "${text}".`);
  }
}

/** The notifications on screen, as text. */
export const notifications = (page) =>
  page.locator('.notification-toast .notification-list-item-message').allInnerTexts();
