// What the code that meets foreign text and foreign programs may not hold: a shell, markup made from text, network,
// commands chosen at run time. Reads the syntax tree, so that words in comments and texts do not matter.
import { readFileSync } from 'node:fs';
import { inRoot } from '../steps/paths.mjs';
import { isMain, main, Sentence } from '../steps/report.mjs';
import { productFiles } from './product-files.mjs';

const editor = (name) => `extension/src/editor/${name}.ts`;
/** The only files that start processes, each by an argument array. */
const spawners = [
  'extension/src/engine/engineProcess.ts',
  'extension/src/targets/runStep.ts',
  editor('heat/annotatedListing'),
];

/** Names that may not be used at all; `in` names the files that may. */
const names = [
  { banned: /^(innerHTML|outerHTML|insertAdjacentHTML|srcdoc|setHTMLUnsafe)$/, why: 'makes elements of text' },
  { banned: /^(createContextualFragment|parseFromString|DOMParser)$/, why: 'makes elements of text' },
  {
    banned:
      /^(unsafe(HTML|SVG|MathML|Static|CSS)|UnsafeHTMLDirective|UnsafeSVGDirective|UnsafeMathMLDirective|staticHtml)$/,
    why: 'makes markup of a value in a template',
  },
  { banned: /^(styleMap)$/, why: 'sets the attribute style, which the page may not have' },
  { banned: /^(supportHtml|enableCommandUris)$/, why: 'lets foreign text be markup or run commands' },
  {
    banned: /^(ShellExecution|sendText|execFile|execFileSync|execSync|fork|spawnSync)$/,
    why: 'starts programs another way than by `spawn`',
  },
  { banned: /^(fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon)$/, why: 'speaks to the network' },
  {
    banned: /^show(Information|Warning|Error)Message$/,
    why: 'shows links in foreign text',
    in: [editor('notifications')],
  },
  { banned: /^Notification$/, why: 'shows links in foreign text', in: [editor('notifications')] },
  {
    banned: /^createOutputChannel$/,
    why: 'shows foreign text as it is',
    in: [editor('outputLog'), editor('targets/buildOutput')],
  },
  { banned: /^html$/, why: 'is the HTML of a webview', in: [editor('panels/profilePage')] },
];
const modules = [
  { banned: /^(node:)?child_process$/, why: 'starts programs', in: spawners },
  {
    banned: /^lit(-html)?\/(static|static-html|directives\/(unsafe-|style-map|template-content)).*/,
    why: 'makes markup of a value in a template',
  },
  { banned: /^(node:)?(http|https|http2|net|tls|dgram|dns|vm|cluster|worker_threads)$/, why: 'has no place here' },
];
/** A debugger's variables name commands; only a configuration that the user chose comes there. */
const commandRunners = [editor('targets/launchContext')];

/** The problems of one file's text. `ts` is the TypeScript compiler. */
export function bannedCode(ts, file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const problems = [];
  const refuse = (node, words) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    problems.push(`${file}:${line + 1} ${words}`);
  };
  const visit = (node) => {
    checkName(ts, node, file, refuse);
    checkTemplate(ts, node, refuse);
    checkModule(ts, node, file, refuse);
    checkProperty(ts, node, refuse);
    checkCall(ts, node, file, refuse);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return problems;
}

function checkName(ts, node, file, refuse) {
  const isName = ts.isIdentifier(node) || (ts.isStringLiteral(node) && ts.isElementAccessExpression(node.parent));
  if (!isName || isTemplateTag(ts, node)) return;
  for (const { banned, why, in: allowed = [] } of names)
    if (banned.test(node.text) && !allowed.includes(file)) refuse(node, `uses ${node.text}, which ${why}.`);
}

/** `html` of lit: the tag of a template, or its import. */
function isTemplateTag(ts, node) {
  const { parent } = node;
  if (ts.isTaggedTemplateExpression(parent) && parent.tag === node) return true;
  return ts.isImportSpecifier(parent) && parent.parent.parent.parent.moduleSpecifier.text === 'lit';
}

/** What stands in a template is ours, but an attribute of it can be code, an address or a style. */
function checkTemplate(ts, node, refuse) {
  if (!ts.isTaggedTemplateExpression(node) || !/^(html|svg|mathml)$/.test(node.tag.text)) return;
  const { template } = node;
  const texts = ts.isTemplateExpression(template)
    ? [template.head, ...template.templateSpans.map(({ literal }) => literal)]
    : [template];
  for (const { text } of texts) {
    const [, attribute] =
      /\s(style|[.?]?(?:on\w+|href|src|srcdoc|xlink:href|innerHTML|outerHTML))\s*=/i.exec(text) ?? [];
    if (attribute) refuse(node, `sets the attribute ${attribute} in a template.`);
    const [, tag] = /<(script|style|iframe|object|embed|base|meta|link)\b/i.exec(text) ?? [];
    if (tag) refuse(node, `makes the element ${tag} in a template.`);
  }
}

