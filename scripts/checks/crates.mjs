// The crate table of the helper (helper/crate-table.json): who may use whom, and all that the privileged sampler links,
// as crates and as archives of C code. Fails closed on a crate that the table does not know.
import { existsSync, readFileSync } from 'node:fs';
import { run } from '../steps/command.mjs';
import { engine, helper, inRoot, rustTarget, sampler } from '../steps/paths.mjs';
import { isMain, main, Sentence } from '../steps/report.mjs';
import { staticProblems } from './static-binaries.mjs';

/** The problems of a workspace, given `cargo metadata` and the table; empty when all is well. */
export function crateProblems(metadata, table) {
  const members = metadata.packages.filter((item) => metadata.workspace_members.includes(item.id));
  if (members.length === 0) return ['`cargo metadata` names no crate of the workspace: nothing was checked.'];
  const problems = [];
  for (const crate of members) {
    const row = table.crates[crate.name];
    if (!row) problems.push(`Crate ${crate.name} is not in the crate table: add a row that says what it may use.`);
    else problems.push(...forbiddenUses(crate, row));
  }
  const names = members.map((crate) => crate.name);
  for (const name of Object.keys(table.crates))
    if (!names.includes(name)) problems.push(`The crate table names ${name}, and the workspace has no such crate.`);
  return [...problems, ...closureProblems(metadata, table.sampler)];
}

function forbiddenUses(crate, row) {
  const allowed = { null: row.uses, build: row.buildUses ?? [] };
  return crate.dependencies
    .filter(({ kind, name }) => kind !== 'dev' && !allowed[kind].includes(name))
    .map(
      ({ kind, name }) =>
        `${crate.name} uses ${name}${kind ? ` when ${kind}ing` : ''}, which the crate table does not allow.`,
    );
}

function closureProblems(metadata, reviewed) {
  const linked = linkedCrates(metadata, reviewed.package);
  if (!linked) return [`The workspace has no crate ${reviewed.package}: what the sampler links was not checked.`];
  return difference(linked, reviewed.crates, 'crate');
}

/** The names of all crates that end up in the binary of `name`, itself apart; undefined when there is no such crate. */
export function linkedCrates(metadata, name) {
  const packages = new Map(metadata.packages.map((item) => [item.id, item]));
  const nodes = new Map(metadata.resolve.nodes.map((node) => [node.id, node]));
  const start = metadata.packages.find((item) => item.name === name && metadata.workspace_members.includes(item.id));
  if (!start) return undefined;
  const seen = new Set();
  const open = [start.id];
  while (open.length > 0) {
    for (const { pkg, dep_kinds } of nodes.get(open.pop()).deps) {
      const macro = packages.get(pkg).targets.some((target) => target.kind.includes('proc-macro'));
      if (macro || seen.has(pkg) || !dep_kinds.some(({ kind }) => kind === null)) continue;
      seen.add(pkg);
      open.push(pkg);
    }
  }
  return [...new Set([...seen].map((id) => packages.get(id).name))].sort();
}

/** The archives of C code that the map of a link names members of, whichever linker wrote it. */
export function linkedArchives(map) {
  return [...new Set([...map.matchAll(/([^/\s]+\.a)\([^()\s]+\)/g)].map((match) => match[1]))].sort();
}

/** What the sampler links against what was reviewed, both ways: the list says no more and no less than is true. */
export function difference(linked, reviewed, what) {
  return [
    ...linked
      .filter((name) => !reviewed.includes(name))
      .map((name) => `The sampler links the ${what} ${name}, which nobody reviewed (helper/crate-table.json).`),
    ...reviewed
      .filter((name) => !linked.includes(name))
      .map((name) => `The crate table lists the ${what} ${name} for the sampler, which does not link it.`),
  ];
}

export async function checkCrates() {
  const table = JSON.parse(readFileSync(inRoot('helper/crate-table.json'), 'utf8'));
  const printed = await run('cargo', ['metadata', '--format-version', '1', '--filter-platform', rustTarget], {
    cwd: helper,
  });
  const problems = crateProblems(JSON.parse(printed.slice(printed.indexOf('{"'))), table);
  for (const binary of [engine, sampler].filter(existsSync)) problems.push(...(await staticProblems(binary)));
  if (existsSync(sampler)) problems.push(...archiveProblems(readFileSync(`${sampler}.map`, 'utf8'), table.sampler));
  if (problems.length > 0) throw new Sentence(problems.join('\n'));
}

/** The archives of the built sampler, from the map of its link, against the reviewed list. */
export function archiveProblems(map, reviewed) {
  const archives = linkedArchives(map);
  if (archives.length === 0) return ['The map of the sampler names no archive: nothing was checked.'];
  return difference(archives, reviewed.archives, 'archive');
}

if (isMain(import.meta)) main(checkCrates);
