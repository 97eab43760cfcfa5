// The measure that a comparison begins with: the one by which its runs were looked at.

import type { RunOpened } from '../../../core/wire.ts';
import { type RunRef, wholeRun } from '../engine/runRef.ts';
import { type ComparedMeasure, sharedMeasures } from '../heat/comparedMeasures.ts';
import type { RunMeasures } from './runMeasures.ts';

type Opened = Pick<RunOpened, 'values' | 'defaultValue'>;

/** That of the new run, else of the base; undefined: none was chosen in this window, or they do not share it. */
export async function measureOfRuns(
  { base, current }: { readonly base: RunRef; readonly current: RunRef },
  measures: RunMeasures,
  open: (run: RunRef) => Promise<Opened>,
): Promise<ComparedMeasure | undefined> {
  const chosen = [current, base].map(wholeRun).find((run) => measures.get(run) !== undefined);
  if (!chosen) return undefined;
  const [of, ofBase, ofCurrent] = await Promise.all([chosen, base, current].map(open));
  const { type, unit } = of!.values[measures.of(chosen, of!)]!;
  const isShared = sharedMeasures(ofBase!, ofCurrent!).some((one) => one.type === type && one.unit === unit);
  return isShared ? { type, unit } : undefined;
}
