// The rule of docs/architecture.md that the engine computes and TypeScript shows: no arithmetic on a figure over samples
// outside the files that are named here, each with what it computes. Which names are figures is read from the protocol, so a
// new field is covered at once. Reads the syntax tree and follows a figure into variables, parameters and callbacks of a file.
import { readdirSync, readFileSync } from 'node:fs';
import { inRoot } from '../steps/paths.mjs';
import { isMain, main, Sentence } from '../steps/report.mjs';
import { productFiles } from './product-files.mjs';

/** Where arithmetic on figures is right, and what for. */
export const computing = new Map([
  ['core/numbersAsText.ts', 'a figure as text; the ratio or the difference of two figures of one message, to be shown'],
  ['core/changeText.ts', 'a change and its interval as text'],
  ['webview/graph/layout.ts', 'where a box begins and how wide it is; which node stands for several'],
  ['webview/graph/difference.ts', 'how strong a colour is'],
  ['webview/page/sweepChart.ts', 'where a bar of one standard deviation begins and ends'],
  ['webview/page/repeatsChart.ts', 'where the scale begins and ends when all dots stand in one place'],
  ['webview/timeline/barScale.ts', 'how high a bar of the timeline is, and how wide a column of it may be'],
  ['webview/timeline/memoryArea.ts', 'how high the area of memory is, and which amounts its axis has'],
  ['webview/timeline/secondCells.ts', 'how strong the colour of a cell is'],
  ['webview/table/cells.ts', 'how long the bar of a share or of a difference is'],
]);

/** Numbers of the protocol that say nothing over samples: clocks, limits, progress, what a message left out. */
const OTHER_NUMBERS = /^(.*UnixMs|durationS|elapsedNs|symbolized|prunedNodes|sampleHz|fromNs|toNs|endNs)$/;
/** Names of the page for whole groups of figures. */
const GROUPS = ['costs', 'newCosts', 'effects', 'selfEffects', 'totalEffects'];
/** Functions and methods that give a figure when they are given one. */
const PASSING =
  /^(map|flatMap|filter|slice|subarray|sort|toSorted|reverse|at|reduce|find|concat|max|min|abs|round|floor|ceil|sqrt|log|hypot|from|Number|share|difference)$/;
/** Names of fields that parameters have for other things too. */
const VAGUE = /^(value|change|work|low|high|q)$/;
const FIGURE_COLUMN = /^Float(32|64)Array$/;
const FOLLOWED = /^(map|flatMap|filter|forEach|reduce|find|some|every|sort|toSorted)$/;

/** Names of the fields of `proto` that hold figures, as TypeScript has them. */
export function figuresOf(proto) {
  const fields = proto.matchAll(/^\s*(?:repeated |optional )?(\w+) (\w+) = \d+;/gm);
  const names = [...fields]
    .filter(([, type, name]) => /^(u?int64|double|float)$/.test(type) || /samples/.test(name))
    .map(([, , name]) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()));
  return new Set(names.filter((name) => !OTHER_NUMBERS.test(name)));
}

const protocolFigures = () => {
  const files = readdirSync(inRoot('protocol')).filter((file) =>
    /^(wire|views|comparison|runs|selection)[.]proto$/.test(file),
  );
  const figures = new Set(files.flatMap((file) => [...figuresOf(readFileSync(inRoot('protocol', file), 'utf8'))]));
  return new Set([...figures, ...GROUPS]);
};

/** The places in one file's text where a figure is computed with. `ts` is the TypeScript compiler. */
export function computedFigures(ts, file, text, figures = protocolFigures()) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const problems = [];
  const found = new Set();
  const follow = followerOf(ts, figures);
  // A name may be used before the line that makes it a figure is read: again until nothing new is known.
  for (let before = -1; before < follow.count(); ) {
    before = follow.count();
    walk(ts, source, follow.learn);
  }
  walk(ts, source, (node) => {
    if (!isArithmetic(ts, node) || ![node.left, node.right].some(follow.isFigure)) return;
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    if (found.has(line)) return;
    found.add(line);
    const words = node.getText().replace(/\s+/g, ' ').slice(0, 80);
    problems.push(`${file}:${line + 1} computes over samples (${words}): the engine does that.`);
  });
  return problems;
}

function walk(ts, node, visit) {
  visit(node);
  ts.forEachChild(node, (child) => walk(ts, child, visit));
}

function isArithmetic(ts, node) {
  if (!ts.isBinaryExpression(node)) return false;
  const kinds = ts.SyntaxKind;
  const plus = [kinds.PlusToken, kinds.PlusEqualsToken].includes(node.operatorToken.kind);
  const isText = (side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side);
  if (plus) return ![node.left, node.right].some(isText);
  return [
    kinds.MinusToken,
    kinds.AsteriskToken,
    kinds.SlashToken,
    kinds.PercentToken,
    kinds.AsteriskAsteriskToken,
    kinds.MinusEqualsToken,
    kinds.AsteriskEqualsToken,
    kinds.SlashEqualsToken,
  ].includes(node.operatorToken.kind);
}

