// Commands on the heat beside the lines: showing it, going through it, and the listing of a file with it.
import * as vscode from 'vscode';
import { EngineFailure } from '../../engine/failure.ts';
import { runKey } from '../../engine/runRef.ts';
import { measureItems } from '../../heat/measureChoice.ts';
import type { RunMeasures } from '../../selection/runMeasures.ts';
import type { RunSelections } from '../../selection/runSelections.ts';
import type { Commands } from '../commandTable.ts';
import { inform } from '../notifications.ts';
import { openOptions } from '../settings.ts';
import type { SourceNavigation } from '../sourceNavigation.ts';
import type { TextDocuments } from '../textDocuments.ts';
import type { ActiveProfile } from './activeProfile.ts';
import type { ChangeNavigation } from './changeNavigation.ts';
import type { FileHeats } from './fileHeats.ts';
import type { HeatHoverProvider } from './heatHoverProvider.ts';
import type { HeatPainter } from './heatPainter.ts';
import { noComparison, nothingOpen } from './nothingOpen.ts';
import type { ProfileOpener } from './profileOpener.ts';
import { selectedListing } from './selectedListing.ts';

export interface HeatCommandParts {
  readonly enginePath: () => string;
  readonly active: Pick<ActiveProfile, 'current' | 'value' | 'fileOf' | 'clear'>;
  readonly heats: Pick<FileHeats, 'pathOf'>;
  readonly painter: Pick<HeatPainter, 'toggle'>;
  readonly hovers: Pick<HeatHoverProvider, 'placeOf'>;
  readonly opener: Pick<ProfileOpener, 'goToHottestLine'>;
  readonly changes: ChangeNavigation;
  readonly navigation: Pick<SourceNavigation, 'show'>;
  readonly documents: Pick<TextDocuments, 'open'>;
  readonly selections: Pick<RunSelections, 'get'>;
  readonly measures: Pick<RunMeasures, 'choose'>;
}

export function heatCommands(parts: HeatCommandParts): Commands {
  const { active, changes, documents, heats, hovers, measures, navigation, opener, painter, selections } = parts;

  const goTo = async (id?: unknown) => {
    const place = hovers.placeOf(id);
    const missing = place && (await navigation.show({ ...place, recordedPath: place.path }, { aside: false }));
    if (missing) void inform(missing);
  };
  const goToHottestLine = async () => {
    if (!active.current) throw nothingOpen();
    const missing = await opener.goToHottestLine();
    if (missing) void inform(missing);
  };
  const goToChange = async (direction: 1 | -1) => {
    if (active.current?.kind !== 'comparison') throw noComparison();
    if (await changes.go(direction)) return;
    void inform(vscode.l10n.t('No line of this workspace changed beyond noise in the open comparison.'));
  };
  const chooseMeasure = async () => {
    const profile = active.current;
    if (profile?.kind !== 'run' || active.value === undefined) throw nothingOpen();
    const items = measureItems(profile.opened, active.value).map((item) => ({
      ...item,
      iconPath: item.isShown ? new vscode.ThemeIcon('check') : new vscode.ThemeIcon('blank'),
    }));
    const title = vscode.l10n.t('Show Another Measure');
    const placeHolder = vscode.l10n.t('What the heat, the flame graph and the table of this run are of');
    const chosen = await vscode.window.showQuickPick(items, { title, placeHolder, matchOnDescription: true });
    if (chosen) measures.choose(profile.run.ref, chosen.value);
  };
  const showAnnotatedListing = async () => {
    const profile = active.current;
    const document = vscode.window.activeTextEditor?.document;
    const path = document && heats.pathOf(document);
    const file = path === undefined ? undefined : active.fileOf(path);
    if (profile?.kind !== 'run') throw nothingOpen();
    if (!file) {
      throw new EngineFailure(
        'not-found',
        vscode.l10n.t('The file in front has no samples in the open run.'),
        vscode.l10n.t('Open a hot file first.'),
      );
    }
    const { run, opened } = profile;
    const { recordedPath } = file;
    const { selection } = selections.get(run.ref);
    // The listing has the usual measure by itself.
    const measure = active.value === opened.defaultValue ? undefined : opened.values[active.value ?? -1]?.type;
    const wanted = { run, selection, measure, options: openOptions(), recordedPath };
    const text = await selectedListing(parts.enginePath(), wanted);
    const listing = await documents.open({ path: `${recordedPath}.annotated`, origin: runKey(run.ref) }, text);
    await vscode.window.showTextDocument(listing, { viewColumn: vscode.ViewColumn.Beside });
  };

  return {
    goToHottestLine,
    nextChange: () => goToChange(1),
    previousChange: () => goToChange(-1),
    chooseMeasure,
    toggleHeat: () => painter.toggle(),
    clearHeat: () => active.clear(),
    showAnnotatedListing,
    goto: goTo,
  };
}
