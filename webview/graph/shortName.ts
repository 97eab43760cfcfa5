// A function's name with what makes C++ and Rust names long left out: template arguments, parameters, the inline
// namespace of libstdc++. For labels that would be cut: `std::_Rb_tree<std::__cxx11::basic_string<char, std::char…` says
// less than `std::_Rb_tree<…>::find`. The full name stands in the tooltip.

const KEPT = 8; // characters of arguments that are shorter than what would stand for them
const CLOSING: Record<string, string> = { '<': '>', '(': ')', '[': ']', '{': '}' };

/** The short form; the name itself when nothing can be left out. */
export function shortName(name: string): string {
  const plain = name.replaceAll('std::__cxx11::', 'std::').replaceAll('__gnu_cxx::', '');
  let short = '';
  let at = 0;
  while (at < plain.length) {
    const operator = /^operator\s*(?:<=>|<<=|>>=|->\*|<<|>>|<=|>=|->|\(\)|<|>)/.exec(plain.slice(at, at + 14));
    if (operator && !/\w$/.test(short)) {
      short += operator[0];
      at += operator[0].length;
      continue;
    }
    const letter = plain[at]!;
    const opens = letter === '<' || letter === '(';
    const end = opens && isArguments(short, letter) ? closingAt(plain, at) : -1;
    if (end < 0) {
      short += letter;
      at++;
      continue;
    }
    const inside = plain.slice(at + 1, end);
    short += inside.length <= KEPT ? plain.slice(at, end + 1) : `${letter}…${CLOSING[letter]}`;
    at = end + 1;
  }
  return short;
}

/** Arguments follow a name; `<T as Trait>::f` and `(anonymous namespace)::f` begin with what is not left out. */
function isArguments(before: string, letter: string): boolean {
  if (letter === '(') return /(?:[\w>\])]|operator\W{1,3})$/.test(before);
  return /(?:\w|::|operator\W{1,3} ?)$/.test(before) && before !== '';
}

/** The place of the bracket that closes the one at `from`; -1 when none does. */
function closingAt(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const letter = text[at]!;
    if (letter in CLOSING) depth++;
    else if (letter === ')' || letter === ']' || letter === '}') depth--;
    else if (letter === '>' && text[at - 1] !== '-' && text[at - 1] !== '=') depth--; // not the arrow of a return type
    if (depth === 0) return at;
  }
  return -1;
}
