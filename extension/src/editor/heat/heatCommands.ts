// Commands on the heat beside the lines: showing it, going through it, and the listing of a file with it.
import * as vscode from 'vscode';
import { EngineFailure } from '../../engine/failure.ts';
import { type RunRef, runKey } from '../../engine/runRef.ts';
import { type ComparedMeasure, comparedItems } from '../../heat/comparedMeasures.ts';
import { type MeasureItem, measureItems } from '../../heat/measureChoice.ts';
import type { RunMeasures } from '../../selection/runMeasures.ts';
import type { RunSelections } from '../../selection/runSelections.ts';
import type { Commands } from '../commandTable.ts';
import { inform } from '../notifications.ts';
import { openOptions } from '../settings.ts';
import type { SourceNavigation } from '../sourceNavigation.ts';
import type { TextDocuments } from '../textDocuments.ts';
import type { ActiveProfile, Profile } from './activeProfile.ts';
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
  /** Compares two runs by another measure, beside the lines and in their panel. */
  readonly compareMeasure: (shown: { readonly base: RunRef; readonly new: RunRef }, measure: ComparedMeasure) => void;
}

type ComparisonProfile = Extract<Profile, { kind: 'comparison' }>;

const noChoice = () =>
  new EngineFailure(
    'not-found',
    vscode.l10n.t('The two runs share one measure only.'),
    vscode.l10n.t('Compare two runs that both have the measure that you want.'),
  );

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
  const pickMeasure = async (items: readonly MeasureItem[], placeHolder: string) => {
    const faced = items.map((item) => ({ ...item, iconPath: new vscode.ThemeIcon(item.isShown ? 'check' : 'blank') }));
    const title = vscode.l10n.t('Show Another Measure');
    return vscode.window.showQuickPick(faced, { title, placeHolder, matchOnDescription: true });
  };
  const chooseComparedMeasure = async ({ comparison, opened, measures: shared }: ComparisonProfile) => {
    if (shared.length === 0) throw noChoice();
    const items = comparedItems(shared, opened.value ?? undefined, vscode.l10n.t('shown now'));
    const placeHolder = vscode.l10n.t('What the two runs are compared by; both have these');
    const chosen = await pickMeasure(items, placeHolder);
    const measure = chosen && shared[chosen.value];
    if (!measure || chosen.isShown) return;
    parts.compareMeasure({ base: comparison.base.ref, new: comparison.current.ref }, measure);
  };
  const chooseMeasure = async () => {
    const profile = active.current;
    if (profile?.kind === 'comparison') return chooseComparedMeasure(profile);
    if (profile?.kind !== 'run' || active.value === undefined) throw nothingOpen();
    const items = measureItems(profile.opened, active.value);
    const chosen = await pickMeasure(
      items,
      vscode.l10n.t('What the heat, the flame graph and the table of this run are of'),
    );
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
