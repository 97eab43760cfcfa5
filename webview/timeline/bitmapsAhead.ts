// Draws the pixels of tracks near those in view while the page has nothing else to do, so that a frame of scrolling only copies
// them.
import type { StripColours } from './stripColours.ts';
import { bitmapOf, hasBitmap, type LoadedTrack } from './trackStore.ts';

const LEAST_MS = 2; // of idle time that a bitmap may take

interface Wanted {
  readonly tracks: readonly LoadedTrack[];
  readonly height: number; // device pixels
  readonly colours: StripColours;
}

export class BitmapsAhead {
  #wanted: Wanted | undefined;
  #idle = 0;

  /** Replaces what was wanted before. */
  want(wanted: Wanted) {
    this.#wanted = wanted;
    this.#idle ||= requestIdleCallback((deadline) => this.#draw(deadline));
  }

  #draw(deadline: IdleDeadline) {
    this.#idle = 0;
    const { tracks, height, colours } = this.#wanted!;
    for (const track of tracks) {
      if (hasBitmap(track, height)) continue;
      if (deadline.timeRemaining() < LEAST_MS) return this.want(this.#wanted!);
      bitmapOf(track, height, colours);
    }
  }
}
