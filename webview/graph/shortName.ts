// A function's name with what makes C++ and Rust names long left out: template arguments, parameters, the inline
// namespace of libstdc++. For labels that would be cut: `std::_Rb_tree<std::__cxx11::basic_string<char, std::char…` says
// less than `std::_Rb_tree<…>::find`. The full name stands in the tooltip.

const KEPT = 8; // characters of arguments that are shorter than what would stand for them
const LENGTH_MAX = 8192; // characters looked at; what is longer is cut anyway
const OPENING: Record<string, string> = { '>': '<', ')': '(', ']': '[', '}': '{' };

/** The short form; the name itself when nothing can be left out. */
export function shortName(name: string): string {
  const plain = name.slice(0, LENGTH_MAX).replaceAll('std::__cxx11::', 'std::').replaceAll('__gnu_cxx::', '');
  const closings = closingsOf(plain);
  let short = '';
  let at = 0;
  while (at < plain.length) {
    const operator = /^operator\s*(?:<=>|<<=|>>=|->\*|<<|>>|<=|>=|->|\(\)|<|>)/.exec(plain.slice(at, at + 14));
    if (operator && !/\w$/.test(endOf(short))) {
      short += operator[0];
      at += operator[0].length;
      continue;
    }
    const letter = plain[at]!;
    const opens = letter === '<' || letter === '(';
    const end = opens && isArguments(short, letter) ? closings[at]! : -1;
    if (end < 0) {
      short += letter;
      at++;
      continue;
    }
    const inside = plain.slice(at + 1, end);
    short += inside.length <= KEPT ? plain.slice(at, end + 1) : `${letter}…${plain[end]}`;
    at = end + 1;
  }
  return short;
}

/** What the patterns below can match at the end of a text: they would read all of a longer one, at each bracket again. */
const endOf = (text: string): string => text.slice(-16);

/** Arguments follow a name; `<T as Trait>::f` and `(anonymous namespace)::f` begin with what is not left out. */
function isArguments(short: string, letter: string): boolean {
  const before = endOf(short);
  if (letter === '(') return /(?:[\w>\])]|operator\W{1,3})$/.test(before);
  return /(?:\w|::|operator\W{1,3} ?)$/.test(before) && before !== '';
}

/** For each opening bracket the place of the one that closes it; -1 when none does. */
function closingsOf(text: string): Int32Array {
  const closings = new Int32Array(text.length).fill(-1);
  const open: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]!;
    if ('<([{'.includes(letter)) open.push(at);
    const opening = OPENING[letter];
    if (!opening || (letter === '>' && '-='.includes(text[at - 1] ?? ' '))) continue; // not the arrow of a return type
    // A `<` that is still open inside other brackets was a comparison; a `>` closes nothing but a `<`.
    while (letter !== '>' && open.length > 0 && text[open.at(-1)!] === '<') open.pop();
    if (open.length > 0 && text[open.at(-1)!] === opening) closings[open.pop()!] = at;
  }
  return closings;
}
