// The check that every text users see can be translated, proved by planted violations; and what must stay allowed.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the planted sources hold templates.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import ts from 'typescript';
import {
  checkLocalizedTexts,
  exportedTexts,
  exportProblems,
  localizationProblems,
} from '../checks/localized-texts.mjs';

const problems = (source, exported = new Set()) => localizationProblems(ts, 'webview/page/other.ts', source, exported);
const exportOf = (contents) => exportedTexts([{ file: 'core/other.ts', contents }]);
const imports = "import * as l10n from '@vscode/l10n';\n";

const planted = [
  ['a sentence of a failure', "throw new EngineFailure('gone', 'The run is gone.');"],
  ['a sentence with a value', 'const words = `The run ${name} is gone.`;'],
  ['a sentence that a variable holds', "const NOTHING = 'Nothing was recorded here.';"],
  ['one word of a button', "const item = { label: 'Open' };"],
  ['a label behind an icon', 'const item = { label: `$(gear) Settings of ${name}` };'],
  ['a tooltip in lower case', "const button = { tooltip: 'set arguments' };"],
  ['a text of an element', "cell.textContent = 'none';"],
  ['a title of an element', 'cell.title = `${count} samples`;'],
  ['words between tags', 'const head = html`<th scope="col">function</th>`;'],
  ['words beside a value', 'const head = html`<p>${count} of them</p>`;'],
  ['an attribute that is read out', 'const list = html`<ul aria-label="Callers">${rows}</ul>`;'],
  ['a title in a template', 'const list = html`<ul title="Open line ${line}">${rows}</ul>`;'],
  ['a call with a variable', `${imports}const text = l10n.t(sentence);`],
  ['a call with glued text', `${imports}const text = l10n.t('The run ' + name);`],
  ['a call with a template', `${imports}const text = l10n.t(\`The run \${name}\`);`],
  ['a call that the export misses', `${imports}const text = l10n.t('A new text');`],
  ['a sentence within the arguments of a call', `${imports}const text = l10n.t('{0}', 'The run is gone.');`],
];
for (const [name, source] of planted)
  test(`${name} is refused`, () => assert.equal(problems(source, new Set(['{0}'])).length, 1));

const allowed = [
  ['a translated text', `${imports}const text = l10n.t('No run is open.');`],
  ['a translated text of the editor', "const text = vscode.l10n.t('No run is open.');"],
  ['a translated text with a note', `${imports}const text = l10n.t({ message: 'No run is open.', comment: ['n'] });`],
  ['an identifier', "const item = { type: 'reveal', id: 'lineheat.runs', label: name };"],
  ['an icon with a foreign name', 'const item = { label: `$(gear) ${name}` };'],
  ['a line of the log', "log.warn('A message was refused.');"],
  ['a class and a role', 'const row = html`<div class="row numeric" role="gridcell">${text}</div>`;'],
  ['the name of a tool', "const names = new Map([['cmake', 'CMake']]);"],
];
for (const [name, source] of allowed)
  test(`${name} is allowed`, () => assert.deepEqual(problems(source, new Set(['No run is open.'])), []));

test('a committed export that lacks a text, or has one too many, is refused', async () => {
  const [one, two] = [`${imports}l10n.t('One');`, `${imports}l10n.t('One'); l10n.t('Two {0}', 2);`];
  const [short, long] = [await exportOf(one), await exportOf(two)];
  assert.deepEqual(exportProblems(short, short), []);
  assert.match(exportProblems(short, long)[0], /it lacks "Two \{0\}"/);
  assert.match(exportProblems(long, short)[0], /no source has "Two \{0\}"/);
  assert.match(exportProblems('', short)[0], /it lacks "One"/);
});

test('the tree passes', () => checkLocalizedTexts());
