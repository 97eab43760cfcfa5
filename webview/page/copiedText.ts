// What the page copies of a function: its name, or the stack that leads to it.
import { visibleText } from '../../core/foreignText.ts';
import type { FlameGraph } from '../content/flameGraph.ts';
import { foldedStack } from '../graph/navigation.ts';

const NAME_MAX = 1 << 16; // characters

/** Undefined: there is no stack without a node of the graph. */
export function copiedText(
  action: 'copy' | 'copyStack',
  name: string,
  graph: FlameGraph | undefined,
  node: number,
): string | undefined {
  if (action === 'copy') return visibleText(name, NAME_MAX);
  return graph && node > 0 ? foldedStack(graph, node) : undefined;
}
