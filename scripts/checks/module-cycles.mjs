// No cycles between the modules of a Rust crate: of two files, one must be readable without the other. A module depends
// on the file that defines what it names, by whatever path; naming through a re-export is naming the definition. `mod`
// and a re-export of an own child are no dependency, as long as the file does not use the name itself. Calls of methods
// are not seen.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { inRoot, root } from '../steps/paths.mjs';
import { isMain, main, Sentence } from '../steps/report.mjs';
import { readCrate } from './rust-modules.mjs';

/** What `segments` names, seen from `scope`: { scope, isModule }; undefined: something of another crate. */
function resolve(crate, scope, segments, seen = []) {
  const [head, ...rest] = segments;
  let at;
  if (head === 'crate') at = { scope: crate.root, isModule: true };
  else if (head === 'self') at = { scope, isModule: true };
  else if (head === 'super') at = { scope: scope.parent ?? scope, isModule: true };
  else at = member(crate, scope, head, seen);
  for (const name of rest) {
    if (!at?.isModule) break;
    if (name === 'super') at = { scope: at.scope.parent ?? at.scope, isModule: true };
    // A name that nothing seems to define, as by a macro: of the module that was asked for it.
    else at = member(crate, at.scope, name, seen) ?? { scope: at.scope, isModule: false };
    if (at.isOutside) return undefined;
  }
  return at?.isOutside ? undefined : at;
}

/** What a module has under this name; undefined: nothing that can be seen. */
function member(crate, scope, name, seen) {
  // Two modules may re-export all of each other.
  if (seen.some((one) => one.scope === scope && one.name === name)) return undefined;
  const inside = [...seen, { scope, name }];
  if (scope.children.has(name)) return { scope: scope.children.get(name), isModule: true };
  const imported = scope.imports.get(name);
  if (imported) return resolve(crate, scope, imported.segments, inside) ?? { isOutside: true };
  if (scope.items.has(name)) return { scope, isModule: false };
  for (const { segments } of scope.globs) {
    const from = resolve(crate, scope, segments, inside);
    const found = from?.isModule && from.scope !== scope ? member(crate, from.scope, name, inside) : undefined;
    if (found) return found;
  }
  return undefined;
}

/** Which file depends on which: file → other file → the first line that makes it so. */
function dependencies(crate) {
  const graph = new Map(crate.modules.map(({ files }) => [files[0], new Map()]));
  for (const module of crate.modules)
    for (const scope of module.scopes) {
      const add = (target, line, isNamedOnly = false) => {
        if (!target || target.scope.module === module || (target.isModule && !isNamedOnly)) return;
        const to = graph.get(module.files[0]);
        const other = target.scope.module.files[0];
        if (!(to.get(other)?.line <= line)) to.set(other, { file: scope.file, line });
      };
      addDependencies(crate, scope, add);
    }
  return graph;
}

function addDependencies(crate, scope, add) {
  const heads = new Set(scope.paths.map(({ segments }) => segments[0]));
  for (const { segments, line } of scope.paths) add(resolve(crate, scope, segments), line, true);
  for (const [name, { segments, line, isShared }] of scope.imports) {
    const target = resolve(crate, scope, segments);
    const isReexport = isShared && target && isBelow(target.scope, scope);
    if (isReexport && scope.names.has(name)) add(target, scope.names.get(name), true);
    // Of an imported module, what is named through it counts.
    if (!isReexport) add(target, line, !heads.has(name));
  }
  for (const { segments, line, isShared } of scope.globs) {
    const from = resolve(crate, scope, segments);
    if (!from?.isModule) add(from, line);
    else if (!(isShared && isBelow(from.scope, scope))) {
      const used = namesFrom(crate, from.scope, scope);
      for (const { target, at } of used) add(target, at);
      // A trait, whose methods alone are used, or what a macro makes.
      if (used.length === 0) add(from, line, true);
    }
  }
}

/** What a module names of all that it imports from another. */
function namesFrom(crate, other, scope) {
  return [...scope.names]
    .filter(([name]) => !scope.items.has(name) && !scope.imports.has(name) && !scope.children.has(name))
    .map(([name, at]) => ({ target: member(crate, other, name, []), at }))
    .filter(({ target }) => target && !target.isOutside);
}

function isBelow(scope, above) {
  for (let at = scope.parent; at; at = at.parent) if (at === above) return true;
  return false;
}

/** The shortest way from one file to another, both included; undefined when there is none. */
function shortestWay(graph, from, to) {
  const cameFrom = new Map([[from, undefined]]);
  const open = [from];
  for (let file = open.shift(); file; file = open.shift())
    for (const next of graph.get(file).keys()) {
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, file);
      if (next === to) {
        const way = [to];
        while (way[0] !== from) way.unshift(cameFrom.get(way[0]));
        return way;
      }
      open.push(next);
    }
  return undefined;
}

/** Every dependency of a cycle is in at least one of those given, the shortest first; each starts with its first name. */
function cyclesOf(graph) {
  const found = new Map();
  for (const [from, targets] of graph)
    for (const to of targets.keys()) {
      const way = shortestWay(graph, to, from);
      if (!way) continue;
      const first = way.indexOf([...way].sort()[0]);
      const cycle = [...way.slice(first), ...way.slice(0, first)];
      found.set(cycle.join(' '), cycle);
    }
  return [...found.values()].sort((a, b) => a.length - b.length || a.join().localeCompare(b.join()));
}

/** The cycles of one crate, as sentences. */
function cycleProblems(crate) {
  const graph = dependencies(crate);
  const problems = [...crate.problems];
  for (const cycle of cyclesOf(graph)) {
    const lines = cycle.map((from, at) => {
      const to = cycle[(at + 1) % cycle.length];
      const { file, line } = graph.get(from).get(to);
      return `  ${file}:${line} uses ${to}`;
    });
    problems.push(
      `${cycle.length} modules depend on each other in a cycle. Move what they share to a module of its own:\n${lines.join('\n')}`,
    );
  }
  return problems;
}

/** The problems of a tree, given as its Rust files below helper/crates and how to read them. */
export function moduleProblems(files, read) {
  const sources = files.filter((file) => /^helper\/crates\/[^/]+\/src\/.*[.]rs$/.test(file));
  const roots = sources.filter((file) => /\/src\/(lib|main|bin\/[^/]+)[.]rs$/.test(file));
  if (roots.length === 0) return ['No Rust crate was found: the check of module cycles would pass without reading.'];
  const problems = [];
  const seen = new Set();
  for (const file of roots) {
    const crate = readCrate(file, read);
    for (const one of crate.seen) seen.add(one);
    problems.push(...cycleProblems(crate));
  }
  for (const file of sources)
    if (!seen.has(file)) problems.push(`${file} belongs to no module that was read: its cycles are not known.`);
  return problems;
}

/** @throws Sentence with every problem. */
export function checkModuleCycles() {
  const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'helper/crates'], {
    cwd: root,
    encoding: 'utf8',
  });
  const files = list.split('\n').filter((file) => file.endsWith('.rs') && existsSync(inRoot(file)));
  const read = (file) => (files.includes(file) ? readFileSync(inRoot(file), 'utf8') : undefined);
  const problems = moduleProblems(files, read);
  if (problems.length > 0) throw new Sentence(problems.join('\n'));
}

if (isMain(import.meta)) main(async () => checkModuleCycles());
