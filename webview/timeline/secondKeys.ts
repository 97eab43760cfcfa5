// Which key means what on the map of seconds.
import type { KeyLike } from '../graph/graphKeys.ts';
import { ROWS } from './secondGrid.ts';

export type SecondAction =
  | { readonly kind: 'move'; readonly cells: number }
  | { readonly kind: 'choose' | 'commit' | 'drop' };

const FAR = 10; // seconds
const END = Number.MAX_SAFE_INTEGER;

/** `commits`: there is a preview, and no range is begun. */
export function secondAction(event: KeyLike, commits: boolean): SecondAction | undefined {
  if (event.altKey || event.shiftKey) return undefined;
  const far = event.ctrlKey || event.metaKey ? FAR : 1;
  const move = (cells: number): SecondAction => ({ kind: 'move', cells });
  switch (event.key) {
    case 'ArrowLeft':
      return move(-ROWS * far);
    case 'ArrowRight':
      return move(ROWS * far);
    case 'ArrowUp':
      return move(-1);
    case 'ArrowDown':
      return move(1);
    case 'PageUp':
      return move(-ROWS * FAR);
    case 'PageDown':
      return move(ROWS * FAR);
    case 'Home':
      return move(-END);
    case 'End':
      return move(END);
  }
  if (far > 1) return undefined;
  switch (event.key) {
    case ' ':
      return { kind: 'choose' };
    case 'Enter':
      return { kind: commits ? 'commit' : 'choose' };
    case 'Escape':
      return { kind: 'drop' };
    default:
      return undefined;
  }
}
