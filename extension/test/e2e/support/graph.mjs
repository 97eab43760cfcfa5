// The flame graph of a panel, used with pointer and keyboard.
import { eventually } from './session.mjs';

/** Types into the panel's search field and gives what the count of matches says. */
export async function searchFor(graph, text) {
  await graph.locator('vscode-textfield.search-field input').fill(text);
  return eventually(`matches of "${text}"`, async () => {
    const [words = ''] = await graph.locator('.search-count').allInnerTexts();
    return /\d %$/.test(words) ? words : undefined; // with the engine's share of them
  });
}

/**
 * Moves the pointer over the graph's canvas until the line below it describes a frame that `matches`, and gives that
 * place. Boxes have no elements of their own: this is how a person finds one.
 */
export async function findFrame(graph, matches) {
  const canvas = graph.locator('.graph canvas');
  const box = await canvas.boundingBox();
  const page = graph.page();
  for (let y = 10; y < box.height; y += 18)
    for (let x = 8; x < box.width; x += Math.max(24, box.width / 24)) {
      await page.mouse.move(box.x + x, box.y + y);
      await page.waitForTimeout(15);
      const words = await graph.locator('.details').first().textContent();
      if (matches(words)) return { position: { x, y }, words };
    }
  throw new Error('No frame of the flame graph was described as expected.');
}

/** Clicks a place of the graph. */
export const clickFrame = (graph, { position }, options = {}) =>
  graph.locator('.graph canvas').click({ position, ...options });
