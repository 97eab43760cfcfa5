// What the manifest lets a folder's settings decide. Each setting stands in a table here: a new one fails until somebody
// has thought about what a hostile folder could do with it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import test from 'node:test';

interface Setting {
  readonly type: string;
  readonly scope?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

const read = (name: string) => JSON.parse(fs.readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));
const manifest = read('package.json');
const texts: Record<string, string> = read('package.nls.json');
const settings = new Map<string, Setting>(
  manifest.contributes.configuration.flatMap(({ properties }: { properties: Record<string, Setting> }) =>
    Object.entries(properties),
  ),
);
const { untrustedWorkspaces } = manifest.capabilities;
const restricted = new Set<string>(untrustedWorkspaces.restrictedConfigurations);

/** How things look: a boolean, a bounded number or one of a few words. */
const LOOKS = [
  ...[
    'show',
    'threshold',
    'by',
    'inlineFigures',
    'alignColumn',
    'background',
    'overviewRuler',
    'hover',
    'codeLenses',
  ].map((name) => `lineheat.heat.${name}`),
  'lineheat.demangle',
];
/** A trusted folder may decide it, an untrusted one not: how long, how often, where its own sources are. */
const FOR_TRUSTED_FOLDERS = [
  'lineheat.record.sampleRate',
  'lineheat.record.durationLimit',
  'lineheat.record.repeat',
  'lineheat.record.warmUp',
  'lineheat.record.waiting',
  'lineheat.record.allocations',
  'lineheat.record.pageFaults',
  'lineheat.record.systemCalls',
  'lineheat.record.wakeups',
  'lineheat.record.calls',
  'lineheat.record.latency',
  'lineheat.record.counters',
  'lineheat.record.keepBuilds',
  'lineheat.sourcePathMap',
];
/** The user only, in no folder: what speaks to other machines. */
const FOR_THE_USER = ['lineheat.record.debuginfod'];

test('every setting has been judged, and nothing else is judged', () => {
  assert.deepEqual([...settings.keys()].sort(), [...LOOKS, ...FOR_TRUSTED_FOLDERS, ...FOR_THE_USER].sort());
});

test('settings of looks cannot hold a path, a name or a command', () => {
  for (const name of LOOKS) {
    const { type, enum: choices, minimum, maximum } = settings.get(name)!;
    const bounded = typeof minimum === 'number' && typeof maximum === 'number';
    const closed = type === 'boolean' || (type === 'string' && choices) || (/number|integer/.test(type) && bounded);
    assert.ok(closed, `${name} (${type}) can hold anything`);
  }
});

test('settings of recording and sources are restricted in untrusted folders', () => {
  assert.deepEqual([...restricted].sort(), [...FOR_TRUSTED_FOLDERS].sort());
  assert.equal(untrustedWorkspaces.supported, 'limited');
});

test('what speaks to other machines has the scope of the machine', () => {
  for (const name of FOR_THE_USER) assert.equal(settings.get(name)!.scope, 'machine', name);
});

test('no setting names an executable, arguments, a folder for output or a server', () => {
  const suspicious =
    /path|exe|binary|program|engine|sampler\b|command|arg|env|dir|folder|output|url|server|host|port|shell/i;
  const judged = new Set(['lineheat.sourcePathMap', 'lineheat.heat.overviewRuler']);
  assert.deepEqual(
    [...settings.keys()].filter((name) => suspicious.test(name.replace('lineheat.', '')) && !judged.has(name)),
    [],
  );
});

test('nothing starts before it is asked for, and the extension runs where the folder is', () => {
  assert.deepEqual(manifest.extensionKind, ['workspace']);
  for (const event of manifest.activationEvents)
    assert.match(event, /^(onWebviewPanel:lineheat|workspaceContains:\.lineheat)/);
});

test('the walkthrough has a picture for each step that is in the package, and its words', () => {
  const [{ steps }] = manifest.contributes.walkthroughs;
  assert.deepEqual(
    steps.map(({ id }: { id: string }) => id),
    ['doctor', 'permission', 'profile', 'compare'],
  );
  for (const { title, description, media, completionEvents } of steps) {
    for (const text of [title, description, media.altText]) assert.ok(texts[text.slice(1, -1)], text);
    const svg = fs.readFileSync(new URL(`../../${media.svg}`, import.meta.url), 'utf8');
    assert.match(svg, /var\(--vscode-editor-background\)/, 'it follows the theme');
    assert.doesNotMatch(svg, /<script|href|url\(/);
    assert.notEqual(completionEvents.length, 0);
  }
});

test('the Runs view says that there are no runs once it has listed them, not while it does', () => {
  const { viewsWelcome } = manifest.contributes;
  const { when } = viewsWelcome.find(({ contents }: { contents: string }) => contents === '%welcome.runs%');
  assert.match(when, /&& lineheat\.hasNoRuns$/);
});

test('names that only profiles have open as profiles; names that others use too stay with them', () => {
  const patterns = (wanted: string) =>
    manifest.contributes.customEditors
      .filter(({ priority }: { priority: string }) => priority === wanted)
      .flatMap(({ selector }: { selector: { filenamePattern: string }[] }) =>
        selector.map(({ filenamePattern }) => filenamePattern),
      );
  assert.deepEqual(patterns('default'), ['*.pb.gz', '*.pprof', '*.pprof.gz']);
  assert.deepEqual(patterns('option'), [
    '*.pb',
    '*.prof',
    '*.folded',
    '*.collapsed',
    'callgrind.out*',
    'cachegrind.out*',
    '*.perf',
    '*.heap',
    '*.mojo',
    '*.cpuprofile',
    '*.speedscope.json',
    'profile.json',
    'profile.json.gz',
  ]);
});

test('every text of the manifest is defined, and every definition used', () => {
  const used = new Set([...JSON.stringify(manifest).matchAll(/"%([^%"]+)%"/g)].map(([, key]) => key!));
  assert.deepEqual([...used].sort(), Object.keys(texts).sort());
});
