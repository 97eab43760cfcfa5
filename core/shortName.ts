// A function's name with what makes C++ and Rust names long left out: template arguments, parameters, the inline
// namespace of libstdc++. For labels that would be cut: `std::_Rb_tree<std::__cxx11::basic_string<char, std::char…` says
// less than `std::_Rb_tree<…>::find`. The full name stands in the tooltip.

const KEPT = 8; // characters of arguments that are shorter than what would stand for them
const LENGTH_MAX = 8192; // characters looked at; what is longer is cut anyway
const DEPTH_MAX = 3; // brackets; what is alike even so is shown in full
const TAIL_PART = 0.6; // of a name that is cut in the middle
const OPENING: Record<string, string> = { '>': '<', ')': '(', ']': '[', '}': '{' };

/**
 * The short form; the name itself when nothing can be left out. `depth`: how many brackets deep arguments are kept, so
 * `Map<std::vector<int>>::find` is `Map<…>::find` at 0 and `Map<std::vector<…>>::find` at 1.
 */
export function shortName(name: string, depth = 0): string {
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
    if (inside.length <= KEPT) short += plain.slice(at, end + 1);
    else short += `${letter}${depth > 0 ? shortName(inside, depth - 1) : '…'}${plain[end]}`;
    at = end + 1;
  }
  return short;
}

/**
 * Short forms of several names, each as short as tells it from the others: arguments are left out from the innermost
 * brackets on. Names that are equal keep an equal form.
 */
export function distinctShortNames(names: readonly string[]): string[] {
  const forms = names.map((name) => shortName(name));
  for (let depth = 1; depth <= DEPTH_MAX + 1; depth++) {
    const alike = new Map<string, Set<string>>();
    forms.forEach((form, at) => {
      alike.set(form, (alike.get(form) ?? new Set()).add(names[at]!));
    });
    const ambiguous = forms.map((form) => alike.get(form)!.size > 1);
    if (!ambiguous.includes(true)) break;
    ambiguous.forEach((isOne, at) => {
      if (isOne) forms[at] = depth <= DEPTH_MAX ? shortName(names[at]!, depth) : names[at]!;
    });
  }
  return forms;
}

/** As much of a name as `letters` allow: what comes last tells it from its neighbours, so the middle goes first. */
export function cutInMiddle(name: string, letters: number): string {
  if (name.length <= letters) return name;
  const bare = name.replace(/\((?:…|[^()]*)\)(?: const)?$/, ''); // arguments say least
  if (bare !== '' && bare.length <= letters) return bare;
  if (letters < 3) return '';
  const tail = Math.ceil((letters - 1) * TAIL_PART);
  return `${bare.slice(0, letters - 1 - tail)}…${bare.slice(-tail)}`;
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
