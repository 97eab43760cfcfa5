// A translated sentence with a part in it that is drawn in its own way: the translator says where the part goes.

/** Stands for that part among the arguments of `l10n.t`. */
export const HOLE = '\u0001';

/** The words before the hole, `part`, and the words after it; `drawn` says how words are drawn (0: before, 1: after). */
export function around<Part>(
  sentence: string,
  part: Part,
  drawn: (words: string, at: number) => unknown = (words) => words,
): unknown[] {
  const [before = '', ...after] = sentence.split(HOLE);
  const words = [before, after.join('')].map((text, at) => (text === '' ? '' : drawn(text, at)));
  return [words[0], part, words[1]];
}
