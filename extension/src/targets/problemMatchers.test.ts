import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type ProblemMatcher, ProblemReader } from './problemMatchers.ts';

const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
const matchers: readonly ProblemMatcher[] = manifest.contributes.problemMatchers;

/** "source severity file:line:column message" of an output that comes in two pieces. */
function problemsOf(output: string, files: readonly string[] = ['/w/main.c']): string[] {
  const reader = new ProblemReader(matchers, '/w', (file) => files.includes(file));
  const middle = Math.floor(output.length / 2);
  reader.read(output.slice(0, middle));
  reader.read(output.slice(middle));
  return reader.problems.map(
    ({ source, severity, file, line, column, message }) => `${source} ${severity} ${file}:${line}:${column} ${message}`,
  );
}

test('messages of gcc and clang, each once however often a header is included', () => {
  const output = `cc -c main.c
main.c: In function 'main':
main.c:3:9: error: expected ';' before 'return'
    3 |   int x
      |         ^
In file included from main.c:1:
/w/a.h:2:5: warning: unused variable 'y' [-Wunused-variable]
/w/a.h:2:5: warning: unused variable 'y' [-Wunused-variable]
main.c:7:1: fatal error: gone.h: No such file or directory
main.c:3:5: note: declared here
gone.c:1:1: error: of a file that is not there
`;
  assert.deepEqual(problemsOf(output, ['/w/main.c', '/w/a.h']), [
    "gcc error /w/main.c:3:9 expected ';' before 'return'",
    "gcc warning /w/a.h:2:5 unused variable 'y' [-Wunused-variable]",
    'gcc error /w/main.c:7:1 gone.h: No such file or directory',
    'gcc info /w/main.c:3:5 declared here',
  ]);
});

test('a name belongs to the directory that make is in', () => {
  const output = `make[1]: Entering directory '/w/sub'
x.c:1:2: error: of the folder below
make[1]: Leaving directory '/w/sub'
x.c:1:2: error: of the folder itself
`;
  assert.deepEqual(problemsOf(output, ['/w/sub/x.c', '/w/x.c']), [
    'gcc error /w/sub/x.c:1:2 of the folder below',
    'gcc error /w/x.c:1:2 of the folder itself',
  ]);
});

test('what the linker misses', () => {
  const output = `/usr/bin/ld: /tmp/cc.o: in function \`main':
/w/main.c:4: undefined reference to \`gone'
collect2: error: ld returned 1 exit status
`;
  assert.deepEqual(problemsOf(output), ["ld error /w/main.c:4:0 undefined reference to `gone'"]);
});

test('messages of rustc, whose place is in the second line', () => {
  const output = `   Compiling a v0.1.0 (/w)
error[E0425]: cannot find value \`y\` in this scope
 --> src/main.rs:2:13
  |
2 |     let x = y;
  |             ^ not found in this scope

warning: unused variable: \`x\`
  --> src/main.rs:2:9
error: aborting due to 1 previous error
error: could not compile \`a\`
`;
  assert.deepEqual(problemsOf(output, ['/w/src/main.rs']), [
    'rustc error /w/src/main.rs:2:13 cannot find value `y` in this scope',
    'rustc warning /w/src/main.rs:2:9 unused variable: `x`',
  ]);
});

test('messages of go, ocaml, cmake and meson', () => {
  const output = `# sums
./main.go:5:2: undefined: x
File "main.ml", line 3, characters 8-9:
3 | let y = x
            ^
Error: Unbound value x
CMake Error at CMakeLists.txt:4 (add_exe):
  Unknown CMake command "add_exe".

meson.build:3:0: ERROR: Unknown function "executble".
`;
  const files = ['/w/main.go', '/w/main.ml', '/w/CMakeLists.txt', '/w/meson.build'];
  assert.deepEqual(problemsOf(output, files), [
    'go error /w/main.go:5:2 undefined: x',
    'ocaml error /w/main.ml:3:0 Unbound value x',
    'cmake error /w/CMakeLists.txt:4:0 Unknown CMake command "add_exe".',
    'meson error /w/meson.build:3:0 Unknown function "executble".',
  ]);
});
