// Each rule of the banned code, proved by a planted violation; and what must stay allowed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import ts from 'typescript';
import { bannedCode, bannedCodeProblems } from '../checks/banned-code.mjs';

const spawner = 'extension/src/targets/runStep.ts';
const other = 'extension/src/heat/other.ts';
const problems = (text, file = other) => bannedCode(ts, file, text);

const planted = [
  ['exec', "import { exec } from 'node:child_process';\nexec('ls');", /imports exec/, spawner],
  ['exec under another name', "import { exec as run } from 'child_process';", /imports exec/, spawner],
  ['execSync', "import { execSync } from 'node:child_process';", /imports execSync/, spawner],
  ['all of child_process', "import * as processes from 'node:child_process';", /imports all of/, spawner],
  [
    'a process from another file',
    "import { spawn } from 'node:child_process';",
    /child_process, which starts programs/,
  ],
  ['require', "const { spawn } = require('child_process');", /child_process, which starts programs/],
  ['a module chosen at run time', 'await import(name);', /chosen at run time/],
  ['a shell', "spawn('a', [], { shell: true });", /may use a shell/],
  ['a shell by a variable', "spawn('a', [], { shell });", /without `shell: false`/],
  ['spawn that leaves it open', "spawn('a', []);", /without `shell: false`/],
  ['a shell execution', "new vscode.ShellExecution('a');", /ShellExecution/],
  ['text typed into a terminal', "terminal.sendText('a');", /sendText/],
  ['innerHTML', 'element.innerHTML = name;', /innerHTML/],
  ['innerHTML by its name', "element['innerHTML'] = name;", /innerHTML/],
  ['insertAdjacentHTML', "element.insertAdjacentHTML('beforeend', name);", /insertAdjacentHTML/],
  ['srcdoc', 'frame.srcdoc = name;', /srcdoc/],
  ['document.write', 'document.write(name);', /writes markup/],
  ['a handler as an attribute', "element.setAttribute('onclick', name);", /attribute onclick/],
  ['a link as an attribute', "element.setAttribute('href', name);", /attribute href/],
  ['eval', 'eval(name);', /makes code of text/],
  ['new Function', "new Function('a', name);", /makes code of text/],
  ['trusted Markdown', 'markdown.isTrusted = true;', /trusts text/],
  ['trusted Markdown in an object', 'const options = { isTrusted: true };', /trusts text/],
  ['a foreign command in Markdown', "markdown.isTrusted = { enabledCommands: ['workbench.x'] };", /trusts text/],
  ['HTML in Markdown', 'markdown.supportHtml = true;', /supportHtml/],
  ['the network', "fetch('https://a.example');", /network/],
  ['a socket', "import net from 'node:net';", /node:net/],
  ['a notification of its own', 'vscode.window.showInformationMessage(name);', /links in foreign text/],
  ['a command chosen at run time', 'vscode.commands.executeCommand(name);', /runs a command/],
  ['markup of a value in a template', "import { unsafeHTML } from 'lit/directives/unsafe-html.js';", /unsafeHTML/],
  [
    'the same under another name',
    "import * as raw from 'lit/directives/unsafe-svg.js';",
    /lit\/directives\/unsafe-svg\.js/,
  ],
  ['static templates', "import { html } from 'lit/static-html.js';", /lit\/static-html\.js/],
  ['a style by a template', "import { styleMap } from 'lit/directives/style-map.js';", /styleMap/],
  ['a handler as text in a template', 'html`<p onclick="f()"></p>`;', /attribute onclick in a template/],
  ['a style in a template', 'html`<p style="top: 0"></p>`;', /attribute style in a template/],
  ['a link in a template', 'html`<a class="x" href="/"></a>`;', /attribute href in a template/],
  ['markup by a property in a template', `html\`<p .innerHTML=\${name}></p>\`;`, /attribute \.innerHTML in a template/],
  ['a script in a template', 'svg`<script></script>`;', /element script in a template/],
  ['HTML of a webview', 'webview.html = name;', /HTML of a webview/],
];
for (const [name, text, words, file] of planted)
  test(`refused: ${name}`, () => {
    assert.match(problems(text, file).join('\n'), words);
    assert.match(problems(text, file)[0], /^extension\/src\/.*[.]ts:[12] /);
  });

test('allowed: a regular expression, words in texts and comments, a child process by an array', () => {
  const good = `import { type ChildProcess, spawn } from 'node:child_process';
    // innerHTML = exec(fetch)
    const found = /a/.exec('innerHTML eval(');
    spawn(command, [...args], { cwd, shell: false });
    if (vscode.workspace.isTrusted) markdown.isTrusted = { enabledCommands: ['lineheat.goto'] };
    vscode.commands.executeCommand('setContext', name, found);`;
  assert.deepEqual(problems(good, spawner), []);
});

test('allowed: a template of lit with values as text, attributes, properties and listeners', () => {
  const good = `import { html, nothing, svg } from 'lit';
    const row = html\`<p class=\${kind} .value=\${name} ?hidden=\${!name} @click=\${open}>\${name}</p>\`;
    const dot = svg\`<circle cx="3" r=\${radius}></circle>\`;`;
  assert.deepEqual(problems(good), []);
});

test('the tree as it is has none', async () => {
  assert.deepEqual(await bannedCodeProblems(), []);
});

test('refused: a run that reads nothing', async () => {
  assert.match((await bannedCodeProblems([])).join('\n'), /^Only 0 product files/);
});
