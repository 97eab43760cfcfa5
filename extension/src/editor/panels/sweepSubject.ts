// A sweep as a panel shows it: the engine's table over the cells that are there now.
import * as l10n from '@vscode/l10n';
import type { EngineClient } from '../../engine/engineClient.ts';
import { EngineFailure } from '../../engine/failure.ts';
import { expected } from '../../engine/openProfiles.ts';
import { fileRun } from '../../engine/runRef.ts';
import { cellsWanted, groupedRuns, isSweepGroup, shownSweep, sweepName } from '../../heat/shownSweep.ts';
import { runsDirectory } from '../runs/runsDirectory.ts';
import type { ProfileSubject } from './profileSubjects.ts';

export function sweepSubject(client: EngineClient, sweep: string): ProfileSubject {
  let paths: readonly string[] = [];
  const none = async () => {
    throw new EngineFailure('protocol', l10n.t('A sweep has no such view.'));
  };
  return {
    show: async (panel) => {
      const directory = runsDirectory();
      const listed =
        directory === undefined
          ? []
          : expected((await client.request({ listRuns: { directory } })).runs, 'RunList').runs;
      const group = groupedRuns(listed)
        .filter(isSweepGroup)
        .find((entry) => entry.sweep === sweep);
      if (!group) {
        throw new EngineFailure(
          'not-found',
          l10n.t('The folder no longer contains any run of this sweep.'),
          l10n.t('Record the sweep again.'),
        );
      }
      const readable = group.cells.filter(({ problem }) => !problem).map(({ path }) => path);
      const table = expected((await client.request({ sweepTable: { paths: readable } })).sweepTable, 'SweepTable');
      paths = table.rows.map(({ path }) => path);
      return { type: 'showSweep', panel, title: sweepName(group), sweep: shownSweep(table, cellsWanted(group)) };
    },
    cellRun: (index) => {
      const path = paths[index];
      if (path === undefined) throw new EngineFailure('protocol', l10n.t('The sweep has no cell {0}.', index));
      return fileRun(path);
    },
    content: none,
    locate: none,
    savedText: async () => undefined,
    close: () => {},
  };
}
