// The suite of hostile input inside the extension host (bundled to dist/test/hostile-input.js): settings of the open
// folders, names and paths of a profile, messages of a page. The engine, the page's handler and the editor are the real ones.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { visibleText } from '../../../core/foreignText.ts';
import { viewKinds } from '../../../core/webviewMessages.ts';
import { evilNames } from '../../../webview/test/evilNames.ts';
import { OutputLog } from '../../src/editor/outputLog.ts';
import { ProfilePage } from '../../src/editor/panels/profilePage.ts';
import { runSubject } from '../../src/editor/panels/profileSubjects.ts';
import { RetainedPages } from '../../src/editor/panels/retainedPages.ts';
import { recordSettings } from '../../src/editor/settings.ts';
import { SourceNavigation } from '../../src/editor/sourceNavigation.ts';
import { TextDocuments } from '../../src/editor/textDocuments.ts';
import { EngineClient } from '../../src/engine/engineClient.ts';
import { enginePath } from '../../src/engine/enginePath.ts';
import { RunEngines } from '../../src/engine/runEngines.ts';
import { fileRun } from '../../src/engine/runRef.ts';
import { RunMeasures } from '../../src/selection/runMeasures.ts';
import { RunSelections } from '../../src/selection/runSelections.ts';
import { evilProfile } from '../support/evilProfile.ts';
import { eventually, pause, runInOrder, seededRandom } from './inOrder.ts';

const EXTENSION = 'lineheat.lineheat';
const MESSAGES = 10_000;
const [one, two] = vscode.workspace.workspaceFolders!.map(({ uri }) => uri.fsPath) as [string, string];
const base = path.dirname(one);
const source = path.join(one, 'src/evil.cpp');
const outside = path.join(base, 'outside.cpp');
const extensionPath = () => vscode.extensions.getExtension(EXTENSION)!.extensionPath;

/** Where a profile may say that its code is; none of these may open by itself. */
const badPaths = [
  '/etc/passwd',
  '//etc/passwd',
  '/proc/self/environ',
  '/dev/zero',
  '\\\\host\\share\\a.cpp',
  '//host/share/a.cpp',
  'vscode://file/etc/passwd',
  'vscode-remote://host/etc/passwd',
  'file:///etc/passwd',
  'command:workbench.action.quit',
  'https://host.example/a.cpp',
  `${one}/../outside.cpp`,
  `${one}/src/../../../../../../../../etc/passwd`,
  `${one}/passwd.cpp`, // links to /etc/passwd
  `${one}/etc/passwd`, // in a link to /etc
  `${one}/fifo`,
  `${one}/src/evil.cpp\u0000.txt`,
  outside,
];

function writeProfiles(): void {
  fs.mkdirSync(path.dirname(source), { recursive: true });
  fs.writeFileSync(source, evilNames.map((_, at) => `int f${at}(int a) { return a + ${at}; }`).join('\n'));
  fs.writeFileSync(outside, 'int outside;\n');
  fs.symlinkSync('/etc/passwd', path.join(one, 'passwd.cpp'));
  fs.symlinkSync('/etc', path.join(one, 'etc'));
  const texts = { module: '<img src=x>\u001b[31m', unit: '![u](https://host.example/u.png)', type: '[t](command:t)' };
  const named = evilNames.map((name, at) => ({ name, file: source, line: at + 1 }));
  fs.writeFileSync(path.join(one, 'names.pb.gz'), new Uint8Array(evilProfile(named, texts)));
  const placed = badPaths.map((file, at) => ({ name: `f${at}`, file, line: 1 }));
  const good = { name: 'good', file: source, line: 3 };
  const paths = evilProfile([...placed, good], { module: 'a', unit: 'nanoseconds', type: 'cpu' });
  fs.writeFileSync(path.join(one, 'paths.pb.gz'), new Uint8Array(paths));
}

const call = (command: string, ...args: unknown[]) => vscode.commands.executeCommand(`lineheat.${command}`, ...args);

/** No text is open, in a tab or not, of a file that is not of the open folders. The editor opens its own settings. */
function assertNothingForeignIsOpen(): void {
  const foreign = vscode.workspace.textDocuments
    .filter(({ uri }) => uri.scheme !== 'lineheat' && uri.scheme !== 'output' && uri.scheme !== 'untitled')
    .filter(({ uri }) => uri.toString() !== vscode.workspace.workspaceFile?.toString())
    // The editor holds its own settings open after it wrote one.
    .filter(({ uri }) => !uri.fsPath.endsWith('/data/User/settings.json'))
    .filter(({ uri }) => uri.scheme !== 'file' || ![one, two].some((folder) => isBelow(uri.fsPath, folder)))
    .map(({ uri }) => uri.toString());
  assert.equal(foreign.length, 0, foreign.join(' '));
}
const isBelow = (file: string, folder: string) => fs.realpathSync(file).startsWith(`${folder}/`);

