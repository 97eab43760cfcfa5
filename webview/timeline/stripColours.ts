// The colours of the timeline: those of the style sheet (timeline.css), read for the canvas.
import { pixelOf } from '../graph/frameColours.ts';
import { readTheme } from '../page/theme.ts';

export interface StripColours {
  readonly ownPixel: number;
  readonly libraryPixel: number;
  readonly kernelPixel: number;
  readonly queuedPixel: number;
  readonly waitingPixel: number;
  readonly tintedPixel: number; // samples of the selected function
  readonly memory: string; // in use
  readonly text: string;
  readonly background: string;
  readonly line: string; // between tracks
  readonly mark: string; // where an execution begins
  readonly edge: string; // of what is selected
  readonly cursor: string;
  readonly quiet: number; // opacity of the background over what is not selected
}

export function readStripColours(): StripColours {
  const { background, foreground, quietText, quietFill, focus, highContrast } = readTheme();
  const style = getComputedStyle(document.body);
  const pixel = (name: string) => pixelOf(style.getPropertyValue(name).trim() || '#888888');
  return {
    ownPixel: pixel('--timeline-own'),
    libraryPixel: pixel('--timeline-library'),
    kernelPixel: pixel('--timeline-kernel'),
    queuedPixel: pixel('--timeline-queued'),
    waitingPixel: pixel('--timeline-waiting'),
    tintedPixel: pixel('--timeline-tinted'),
    memory: style.getPropertyValue('--timeline-memory').trim(),
    text: foreground,
    background,
    line: highContrast ? quietText : quietFill,
    mark: quietText,
    edge: focus,
    cursor: foreground,
    quiet: highContrast ? 0.8 : 0.72,
  };
}
