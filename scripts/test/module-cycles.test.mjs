// The rule that modules of a Rust crate form no cycle, proved by planted ones; and what must stay allowed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { moduleProblems } from '../checks/module-cycles.mjs';

/** The problems of one crate, from { file below src: text }. */
function problems(sources) {
  const files = new Map(Object.entries(sources).map(([file, text]) => [`helper/crates/one/src/${file}`, text]));
  return moduleProblems([...files.keys()], (file) => files.get(file)).map((words) =>
    words.replaceAll('helper/crates/one/src/', ''),
  );
}

/** The lines of the cycles that are found, one text for each. */
const cycles = (sources) =>
  problems(sources).map((words) => {
    assert.match(words, /^\d+ modules depend on each other in a cycle/);
    return words.split('\n  ').slice(1).join(', ');
  });

const two = 'mod a;\nmod b;\n';

const planted = [
  [
    'two modules that use each other, at the lines that do',
    { 'lib.rs': two, 'a.rs': '\nuse crate::b::B;\npub struct A(B);\n', 'b.rs': 'pub struct B;\nuse crate::a::A;\n' },
    ['a.rs:2 uses b.rs, b.rs:2 uses a.rs'],
  ],
  [
    'paths in code, without any use',
    { 'lib.rs': two, 'a.rs': 'fn a() {\n  crate::b::f();\n}', 'b.rs': 'pub fn f() { super::a::g::<u8>() }' },
    ['a.rs:2 uses b.rs, b.rs:1 uses a.rs'],
  ],
  [
    'a module that is imported and then named through',
    { 'lib.rs': two, 'a.rs': 'use crate::b;\nfn a() { b::f(); }', 'b.rs': 'use crate::{a};\npub fn f() { a::a(); }' },
    ['a.rs:2 uses b.rs, b.rs:2 uses a.rs'],
  ],
  [
    'three modules in a ring',
    {
      'lib.rs': `${two}mod c;`,
      'a.rs': 'use crate::b::B;',
      'b.rs': 'use super::c::{self, C};\n',
      'c.rs': 'use crate::a::*;',
    },
    ['a.rs:1 uses b.rs, b.rs:1 uses c.rs, c.rs:1 uses a.rs'],
  ],
  [
    'a child that uses what its parent defines, where the parent uses the child',
    { 'lib.rs': 'mod p;', 'p/mod.rs': 'mod c;\nuse c::f;\npub struct P;', 'p/c.rs': 'use super::P;\npub fn f() {}' },
    ['p/c.rs:1 uses p/mod.rs, p/mod.rs:2 uses p/c.rs'],
  ],
  [
    'the same by super::*, and by a re-exported name that the parent uses itself',
    {
      'lib.rs': 'mod p;',
      'p.rs': 'mod c;\npub use c::C;\npub struct P;\nfn f() -> C { C }',
      'p/c.rs': 'use super::*;\n\npub struct C(P);',
    },
    ['p.rs:4 uses p/c.rs, p/c.rs:3 uses p.rs'],
  ],
  [
    'siblings that name each other through the re-exports of their parent',
    {
      'lib.rs': 'mod p;',
      'p/mod.rs': 'mod a;\nmod b;\npub use a::A;\npub(crate) use b::{B as Other};\n',
      'p/a.rs': 'use super::Other;\npub struct A(Other);',
      'p/b.rs': 'pub struct B(crate::p::A);',
    },
    ['p/a.rs:1 uses p/b.rs, p/b.rs:1 uses p/a.rs'],
  ],
  [
    'a re-export of all that a module has',
    {
      'lib.rs': 'mod p;',
      'p/mod.rs': 'mod a;\nmod b;\npub use a::*;\npub use self::b::*;',
      'p/a.rs': 'pub struct A(super::B);',
      'p/b.rs': 'pub struct B(super::A);',
    },
    ['p/a.rs:1 uses p/b.rs, p/b.rs:1 uses p/a.rs'],
  ],
  [
    'a module in a file of its own for each machine',
    {
      'lib.rs':
        '#[cfg_attr(target_arch = "x86_64", path = "m_x.rs")]\n#[cfg_attr(not(any()), path = "m_y.rs")]\nmod m;\nmod b;',
      'm_x.rs': 'pub fn f() {}',
      'm_y.rs': '\npub fn f() { crate::b::g() }',
      'b.rs': 'use crate::m::f;',
    },
    ['b.rs:1 uses m_x.rs, m_y.rs:2 uses b.rs'],
  ],
];
for (const [name, sources, expected] of planted)
  test(`refused: ${name}`, () => {
    assert.deepEqual(cycles(sources), expected);
  });

test('two cycles are both told, the shorter one first', () => {
  const sources = {
    'lib.rs': `${two}mod c;`,
    'a.rs': 'use crate::b::B;',
    'b.rs': 'use crate::c::C;\nuse crate::a::A;',
    'c.rs': 'use crate::a::A;',
  };
  assert.deepEqual(
    cycles(sources).map((words) => words.split(', ').length),
    [2, 3],
  );
});

const fine = [
  [
    'a parent that only declares and re-exports its children, which use what it defines',
    {
      'lib.rs': 'mod p;',
      'p/mod.rs': 'mod a;\nmod b;\npub use a::A;\npub use b::B;\npub struct P;\n',
      'p/a.rs': 'use super::{B, P};\npub struct A(B, P);',
      'p/b.rs': 'pub struct B(super::P);',
    },
  ],
  [
    'comments, texts and characters',
    {
      'lib.rs': two,
      'a.rs': "use crate::b::B;\nfn f<'a>(x: &'a str) -> char { '\"' }",
      'b.rs':
        '// use crate::a::A;\n/* /* nested */ crate::a::A */\n/// [`crate::a::A`]\nconst T: &str = "crate::a::A \\" crate::a::A";\nconst R: &str = r#"" crate::a::A"#;',
    },
  ],
  [
    'what only tests have: modules, files, items, fields and statements',
    {
      'lib.rs': `${two}#[cfg(test)]\nmod of_tests;\n`,
      'a.rs': 'use crate::b::B;\npub struct A;',
      'b.rs':
        '#[cfg(test)]\nuse crate::a::{A, C};\n#[cfg(all(test, unix))]\nimpl X {\n fn f() -> crate::a::A {}\n}\nstruct S {\n #[cfg(test)]\n field: crate::a::A,\n}\n#[cfg(test)]\n#[path = "tests_of_b.rs"]\nmod tests;\n#[cfg(test)]\nmod more {\n use crate::a::A;\n}\n#[test]\nfn t() { crate::a::f() }',
      'of_tests.rs': 'use crate::{a::A, b::B};',
      'tests_of_b.rs': 'use crate::a::A;',
    },
  ],
  [
    'names of other crates that are called like modules of ours, and our own of another scope',
    {
      'lib.rs': two,
      'a.rs': 'use crate::b::B;',
      'b.rs': 'use ::a::A;\nuse other::a;\nfn f() { a::g(); x.a(); std::a::b() }',
    },
  ],
];
for (const [name, sources] of fine)
  test(`allowed: ${name}`, () => {
    assert.deepEqual(problems(sources), []);
  });

test('a file that no module declares, a module without its file, and a tree without a crate are failures', () => {
  assert.deepEqual(problems({ 'lib.rs': '', 'left.rs': '' }), [
    'left.rs belongs to no module that was read: its cycles are not known.',
  ]);
  assert.deepEqual(problems({ 'lib.rs': 'mod gone;' }), [
    'lib.rs declares the module gone, and its file is not there.',
  ]);
  assert.match(problems({})[0], /would pass without reading/);
});