function followerOf(ts, figures) {
  /** By function or file: the names that it declares, and whether each holds a figure. */
  const known = new Map();
  const count = () => [...known.values()].flatMap((names) => [...names.values()]).filter(Boolean).length;
  const scopeOf = (node) => {
    let at = node.parent;
    while (at && !ts.isFunctionLike(at) && !ts.isSourceFile(at)) at = at.parent;
    return at;
  };
  const isKnown = (identifier) => {
    for (let scope = scopeOf(identifier); scope; scope = scopeOf(scope)) {
      const verdict = known.get(scope)?.get(identifier.text);
      if (verdict !== undefined) return verdict;
    }
    return false;
  };
  const learnName = (name, verdict, scope = scopeOf(name)) => {
    if (ts.isIdentifier(name)) {
      const names = known.get(scope) ?? new Map();
      known.set(scope, names.set(name.text, verdict || (names.get(name.text) ?? false)));
      return;
    }
    for (const element of name.elements) {
      if (ts.isOmittedExpression(element)) continue;
      const property = (element.propertyName ?? element.name).text;
      const own = ts.isObjectBindingPattern(name) && figures.has(property);
      learnName(element.name, verdict || own, scope);
    }
  };
  const calledName = (call) => call.expression.name?.text ?? call.expression.text;
  const isFigure = (node) => {
    if (!node) return false;
    if (ts.isIdentifier(node)) return isKnown(node);
    if (ts.isPropertyAccessExpression(node))
      return figures.has(node.name.text) || (node.name.text !== 'length' && isFigure(node.expression));
    if (ts.isElementAccessExpression(node)) return isFigure(node.expression);
    if (ts.isCallExpression(node)) {
      if (ts.isIdentifier(node.expression) && isKnown(node.expression)) return true;
      if (!PASSING.test(calledName(node) ?? '')) return false;
      const callback = node.arguments.find(ts.isArrowFunction);
      if (/^(map|flatMap)$/.test(calledName(node)) && callback) return isFigure(callback.body);
      return (
        [node.expression.expression, ...node.arguments].some(isFigure) || /^(share|difference)$/.test(calledName(node))
      );
    }
    if (ts.isBinaryExpression(node)) {
      const comparing = [ts.SyntaxKind.LessThanToken, ts.SyntaxKind.EqualsEqualsEqualsToken].includes(
        node.operatorToken.kind,
      );
      return !comparing && (isArithmetic(ts, node) || isChoice(node)) && (isFigure(node.left) || isFigure(node.right));
    }
    if (ts.isConditionalExpression(node)) return isFigure(node.whenTrue) || isFigure(node.whenFalse);
    if (ts.isArrayLiteralExpression(node)) return node.elements.some(isFigure);
    const inner = ts.isNonNullExpression(node) || ts.isParenthesizedExpression(node) || ts.isAsExpression(node);
    if (inner || ts.isSpreadElement(node)) return isFigure(node.expression);
    return ts.isPrefixUnaryExpression(node) && isFigure(node.operand);
  };
  const isChoice = (node) =>
    [ts.SyntaxKind.QuestionQuestionToken, ts.SyntaxKind.BarBarToken].includes(node.operatorToken.kind);
  const learn = (node) => {
    if (ts.isVariableDeclaration(node)) {
      const ofList = ts.isForOfStatement(node.parent.parent) ? node.parent.parent.expression : undefined;
      // A function that gives a figure: what it is called with does not matter.
      const body = node.initializer && ts.isArrowFunction(node.initializer) ? node.initializer.body : undefined;
      learnName(node.name, isFigure(body ?? node.initializer ?? ofList));
    }
    if (ts.isParameter(node) && !ts.isIdentifier(node.name)) learnName(node.name, false, node.parent);
    if (ts.isParameter(node) && ts.isIdentifier(node.name)) {
      const named = figures.has(node.name.text) && !VAGUE.test(node.name.text);
      learnName(node.name, named || FIGURE_COLUMN.test(node.type?.getText() ?? ''), node.parent);
    }
    if (ts.isCallExpression(node) && FOLLOWED.test(calledName(node) ?? '') && isFigure(node.expression.expression)) {
      const callback = node.arguments.find((argument) => ts.isArrowFunction(argument));
      const names = callback?.parameters.slice(0, /^(reduce|sort|toSorted)$/.test(calledName(node)) ? 2 : 1) ?? [];
      for (const { name } of names) learnName(name, true, callback);
    }
  };
  return { isFigure, learn, count };
}

/** The problems of the tree, as sentences; also a file that is allowed to compute and does not. */
export async function computedFiguresProblems(files = productFiles()) {
  if (files.length < 50)
    return [`Only ${files.length} product files were found: the check would pass without reading.`];
  const { default: ts } = await import('typescript'); // set-up may only just have installed it
  const figures = protocolFigures();
  if (figures.size < 40) return [`Only ${figures.size} figures were found in the protocol.`];
  const problems = [];
  for (const file of files) {
    const found = computedFigures(ts, file, readFileSync(inRoot(file), 'utf8'), figures);
    if (!computing.has(file)) problems.push(...found);
    else if (found.length === 0) problems.push(`${file} may compute over samples and does not: take it off the list.`);
  }
  for (const file of computing.keys())
    if (!files.includes(file)) problems.push(`${file} is on the list and not there.`);
  return problems;
}

/** @throws Sentence with every problem. */
export async function checkComputedFigures() {
  const problems = await computedFiguresProblems();
  if (problems.length > 0) throw new Sentence(problems.join('\n'));
}

if (isMain(import.meta)) main(checkComputedFigures);
