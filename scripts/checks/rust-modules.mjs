// Reads the modules of a Rust crate from its sources: which files they are, what each defines, imports and names.
// Reads paths only, in what is compiled to ship: comments, texts and tests are left out. Expands no macro.
import path from 'node:path';

/** What stands before a `use` that others see: `pub`, or the end of `pub(…)`. */
const AFTER_VISIBILITY = new Set(['pub', ')']);
const ITEMS = new Set(['fn', 'struct', 'enum', 'union', 'trait', 'type', 'const', 'static']);
const BEFORE_A_NEW_NAME = new Set(['let', 'mut', 'fn', 'mod', '.', '::', "'"]);
const OPENING = '([{';
const CLOSING = ')]}';

/** The text with blanks for comments, strings and characters: every place stays where it was. */
function withoutTexts(text) {
  const pattern =
    /\/\/[^\n]*|\/\*|\b(?:br|cr|r)(#*)"[\s\S]*?"\1|"(?:\\[\s\S]|[^"\\])*"|'(?:\\(?:u\{[^}]*\}|x..|.)|[^\\'\n])'/g;
  let out = '';
  let at = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    if (match[0] === '/*') pattern.lastIndex = endOfComment(text, match.index);
    out += text.slice(at, match.index) + text.slice(match.index, pattern.lastIndex).replace(/[^\n]/g, ' ');
    at = pattern.lastIndex;
  }
  return out + text.slice(at);
}

/** Comments of Rust nest. */
function endOfComment(text, start) {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return text.length;
}

function tokensOf(text) {
  const lineStarts = [...text.matchAll(/\n/g)].map(({ index }) => index);
  let line = 0;
  return [...withoutTexts(text).matchAll(/[A-Za-z_]\w*|::|->|=>|\S/g)].map((match) => {
    while (line < lineStarts.length && lineStarts[line] < match.index) line += 1;
    return { word: match[0], at: match.index, line: line + 1 };
  });
}

/** Of the bracket at `open`: the place after the one that closes it. */
function afterBrackets(tokens, open) {
  let depth = 0;
  for (let i = open; i < tokens.length; i += 1) {
    if (OPENING.includes(tokens[i].word)) depth += 1;
    if (CLOSING.includes(tokens[i].word)) depth -= 1;
    if (depth === 0) return i + 1;
  }
  return tokens.length;
}