function checkModule(ts, node, file, refuse) {
  const isImport = ts.isImportDeclaration(node) || ts.isExportDeclaration(node);
  const isCall =
    ts.isCallExpression(node) && (node.expression.kind === ts.SyntaxKind.ImportKeyword || isNamed(node, 'require'));
  const name = isImport ? node.moduleSpecifier : isCall ? node.arguments[0] : undefined;
  if (!name) return;
  if (!ts.isStringLiteral(name)) return refuse(node, 'imports a module that is chosen at run time.');
  for (const { banned, why, in: allowed = [] } of modules)
    if (banned.test(name.text) && !allowed.includes(file)) refuse(node, `imports ${name.text}, which ${why}.`);
  if (!/child_process$/.test(name.text) || !isImport) return;
  const bindings = node.importClause?.namedBindings;
  if (node.importClause?.name || !bindings || ts.isNamespaceImport(bindings))
    return refuse(node, 'imports all of child_process: name what is needed.');
  for (const { name: local, propertyName = local, isTypeOnly } of bindings.elements)
    if (!isTypeOnly && propertyName.text !== 'spawn')
      refuse(node, `imports ${propertyName.text}; only spawn takes no shell.`);
}

function checkProperty(ts, node, refuse) {
  const assigned = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken;
  const name = ts.isPropertyAssignment(node) ? node.name : assigned ? node.left.name : undefined;
  const value = assigned ? node.right : node.initializer;
  if (name?.text === 'shell' && value.kind !== ts.SyntaxKind.FalseKeyword) refuse(node, 'may use a shell.');
  if (name?.text === 'isTrusted' && !namesCommands(ts, value)) refuse(node, 'trusts text without naming the commands.');
}

/** `{ enabledCommands: ['lineheat.…'] }`, and nothing else. */
function namesCommands(ts, value) {
  if (!ts.isObjectLiteralExpression(value) || value.properties.length !== 1) return false;
  const [{ name, initializer }] = value.properties;
  if (name?.text !== 'enabledCommands' || !initializer || !ts.isArrayLiteralExpression(initializer)) return false;
  return initializer.elements.every((element) => ts.isStringLiteral(element) && element.text.startsWith('lineheat.'));
}

function checkCall(ts, node, file, refuse) {
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return;
  if (isNamed(node, 'eval') || (ts.isNewExpression(node) && isNamed(node, 'Function')))
    refuse(node, 'makes code of text.');
  if (isNamed(node, 'spawn') && !hasShellFalse(ts, node)) refuse(node, 'calls spawn without `shell: false`.');
  const called = node.expression;
  if (!ts.isPropertyAccessExpression(called)) return;
  const [first] = node.arguments ?? [];
  if (/^(write|writeln)$/.test(called.name.text) && called.expression.text === 'document')
    refuse(node, 'writes markup.');
  if (
    called.name.text === 'setAttribute' &&
    first &&
    ts.isStringLiteral(first) &&
    /^(on|href|src|style)/i.test(first.text)
  )
    refuse(node, `sets the attribute ${first.text}.`);
  if (called.name.text === 'executeCommand' && !(first && ts.isStringLiteral(first)) && !commandRunners.includes(file))
    refuse(node, 'runs a command that is chosen at run time.');
}

function isNamed(node, name) {
  return node.expression?.text === name;
}

function hasShellFalse(ts, call) {
  const options = call.arguments.at(-1);
  if (!options || !ts.isObjectLiteralExpression(options)) return false;
  return options.properties.some(
    ({ name, initializer }) => name?.text === 'shell' && initializer?.kind === ts.SyntaxKind.FalseKeyword,
  );
}

/** The problems of every product file, as sentences; empty when all is well. */
export async function bannedCodeProblems(files = productFiles()) {
  if (files.length < 50)
    return [`Only ${files.length} product files were found: the check would pass without reading.`];
  const { default: ts } = await import('typescript'); // set-up may only just have installed it
  return files.flatMap((file) => bannedCode(ts, file, readFileSync(inRoot(file), 'utf8')));
}

/** @throws Sentence with every problem. */
export async function checkBannedCode() {
  const problems = await bannedCodeProblems();
  if (problems.length > 0) throw new Sentence(problems.join('\n'));
}

if (isMain(import.meta)) main(checkBannedCode);
