// Commands by name, as each feature gives its own.

/** Names are without the prefix `lineheat.`. What a command returns or rejects with is the caller's. */
export type Commands = Readonly<Record<string, (argument?: unknown) => unknown>>;

/** All in one. Throws when two features give the same name: one of them would never run. */
export function merged(features: readonly Commands[]): ReadonlyMap<string, Commands[string]> {
  const all = new Map<string, Commands[string]>();
  for (const [name, run] of features.flatMap((commands) => Object.entries(commands))) {
    if (all.has(name)) throw new Error(`lineheat.${name} is given twice`);
    all.set(name, run);
  }
  return all;
}
