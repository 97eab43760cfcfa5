// The setting `lineheat.sourcePathMap`: prefixes of recorded source paths, and where those sources are on this machine.
import path from 'node:path';

/** As the engine takes it; both paths absolute, or `from` as debug information has it. */
export interface SourcePrefix {
  readonly from: string;
  readonly to: string;
}

export interface PathContext {
  /** Paths of the open folders by name, in their order. */
  readonly folders: ReadonlyMap<string, string>;
  readonly userHome: string;
}

const PREFIXES_MAX = 100;

/** The prefixes of a setting that may hold anything; what leads nowhere is left out. Relative places are in the first folder. */
export function sourcePrefixes(setting: unknown, context: PathContext): SourcePrefix[] {
  if (typeof setting !== 'object' || setting === null || Array.isArray(setting)) return [];
  return Object.entries(setting)
    .slice(0, PREFIXES_MAX)
    .flatMap(([from, to]) => {
      const known = typeof to === 'string' && to !== '' ? resolved(to, context) : undefined;
      const fromKnown = resolvedVariables(from, context);
      return known === undefined || !fromKnown ? [] : [{ from: fromKnown, to: known }];
    });
}

function resolved(place: string, context: PathContext): string | undefined {
  const text = resolvedVariables(place, context);
  if (text === undefined) return undefined;
  if (path.isAbsolute(text)) return path.normalize(text);
  const [first] = context.folders.values();
  return first === undefined ? undefined : path.join(first, text);
}

/** Undefined when a variable is not known, or its folder is not open. */
function resolvedVariables(text: string, { folders, userHome }: PathContext): string | undefined {
  let isKnown = true;
  const result = text.replace(/\$\{([^}]*)\}/g, (_, variable: string) => {
    const [name, argument] = variable.split(':', 2);
    const [first] = folders.values();
    const value =
      name === 'workspaceFolder'
        ? argument === undefined
          ? first
          : folders.get(argument)
        : variable === 'userHome'
          ? userHome
          : undefined;
    isKnown &&= value !== undefined;
    return value ?? '';
  });
  return isKnown ? result : undefined;
}
