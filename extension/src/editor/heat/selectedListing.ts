// The annotated listing of a file with the figures that are beside its lines: of what is selected of the run, by its measure.
import * as l10n from '@vscode/l10n';
import type { ShownSelection } from '../../../../core/selectionMessages.ts';
import { EngineFailure } from '../../engine/failure.ts';
import type { OpenOptions, OpenRun } from '../../engine/openProfiles.ts';
import { fileOf } from '../../engine/runRef.ts';
import { functionModules } from '../../selection/functionModules.ts';
import { namesFunctions, selectionFlags } from '../../selection/selectionFlags.ts';
import { annotatedListing } from './annotatedListing.ts';

export interface ListingOf {
  readonly run: OpenRun;
  readonly selection: ShownSelection;
  readonly options: OpenOptions;
  /** Its name in the file; undefined: the usual one. */
  readonly measure?: string | undefined;
  /** As debug information names the file. */
  readonly recordedPath: string;
}

/** Throws EngineFailure with the engine's words, or when the selection is none that the command line can have. */
export async function selectedListing(engine: string, listing: ListingOf): Promise<string> {
  const { run, selection, options, measure, recordedPath } = listing;
  const modules = namesFunctions(selection) ? await functionModules(run) : new Map<string, ReadonlySet<string>>();
  const { workspaceFolders, demangle } = options;
  const said = selectionFlags(selection, { modulesOf: (name) => modules.get(name) ?? new Set(), workspaceFolders });
  if ('refused' in said) {
    const advice = l10n.t('Save the selection as a run and open that, or remove this part from the selection.');
    throw new EngineFailure('selection', said.refused, advice);
  }
  // Functions of the selection have the names that the editor shows.
  const naming = demangle === 'recorded' ? [] : [`--demangle=${demangle}`];
  const measuring = measure === undefined ? [] : [`--measure=${measure}`];
  return annotatedListing(engine, [...naming, ...measuring, ...said.flags], fileOf(run.ref), recordedPath);
}
