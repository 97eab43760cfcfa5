// A line of arguments as a user types it, to an array and back: quotes and backslashes as in a shell, nothing else of one.

/** The arguments in `text`; undefined when a quote is left open. */
export function parseArguments(text: string): string[] | undefined {
  const args: string[] = [];
  let current: string | undefined;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (quote) {
      if (character === quote) quote = '';
      else if (quote === '"' && character === '\\' && /["\\]/.test(text[at + 1] ?? '')) current += text[++at]!;
      else current += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      current ??= '';
    } else if (/\s/.test(character)) {
      if (current !== undefined) args.push(current);
      current = undefined;
    } else {
      current = (current ?? '') + (character === '\\' ? (text[++at] ?? '') : character);
    }
  }
  if (quote) return undefined;
  if (current !== undefined) args.push(current);
  return args;
}

/** A line that `parseArguments` reads back as `args`. */
export function argumentText(args: readonly string[]): string {
  return args.map((arg) => (/^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'"'"'`)}'`)).join(' ');
}
