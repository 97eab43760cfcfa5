// Runs a TextMate grammar of this folder as the editor does, for the tests of the grammars.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as oniguruma from 'vscode-oniguruma';
import * as textmate from 'vscode-textmate';

const folder = path.dirname(fileURLToPath(import.meta.url));
const grammars: Readonly<Record<string, string>> = {
  'source.lineheat.folded': 'folded-stacks.tmLanguage.json',
  'source.lineheat.annotated': 'annotated-listing.tmLanguage.json',
};

/** [text, most special scope] of each token that has a scope of its own; blanks left out. */
export type Tokens = [text: string, scope: string][];

/** A function that gives the tokens of lines, in order, under the grammar `scopeName`. */
export async function tokenizer(scopeName: string): Promise<(...lines: string[]) => Tokens[]> {
  const wasm = createRequire(import.meta.url).resolve('vscode-oniguruma/release/onig.wasm');
  await oniguruma.loadWASM({ data: new Uint8Array(fs.readFileSync(wasm)) });
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns: string[]) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text: string) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) => {
      const file = grammars[scope];
      return file === undefined
        ? null
        : textmate.parseRawGrammar(fs.readFileSync(path.join(folder, file), 'utf8'), file);
    },
  });
  const grammar = await registry.loadGrammar(scopeName);
  if (!grammar) throw new Error(`No grammar ${scopeName} in ${folder}.`);
  return (...lines) => {
    let state = textmate.INITIAL;
    return lines.map((line) => {
      const result = grammar.tokenizeLine(line, state);
      state = result.ruleStack;
      return result.tokens
        .map(({ startIndex, endIndex, scopes }): [string, string] => [line.slice(startIndex, endIndex), scopes.at(-1)!])
        .filter(([text, scope]) => text.trim() !== '' && scope !== scopeName);
    });
  };
}
