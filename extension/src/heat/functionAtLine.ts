// The function that a line is in, as far as samples tell: where functions end is not known.
import type { NamedFunction } from '../../../core/namedFunction.ts';
import type { FileHeat } from '../../../core/wire.ts';

/** Of a definition that has several, such as the instances of a template, the hottest. Undefined: no sampled code is there. */
export function functionAtLine({ functions, line: sampled }: FileHeat, line: number): NamedFunction | undefined {
  const lines = functions.map((one) => one.line).filter((definition) => definition > 0);
  const definition = Math.max(...lines.filter((one) => one <= line));
  const next = Math.min(...lines.filter((one) => one > line));
  const isInside = line === definition || sampled.some((one) => one >= line && one < next);
  const found = isInside ? functions.find((one) => one.line === definition) : undefined;
  return found && { name: found.name, module: found.module };
}
