// Text that came from a profile, a binary or a process, made safe to show: nothing in it can move the cursor, reverse
// the reading direction, break a line, or be taken for markup.

// C0, DEL, C1, zero-width and directional marks, line and paragraph separators, interlinear marks, lone surrogates, BOM.
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** `text` with every character that cannot be seen shown as `\x1b` or `\u202e`, cut to `limit` characters. */
export function visibleText(text: string, limit = 512): string {
  const cut = text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
  return cut.replace(UNSEEN, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** Foreign text inside Markdown: visible, and no character of it is markup, a link, an entity or HTML. */
export function markdownText(text: string, limit = 512): string {
  return visibleText(text, limit).replace(
    /[\\`*_{}[\]()#+\-.!|<>&~$:@/"'^=]/g,
    (character) => `&#${character.charCodeAt(0)};`,
  );
}

/**
 * `text` with foreign parts for a notification. The editor makes a link of `[words](command:…)` in one, which runs that
 * command when it is clicked; a blank between the brackets leaves the words as they are.
 */
export function messageText(text: string, limit = 4000): string {
  return visibleText(text, limit).replace(/\](?=\((?:https?:\/\/|command:|file:))/gi, '] ');
}

/** Foreign text of several lines, such as a log: the lines stay, all else that cannot be seen is shown. */
export function visibleLines(text: string, lineLimit = 4000): string {
  return text
    .split('\n')
    .map((line) => visibleText(line.replaceAll('\t', '  '), lineLimit))
    .join('\n');
}

/** Foreign text for an entry of a list to choose from, where the editor would draw `$(flame)` as an icon. */
export function entryText(text: string, limit = 512): string {
  return visibleText(text, limit).replaceAll('$(', '\\$(');
}
