// Which key means what on the timeline.
import type { KeyLike } from '../graph/graphKeys.ts';
import { isMenuKey } from '../graph/graphKeys.ts';

export type TimelineAction =
  | { readonly kind: 'time'; readonly steps: number; readonly extend: boolean } // steps of a hundredth of the view
  | { readonly kind: 'track'; readonly steps: number; readonly extend: boolean }
  | { readonly kind: 'edge'; readonly of: 'begin' | 'end'; readonly extend: boolean }
  | { readonly kind: 'commit' | 'drop' | 'zoomIn' | 'zoomOut' | 'whole' | 'thread' | 'menu' };

const PAGE = 10;

export function timelineAction(event: KeyLike): TimelineAction | undefined {
  if (isMenuKey(event)) return { kind: 'menu' };
  const { altKey, shiftKey: extend, key } = event;
  const command = event.ctrlKey || event.metaKey;
  if (altKey) return undefined;
  const far = command ? PAGE : 1;
  switch (key) {
    case 'ArrowLeft':
      return { kind: 'time', steps: -far, extend };
    case 'ArrowRight':
      return { kind: 'time', steps: far, extend };
    case 'ArrowUp':
      return { kind: 'track', steps: -1, extend };
    case 'ArrowDown':
      return { kind: 'track', steps: 1, extend };
    case 'PageUp':
      return { kind: 'track', steps: -PAGE, extend };
    case 'PageDown':
      return { kind: 'track', steps: PAGE, extend };
    case 'Home':
      return { kind: 'edge', of: 'begin', extend };
    case 'End':
      return { kind: 'edge', of: 'end', extend };
  }
  if (command) return undefined;
  switch (key) {
    case 'Enter':
      return { kind: 'commit' };
    case 'Escape':
      return { kind: 'drop' };
    case '+':
    case '=':
      return { kind: 'zoomIn' };
    case '-':
    case '_':
      return { kind: 'zoomOut' };
    case '0':
      return { kind: 'whole' };
    case ' ':
      return { kind: 'thread' };
    default:
      return undefined;
  }
}
