// How a recording goes on, in the few words that a notification has room for.
import { countText, durationText, percentText } from '../../../core/numbersAsText.ts';
import { type RecordingProgress, wire } from '../../../core/wire.ts';

/** Puts numbers into a text, in the user's language. */
export type Localize = (message: string, ...numbers: (string | number)[]) => string;

/** `run 3 of 10 · 12 s · 1,204 samples · mean 1.21 s ±0.8 % CPU`. */
export function progressText(progress: RecordingProgress, localize: Localize): string {
  const { stage, elapsedNs, samples, lost, symbolized } = progress;
  const { Stage } = wire.RecordingProgress;
  const cell = progress.cells > 1 ? [localize('cell {0} of {1}', progress.cell, progress.cells)] : [];
  if (stage === Stage.SYMBOLIZING) {
    const percent = Math.floor(100 * symbolized);
    const names =
      percent > 0 ? localize('finding names and lines, {0} %', percent) : localize('finding names and lines');
    return [...cell, names].join(' · ');
  }
  if (stage === Stage.SAVING) return [...cell, localize('saving')].join(' · ');
  const elapsed = elapsedNs < 60e9 ? `${(elapsedNs / 1e9).toFixed(0)} s` : durationText(elapsedNs);
  const kept = localize('{0} samples', countText(samples));
  const parts = [...cell, ...repetition(progress, localize), elapsed, kept];
  if (lost > 0) parts.push(localize('{0} lost', countText(lost)));
  return [...parts, ...spread(progress, localize)].join(' · ');
}

function repetition({ repetition, repetitions, warmUp }: RecordingProgress, localize: Localize): string[] {
  if (warmUp) return [localize('warming up')];
  return repetitions > 1 ? [localize('run {0} of {1}', repetition, repetitions)] : [];
}

/** What the runs done so far took, and how much they differ. */
function spread({ repetitions, meanCpuNs, cpuVariation }: RecordingProgress, localize: Localize): string[] {
  if (repetitions <= 1 || meanCpuNs <= 0) return [];
  const varies = cpuVariation > 0 ? ` ±${percentText(cpuVariation)}` : '';
  return [localize('mean {0} CPU', `${durationText(meanCpuNs)}${varies}`)];
}
