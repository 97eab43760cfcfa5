// Known advisories about everything that is shipped: those that a person looked through, compared wherever the tests run;
// `npm run advisories` asks the OSV database (RustSec, GitHub and others in one), which needs the network.
import { readFileSync } from 'node:fs';
import { bundle } from '../bundle.mjs';
import { inRoot } from '../steps/paths.mjs';
import { isMain, main, Sentence } from '../steps/report.mjs';
import { shippedComponents } from './components.mjs';
import { familyOf } from './licences.mjs';

const database = 'https://api.osv.dev/v1/querybatch';
const ecosystems = { cargo: 'crates.io', npm: 'npm' };
const distributions = { debian: 'Debian', ubuntu: 'Ubuntu' };
/** As the database names it; packages of a distribution by its release. */
const ecosystemOf = ({ kind, distribution, release }) =>
  ecosystems[kind] ?? `${distributions[distribution] ?? distribution}:${release}`;

/** Advisories that do not concern us: id → the reason. */
export const exceptions = {
  'CVE-2025-70351':
    'aho-corasick panics when asked for a span outside the text; regex alone calls it, with spans inside',
  'CVE-2025-1376':
    'elf_strptr of libelf reads a string beyond its section; the sampler gives libelf its own embedded BPF object and nothing else',
};

const reviewFile = 'scripts/supply/reviewed-advisories.json';

/** A sentence for each component that nobody looked up, and for each that is older than a version known to be mended. */
export function reviewProblems(
  components,
  { review = JSON.parse(readFileSync(inRoot(reviewFile), 'utf8')), except = exceptions } = {},
) {
  return components.flatMap(({ kind, name, version }) => {
    const known = review.components[`${kind} ${kind === 'deb' ? familyOf(name) : name}`];
    if (!known) return [`${kind} ${name} ${version}: look up its advisories, and list them in ${reviewFile}.`];
    return known
      .filter(({ id, fixed }) => !except[id] && version.localeCompare(fixed, 'en', { numeric: true }) < 0)
      .map(({ id, fixed }) => `${kind} ${name} ${version} has ${id}: take ${fixed} or later.`);
  });
}

/** "cargo NAME VERSION: ID" for each known advisory without an exception. Throws when the database cannot be asked. */
export async function advisories(components, { url = database, except = exceptions } = {}) {
  const queries = components.map((component) => ({
    package: { ecosystem: ecosystemOf(component), name: component.name },
    version: component.version,
  }));
  const { results } = await ask(url, { queries });
  if (results?.length !== components.length)
    throw new Sentence(`${url} gave ${results?.length} answers to ${components.length} questions.`);
  return components.flatMap(({ kind, name, version }, i) =>
    (results[i].vulns ?? []).filter(({ id }) => !except[id]).map(({ id }) => `${kind} ${name} ${version}: ${id}`),
  );
}

async function ask(url, question) {
  const unreachable = (why) => new Sentence(`The advisories were NOT checked: ${url} cannot be asked (${why}).`);
  let answer;
  try {
    answer = await fetch(url, { method: 'POST', body: JSON.stringify(question), signal: AbortSignal.timeout(30_000) });
  } catch (error) {
    throw unreachable(error.cause?.message ?? error.message);
  }
  if (!answer.ok) throw unreachable(`HTTP ${answer.status}`);
  return answer.json();
}

if (isMain(import.meta))
  main(async () => {
    await bundle();
    const components = await shippedComponents();
    const found = await advisories(components);
    if (found.length > 0) throw new Sentence(found.join('\n'));
    console.log(`None of the ${components.length} shipped components has a known advisory.`);
  });
