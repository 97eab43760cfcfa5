// Openings of profiles that overlap: what was asked for last is shown, and nothing is opened twice at once. After a window
// reload, what the window showed comes first, and what the panels that came back show only when there is no such profile.

export interface Shows<Profile> {
  readonly current: () => Profile | undefined;
  readonly show: (profile: Profile) => Promise<void>;
  /** It was opened too late to be shown. */
  readonly drop: (profile: Profile) => void;
}

export class OpeningOrder<Profile> {
  private turn = 0;
  private onTheWay: { readonly key: string; readonly opened: Promise<Profile> } | undefined;
  private restoring: Promise<unknown> | undefined;
  private takesOffers = true;

  constructor(private readonly shows: Shows<Profile>) {}

  /** Opens and shows, unless something else is asked for meanwhile. The same `key`: the same profile, opened once. */
  async open(key: string, open: () => Promise<Profile>): Promise<Profile> {
    if (this.onTheWay?.key === key) return this.onTheWay.opened;
    const turn = ++this.turn;
    const opened = this.showWhenLast(turn, open);
    this.onTheWay = { key, opened };
    try {
      return await opened;
    } finally {
      if (turn === this.turn) this.onTheWay = undefined;
    }
  }

  get isOpening(): boolean {
    return this.onTheWay !== undefined;
  }

  /** What is on the way is not shown when it comes. */
  supersede(): void {
    this.turn++;
    this.onTheWay = undefined;
  }

  /** The user wants no profile: neither what is on the way, nor that of a panel that comes back later. */
  decline(): void {
    this.supersede();
    this.takesOffers = false;
  }

  /** Calls `open` for what the window showed before, once, and not when something has been asked for already. */
  restore(open: () => Promise<unknown>): Promise<unknown> {
    this.restoring ??= this.turn > 0 ? Promise.resolve() : open();
    return this.restoring;
  }

  /** Calls `open` for the profile of a panel that came back, when there is nothing else to show after `restore`. */
  async offer(restore: () => Promise<unknown>, open: () => Promise<unknown>): Promise<void> {
    await restore().catch(() => {}); // who restores tells why it failed
    if (this.takesOffers && !this.onTheWay && !this.shows.current()) await open();
  }

  private async showWhenLast(turn: number, open: () => Promise<Profile>): Promise<Profile> {
    const profile = await open();
    if (turn === this.turn) await this.shows.show(profile);
    else this.shows.drop(profile);
    return profile;
  }
}
