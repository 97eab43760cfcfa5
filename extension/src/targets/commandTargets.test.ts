// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shells write variables like that
// Commands as they are typed, and programs that were browsed for.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { browsedTarget, commandTarget, historyAfter, parseCommand, targetOfId } from './commandTargets.ts';

const tools = { args: ['-n'], runStep: async () => assert.fail('a step ran') };

test('a command is split into the words that a real shell makes of it', () => {
  const lines = [
    `prog a 'b c' "d \\"e\\" \\z" f\\ g '' ""`,
    `prog it\\'s 'a'"b"c --x='1 2' "\\\\" '\\'`,
    `"two words" -n -- '$HOME' "\\$HOME" '*' \\* \\; '|'`,
    'prog ~ ~/x a~ ~user',
    'prog A=1 =x',
  ];
  const script = 'for word do printf "%s\\0" "$word"; done';
  for (const line of lines) {
    const command = parseCommand(line, '/home/me');
    assert.ok(typeof command === 'object', `${line}: ${command}`);
    const shell = execFileSync('/bin/sh', ['-c', `set -- ${line}\n${script}`], { env: { HOME: '/home/me' } });
    assert.deepEqual([command.program, ...command.args], shell.toString().split('\0').slice(0, -1), line);
  }
});

test('variables before the program are its environment, quoted ones are words', () => {
  assert.deepEqual(parseCommand(`A=1 B_2='x y' prog C=3`), {
    env: { A: '1', B_2: 'x y' },
    program: 'prog',
    args: ['C=3'],
  });
  assert.deepEqual(parseCommand(`'A=1' prog`), { env: {}, program: 'A=1', args: ['prog'] });
});

test('what only a shell can do is refused with a sentence that names it', () => {
  const refused: Record<string, RegExp> = {
    'a | b': /^\| joins commands, which only a shell can do/,
    'a && b': /^&& joins/,
    'a; b': /^; joins/,
    'a > out': /^> redirects/,
    'a < in': /^< redirects/,
    'a $HOME': /^\$ expands/,
    'a "$HOME"': /^\$ expands/,
    'a `b`': /^` expands/,
    'a "`b`"': /^` expands/,
    'a *.txt': /^\* matches/,
    '(a)': /^\( starts a subshell/,
    'a "b': /^A quote is not closed/,
    "a 'b": /^A quote is not closed/,
    '  ': /^Type a command/,
    'A=1': /^Add the program/,
    "'' a": /^The name of the program is empty/,
  };
  for (const [line, sentence] of Object.entries(refused)) assert.match(String(parseCommand(line)), sentence, line);
});

test('a command target runs in its folder, and is found again by its id', async () => {
  const cwd = os.tmpdir();
  const target = commandTarget({ line: `LEVEL=3 python3 -c 'print(1)'`, cwd });
  const plan = { name: 'python3', program: 'python3', args: ['-c', 'print(1)'], cwd, env: { LEVEL: '3' } };
  assert.deepEqual(await target.prepare(tools), plan);
  assert.deepEqual(await targetOfId(target.id)!.prepare(tools), plan);
  await assert.rejects(
    commandTarget({ line: 'ls', cwd: '/none/here' }).prepare(tools),
    /working directory \/none\/here does not exist/,
  );
});

test('a browsed program takes arguments, and one that cannot run is refused', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'lineheat browse '));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const program = path.join(folder, 'a program');
  const target = browsedTarget(program, folder);
  await assert.rejects(target.prepare(tools), /does not exist/);
  fs.writeFileSync(program, '#!/bin/sh\n');
  await assert.rejects(target.prepare(tools), /is not an executable file/);
  fs.chmodSync(program, 0o755);
  const plan = { name: 'a program', program, args: ['-n'], cwd: folder, env: {} };
  assert.deepEqual(await targetOfId(target.id)!.prepare(tools), plan);
  await assert.rejects(browsedTarget(folder, folder).prepare(tools), /is not an executable file/);
});

test('an id of another kind, or a damaged one, names no target', () => {
  for (const id of ['cmake:/x:y', 'command:', 'command:{', 'command:3', 'command:{"line":1,"cwd":"/"}', 'browsed:null'])
    assert.equal(targetOfId(id), undefined);
});

test('the history has each command once, the newest first, and is bounded', () => {
  const typed = (line: string) => ({ line, cwd: '/' });
  const lines = (history: readonly { line: string }[]) => history.map(({ line }) => line);
  assert.deepEqual(lines(historyAfter([typed('a'), typed('b')], typed('b'))), ['b', 'a']);
  assert.deepEqual(historyAfter([typed('a')], { line: 'a', cwd: '/x' }).length, 2);
  const many = Array.from({ length: 40 }, (_, at) => typed(String(at)));
  assert.equal(historyAfter(many, typed('new')).length, 30);
});
