// The suite that runs inside the extension host (bundled to dist/test/api.js). It uses the API as a caller would: real
// engine, real sampler, a real program that it compiles into the open folder.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import * as vscode from 'vscode';
import { BuildOutput } from '../../src/editor/targets/buildOutput.ts';
import { enginePath } from '../../src/engine/enginePath.ts';
import { eventually, runInOrder } from './inOrder.ts';

const EXTENSION = 'lineheat.lineheat';
const HOT_LINE = 6;
const LENS_LINKS = ['Flame graph', 'Compare with…', 'Count calls'];
const source = `#include <cstdio>
#include <cstdlib>

static double burn(long turns) {
  double sum = 0;
  for (long i = 1; i <= turns; i++) sum += 1.0 / (double)(i % 7 + 1) / (double)i;
  return sum;
}

int main(int, char** argv) {
  std::printf("%f\\n", burn(std::atol(argv[1])));
}
`;

const folder = () => vscode.workspace.workspaceFolders![0]!.uri.fsPath;
const sourceFile = () => vscode.Uri.file(path.join(folder(), 'burn.cpp'));
const call = (command: string, ...args: unknown[]) => vscode.commands.executeCommand(`lineheat.${command}`, ...args);

function compile(): string {
  const program = path.join(folder(), 'burn');
  fs.writeFileSync(sourceFile().fsPath, source);
  execFileSync('g++', ['-O2', '-g', '-o', program, sourceFile().fsPath]);
  return program;
}

async function profile(program: string, turns: number, more: object = {}): Promise<string> {
  const result = await call('profileTarget', { program, args: [String(turns)], cwd: folder(), ...more });
  return (result as { runPath: string }).runPath;
}

const savedRuns = () => fs.readdirSync(path.join(folder(), '.lineheat/runs')).filter((name) => name.endsWith('.pb.gz'));

/** Of each execution in a run whether it was a warm-up. */
function warmUpsOf(runPath: string): boolean[] {
  const { extensionPath } = vscode.extensions.getExtension(EXTENSION)!;
  const report = execFileSync(enginePath(extensionPath), ['report', runPath, '--json'], { encoding: 'utf8' });
  return (JSON.parse(report) as { executions: { warmUp: boolean }[] }).executions.map(({ warmUp }) => warmUp);
}

