// The search of a page: the table follows it, the graph marks what matches, and the engine says how much that is.
import * as l10n from '@vscode/l10n';
import { countText, percentText } from '../../core/numbersAsText.ts';
import type { HostMessage, ShownView } from '../../core/webviewMessages.ts';
import { type Matches, matcherOf, matchesIn, type Query } from '../search/search.ts';
import type { GraphPane } from './graphPane.ts';
import type { Host } from './host.ts';
import type { SearchBar } from './searchBar.ts';
import type { TablePane } from './tablePane.ts';

const DELAY_MS = 60;

export interface SearchedParts {
  readonly host: Host;
  readonly compared: boolean;
  readonly graphPane: GraphPane;
  readonly tablePane: TablePane;
  bar(): SearchBar;
  /** The flame graph as it is asked for now. */
  graphView(): ShownView;
  /** A match was stepped to. */
  selected(node: number): void;
}

export class PageSearch {
  readonly #parts: SearchedParts;
  #matches: Matches | undefined;
  #match = -1; // index into #matches.nodes
  #searches = 0; // how often was searched; the engine's share is that of the last
  #shares = ''; // of what matches: empty until the engine has said it
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: SearchedParts) {
    this.#parts = parts;
  }

  searchSoon(query: Query) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.search(query), DELAY_MS);
  }

  search(query: Query) {
    const matcher = matcherOf(query);
    const { graphPane, tablePane } = this.#parts;
    this.#match = -1;
    if (typeof matcher === 'string') {
      this.#parts.bar().tell(l10n.t('Not a valid regular expression'), true, false);
      return;
    }
    const { graph } = graphPane;
    this.#matches = matcher && graph ? matchesIn(graph, matcher) : undefined;
    this.#measureMatches();
    tablePane.filter(matcher);
    graphPane.view.setMatches(this.#matches, -1);
    this.#tell();
  }

  step(direction: 1 | -1) {
    clearTimeout(this.#timer);
    const { query } = this.#parts.bar();
    if (query.text !== '' && !this.#matches) this.search(query);
    const nodes = this.#matches?.nodes ?? [];
    if (nodes.length === 0) return;
    this.#match =
      this.#match < 0 && direction < 0 ? nodes.length - 1 : (this.#match + direction + nodes.length) % nodes.length;
    const node = nodes[this.#match]!;
    this.#parts.graphPane.select(node);
    this.#parts.graphPane.view.setMatches(this.#matches, node);
    this.#parts.selected(node);
    this.#tell();
  }

  /** What the engine says of a search; of one that was replaced since nothing. */
  receiveMatched({ search, share, newShare }: Extract<HostMessage, { type: 'matched' }>) {
    if (search !== this.#searches) return;
    this.#shares = this.#parts.compared ? `${percentText(share)} → ${percentText(newShare)}` : percentText(share);
    this.#tell();
  }

  #measureMatches() {
    this.#searches++;
    this.#shares = '';
    if (!this.#matches || this.#matches.nodes.length === 0) return;
    const frames: number[] = [];
    this.#matches.frames.forEach((matches, frame) => {
      if (matches === 1) frames.push(frame);
    });
    const { host } = this.#parts;
    host.send({ type: 'measureMatches', ...this.#parts.graphView(), search: this.#searches, frames });
  }

  #tell() {
    const bar = this.#parts.bar();
    if (!this.#matches) {
      bar.tell('', false, false);
      return;
    }
    const { nodes } = this.#matches;
    if (nodes.length === 0) {
      bar.tell(l10n.t('No matches'), false, false);
      return;
    }
    const place =
      this.#match < 0
        ? countText(nodes.length)
        : l10n.t('{0} of {1}', countText(this.#match + 1), countText(nodes.length));
    bar.tell([place, this.#shares].filter(Boolean).join(' · '), false, true);
  }
}
