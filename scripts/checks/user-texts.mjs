// The texts of a file that a user may read: string literals, help texts, prose of a page. Comments, code and tests are left out.

/** @typedef {{ line: number, text: string }} UserText line: 1-based, where the text starts */

/** String literals and help texts (doc comments of the command line's options) outside of `#[cfg(test)]`. @returns {UserText[]} */
export function rustTexts(source) {
  const code = withoutTests(source);
  const texts = [];
  const lineOf = lineCounter(code);
  for (const { index, kind, text } of rustTokens(code))
    if (kind === 'string') texts.push({ line: lineOf(index), text: unescaped(text) });
  return [...texts, ...helpTexts(code)].sort((a, b) => a.line - b.line);
}

/** String literals and the fixed parts of templates; names of modules left out. `ts` is the TypeScript compiler. @returns {UserText[]} */
export function typescriptTexts(ts, file, source) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const texts = [];
  const take = (node, text) => texts.push({ line: tree.getLineAndCharacterOfPosition(node.getStart()).line + 1, text });
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) take(node, node.text);
    else if (ts.isTemplateExpression(node))
      take(node, [node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join('…'));
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return texts;
}

/** Every value of a JSON file, which must be an object of texts with one a line. @returns {UserText[]} */
export function jsonTexts(source) {
  const lineOf = lineCounter(source);
  return Object.entries(JSON.parse(source)).map(([key, text]) => ({ line: lineOf(source.indexOf(`"${key}"`)), text }));
}

/** The paragraphs of a page; blocks of code, code within a line and the targets of links left out. @returns {UserText[]} */
export function markdownTexts(source) {
  const texts = [];
  let open;
  let fence;
  source.split('\n').forEach((line, at) => {
    const mark = /^\s*(```|~~~)/.exec(line)?.[1];
    if (mark) fence = fence === undefined ? mark : fence === mark ? undefined : fence;
    const isProse = !mark && fence === undefined && line.trim() !== '';
    if (!isProse) open = undefined;
    else if (open && !/^\s*([-*|#]|\d+\.)/.test(line)) open.text += ` ${prose(line)}`;
    else {
      open = { line: at + 1, text: prose(line) };
      texts.push(open);
    }
  });
  return texts;
}

function prose(line) {
  return line
    .trim()
    .replace(/`[^`]*`/g, '`…`')
    .replace(/\]\([^)]*\)/g, ']');
}

/** The same text with what follows `#[cfg(test)]` blanked, line breaks kept. */
function withoutTests(source) {
  let code = source;
  for (const { index } of source.matchAll(/^\s*#\[cfg\((?:all\()?test\b[^\]]*\]/gm)) {
    const end = endOfItem(code, index);
    code = code.slice(0, index) + code.slice(index, end).replace(/[^\n]/g, ' ') + code.slice(end);
  }
  return code;
}

/** Where the item that begins at `start` ends: after its closing brace, or its semicolon. */
function endOfItem(code, start) {
  let depth = 0;
  for (const { index, kind, text } of rustTokens(code, start)) {
    if (kind !== 'mark') continue;
    if (text === '{') depth += 1;
    if (text === '}') depth -= 1;
    if (depth === 0 && (text === '}' || text === ';')) return index + 1;
  }
  return code.length;
}

/** String literals, braces and semicolons from `start` on; comments and characters are passed over. */
function* rustTokens(code, start = 0) {
  const token =
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|b?'(?:\\(?:u\{[^}]*\}|x..|.)|[^'\\\n])'|\b[bc]?r(#*)"([\s\S]*?)"\1|\b[bc]?"((?:\\[\s\S]|[^"\\])*)"|"((?:\\[\s\S]|[^"\\])*)"|[{};]/g;
  token.lastIndex = start;
  for (let found = token.exec(code); found; found = token.exec(code)) {
    const [whole, , raw, prefixed, plain] = found;
    const text = raw?.replaceAll('\\', '\\\\') ?? prefixed ?? plain;
    if (text !== undefined) yield { index: found.index, kind: 'string', text };
    else if (/^[{};]$/.test(whole)) yield { index: found.index, kind: 'mark', text: whole };
  }
}

/** What a reader sees of a literal: a line that is continued with `\` is one. */
function unescaped(text) {
  return text
    .replace(/\\\n\s*/g, '')
    .replaceAll('\\n', '\n')
    .replaceAll('\\"', '"')
    .replaceAll('\\\\', '\\');
}

/** Doc comments that the parser of the command line prints: those before a field or variant of a type that derives from clap. */
function helpTexts(code) {
  const texts = [];
  const lineOf = lineCounter(code);
  for (const { index } of code.matchAll(/^#\[derive\([^\]]*\b(?:Args|Parser|Subcommand|ValueEnum)\b[^\]]*\)\]/gm)) {
    const item = code.slice(index, endOfItem(code, index));
    for (const comment of item.matchAll(/(?:^[ \t]*\/\/\/.*\n)+/gm)) {
      const text = comment[0].replace(/^[ \t]*\/\/\/ ?/gm, '').trim();
      texts.push({ line: lineOf(index + comment.index), text });
    }
  }
  return texts;
}

/** The line of an index; asked for in any order. */
function lineCounter(source) {
  const starts = [0];
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) starts.push(at + 1);
  return (index) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= index) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
