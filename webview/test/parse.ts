// Reads contents the way the page does, from bytes of their own.
import { type FlameGraph, readFlameGraph } from '../content/flameGraph.ts';
import { graphContent, type Judge, type NodeSpec } from './contents.ts';

/** A flame graph from a drawing: two spaces a level, a name, self samples and, in a comparison, those of the new run. `judge` adds effects. */
export function drawn(text: string, compared = false, judge?: Judge): FlameGraph {
  const root: MutableSpec = { name: 'all', self: 0, children: [] };
  const path = [root];
  for (const line of text.split('\n').filter((row) => row.trim() !== '')) {
    const depth = (line.length - line.trimStart().length) / 2;
    const [name = '', self = '0', newSelf = '0'] = line.trim().split(' ');
    const node: MutableSpec = { name, self: Number(self), newSelf: Number(newSelf), children: [] };
    path[depth]!.children.push(node);
    path[depth + 1] = node;
  }
  return readFlameGraph(graphContent(root, compared, judge));
}

interface MutableSpec extends NodeSpec {
  readonly children: MutableSpec[];
}
