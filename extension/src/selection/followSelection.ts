// Makes an open run give the figures of what is selected of it.
import { isEmptySelection } from '../../../core/selectionMessages.ts';
import type { Selected } from '../../../core/wire.ts';
import { failureOf } from '../engine/failure.ts';
import type { OpenRun } from '../engine/openProfiles.ts';
import type { RunSelections } from './runSelections.ts';
import { wireSelection } from './wireSelection.ts';

/**
 * What is selected, undefined for all of it. A selection that the run does not have is taken back.
 * @returns the engine's words when there is no such part, as `refused`.
 */
export async function followSelection(
  run: OpenRun,
  selections: RunSelections,
): Promise<{ selected: Selected | undefined; refused?: string }> {
  const { selection } = selections.get(run.ref);
  if (isEmptySelection(selection)) {
    run.selectAll();
    return { selected: undefined };
  }
  try {
    return { selected: await run.select(wireSelection(selection)) };
  } catch (error) {
    const { message } = failureOf(error);
    selections.refuse(run.ref, selection);
    return { selected: undefined, refused: message };
  }
}
