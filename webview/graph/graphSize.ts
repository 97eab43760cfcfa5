// How large a flame graph is, in words.
import * as l10n from '@vscode/l10n';
import { countText } from '../../core/numbersAsText.ts';

/** `frames`: without the root; of one frame the depth is one, too. `folded`: too small to be sent. */
export function graphSizeText(frames: number, depth: number, folded: number): string {
  const [many, foldedMany] = [countText(frames), countText(folded)];
  if (folded === 0) return frames === 1 ? l10n.t('1 frame, 1 deep') : l10n.t('{0} frames, {1} deep', many, depth);
  if (folded === 1)
    return frames === 1
      ? l10n.t('1 frame, 1 deep; 1 tiny frame folded into its caller')
      : l10n.t('{0} frames, {1} deep; 1 tiny frame folded into its caller', many, depth);
  return frames === 1
    ? l10n.t('1 frame, 1 deep; {0} tiny frames folded into their callers', foldedMany)
    : l10n.t('{0} frames, {1} deep; {2} tiny frames folded into their callers', many, depth, foldedMany);
}