const runs: string[] = [];
const tests: Record<string, () => Promise<void>> = {
  'the extension does not activate by itself, and does when it is asked to': async () => {
    const extension = vscode.extensions.getExtension<{ activationMs: number }>(EXTENSION);
    assert.ok(extension, `${EXTENSION} is not installed`);
    assert.equal(extension.isActive, false);
    // The wait for activate() would count the editor's own messages, so code and call are timed apart; and CPU time is
    // what the extension costs, whoever else keeps the machine busy.
    const before = process.cpuUsage();
    createRequire(path.join(extension.extensionPath, 'package.json'))('./dist/extension.js');
    const { user, system } = process.cpuUsage(before);
    const loadMs = (user + system) / 1000;
    const { activationMs } = await extension.activate();
    console.log(`loaded in ${loadMs.toFixed(1)} ms, activated in ${activationMs.toFixed(1)} ms`); // read by bench/activation.mjs
    assert.equal(extension.isActive, true);
  },

  'every command of the manifest is registered': async () => {
    const registered = new Set(await vscode.commands.getCommands(true));
    const { contributes } = vscode.extensions.getExtension(EXTENSION)!.packageJSON;
    const missing = contributes.commands.filter(({ command }: { command: string }) => !registered.has(command));
    assert.deepEqual(missing, []);
  },

  'profileTarget with a program asks nothing and returns the run': async () => {
    const runPath = await profile(compile(), 400_000_000, { env: { LINEHEAT_TEST: '1' } });
    assert.equal(path.dirname(runPath), path.join(folder(), '.lineheat/runs'));
    assert.equal(fs.statSync(runPath).mode & 0o777, 0o600);
    runs.push(runPath);
  },

  'the hot function has a lens, and nothing else has': async () => {
    const uri = sourceFile();
    await vscode.window.showTextDocument(uri);
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri, 99);
    const titles = lenses.map(({ command }) => command?.title ?? '').filter((title) => !LENS_LINKS.includes(title));
    assert.equal(lenses.length, 4 * titles.length, 'each has three links');
    assert.ok(titles.length >= 1 && titles.length <= 2, JSON.stringify(titles));
    for (const title of titles) assert.match(title, /^(< 0\.1|\d+\.\d) % self · \d+\.\d % total$/);
  },

  'the hover of the hot line has self, total and samples; a cold line has none': async () => {
    const hoverAt = async (line: number) => {
      const position = new vscode.Position(line - 1, 8);
      const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
        'vscode.executeHoverProvider',
        sourceFile(),
        position,
      );
      return hovers.flatMap(({ contents }) => contents.map((part) => (typeof part === 'string' ? part : part.value)));
    };
    const hot = (await hoverAt(HOT_LINE)).join('\n');
    assert.match(hot, /\*\*self\*\* \| \d+\.\d %/);
    assert.match(hot, /[\d,]+ samples/);
    assert.doesNotMatch((await hoverAt(1)).join('\n'), /self/);
  },

  'a run that is opened again is the same run': async () => {
    assert.deepEqual(await call('openRun', runs[0]), { runPath: runs[0] });
  },

  'a file that is no profile, or is missing, is refused with a sentence': async () => {
    const bad = path.join(folder(), 'bad.pb.gz');
    fs.writeFileSync(bad, 'this is no gzip');
    await assert.rejects(async () => call('openRun', bad), /bad\.pb\.gz|gzip|profile/i);
    await assert.rejects(async () => call('openRun', path.join(folder(), 'none.pb.gz')), /none\.pb\.gz/);
  },

  'a program that is none is refused with a sentence, and the next recording works': async () => {
    await assert.rejects(profile(sourceFile().fsPath, 1), /burn\.cpp/);
    await assert.rejects(profile(path.join(folder(), 'missing'), 1), /missing/);
    runs.push(await profile(path.join(folder(), 'burn'), 200_000_000));
  },

  'arguments of another shape are refused': async () => {
    await assert.rejects(async () => call('profileTarget', { program: 'burn', args: 'a b' }), /takes \{ program, args/);
  },

  'the duration limit ends a recording and keeps it': async () => {
    // By itself it would run for minutes: that it ends at all is the limit's doing.
    const runPath = await profile(path.join(folder(), 'burn'), 100_000_000_000, { durationS: 1, sampleHz: 499 });
    assert.ok(fs.statSync(runPath).size > 0);
  },

  'stop ends a recording and keeps it': async () => {
    const recording = profile(path.join(folder(), 'burn'), 100_000_000_000);
    setTimeout(() => call('stop'), 2500);
    assert.ok(fs.existsSync(await recording));
  },

  'a recording that is discarded leaves no file and opens nothing': async () => {
    const files = () => fs.readdirSync(path.join(folder(), '.lineheat/runs')).sort();
    const [before, program] = [files(), path.join(folder(), 'burn')];
    const runOf = async (command: string, named: object) => {
      const recording = call(command, named);
      setTimeout(() => call('discard'), 2500);
      return recording;
    };
    await call('clearHeat');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    const named = { program, args: ['100000000000'], cwd: folder() };
    assert.equal(await runOf('profileTarget', named), undefined);
    assert.deepEqual(files(), before);
    assert.equal(vscode.window.activeTextEditor, undefined);
    // Of a sweep the first cells are saved by then; it takes back those too.
    const set = ['turns=1000,100000000000'];
    assert.equal(await runOf('sweep', { ...named, args: ['{turns}'], set }), undefined);
    assert.deepEqual(files(), before);
    // Told to keep it first: the last word counts.
    const kept = call('profileTarget', named);
    setTimeout(() => call('stop').then(() => call('discard')), 2500);
    assert.equal(await kept, undefined);
    assert.deepEqual(files(), before);
  },

  'a short program is run several times into one run': async () => {
    const runPath = await profile(path.join(folder(), 'burn'), 1_000_000, { repeat: 3 });
    assert.ok(fs.existsSync(runPath));
    await assert.rejects(async () => profile(path.join(folder(), 'burn'), 1, { repeat: 'often' }), /repeat/);
  },

  'a second recording at the same time is refused': async () => {
    const recording = profile(path.join(folder(), 'burn'), 100_000_000_000, { durationS: 2 });
    await assert.rejects(profile(path.join(folder(), 'burn'), 1), /A recording is running/);
    await recording;
  },

  'two runs are compared, and the comparison has a panel': async () => {
    const [base, current] = runs;
    assert.deepEqual(await call('compareRuns', { base, new: current }), { base, new: current });
    const hasPanel = () =>
      vscode.window.tabGroups.all.some(({ tabs }) =>
        tabs.some(({ label }) => label.startsWith('Compare: burn → burn')),
      );
    await eventually('the panel of the comparison', hasPanel);
  },

  'a comparison has lenses with an interval, a hover with the method, and steps from change to change': async () => {
    const uri = sourceFile();
    // 400 million turns against 200 million: the loop is about twice as quick.
    const editor = await vscode.window.showTextDocument(uri);
    const titles = async () => {
      const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri, 99);
      return lenses.map(({ command }) => command?.title ?? '');
    };
    await eventually('a lens of the comparison', async () => (await titles()).some((title) => title.includes(' → ')));
    const [title = ''] = (await titles()).filter((words) => words.includes(' → '));
    assert.match(title, /^▼ −\d+\.\d % .*faster · .* → .* per execution/);
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    await call('nextChange');
    const first = vscode.window.activeTextEditor!.selection.active.line + 1;
    assert.ok(first > 1, 'the cursor has moved to a change');
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      uri,
      new vscode.Position(HOT_LINE - 1, 8),
    );
    const text = hovers
      .flatMap(({ contents }) => contents.map((part) => (typeof part === 'string' ? part : part.value)))
      .join('\n');
    assert.match(text, /▼ faster: −\d+\.\d %, 95 % interval −\d+\.\d to −\d+\.\d %/);
    assert.match(text, /\*CPU time per execution\. .+\*/);
  },

  'a program is run repeatedly into one run, after warm-up runs, and Profile Again does the same': async () => {
    const program = path.join(folder(), 'burn');
    const named = { program, args: ['20000000'], cwd: folder(), repeat: 3, warmUp: 1 };
    const { runPath } = (await call('profileRepeatedly', named)) as { runPath: string };
    const again = (await call('profileAgain')) as { runPath: string };
    assert.notEqual(again.runPath, runPath);
    for (const file of [runPath, again.runPath]) assert.deepEqual(warmUpsOf(file), [true, false, false, false]);
  },

  'a sweep records a run for each value, has a page, and is repeated by Profile Again': async () => {
    const program = path.join(folder(), 'burn');
    const before = savedRuns().length;
    const named = { program, args: ['{turns}'], cwd: folder(), repeat: 2, set: ['turns=20000000,40000000'] };
    const { sweep } = (await call('sweep', named)) as { sweep: string };
    assert.notEqual(sweep, '');
    assert.equal(savedRuns().length, before + 2);
    await eventually('the page of the sweep', () =>
      vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(({ label }) => label === 'Sweep: burn: turns')),
    );
    await assert.rejects(async () => call('sweep', { ...named, args: ['5'] }), /do not contain \{turns\}/);
    await assert.rejects(async () => call('sweep', { ...named, set: 'turns=1' }), /list of texts/);
    const again = (await call('profileAgain')) as { sweep: string };
    assert.ok(again.sweep && again.sweep !== sweep, 'what was refused is not what is repeated');
    assert.equal(savedRuns().length, before + 4);
  },

  'profile files open in the profile editor': async () => {
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(runs[0]!));
    await eventually('the profile editor', () => {
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      return input instanceof vscode.TabInputCustom && input.viewType === 'lineheat.profile';
    });
  },

  'a profile opens under each name that profiles have, compressed or not, and other content is refused': async () => {
    const compressed = new Uint8Array(fs.readFileSync(runs[0]!));
    const plain = new Uint8Array(gunzipSync(compressed));
    const named = (name: string, bytes: Uint8Array | string) => {
      const file = path.join(folder(), name);
      fs.writeFileSync(file, bytes);
      return file;
    };
    const activeEditor = () => {
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      if (input instanceof vscode.TabInputCustom) return `${path.basename(input.uri.path)} ${input.viewType}`;
      return input instanceof vscode.TabInputText ? path.basename(input.uri.path) : '';
    };
    const opened = async (file: string, how: string, ...more: string[]) => {
      await vscode.commands.executeCommand(how, vscode.Uri.file(file), ...more);
      await eventually(`${file} in front`, () => activeEditor().startsWith(path.basename(file)));
      return activeEditor();
    };
    const gz = named('a.pprof.gz', compressed);
    assert.equal(await opened(gz, 'vscode.open'), 'a.pprof.gz lineheat.profile');
    assert.deepEqual(await call('openRun', gz), { runPath: gz });
    for (const [name, bytes] of [
      ['plain.prof', plain],
      ['compressed.prof', compressed],
      ['plain.pb', plain],
      ['stacks.folded', 'main;parse (shop.py:7) 3\n'],
      ['callgrind.out.12', 'version: 1\nevents: Ir\nfl=shop.py\nfn=parse\n7 3\n'],
      ['shop.perf', 'shop 12 1.000001: 250 cycles: \n\t            1585 parse+0x5 (/bin/shop)\n  shop.c:7\n\n'],
      [
        'shop.cpuprofile',
        '{"nodes": [{"id": 1, "callFrame": {"functionName": "parse"}}], "samples": [1], "timeDeltas": [250]}',
      ],
    ] as const) {
      const file = named(name, bytes);
      assert.equal(await opened(file, 'vscode.openWith', 'lineheat.anyProfile'), `${name} lineheat.anyProfile`);
      assert.deepEqual(await call('openRun', file), { runPath: file });
    }
    const other = named('other.prof', 'a text of another tool');
    assert.equal(await opened(other, 'vscode.open'), 'other.prof', 'it stays a text');
    await assert.rejects(async () => call('openRun', other), /The file is text, not a pprof profile/);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  },

  'the doctor opens a document': async () => {
    await call('doctor');
    assert.match(vscode.window.activeTextEditor?.document.getText() ?? '', /^# Lineheat Doctor\n\nThis machine /);
  },

  'the messages of a build that fails are in Problems until the next build': async () => {
    const { packageJSON } = vscode.extensions.getExtension(EXTENSION)!;
    const builds = new BuildOutput(packageJSON.contributes.problemMatchers);
    const file = path.join(folder(), 'broken.c');
    const step = { title: 'Building broken', command: 'make', args: ['broken.o'], cwd: folder() };
    const shown = () =>
      (vscode.languages.getDiagnostics(vscode.Uri.file(file)) as readonly vscode.Diagnostic[]).map(
        ({ range, severity, message, source }) => `${source} ${severity} ${range.start.line}: ${message}`,
      );
    fs.writeFileSync(file, '#warning half done\nint f(void) { return gone; }\n');
    await assert.rejects(builds.run(step), /Building broken failed/);
    const [warning, error] = shown();
    assert.match(warning!, /^gcc 1 0: #warning .*half done/);
    assert.match(error!, /^gcc 0 1: .gone. undeclared/);
    fs.writeFileSync(file, 'int f(void) { return 0; }\n');
    await builds.run(step);
    assert.deepEqual(shown(), []);
    builds.dispose();
  },

  'heat can be toggled and the profile closed': async () => {
    await call('openRun', runs[0]);
    const count = async () =>
      (await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', sourceFile())).length;
    assert.notEqual(await count(), 0);
    await call('toggleHeat');
    assert.equal(await count(), 0);
    await call('toggleHeat');
    assert.notEqual(await count(), 0);
    await call('clearHeat');
    assert.equal(await count(), 0);
  },
};

export const run = (): Promise<void> => runInOrder(tests);
