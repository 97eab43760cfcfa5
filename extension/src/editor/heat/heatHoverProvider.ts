// The hover of a hot line. Names in it are escaped; its links run one command with a number of our own table.
import * as vscode from 'vscode';
import type { Place } from '../../../../core/wire.ts';
import { expected } from '../../engine/openProfiles.ts';
import { callsHover } from '../../heat/callsText.ts';
import { differenceHover, lineHover } from '../../heat/hoverText.ts';
import { shownMeasure } from '../../heat/shownMeasure.ts';
import { heatSettings } from '../settings.ts';
import type { ActiveProfile } from './activeProfile.ts';
import type { DocumentHeat, FileHeats } from './fileHeats.ts';
import type { HeatPainter } from './heatPainter.ts';

const NEIGHBOURS = 5;
const PLACES_MAX = 1000;

export class HeatHoverProvider implements vscode.HoverProvider {
  private readonly places = new Map<number, Place>();
  private lastPlace = 0;

  constructor(
    private readonly active: ActiveProfile,
    private readonly heats: FileHeats,
    private readonly painter: HeatPainter,
  ) {}

  /** The place behind a link of a hover; undefined for any other number. */
  placeOf(id: unknown): Place | undefined {
    return typeof id === 'number' ? this.places.get(id) : undefined;
  }

  async provideHover(document: vscode.TextDocument, position: vscode.Position): Promise<vscode.Hover | undefined> {
    if (!this.painter.shown || !heatSettings(document.uri).hover) return undefined;
    const answer = await this.heats.of(document);
    const text = answer && (await this.textOf(answer, document, position.line + 1));
    if (!text) return undefined;
    const markdown = new vscode.MarkdownString(text);
    markdown.isTrusted = { enabledCommands: ['lineheat.goto'] };
    return new vscode.Hover(markdown, document.lineAt(position.line).range);
  }

  private async textOf(answer: DocumentHeat, document: vscode.TextDocument, line: number): Promise<string | undefined> {
    const profile = this.active.current;
    if (answer.kind === 'comparison') {
      const row = answer.difference.line.indexOf(line);
      if (row < 0 || profile?.kind !== 'comparison') return undefined;
      return differenceHover(answer.difference, row, profile.opened);
    }
    const row = answer.heat.line.indexOf(line);
    const path = this.heats.pathOf(document);
    const called = callsHover(answer.heat.calls, line);
    if (profile?.kind !== 'run' || path === undefined) return called || undefined;
    const asked = { path, line, limit: NEIGHBOURS, value: this.active.value ?? null };
    const reply = await profile.run.request((run) => ({ lineDetail: { run, ...asked } }));
    const detail = expected(reply.lineDetail, 'LineDetail');
    // A line without CPU time may have waited, or allocated.
    if (row < 0 && detail.measures.length === 0) return called || undefined;
    const measures = profile.opened.values.map(shownMeasure);
    const shown = answer.heat.value;
    const changed = detail.changed;
    const hover = lineHover(detail, { changed, measures, shown, linkTo: (place) => this.linkTo(place) });
    return [hover, called].filter(Boolean).join('\n\n');
  }

  private linkTo(place: Place): string | undefined {
    if (!place.path || place.line === 0) return undefined;
    const id = ++this.lastPlace;
    this.places.set(id, place);
    this.places.delete(id - PLACES_MAX);
    return `command:lineheat.goto?${encodeURIComponent(JSON.stringify([id]))}`;
  }
}
