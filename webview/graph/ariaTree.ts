// A live tree for screen readers that mirrors the selection: its ancestors, its siblings near it and its first callees.
// The tree is virtual: it holds a few dozen items however large the profile is, each with its true level and position.
import { html, nothing, render, type TemplateResult } from 'lit';
import type { FlameGraph } from '../content/flameGraph.ts';
import { describeNode, sentenceOf } from './describe.ts';
import type { Layout } from './layout.ts';
import { ancestorsOf, childrenOf } from './navigation.ts';

const AROUND = 6; // siblings told on either side
const BELOW = 12; // callees told
const ABOVE = 24; // callers told

/** Fills `tree` (role=tree) with what surrounds the selected node. */
export function mirrorSelection(tree: HTMLElement, graph: FlameGraph, layout: Layout, selected: number) {
  if (graph.count === 0) {
    render(nothing, tree);
    tree.removeAttribute('aria-activedescendant');
    return;
  }
  const node = Math.max(0, selected);
  const items: TemplateResult[] = [];
  const add = (shown: number, position: number, size: number) => {
    const end = graph.end[shown]!;
    const expanded = end > shown + 1 ? shown <= node && node < end : nothing;
    items.push(
      html`<div role="treeitem" id="node-${shown}" aria-level=${graph.depth[shown]! + 1} aria-posinset=${position}
        aria-setsize=${size} aria-selected=${shown === node} aria-expanded=${expanded}
        >${sentenceOf(describeNode(graph, shown))}</div>`,
    );
  };

  const ancestors = ancestorsOf(graph, node).slice(0, -1);
  for (const ancestor of ancestors.slice(-ABOVE)) {
    const beside = siblingsOf(graph, layout, ancestor);
    add(ancestor, beside.indexOf(ancestor) + 1, beside.length);
  }
  const siblings = siblingsOf(graph, layout, node);
  const at = siblings.indexOf(node);
  for (let i = Math.max(0, at - AROUND); i <= Math.min(siblings.length - 1, at + AROUND); i++) {
    add(siblings[i]!, i + 1, siblings.length);
    if (i !== at) continue;
    const children = childrenOf(graph, layout, node);
    children.slice(0, BELOW).forEach((child, below) => {
      add(child, below + 1, children.length);
    });
  }
  render(items, tree);
  tree.setAttribute('aria-activedescendant', `node-${node}`);
}

function siblingsOf(graph: FlameGraph, layout: Layout, node: number): number[] {
  if (node === 0) return [0];
  const siblings = childrenOf(graph, layout, graph.parent[node]!);
  return siblings.includes(node) ? siblings : [node];
}
