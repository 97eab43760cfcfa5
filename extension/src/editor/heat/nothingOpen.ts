// What a command says that has nothing to work on.
import * as l10n from '@vscode/l10n';
import { EngineFailure } from '../../engine/failure.ts';

export function nothingOpen(): EngineFailure {
  return new EngineFailure(
    'not-found',
    l10n.t('No run is open.'),
    l10n.t('Profile a target, or open a run from the Runs view.'),
  );
}

export function nothingSelected(): EngineFailure {
  return new EngineFailure(
    'not-found',
    l10n.t('Nothing is selected.'),
    l10n.t('Drag over the timeline on the page of a run first.'),
  );
}

export function noComparison(): EngineFailure {
  return new EngineFailure(
    'not-found',
    l10n.t('No comparison is open.'),
    l10n.t('Compare two runs from the Runs view first.'),
  );
}
