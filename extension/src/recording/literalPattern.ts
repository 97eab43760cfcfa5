// Names of functions as patterns of the engine (crates/name-patterns).

/** Means this name alone, also in a program that lacks it: `operator*` would mean each operator there. */
export function literalPattern(name: string): string {
  return name.replace(/[*?\\]|^\//g, '\\$&');
}