/** The tokens that are compiled to ship: without items, fields and statements that only tests have. */
function withoutTests(tokens) {
  const kept = [];
  let i = 0;
  while (i < tokens.length) {
    if (tokens[i].word !== '#') {
      kept.push(tokens[i]);
      i += 1;
      continue;
    }
    const ofFile = tokens[i + 1]?.word === '!';
    let after = i;
    let isTest = false;
    while (tokens[after]?.word === '#') {
      const open = after + (tokens[after + 1]?.word === '!' ? 2 : 1);
      const end = afterBrackets(tokens, open);
      const words = tokens.slice(open, end).map(({ word }) => word);
      isTest ||= /^\[(test\]|cfg\((all\()?test[,)])/.test(words.join(''));
      after = end;
      if (ofFile) break;
    }
    if (isTest && ofFile) return [];
    if (isTest) after = afterItem(tokens, after);
    else kept.push(...tokens.slice(i, after));
    i = after;
  }
  return kept;
}

function afterItem(tokens, start) {
  let i = start;
  if (tokens[i]?.word === 'pub') i += 1;
  if (i > start && tokens[i]?.word === '(') i = afterBrackets(tokens, i);
  const first = tokens[i]?.word;
  const isField = tokens[i + 1]?.word === ':' || !/^[a-z_]+$/.test(first ?? '');
  const hasBody = !/^(use|let|type|static)$/.test(first) && !(first === 'const' && tokens[i + 1]?.word !== 'fn');
  for (; i < tokens.length; i += 1) {
    const { word } = tokens[i];
    if (word === ';' || (isField && word === ',')) return i + 1;
    if (CLOSING.includes(word)) return i;
    if (!OPENING.includes(word)) continue;
    i = afterBrackets(tokens, i) - 1;
    if (word === '{' && hasBody && !isField) return i + 1;
  }
  return i;
}

const newScope = (parent) => ({
  parent,
  children: new Map(), // name → scope, when the module's file has been read
  items: new Set(),
  imports: new Map(), // name → { segments, line, isShared }
  globs: [], // { segments, line, isShared }
  paths: [], // { segments, line }: in code
  names: new Map(), // every name that code uses on its own → line
});

/** What the text of one file says; `declared` are its modules in other files: { scope, name, paths, inline }. */
function readScope(text, { parent, withTests = false } = {}) {
  const tokens = tokensOf(text);
  const [scope, declared] = [newScope(parent), []];
  readTokens(withTests ? tokens : withoutTests(tokens), scope, { text, declared, inline: [] });
  return { scope, declared };
}

function readTokens(tokens, scope, context) {
  let depth = 0;
  for (let i = 0; i < tokens.length; i += 1) {
    const { word, line } = tokens[i];
    const before = tokens[i - 1]?.word;
    const next = tokens[i + 1]?.word;
    if (OPENING.includes(word)) depth += 1;
    else if (CLOSING.includes(word)) depth -= 1;
    else if (word === 'use' && next !== '<') {
      const end = tokens.findIndex((token, at) => at > i && token.word === ';');
      addUse(scope, tokens.slice(i + 1, end), depth === 0 && AFTER_VISIBILITY.has(before));
      i = end;
    } else if (word === 'mod' && depth === 0 && tokens[i + 2]?.word === '{') {
      const end = afterBrackets(tokens, i + 2);
      const inner = newScope(scope);
      scope.children.set(next, inner);
      readTokens(tokens.slice(i + 3, end - 1), inner, { ...context, inline: [...context.inline, next] });
      i = end - 1;
    } else if (word === 'mod' && depth === 0 && tokens[i + 2]?.word === ';') {
      context.declared.push({ scope, name: next, inline: context.inline, paths: pathsBefore(tokens, i, context.text) });
      i += 2;
    } else if (/^[A-Za-z_]/.test(word)) {
      if (depth === 0) addItem(scope, tokens, i);
      if (!BEFORE_A_NEW_NAME.has(before) && next !== ':' && !scope.names.has(word)) scope.names.set(word, line);
      if (next === '::' && before !== '::' && before !== '.' && before !== 'in') {
        const segments = [word];
        for (; tokens[i + 1]?.word === '::' && /^[A-Za-z_]/.test(tokens[i + 2]?.word ?? ''); i += 2)
          segments.push(tokens[i + 2].word);
        scope.paths.push({ segments, line });
      }
    }
  }
}

function addItem(scope, tokens, i) {
  const name = tokens[i].word === 'static' && tokens[i + 1]?.word === 'mut' ? tokens[i + 2] : tokens[i + 1];
  if (ITEMS.has(tokens[i].word) && !ITEMS.has(name?.word)) scope.items.add(name?.word);
  if (tokens[i].word === 'macro_rules') scope.items.add(tokens[i + 2]?.word);
}

/** The files that `#[path = …]` before `mod` at `i` names, also in `cfg_attr`. */
function pathsBefore(tokens, i, text) {
  let start = i;
  while (start > 0 && !/^[;}]$/.test(tokens[start - 1].word)) start -= 1;
  const found = [];
  for (let at = start; at < i; at += 1)
    if (tokens[at].word === 'path' && tokens[at + 1].word === '=')
      found.push(/"([^"]*)"/.exec(text.slice(tokens[at].at))[1]);
  return found;
}

function addUse(scope, tokens, isShared) {
  for (const { segments, alias, line } of leavesOf(tokens)) {
    const one = { segments, line, isShared };
    if (alias === '*') scope.globs.push(one);
    else if (!scope.imports.has(alias)) scope.imports.set(alias, one);
    // The same name twice, as in two functions: the first is the name's, both are read.
    else scope.paths.push(one);
  }
}

