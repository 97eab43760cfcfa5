// Filters that the user types into the bar of the selection, in a real Chromium, with a host that keeps the selection as the extension
// does.
import assert from 'node:assert/strict';
import axe, { type AxeResults } from 'axe-core';
import type { PanelPage } from './browserPage.ts';
import { onPage } from './onPage.ts';
import { themes } from './themes.ts';
import { allOf, chips, lastSelect, press, settled, showTimeline } from './timelinePanel.ts';

const FORM = '.filter-form';
const field = (panel: PanelPage) => panel.page.locator(`${FORM} .filter-text input`);
const told = async (panel: PanelPage) => {
  await settled(panel);
  return (await panel.page.locator('.filter-answer').textContent())?.trim();
};
async function choose(panel: PanelPage, what: 'thing' | 'meaning' | 'act', label: string) {
  await panel.page.locator(`${FORM} .filter-${what}`).click();
  await panel.page.getByRole('option', { name: label, exact: true }).click();
  await settled(panel);
}
async function type(panel: PanelPage, text: string) {
  await field(panel).fill(text);
  await settled(panel);
}
const focused = (panel: PanelPage) =>
  panel.page.evaluate(() => document.activeElement?.className || document.activeElement?.localName);

onPage('a filter is typed with its count, added, changed, removed and brought back', {}, async (panel) => {
  await showTimeline(panel);
  await panel.page.locator('.timeline-grid').focus();
  await press(panel, 'a');
  assert.equal(await focused(panel), 'filter-text');
  await panel.page.keyboard.type('parse*');
  assert.equal(await told(panel), '3 functions: parse, parse_line, parse_word');
  await press(panel, 'Enter');
  assert.deepEqual(await chips(panel), ['Only with: parse*']);
  assert.equal(await panel.page.locator(FORM).count(), 0);
  assert.equal(await focused(panel), 'timeline-grid', 'the focus is where it was');
  assert.deepEqual((await lastSelect(panel)).selection.transforms, [
    { kind: 'keepFunction', function: { name: 'parse*', module: '' } },
  ]);

  await panel.page.getByRole('button', { name: 'Edit filter Only with: parse*' }).focus();
  await press(panel, 'Enter');
  assert.equal(await field(panel).inputValue(), 'parse*');
  await choose(panel, 'meaning', 'Regular expression');
  await choose(panel, 'act', 'Drop its samples');
  await type(panel, '^parse_');
  assert.equal(await told(panel), '2 functions: parse_line, parse_word');
  await press(panel, 'Enter');
  assert.deepEqual(await chips(panel), ['Drop: /^parse_/']);

  await panel.page.getByRole('button', { name: 'Remove Drop: /^parse_/ from the selection' }).click();
  await settled(panel);
  assert.deepEqual(await chips(panel), []);
  await press(panel, 'Control+z');
  assert.deepEqual(await chips(panel), ['Drop: /^parse_/']);
  await press(panel, 'Control+z');
  assert.deepEqual(await chips(panel), ['Only with: parse*']);
  await press(panel, 'Control+Shift+Z');
  assert.deepEqual(await chips(panel), ['Drop: /^parse_/']);
});

onPage('what means nothing is told under the text, and is not added', {}, async (panel) => {
  await showTimeline(panel);
  await panel.page.getByRole('button', { name: 'Add filter (A)' }).first().click();
  await press(panel, 'Enter');
  assert.match((await told(panel))!, /^Enter the name of a function/);
  await type(panel, 'parsee');
  assert.match((await told(panel))!, /^No function is called parsee\. Names: main/);
  await choose(panel, 'meaning', 'Regular expression');
  await type(panel, '(');
  assert.match((await told(panel))!, /is no regular expression: unclosed group/);
  await press(panel, 'Enter');
  assert.ok(await panel.page.locator(FORM).isVisible());
  assert.deepEqual(await allOf(panel, 'select'), []);
  await press(panel, 'Escape');
  assert.equal(await panel.page.locator(FORM).count(), 0);
  assert.equal(await panel.page.locator('.selection-bar').isVisible(), false);
  assert.equal(await focused(panel), 'vscode-toolbar-button', 'the button that opened it');
});

