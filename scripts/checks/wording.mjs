// Which phrases a text that users read may not hold: words of another language's grammar, and second names for one thing.
// The reader is an engineer who reads each sentence once.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { inRoot, root } from '../steps/paths.mjs';
import { isMain, main, Sentence } from '../steps/report.mjs';
import { productFiles } from './product-files.mjs';
import { jsonTexts, markdownTexts, rustTexts, typescriptTexts } from './user-texts.mjs';

/** What is refused, and what to write. `in` limits a rule to files whose path matches. */
const phrases = [
  { refused: /\b(told|tells?|telling)\b/i, write: 'show, report, say, distinguish' },
  { refused: /\bstands?\b(?!-)(?! ?alone)/i, write: 'is, appears' },
  { refused: /\b(is|are) said\b|\bsaid so\b|\bnothing is said\b/i, write: 'is shown, is reported' },
  { refused: /\bcan(not| not)? be (told|said)\b/i, write: 'is unknown, is not distinguishable' },
  { refused: /\bare heard\b|\bis heard\b/i, write: 'is respected' },
  { refused: /\bmanieth\b/i, write: 'one in N' },
  { refused: /\b(the command|it|a program|each \w+) so (often|many)\b|^\w+( \w+){0,3} so often\b/i, write: 'N times' },
  { refused: /\bso many seconds\b/i, write: 'this many seconds' },
  { refused: /\b(take|takes|taking) (it all |all of it |everything )?away\b/i, write: 'uninstall, remove' },
  { refused: /\bhas brought\b/i, write: 'has installed' },
  { refused: /\bby it\b[.,;]?$/i, write: 'this way' },
  { refused: /\bof the whole\b|\bof both nothing\b/i, write: 'overall' },
  { refused: /\b(is|are) taken for\b/i, write: 'is assumed' },
  { refused: /\bfault of (its|our|their) own\b/i, write: 'internal error' },
  { refused: /\bway of comparing\b/i, write: 'normalization' },
  { refused: /\bthe words are\b|\bthe compiler's words\b/i, write: 'see … for details, messages' },
  { refused: /\bcannot carry\b/i, write: 'too few samples to compare' },
  { refused: /\bit is not known (that|whether|if)\b/i, write: 'may, is unknown' },
  { refused: /\bonly one side has has\b/i, write: 'present on one side only' },
  { refused: /\bwhat drifts\b|\bhits? all alike\b|\bhits? both( alike)?\b/i, write: 'affects all of them equally' },
  { refused: /\ba run that fails is the last\b/i, write: 'recording stops at the first failed execution' },
  { refused: /\bwhat it may lock\b/i, write: 'locked-memory limit' },
  { refused: /\b(lets|let) no (ordinary )?\w+\b/i, write: 'cannot, unprivileged users cannot' },
  {
    refused:
      /\b(samples?|frames?|rows?|runs?|bytes|timers?|threads?) an? (second|thread|CPU|sample|process|line|function|row|side|user|mapping|combination)\b/i,
    write: '… per …',
  },
  { refused: /\brepetitions?\b/i, write: 'execution' },
  { refused: /\bin turns\b/i, write: 'alternately, interleaved' },
  {
    refused: /\b(is|are|was|were) wanted\b|\bwanted (a|an|one|NAME)\b|\bwants (a|an|it|its|no)\b/i,
    write: 'expected, required',
  },
  { refused: /\bwere asked for\b|\bwas asked for\b/i, write: 'cannot …; the maximum is …' },
  { refused: /\banew\b/i, write: 'again' },
  { refused: /\bwhat is (marked|printed)\b/i, write: 'the marked items, the output' },
  {
    refused: /\b(may|must|can|could) not be looked into\b|\bmay look into\b|\bmay not look into\b/i,
    write: 'may inspect',
  },
  { refused: /\b(added|add) up\b(?! to)/i, write: 'pool' },
  { refused: /\bfor certain\b/i, write: 'significantly' },
  { refused: /\bwithout privilege\b/i, write: 'without privileges' },
  { refused: /\btime in the kernel\b(?=.*\bmissing\b)/i, write: 'kernel time' },
  { refused: /\bas (Debian|Ubuntu)( and Ubuntu)? ships? it\b/i, write: 'the default of' },
  { refused: /\bhow names of\b/i, write: 'how … names' },
];

/** Texts that a rule meets and that stay, each with its reason. */
const exceptions = [];

/** The problems of one file's texts. */
export function wordingProblems(file, texts, allowed = exceptions) {
  return texts.flatMap(({ line, text: broken }) => {
    const text = broken.replace(/\s+/g, ' ');
    if (!readsAsText(text)) return [];
    const rule = phrases.find(({ refused }) => refused.test(text));
    if (!rule || allowed.some((exception) => exception.file === file && exception.text.test(text))) return [];
    const found = rule.refused.exec(text)[0];
    return [`${file}:${line} says "${found}" (${shortened(text, found)}): write ${rule.write}.`];
  });
}

/** A name, a key, a path or a pattern is one word; what people read has several. */
function readsAsText(text) {
  return /\p{L}{2,}.* .*\p{L}{2,}/u.test(text);
}

function shortened(text, found) {
  const at = text.indexOf(found);
  const part = text.slice(Math.max(0, at - 30), at + found.length + 30);
  return `…${part.trim()}…`;
}

/** The texts of a file by its kind; undefined for a file that users do not read. */
export function userTexts(ts, file, source) {
  if (/^helper\/crates\/.*\/src\/.*[.]rs$/.test(file)) return isRustTest(file) ? undefined : rustTexts(source);
  if (file === 'package.nls.json') return jsonTexts(source);
  if (file === 'CHANGELOG.md') return markdownTexts(source.split(/^## \d/m)[0]);
  if (/^(README|docs\/[^/]+)[.]md$/.test(file)) return markdownTexts(source);
  if (/[.]tsx?$/.test(file)) return typescriptTexts(ts, file, source);
  return undefined;
}

function isRustTest(file) {
  return /\/tests?\/|[/_]tests?[.]rs$/.test(file);
}

function files() {
  const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  const others = list.split('\n').filter((file) => /[.](rs|md)$|^package[.]nls[.]json$/.test(file));
  return [...productFiles(), ...others.filter((file) => existsSync(inRoot(file)))];
}

/** @throws Sentence with every problem. */
export async function checkWording() {
  const { default: ts } = await import('typescript'); // set-up may only just have installed it
  let read = 0;
  const problems = files().flatMap((file) => {
    const texts = userTexts(ts, file, readFileSync(inRoot(file), 'utf8'));
    read += texts?.length ?? 0;
    return texts ? wordingProblems(file, texts) : [];
  });
  if (read < 3000) throw new Sentence(`Only ${read} texts were found: the check would pass without reading.`);
  if (problems.length > 0) throw new Sentence(problems.join('\n'));
}

if (isMain(import.meta)) main(checkWording);
