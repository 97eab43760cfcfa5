// Each rule of the import table, proved by a planted violation in a small tree.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { importProblems } from '../checks/imports.mjs';

const base = {
  'core/levels.ts': 'export const levels = 6;\n',
  'extension/src/extension.ts':
    "import * as vscode from 'vscode';\nimport { levels } from '../../core/levels';\nexport { levels, vscode };\n",
  'webview/page.ts': "import { levels } from '../core/levels';\nexport { levels };\n",
};

async function problemsOf(planted) {
  const tree = mkdtempSync(path.join(os.tmpdir(), 'lineheat-imports-'));
  const files = { ...base, ...planted };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(tree, file)), { recursive: true });
    writeFileSync(path.join(tree, file), text);
  }
  try {
    return await importProblems(tree, Object.keys(files));
  } finally {
    rmSync(tree, { recursive: true });
  }
}

test('a tree as the table says has no problem', async () => {
  assert.deepEqual(await problemsOf({}), []);
});

const planted = [
  ['vscode outside the editor folder', 'extension/src/targets/cargo.ts', "import 'vscode';\n", 'vscode-only-in-editor'],
  [
    'vscode in core',
    'core/bad.ts',
    "import type { Uri } from 'vscode';\nexport type { Uri };\n",
    'vscode-only-in-editor',
  ],
  [
    'Node in core',
    'core/bad.ts',
    "import { readFileSync } from 'node:fs';\nexport { readFileSync };\n",
    'core-is-pure',
  ],
  ['the webview in core', 'core/bad.ts', "export * from '../webview/page';\n", 'core-imports-core'],
  ['Node in the webview', 'webview/bad.ts', "import path from 'node:path';\nexport { path };\n", 'webview-has-no-node'],
  [
    'the extension in the webview',
    'webview/bad.ts',
    "export * from '../extension/src/extension';\n",
    'webview-imports-core',
  ],
  [
    'the webview in the extension',
    'extension/src/bad.ts',
    "export * from '../../webview/page';\n",
    'extension-imports-core',
  ],
  ['a test in the product', 'core/bad.ts', "export * from './levels.test';\n", 'product-has-no-test-code'],
  ['a file that is not there', 'core/bad.ts', "export * from './nowhere';\n", 'resolvable'],
];
for (const [name, file, text, rule] of planted)
  test(`refused: ${name}`, async () => {
    const extra = rule === 'product-has-no-test-code' ? { 'core/levels.test.ts': 'export const made = 1;\n' } : {};
    const problems = await problemsOf({ ...extra, [file]: text });
    assert.ok(
      problems.some((words) => words.startsWith(file) && words.includes(rule)),
      `expected ${rule} for ${file}, got:\n${problems.join('\n')}`,
    );
  });

test('refused: a cycle', async () => {
  const problems = await problemsOf({ 'core/a.ts': "import './b';\n", 'core/b.ts': "import './a';\n" });
  assert.match(problems.join('\n'), /no-cycle/);
});

test('refused: a folder that the table does not know', async () => {
  assert.match((await problemsOf({ 'surprise/code.ts': 'export {};\n' })).join('\n'), /^surprise\/ holds source files/);
});

test('refused: a run that reads nothing', async () => {
  assert.match((await importProblems(os.tmpdir(), [])).join('\n'), /without reading anything/);
});
