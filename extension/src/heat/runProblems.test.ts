import assert from 'node:assert/strict';
import test from 'node:test';
import { advisedLines, headline, problemKey, problemsOfMeasure, problemsWorthTelling } from './runProblems.ts';

test('the lines that a problem advises come out as they go into the file', () => {
  const cmake =
    'app was built without optimization (80 % of the samples are in such code): a release build will have different figures. CMake: -DCMAKE_BUILD_TYPE=RelWithDebInfo. make: CFLAGS="-O2 -g" CXXFLAGS="-O2 -g".';
  assert.deepEqual(advisedLines(cmake), [
    { place: 'CMake', text: '-DCMAKE_BUILD_TYPE=RelWithDebInfo' },
    { place: 'make', text: 'CFLAGS="-O2 -g" CXXFLAGS="-O2 -g"' },
  ]);
  const rust = 'app has no line tables. Cargo.toml: [profile.release] debug = 1 and strip = "none".';
  assert.deepEqual(advisedLines(rust), [{ place: 'Cargo.toml', text: '[profile.release]\ndebug = 1\nstrip = "none"' }]);
  const dune = 'x has no line tables. dune: (ocamlopt_flags (:standard -g)) and (link_flags (-g)).';
  assert.deepEqual(advisedLines(dune), [{ place: 'dune', text: '(ocamlopt_flags (:standard -g))\n(link_flags (-g))' }]);
  assert.deepEqual(advisedLines('5 of 100 samples were lost (5.0 %). Choose a lower sampling rate.'), []);
});

test('problems of libraries are not worth a message, those of the program and the recording are', () => {
  const problems = [
    'libc.so.6 (12 % of the samples) has no line tables: build it with -g.',
    'app (40 % of the samples) has no line tables: build it with -g.',
    'Recorded without privilege, in user space only.',
    '/w/src/a.c is newer than the program: build again.',
  ];
  assert.deepEqual(problemsWorthTelling(problems, '/w/build/app'), problems.slice(1));
  assert.deepEqual(problemsWorthTelling(problems, ''), problems.slice(2));
});

test('a problem is known again when its figures change', () => {
  assert.equal(problemKey('app (40 % of the samples)', '/a'), problemKey('app (3.5 % of the samples)', '/a'));
  assert.notEqual(problemKey('app is old', '/a'), problemKey('app is old', '/b'));
});

test('a message has the first sentence of a problem', () => {
  assert.equal(
    headline('3 of 9.5 samples were lost (33.3 %). Choose a lower rate.'),
    '3 of 9.5 samples were lost (33.3 %).',
  );
  assert.equal(headline('Something without an end'), 'Something without an end');
  assert.equal(headline('Record both with --repeat 5. Then compare.'), 'Record both with Profile Repeatedly….');
});

test('a problem of waits is no news where CPU time is shown', () => {
  const [waits, build] = ['3 waits were lost.', 'app was built without optimization.'];
  const opened = { problems: [waits, build], measureProblems: [{ values: [2, 3], problems: [waits] }] };
  assert.deepEqual(problemsOfMeasure(opened, 1), [build]);
  assert.deepEqual(problemsOfMeasure(opened, 3), [waits, build]);
});
