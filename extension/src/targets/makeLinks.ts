// What a dry run of make says it would link: the programs of a Makefile that nobody has built yet.
import path from 'node:path';

export interface MadeProgram {
  readonly program: string;
  /** The make target that makes it: its path from the Makefile's folder. */
  readonly target: string;
}

export interface DryRun {
  readonly programs: readonly MadeProgram[];
  /** Whether every compiler call writes line tables. */
  readonly hasLines: boolean;
  /** The compilers as they are called, by the variable that usually names them. */
  readonly compilers: ReadonlyMap<'CC' | 'CXX', string>;
}

const C_COMPILER = /^(?:[\w.+-]*-)?(?:gcc|cc|clang)(?:-[\d.]+)?$/;
const CXX_COMPILER = /^(?:[\w.+-]*-)?(?:g\+\+|c\+\+|clang\+\+)(?:-[\d.]+)?$/;
const OTHER_LINKER = /^(?:[\w.+-]*-)?(?:gfortran|rustc|ldc2|gdc|nvcc)(?:-[\d.]+)?$/;
const LAUNCHERS = new Set(['ccache', 'sccache', 'distcc', 'time', 'libtool', './libtool']);
/** No program comes out of a call with one of these. */
const NO_PROGRAM =
  /^(?:-c|-S|-E|-M|-MM|-r|-shared|-dynamiclib|-fsyntax-only|--version|-v|--print-.*|-print-.*|-dumpversion|-dumpmachine)$/;
const IS_SOURCE = /\.(?:c|cc|cpp|cxx|c\+\+|C|f|f90|m|mm|s|S)$/;

/** Reads what `make --dry-run --print-directory` printed in `folder`. */
export function parseDryRun(output: string, folder: string): DryRun {
  const programs = new Map<string, MadeProgram>();
  const compilers = new Map<'CC' | 'CXX', string>();
  let compiles = 0;
  let withLines = 0;
  const folders = [folder];
  for (const line of output.replace(/\\\n/g, ' ').split('\n')) {
    const entered = /^\S*make(?:\[\d+\])?: Entering directory [`'](.*)'$/.exec(line);
    if (entered) folders.push(entered[1]!);
    if (/^\S*make(?:\[\d+\])?: Leaving directory /.test(line) && folders.length > 1) folders.pop();
    let cwd = folders.at(-1)!;
    for (const words of commandsOf(line)) {
      if (words[0] === 'cd' && words[1]) cwd = path.resolve(cwd, words[1]);
      const call = compilerCall(words);
      if (!call) continue;
      const { kind, compiler, args } = call;
      if (kind && !compilers.has(kind)) compilers.set(kind, compiler);
      if (args.some((arg) => IS_SOURCE.test(arg)) || args.includes('-c')) {
        compiles++;
        if (hasLines(args)) withLines++;
      }
      const program = linked(args, cwd);
      if (program) programs.set(program, { program, target: path.relative(folder, program) });
    }
  }
  return { programs: [...programs.values()], hasLines: compiles > 0 && withLines === compiles, compilers };
}

function compilerCall(words: readonly string[]) {
  const at = words.findIndex((word) => !LAUNCHERS.has(word) && !/^(--\S*|[A-Za-z_]\w*=.*|-[a-z])$/.test(word));
  const compiler = words[at];
  if (compiler === undefined) return undefined;
  const base = path.basename(compiler);
  const kind = CXX_COMPILER.test(base) ? ('CXX' as const) : C_COMPILER.test(base) ? ('CC' as const) : undefined;
  return kind || OTHER_LINKER.test(base) ? { kind, compiler, args: words.slice(at + 1) } : undefined;
}

function linked(args: readonly string[], cwd: string): string | undefined {
  if (args.some((arg) => NO_PROGRAM.test(arg))) return undefined;
  const inputs = args.filter((arg) => IS_SOURCE.test(arg) || /\.(?:o|a|lo|la)$/.test(arg));
  if (inputs.length === 0) return undefined; // a probe, such as `cc -dumpmachine`
  const at = args.indexOf('-o');
  const joined = args.find((arg) => /^-o./.test(arg));
  const name = at >= 0 ? args[at + 1] : (joined?.slice(2) ?? 'a.out');
  if (!name || name === '/dev/null' || /\.(?:so|o|a|dll|la|lo)(?:\.|$)/.test(name)) return undefined;
  return path.resolve(cwd, name);
}

function hasLines(args: readonly string[]): boolean {
  const last = args.findLast((arg) => /^-g(\d|gdb|dwarf|$)/.test(arg));
  return last !== undefined && last !== '-g0' && last !== '-ggdb0';
}

/** The simple commands of a recipe line, as words. What a shell would expand stays as it is. */
function commandsOf(line: string): string[][] {
  const commands: string[][] = [[]];
  let word: string | undefined;
  let quote = '';
  const endWord = () => {
    if (word !== undefined) commands.at(-1)!.push(word);
    word = undefined;
  };
  for (let at = 0; at < line.length; at++) {
    const character = line[at]!;
    if (quote) {
      if (character === quote) quote = '';
      else if (quote === '"' && character === '\\') word += line[++at] ?? '';
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (character === '\\') {
      word = (word ?? '') + (line[++at] ?? '');
    } else if (/[;&|()]/.test(character)) {
      endWord();
      commands.push([]);
    } else if (/\s/.test(character)) {
      endWord();
    } else {
      word = (word ?? '') + character;
    }
  }
  endWord();
  return commands.filter((words) => words.length > 0);
}