/** The programs that the extension host runs, those of the editor itself and of its git extension apart. */
function children(): string[] {
  const programs: string[] = [];
  for (const pid of fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const parent = Number(/\nPPid:\t(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
      const program = fs.readlinkSync(`/proc/${pid}/exe`);
      const isEditors = program === process.execPath || path.basename(program) === 'git';
      if (parent === process.pid && !isEditors) programs.push(program);
    } catch {
      // It has ended.
    }
  }
  return programs;
}

const tests: Record<string, () => Promise<void>> = {
  'settings of folders and workspace, flat and nested, choose no program, argument, folder or server': async () => {
    writeProfiles();
    const settings = vscode.workspace.getConfiguration('lineheat', vscode.Uri.file(one));
    assert.equal(settings.get('record.sampleRate'), 7, 'the settings of the workspace are read at all');
    assert.equal(settings.get('record.debuginfod'), false);
    assert.equal(recordSettings().debuginfod, false);
    await call('openRun', path.join(one, 'paths.pb.gz'));
    const engine = fs.realpathSync(enginePath(extensionPath()));
    // The editor's own helpers come and go; a program that settings chose would leave its file, below.
    const isEngineAlone = () => children().length > 0 && children().every((program) => program === engine);
    await eventually('the engine as the only child', isEngineAlone);
    assert.deepEqual(new Set(children()), new Set([engine]));
    await call('doctor');
    assert.equal(fs.existsSync(path.join(base, 'chosen-by-settings')), false);
    assert.equal(fs.existsSync(path.join(base, 'output')), false);
  },

  'a profile that leads outside opens nothing there by itself': async () => {
    await pause(500);
    assertNothingForeignIsOpen();
    assert.equal(vscode.window.activeTextEditor?.document.uri.scheme, 'lineheat');
    await call('goToHottestLine');
    assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, source);
    await call('openRun', path.join(one, 'paths.pb.gz'));
    assertNothingForeignIsOpen();
  },

  'no path of the list opens by itself, whoever asks': async () => {
    const navigation = new SourceNavigation(new TextDocuments());
    // Not awaited: a question waits for the user, who is not here.
    for (const file of badPaths) void navigation.show({ path: file, recordedPath: file, line: 1 }, { aside: false });
    await pause(1000);
    assertNothingForeignIsOpen();
    await navigation.show({ path: source, recordedPath: source, line: 2 }, { aside: false });
    assert.equal(vscode.window.activeTextEditor?.selection.active.line, 1);
  },

  'evil names make no markup, link or command in hovers and lenses, and can be seen whole': async () => {
    await call('openRun', path.join(one, 'names.pb.gz'));
    const document = await vscode.workspace.openTextDocument(source);
    await vscode.window.showTextDocument(document);
    let hovers = 0;
    for (const line of evilNames.keys()) {
      const found = await vscode.commands.executeCommand<vscode.Hover[]>(
        'vscode.executeHoverProvider',
        document.uri,
        new vscode.Position(line, 4),
      );
      for (const { contents } of found)
        for (const part of contents) {
          const markdown = part as vscode.MarkdownString;
          if (!/\*\*self\*\*/.test(markdown.value)) continue;
          hovers++;
          const own = /\[((?:[^[\]\\<>`!]|&#\d+;)*)\]\(command:lineheat\.goto\?%5B\d+%5D\)/g;
          const rest = markdown.value.replace(own, '$1');
          assert.doesNotMatch(rest, /[[\]<>`\\!]|command:|https?:/, rest);
          assert.equal(visibleText(rest.replaceAll('\n', ' '), Number.POSITIVE_INFINITY), rest.replaceAll('\n', ' '));
          assert.notEqual(markdown.isTrusted, true);
          assert.notEqual(markdown.supportHtml, true);
        }
    }
    assert.equal(hovers, evilNames.length);
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      document.uri,
      99,
    );
    assert.notEqual(lenses.length, 0);
    for (const { command } of lenses) {
      if (command!.command === 'lineheat.compareFunction') {
        assert.equal(command!.title, 'Compare with…');
        continue;
      }
      if (command!.command === 'lineheat.showFlameGraph') {
        assert.equal(command!.title, 'Flame graph');
        continue;
      }
      if (command!.command === 'lineheat.countCalls') {
        assert.equal(command!.title, 'Count calls');
        continue;
      }
      assert.match(command!.title, /^(< 0\.1|\d+\.\d) % self · \d+\.\d % total$/);
      assert.equal(command!.command, '');
    }
  },

  [`${MESSAGES} random messages of a page open no file outside, run no command, and break nothing`]: async () => {
    const page = hostilePage(path.join(one, 'paths.pb.gz'));
    const { opened, rejections, commands } = page;
    const random = seededRandom(20261121);
    let refused = 0;
    for (let turn = 0; turn < MESSAGES; turn++) {
      const before = page.refusals();
      page.deliver(randomMessage(random));
      refused += page.refusals() - before;
      if (turn % 50 === 49) await pause(0);
    }
    await page.quiet();
    console.log(`figure: ${MESSAGES} messages, ${refused} refused, ${page.posted()} answers, ${opened().length} texts`);
    assert.ok(refused > MESSAGES / 4 && refused < MESSAGES, `${refused} were refused`);
    assertNothingForeignIsOpen();
    assert.deepEqual(commands, []);
    assert.deepEqual(rejections, []);
    page.deliver({ type: 'request', view: 'functions', value: 0 });
    const answers = page.posted();
    await eventually('an answer after all that', () => page.posted() > answers);
    page.dispose();
  },
};

/** The real handler of a page, in a real panel, and what it does. */
function hostilePage(run: string) {
  const log = new OutputLog();
  let refusals = 0;
  log.warn = (text) => {
    if (text.includes('was refused')) refusals++;
  };
  log.error = () => {};
  const client = new EngineClient({ command: () => enginePath(extensionPath()), log: () => {} });
  const panel = vscode.window.createWebviewPanel('lineheat.test', 'test', vscode.ViewColumn.Beside);
  let deliver: (message: unknown) => void = () => assert.fail('the page does not listen');
  let posted = 0;
  const webview = new Proxy(panel.webview, {
    get(target, key) {
      if (key === 'onDidReceiveMessage')
        return (listener: (message: unknown) => void) => {
          deliver = listener;
          return new vscode.Disposable(() => {});
        };
      if (key === 'postMessage') posted++;
      const value = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
    set: (target, key, value) => Reflect.set(target, key, value, target),
  });
  const commands: unknown[] = [];
  const run0 = vscode.commands.executeCommand;
  // setContext and the like of the extension itself go through its own copy of the API; what is seen here is the page's.
  Object.assign(vscode.commands, {
    executeCommand: (...args: unknown[]) => {
      commands.push(args);
      return run0.apply(vscode.commands, args as Parameters<typeof run0>);
    },
  });
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown) => rejections.push(reason);
  process.on('unhandledRejection', onRejection);
  process.on('uncaughtException', onRejection);
  const options = { workspaceFolders: [one, two], sourcePrefixes: [], demangle: 'recorded' as const };
  const extensionUri = vscode.Uri.file(extensionPath());
  const navigation = new SourceNavigation(new TextDocuments());
  const never = async () => assert.fail('a page of a run opens no cell of a sweep');
  const parts = {
    extensionUri,
    navigation,
    log,
    retained: new RetainedPages(),
    selections: new RunSelections(),
    measures: new RunMeasures(),
    cursor: { onDidChange: () => ({ dispose: () => {} }) },
    openRun: never,
    compare: never,
    recordWith: never,
  };
  const page = new ProfilePage(webview, 'test', runSubject(new RunEngines(client), fileRun(run), options), parts);
  assert.match(panel.webview.html, /default-src 'none'; script-src 'nonce-[^']+'; style-src /);
  assert.doesNotMatch(panel.webview.html, /unsafe-|script-src [^;]* /);
  const roots = (panel.webview.options.localResourceRoots ?? []).map(({ fsPath }) => fsPath);
  assert.deepEqual(roots, [path.join(extensionPath(), 'dist/webview')]);
  return {
    deliver: (message: unknown) => deliver(message),
    refusals: () => refusals,
    posted: () => posted,
    opened: () => vscode.workspace.textDocuments,
    commands,
    rejections,
    async quiet() {
      for (let last = -1; last !== posted; await pause(500)) last = posted;
    },
    dispose() {
      Object.assign(vscode.commands, { executeCommand: run0 });
      process.off('unhandledRejection', onRejection);
      process.off('uncaughtException', onRejection);
      page.dispose();
      panel.dispose();
      client.dispose();
      log.dispose();
    },
  };
}

const junk = (random: (below: number) => number): unknown => {
  const values = [
    ...[undefined, null, true, -1, 0.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, '', 'ready', '/etc/passwd'],
    ...['command:workbench.action.quit', '__proto__', 'constructor', [], {}, [['navigate']], { type: 'ready' }],
    ...[{ path: '/etc/passwd' }, new Uint8Array(9), 'x'.repeat(2 ** 20 + 1), evilNames[random(evilNames.length)]],
  ];
  return values[random(values.length)];
};

/** One of the page's kinds with fields that fit more or less, or something else altogether. */
function randomMessage(random: (below: number) => number): unknown {
  const pick = <Value>(...values: Value[]) => values[random(values.length)]!;
  const some = <Value>(value: Value) => (random(12) === 0 ? junk(random) : value);
  const type = pick('ready', 'retry', 'request', 'request', 'navigate', 'navigate', 'navigate', 'copy', 'exec', 'open');
  if (random(6) === 0) return junk(random);
  const message: Record<string, unknown> = {
    type: random(20) === 0 ? junk(random) : type,
    view: some(pick(...viewKinds)),
    value: some(random(3)),
    index: some(random(40)),
    aside: some(random(2) === 0),
    text: some('main'),
  };
  if (random(3) === 0) message[pick('path', 'command', 'url', 'html', 'uri', '__proto__', 'args')] = junk(random);
  return message;
}

export const run = (): Promise<void> => runInOrder(tests);