onPage('keys of the form are its own, and Escape closes an open list first', {}, async (panel) => {
  await showTimeline(panel);
  await press(panel, 'a');
  await panel.page.keyboard.type('kja?');
  assert.equal(await field(panel).inputValue(), 'kja?');
  await panel.page.locator(`${FORM} .filter-thing`).click();
  await press(panel, 'Escape');
  assert.ok(await panel.page.locator(FORM).isVisible(), 'the list was closed');
  await press(panel, 'Escape');
  assert.equal(await panel.page.locator(FORM).count(), 0);
  assert.deepEqual(await allOf(panel, 'select'), []);
  assert.equal(await panel.page.locator('dialog[open]').count(), 0, 'no help was opened');
});

onPage('threads and processes are kept or dropped, and nothing else', {}, async (panel) => {
  await showTimeline(panel);
  await press(panel, 'a');
  await choose(panel, 'act', 'Merge into callers');
  await choose(panel, 'thing', 'Thread');
  await panel.page.locator(`${FORM} .filter-act`).click();
  const acts = (await panel.page.getByRole('option').allTextContents()).map((text) => text.trim());
  assert.deepEqual(acts, ['Keep only its samples', 'Drop its samples']);
  await panel.page.getByRole('option', { name: 'Drop its samples' }).click();
  await choose(panel, 'meaning', 'Name');
  await type(panel, 'main');
  await press(panel, 'Enter');
  assert.deepEqual((await lastSelect(panel)).selection.droppedThreads, ['main']);
  assert.deepEqual(await chips(panel), ['Drop thread main']);
  const asked = (await allOf(panel, 'matchNames')).at(-1)!;
  assert.deepEqual([asked.thing, asked.text, asked.exact], ['thread', 'main', true]);
});

onPage('texts of others and of any length stay what they are', {}, async (panel) => {
  await showTimeline(panel);
  await press(panel, 'a');
  await type(panel, 'a\u202eb<img src=x>');
  assert.match((await told(panel))!, /^No function is called a\\u202eb<img src=x>/);
  await type(panel, 'x'.repeat(10_000));
  assert.match((await told(panel))!, /has 10,000 characters, but a filter has at most 4,096/);
  const before = (await allOf(panel, 'matchNames')).length;
  await press(panel, 'Enter');
  assert.equal((await allOf(panel, 'matchNames')).length, before, 'it is not even asked');
  const long = `*${'y'.repeat(4000)}`;
  await type(panel, `${long}*`);
  await press(panel, 'Escape', 'a');
  await choose(panel, 'meaning', 'Regular expression');
  await type(panel, `\u202e|parse|${'z'.repeat(3000)}`);
  await press(panel, 'Enter');
  const [chip] = await chips(panel);
  assert.ok(chip!.length < 80 && chip!.includes('\\u202e') && !chip!.includes('\u202e'), chip);
  assert.equal(await panel.page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth), false);
});

onPage('a selection that is refused is told beside the bar until something else is selected', {}, async (panel) => {
  const host = await showTimeline(panel);
  await press(panel, 'k');
  for (const message of host.refusal('This profile does not have a function of the kernel.')) await panel.post(message);
  await settled(panel);
  const refused = panel.page.locator('.selection-refused');
  assert.equal(await refused.textContent(), 'This profile does not have a function of the kernel.');
  assert.equal(await refused.getAttribute('role'), 'alert');
  assert.deepEqual(await chips(panel), []);
  await press(panel, 'j');
  assert.equal(await refused.count(), 0);
});

for (const [theme, colours] of Object.entries(themes))
  for (const width of [420, 1360])
    onPage(
      `the form meets the rules and fits, ${theme}, ${width} px`,
      { theme: colours, width, height: 1000 },
      async (panel) => {
        await showTimeline(panel);
        await press(panel, 'k', 'a');
        for (const text of ['parse*', 'nothing such']) {
          await type(panel, text);
          await panel.screenshot(`filter-${theme}-${width}-${text === 'parse*' ? 'found' : 'none'}`);
          await panel.page.evaluate(axe.source);
          const results = (await panel.page.evaluate(() =>
            (window as unknown as { axe: { run(options: object): Promise<unknown> } }).axe.run({
              runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
            }),
          )) as AxeResults;
          const found = results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
          assert.deepEqual(found, []);
        }
        const outside = await panel.page.evaluate(() =>
          [...document.querySelectorAll('.filter-form > *')]
            .map((part) => part.getBoundingClientRect())
            .filter(({ left, right }) => left < 0 || right > window.innerWidth),
        );
        assert.deepEqual(outside, []);
      },
    );