/** `a::{b, c::{self, d as e}, *}` as its leaves, each with the name that it brings. */
function leavesOf(tokens) {
  const leaves = [];
  let i = 0;
  const tree = (prefix) => {
    const segments = [...prefix];
    let line = tokens[i]?.line;
    for (; i < tokens.length; i += 1) {
      const { word } = tokens[i];
      if (word === '{') {
        i += 1;
        while (i < tokens.length && tokens[i].word !== '}') tree(segments);
        i += 1;
        if (tokens[i]?.word === ',') i += 1;
        return;
      }
      if (word === ',' || word === '}') break;
      if (word === '*') leaves.push({ segments, alias: '*', line });
      else if (word === 'as') {
        leaves.push({ segments, alias: tokens[i + 1].word, line });
        i += 1;
      } else if (word === 'self' && segments.length > 0) line = tokens[i].line;
      else if (word !== '::') {
        segments.push(word);
        line = tokens[i].line;
      }
    }
    const last = tokens[i - 1]?.word;
    if (last !== '*' && tokens[i - 2]?.word !== 'as') leaves.push({ segments, alias: segments.at(-1), line });
    if (tokens[i]?.word === ',') i += 1;
  };
  tree([]);
  return leaves;
}

/** The modules of the crate whose root is `file`. `read` gives the text of a file, undefined when there is none.
 * Gives { root, modules, seen, problems }; `seen` are all files of the crate, those of tests too. */
export function readCrate(file, read) {
  const crate = { modules: [], seen: new Set(), problems: [] };
  crate.root = readModule(crate, { files: [file], isRoot: true }, read);
  return crate;
}

function readModule(crate, { files, parent, isRoot = false }, read) {
  const module = { files, scopes: [] };
  crate.modules.push(module);
  let first;
  for (const file of files) {
    crate.seen.add(file);
    const text = read(file);
    const { scope, declared } = readScope(text, { parent });
    // A module in two files, one for each machine: the names of both.
    first ??= scope;
    if (scope !== first) merge(first, scope);
    for (const inner of withInner(scope)) Object.assign(inner, { module, file });
    module.scopes.push(...withInner(scope));
    for (const one of declared) {
      const found = filesOf(file, one, isRoot, read);
      if (found.length === 0)
        crate.problems.push(`${file} declares the module ${one.name}, and its file is not there.`);
      else one.scope.children.set(one.name, readModule(crate, { files: found, parent: one.scope }, read));
    }
    markTests(crate, file, isRoot, read);
  }
  return first;
}

const withInner = (scope) => [scope, ...[...scope.children.values()].flatMap(withInner)];

function merge(into, from) {
  for (const item of from.items) into.items.add(item);
  for (const part of ['children', 'imports'])
    for (const [name, value] of from[part]) if (!into[part].has(name)) into[part].set(name, value);
  into.globs.push(...from.globs.filter(({ isShared }) => isShared));
}

/** Files that only tests have are known, and not read for what they name. */
function markTests(crate, file, isRoot, read) {
  const { declared } = readScope(read(file), { withTests: true });
  for (const one of declared)
    for (const found of filesOf(file, one, isRoot, read)) {
      if (crate.seen.has(found)) continue;
      crate.seen.add(found);
      markTests(crate, found, false, read);
    }
}

function filesOf(file, { name, inline, paths }, isRoot, read) {
  const folder = path.dirname(file);
  if (paths.length > 0) return paths.map((one) => path.join(folder, ...inline, one)).filter((one) => read(one));
  const ownsFolder = isRoot || path.basename(file) === 'mod.rs';
  const base = path.join(ownsFolder ? folder : file.replace(/[.]rs$/, ''), ...inline);
  return [path.join(base, `${name}.rs`), path.join(base, name, 'mod.rs')].filter((one) => read(one) !== undefined);
}
