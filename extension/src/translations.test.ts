// Texts that are formed without the editor are translated once the host has handed its bundle over. In a process of its own:
// the bundle is in force for all of a process.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import test from 'node:test';

const file = (name: string) => new URL(`../../${name}`, import.meta.url);
type Exported = Record<string, string | { readonly message: string }>;
const exported: Exported = JSON.parse(fs.readFileSync(file('l10n/bundle.l10n.json'), 'utf8'));

/** The lines that `code` prints where each text of the export is in brackets. */
function translated(code: string): string[] {
  const bundle = Object.entries(exported).map(([key, text]) => [
    key,
    `⟦${typeof text === 'string' ? text : text.message}⟧`,
  ]);
  const script = `
    const l10n = await import('@vscode/l10n');
    l10n.config({ contents: ${JSON.stringify(Object.fromEntries(bundle))} });
    const load = async (name) => {
      const loaded = await import(new URL(name, ${JSON.stringify(file('').href)}).href);
      return { ...loaded.default, ...loaded }; // as CommonJS, a module has its names in "default"
    };
    ${code}`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '--eval', script],
    { cwd: file(''), encoding: 'utf8' },
  );
  assert.equal(status, 0, stderr);
  return stdout.trimEnd().split('\n');
}

test('failures, figures and constants of a module are translated', () => {
  const lines = translated(`
    const { enginePath } = await load('extension/src/engine/enginePath.ts');
    try { enginePath('/nowhere', 'sunos', 'sparc'); } catch (failure) { console.log(failure.message); console.log(failure.advice); }
    const { samplesText } = await load('core/numbersAsText.ts');
    console.log(samplesText(1)); console.log(samplesText(1204));
    const { verdictText, Verdict } = await load('core/changeText.ts');
    const per = 'execution';
    for (const unit of ['nanoseconds', 'bytes']) console.log(verdictText(Verdict.slower, { unit, per }));
    const { parseCommand } = await load('extension/src/targets/commandTargets.ts');
    console.log(parseCommand('a | b'));`);
  assert.deepEqual(lines, [
    '⟦Lineheat uses eBPF and runs on Linux only, but this extension host runs on sunos (sparc).⟧',
    '⟦Open the folder on the Linux machine itself, through Remote-SSH, WSL or a dev container.⟧',
    '⟦1 sample⟧',
    '⟦1,204 samples⟧',
    '⟦slower⟧',
    '⟦more⟧',
    "⟦| joins commands, which only a shell can do. Quote it, or run: sh -c '…'⟧",
  ]);
});

test('every translation of the bundle is found by its key', () => {
  const texts = Object.values(exported).filter((text) => typeof text === 'string');
  assert.ok(texts.length > 400);
  for (const [key, text] of Object.entries(exported)) if (typeof text === 'string') assert.equal(key, text);
});
