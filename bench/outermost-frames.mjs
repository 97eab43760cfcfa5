// Whether a reader can tell from function names that a stack is whole: what other profilers show does not say how their
// walk ended.

/**
 * Where threads start: a program or the dynamic loader, a thread of libc, a goroutine or a thread of Go's runtime, also
 * where that switches to its scheduler.
 */
const threadStart =
  /^(start|dl_start(_user)?|EntryPoint|libc_start_\w+|start_thread|clone3?|rt0_\w+|runtime\.(goexit|mstart|mcall|rt0_go)\d?)$/;
const mainFunction = /^(.*(::|\.))?main$|^Dmain$/;

/**
 * The shares of `stacks`, each { outermost, count } with the names of its two outermost frames. Whole is a stack with
 * the start of a thread among the two: a stripped program's own start has no name, but libc's function that it calls has.
 */
export function wholeStacks(stacks) {
  const counted = (matches) =>
    stacks.reduce((sum, { outermost, count }) => sum + (outermost.map(plain).some(matches) ? count : 0), 0);
  return {
    total: counted(() => true),
    whole: counted((name) => threadStart.test(name)),
    toMain: counted((name) => threadStart.test(name) || mainFunction.test(name)),
  };
}

/**
 * Without leading underscores, of which samply takes one away, a symbol's version ("@@GLIBC_2.34") and the calling
 * convention that Go adds (".abi0").
 */
const plain = (name) =>
  name
    .replace(/^_+/, '')
    .replace(/@.*$/, '')
    .replace(/[.]abi\d$/, '');
