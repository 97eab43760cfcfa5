// The commands as they are registered, against those that the manifest promises. The editor is not there: its module is one that
// keeps what is registered, and the parts are never reached, for no command runs its own work here.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

type Command = (argument?: unknown) => Promise<unknown>;

/** Run by links and lenses of ours with a number that means nothing to others: no menu and no key names them. */
const OF_LINKS = ['lineheat.goto', 'lineheat.doctor.copy'];

const { contributes } = JSON.parse(fs.readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
const contributed: string[] = contributes.commands.map(({ command }: { command: string }) => command);

/** Loads commands.ts with a module `vscode` of ours and registers all commands with `parts`. */
function registered(parts: object): { commands: Map<string, Command>; shown: string[] } {
  const commands = new Map<string, Command>();
  const shown: string[] = [];
  const vscode = {
    commands: { registerCommand: (name: string, run: Command) => commands.set(name, run) },
    window: { showErrorMessage: async (text: string) => void shown.push(text) },
    l10n: { t: (text: string) => text },
  };
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL('commands.ts', import.meta.url))],
    ...{ bundle: true, write: false, format: 'cjs', platform: 'node', external: ['vscode'], logLevel: 'error' },
  });
  const module = { exports: {} as { registerCommands(parts: object): unknown } };
  const real = createRequire(import.meta.url);
  const require = (name: string) => (name === 'vscode' ? vscode : real(name));
  new Function('module', 'exports', 'require', outputFiles[0]!.text)(module, module.exports, require);
  module.exports.registerCommands(parts);
  return { commands, shown };
}

const log = { error: () => {} };
const failing = {
  log,
  opener: {
    openRun: async () => {
      throw new Error('The file is gone.');
    },
  },
};

test('every command of the manifest is registered, and no other but those of our links', () => {
  const names = [...registered({}).commands.keys()];
  assert.deepEqual(names.sort(), [...contributed, ...OF_LINKS].sort());
});

test('a failure is shown to the user, and thrown to a caller that gave arguments', async () => {
  const { commands, shown } = registered(failing);
  await assert.rejects(commands.get('lineheat.openRun')!('/a.pb.gz'), /The file is gone/);
  assert.deepEqual(shown, ['The file is gone.']);
  const row = { path: '/a.pb.gz', samples: 3 }; // the Runs view is no caller
  assert.equal(await commands.get('lineheat.runs.open')!(row), undefined);
  assert.equal(shown.length, 2);
});
