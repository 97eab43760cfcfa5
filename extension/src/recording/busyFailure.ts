// Why nothing else is built or recorded at the moment, and what to do.
import * as l10n from '@vscode/l10n';
import { visibleText } from '../../../core/foreignText.ts';
import { EngineFailure } from '../engine/failure.ts';

const NAME_MAX = 100; // characters

export interface Busy {
  /** Of what is profiled. */
  readonly name: string;
  /** It is still being built, and recorded afterwards. */
  readonly isBuilding: boolean;
}

export function busyFailure({ name, isBuilding }: Busy): EngineFailure {
  const shown = visibleText(name, NAME_MAX);
  return isBuilding
    ? new EngineFailure(
        'busy',
        l10n.t('A build is running: {0}, which is recorded afterwards.', shown),
        l10n.t('Cancel the build in its notification, or wait for the recording.'),
      )
    : new EngineFailure(
        'busy',
        l10n.t('A recording is running: {0}.', shown),
        l10n.t('Stop it with "Lineheat: Stop and Keep" first.'),
      );
}
