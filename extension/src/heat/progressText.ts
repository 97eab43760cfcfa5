// How a recording goes on, in the few words that a notification has room for.
import * as l10n from '@vscode/l10n';
import { countText, durationText, percentText } from '../../../core/numbersAsText.ts';
import { type RecordingProgress, wire } from '../../../core/wire.ts';

/** `execution 3 of 10 · 12 s · 1,204 samples · mean 1.21 s ±0.8 % CPU`; once builds can be compared, how they do. */
export function progressText(progress: RecordingProgress): string {
  const { stage, elapsedNs, samples, lost, symbolized } = progress;
  const { Stage } = wire.RecordingProgress;
  const part = [
    ...(progress.cells > 1 ? [l10n.t('cell {0} of {1}', progress.cell, progress.cells)] : []),
    ...buildOf(progress),
  ];
  if (stage === Stage.SYMBOLIZING) {
    const percent = Math.floor(100 * symbolized);
    const names =
      percent > 0 ? l10n.t('resolving names and lines, {0} %', percent) : l10n.t('resolving names and lines');
    return [...part, names].join(' · ');
  }
  if (stage === Stage.SAVING) return [...part, l10n.t('saving')].join(' · ');
  if (progress.soFar) return [...part, progress.soFar].join(' · ');
  const elapsed = elapsedNs < 60e9 ? `${(elapsedNs / 1e9).toFixed(0)} s` : durationText(elapsedNs);
  const kept = l10n.t('{0} samples', countText(samples));
  const parts = [...part, ...repetition(progress), elapsed, kept];
  if (lost > 0) parts.push(l10n.t('{0} lost', countText(lost)));
  return [...parts, ...spread(progress)].join(' · ');
}

/** Which of two builds that run alternately. */
function buildOf({ build }: RecordingProgress): string[] {
  const { Build } = wire.RecordingProgress;
  if (build === Build.EARLIER) return [l10n.t('last build')];
  return build === Build.PRESENT ? [l10n.t('new build')] : [];
}

function repetition({ repetition, repetitions, warmUp }: RecordingProgress): string[] {
  if (warmUp) return [l10n.t('warming up')];
  return repetitions > 1 ? [l10n.t('execution {0} of {1}', repetition, repetitions)] : [];
}

/** What the runs done so far took, and how much they differ. */
function spread({ repetitions, meanCpuNs, cpuVariation }: RecordingProgress): string[] {
  if (repetitions <= 1 || meanCpuNs <= 0) return [];
  const varies = cpuVariation > 0 ? ` ±${percentText(cpuVariation)}` : '';
  return [l10n.t('mean {0} CPU', `${durationText(meanCpuNs)}${varies}`)];
}
