// Every text that users see in the editor goes through l10n, and l10n/bundle.l10n.json, from which translators work, has
// all of them. The export reads the sources with another parser than the compiler, so each call is looked up in its result.
import { existsSync, readFileSync } from 'node:fs';
import { inRoot } from '../steps/paths.mjs';
import { isMain, main, Sentence } from '../steps/report.mjs';
import { productFiles } from './product-files.mjs';

export const bundleFile = 'l10n/bundle.l10n.json';

/** Texts that stay as they are in each language, with the reason. */
const exceptions = [
  {
    text: /^Lineheat( Build| Doctor)?$/,
    why: 'the name of the product in the name of a channel, terminal or document',
  },
  { text: /^# Lineheat Doctor$/, why: 'the name of a document' },
  { text: /^(Ctrl|Shift|Alt)\+[\w+]+$|^(Enter|F12)$/, why: 'keys' },
  { text: /^(CMake|Cargo|Meson|Make|Go)$/, why: 'names of build tools' },
  { text: /^[A-Za-z]+$/, property: /^(what|note)$/, why: 'words of the protocol' },
];

/** Properties whose value the editor or the page shows. */
const SHOWN = /^(title|label|face|description|detail|tooltip|placeHolder|placeholder|prompt|hint|emptyText)$/;
/** Attributes of the page's elements that are shown or read out. */
const ATTRIBUTE = /\b(?:aria-label|title|placeholder|label)="([^"]*\p{L}{2}[^"]*)"/gu;
const ELEMENT_TEXT = />([^<>]*\p{L}{2}[^<>]*)</gu;
/** Where a template has a value. */
const HOLE = '\u0001';
/** Calls whose texts are for the log, or for the machine. */
const UNSEEN =
  /(^|\.)(log|info|warn|error|onLog|debug)$|(^|\.)(querySelector|matchMedia|closest|join|split|getPropertyValue)$/;

/** What `npm run l10n` writes: the texts by name. */
export async function exportedTexts(sources = productSources()) {
  const { getL10nJson } = await import('@vscode/l10n-dev');
  const files = sources.filter(({ file }) => file.endsWith('.ts'));
  const texts = await getL10nJson(files.map(({ contents }) => ({ extension: '.ts', contents })));
  const sorted = Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`;
}

/** A sentence when the committed export is another than a fresh one. */
export function exportProblems(committed, fresh) {
  if (committed === fresh) return [];
  const [old, now] = [committed || '{}', fresh].map((text) => Object.keys(JSON.parse(text)));
  const list = (keys) => keys.slice(0, 5).map((key) => JSON.stringify(key));
  const parts = [
    ...list(now.filter((key) => !old.includes(key))).map((key) => `it lacks ${key}`),
    ...list(old.filter((key) => !now.includes(key))).map((key) => `no source has ${key}`),
  ];
  return [`${bundleFile} is not what the sources say: ${parts.join(', ') || 'its form differs'}. Run npm run l10n.`];
}

/** What is wrong in one file: texts outside of l10n, and calls that the export cannot read. `ts` is the compiler. */
export function localizationProblems(ts, file, source, exported) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const problems = [];
  const report = (node, text) => {
    const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
    problems.push(`${file}:${line + 1} ${text}`);
  };
  const outside = (node, text) =>
    report(node, `shows ${JSON.stringify(text)} in English only: pass it through l10n.t (CONTRIBUTING.md).`);
  const call = (node) => {
    const [first] = node.arguments;
    const message = first && messageOf(ts, first);
    if (message === undefined) return report(node, 'calls l10n.t with something else than a text of its own.');
    if (!exported.has(message)) report(node, `calls l10n.t with ${JSON.stringify(message)}, which the export lacks.`);
  };
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return;
    if (ts.isCallExpression(node)) {
      const name = node.expression.getText();
      if (/(^|\.)l10n\.t$/.test(name)) {
        call(node);
        for (const argument of node.arguments.slice(1)) visit(argument);
        return;
      }
      if (UNSEEN.test(name)) return;
    }
    if (ts.isTaggedTemplateExpression(node) && /^(html|svg)$/.test(node.tag.getText()))
      for (const text of markupTexts(partsOf(ts, node.template).join(HOLE))) outside(node, text);
    else if (isText(ts, node) && isShown(ts, node)) outside(node, partsOf(ts, node).join('…'));
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return problems;
}

function messageOf(ts, node) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isObjectLiteralExpression(node)) return undefined;
  const message = node.properties.find((property) => property.name?.getText() === 'message');
  return message && ts.isStringLiteralLike(message.initializer) ? message.initializer.text : undefined;
}

const isText = (ts, node) =>
  (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) && !ts.isTaggedTemplateExpression(node.parent);

const partsOf = (ts, node) =>
  ts.isTemplateExpression(node)
    ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)]
    : [node.text];

/** The words between and in the tags of a template. */
function* markupTexts(markup) {
  for (const pattern of [ATTRIBUTE, ELEMENT_TEXT])
    for (const [, text] of markup.matchAll(pattern)) {
      const words = text.replaceAll(HOLE, ' ').trim();
      // An arrow function's `>` opens no element: what follows it is code.
      if (/\p{L}{2}/u.test(words) && !/[=;]/.test(words)) yield words;
    }
}

/** A sentence wherever it is, or any word in a place that is shown. */
function isShown(ts, node) {
  const text = partsOf(ts, node).join('…');
  const { parent } = node;
  const property = ts.isPropertyAssignment(parent) && parent.initializer === node ? parent.name.getText() : '';
  const excepted = exceptions.some((one) => one.text.test(text) && (!one.property || one.property.test(property)));
  if (excepted) return false;
  if (ts.isPropertyAssignment(parent) && parent.name === node) return false;
  if (SHOWN.test(property)) return /\p{L}{2}/u.test(text.replace(/\$\([\w-]+\)/g, ''));
  if (/textContent|[.]title$|ariaLabel/.test(assigned(ts, node))) return /\p{L}{2}/u.test(text);
  return /^\P{L}*\p{Lu}\p{Ll}*[^\n]* \p{Ll}{2}/u.test(text) && !/[<{]/.test(text);
}

const assigned = (ts, { parent }) =>
  ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.EqualsToken ? parent.left.getText() : '';

const productSources = () => productFiles().map((file) => ({ file, contents: readFileSync(inRoot(file), 'utf8') }));

/** @throws Sentence with every problem. */
export async function checkLocalizedTexts() {
  const { default: ts } = await import('typescript'); // set-up may only just have installed it
  const sources = productSources();
  const fresh = await exportedTexts(sources);
  const entries = Object.entries(JSON.parse(fresh));
  if (entries.length < 400) throw new Sentence(`Only ${entries.length} texts were exported: something is not read.`);
  const exported = new Set(entries.map(([key, text]) => (typeof text === 'string' ? key : text.message)));
  const committed = existsSync(inRoot(bundleFile)) ? readFileSync(inRoot(bundleFile), 'utf8') : '';
  const problems = [
    ...exportProblems(committed, fresh),
    ...sources.flatMap(({ file, contents }) => localizationProblems(ts, file, contents, exported)),
  ];
  if (problems.length > 0) throw new Sentence(problems.join('\n'));
}

if (isMain(import.meta)) main(checkLocalizedTexts);
