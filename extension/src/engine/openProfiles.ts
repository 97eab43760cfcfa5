// Runs and comparisons that are open in the engine. A handle dies with its engine; these reopen it without a word.
import * as l10n from '@vscode/l10n';
import {
  type ComparisonOpened,
  type Reply,
  type RequestBody,
  type RunOpened,
  type Selected,
  type WireSelection,
  wire,
} from '../../../core/wire.ts';
import { wirePart } from '../selection/wireSelection.ts';
import type { EngineClient, RequestOptions } from './engineClient.ts';
import { EngineFailure } from './failure.ts';
import type { RunEngine, RunEngines } from './runEngines.ts';
import type { RunRef } from './runRef.ts';
import type { SourcePrefix } from './sourcePrefixes.ts';

/** What a request is made of once the handle is known. */
export type BodyOf = (handle: number) => RequestBody;

/** How a run is opened. */
export interface OpenOptions {
  /** Where sources are looked for when a recorded path does not exist. */
  readonly workspaceFolders: readonly string[];
  readonly sourcePrefixes: readonly SourcePrefix[];
  readonly demangle: Demangling;
}

/** How names of functions are shown: as the run has them, or made anew from the linker's names. */
export type Demangling = 'recorded' | 'none' | 'simplified' | 'templates' | 'full';

const { Demangle } = wire;
const DEMANGLE: Readonly<Record<Demangling, number>> = {
  recorded: Demangle.DEMANGLE_AS_RECORDED,
  none: Demangle.DEMANGLE_NONE,
  simplified: Demangle.DEMANGLE_SIMPLIFIED,
  templates: Demangle.DEMANGLE_TEMPLATES,
  full: Demangle.DEMANGLE_FULL,
};

/** A setting may hold anything: names stay as recorded then. */
export function demanglingOf(setting: unknown): Demangling {
  return typeof setting === 'string' && Object.hasOwn(DEMANGLE, setting) ? (setting as Demangling) : 'recorded';
}

/** A run that is open, by its reference. */
export class OpenRun {
  private handle: Reopened<RunOpened>;
  private selection: Reopened<Selected> | undefined;
  private readonly engine: RunEngine;

  constructor(
    engines: Pick<RunEngines, 'of'>,
    readonly ref: RunRef,
    private readonly options: OpenOptions,
  ) {
    this.engine = engines.of(ref);
    this.handle = new Reopened(this.engine.client, () => this.openNow());
    if (ref.kind === 'file' && ref.part) this.selection = this.selecting(wirePart(ref.part));
  }

  opened(): Promise<RunOpened> {
    return this.handle.get();
  }

  /** Answered with the figures of the selection, if there is one. */
  request(body: BodyOf, options?: RequestOptions): Promise<Reply> {
    const { selection } = this;
    if (selection) return selection.use((selected) => this.engine.client.request(body(selected.run), options));
    return this.requestWhole(body, options);
  }

  /** Answered with the figures of the whole run, whatever is selected. */
  requestWhole(body: BodyOf, options?: RequestOptions): Promise<Reply> {
    return this.handle.use(async (opened) => this.engine.client.request(body(opened.run), options));
  }

  /** Of the whole run from now on. */
  selectAll(): void {
    this.selection?.drop((selected) => ({ close: { run: selected.run } }));
    this.selection = undefined;
  }

  /** Only of this part from now on; throws EngineFailure when the run has no such part, which is then not selected. */
  async select(selection: WireSelection): Promise<Selected> {
    const former = this.selection;
    const next = this.selecting(selection);
    this.selection = next;
    try {
      return await next.get();
    } catch (error) {
      if (this.selection === next) this.selection = former;
      throw error;
    } finally {
      if (this.selection !== former) former?.drop((selected) => ({ close: { run: selected.run } }));
    }
  }

  /** By what the engine knows what is selected, or the whole. */
  async shownHandle(): Promise<number> {
    const whole = await this.opened();
    return (await this.selection?.get())?.run ?? whole.run;
  }

  private selecting(selection: WireSelection): Reopened<Selected> {
    return new Reopened(this.engine.client, async () => {
      const reply = await this.requestWhole((run) => ({ select: { run, selection } }));
      return expected(reply.selected, 'Selected');
    });
  }

  close(): void {
    this.selectAll();
    this.handle.drop((opened) => ({ close: { run: opened.run } }));
  }

  private async openNow(): Promise<RunOpened> {
    const workspaceFolders = [...this.options.workspaceFolders];
    const sourcePrefixes = this.options.sourcePrefixes.map(({ from, to }) => ({ from, to }));
    const demangle = DEMANGLE[this.options.demangle];
    const openRun = { run: this.engine.run, workspaceFolders, sourcePrefixes, demangle };
    const reply = await this.engine.client.request({ openRun });
    return expected(reply.runOpened, 'RunOpened');
  }
}

/** Two open runs, or two parts of one, compared: `current` against `base`. */
export class OpenComparison {
  private handle: Reopened<ComparisonOpened>;

  constructor(
    private readonly client: EngineClient,
    readonly base: OpenRun,
    readonly current: OpenRun,
    /** What values are per: Normalisation of protocol/comparison.proto; 0: the best that the runs allow. */
    readonly normalisation = 0,
    /** What is compared, a measure that both have; undefined: the usual one. */
    readonly measure?: { readonly type: string; readonly unit: string } | undefined,
  ) {
    this.handle = new Reopened(client, () => this.openNow());
  }

  opened(): Promise<ComparisonOpened> {
    return this.handle.get();
  }

  request(body: BodyOf, options?: RequestOptions): Promise<Reply> {
    return this.handle.use((opened) => this.client.request(body(opened.comparison), options));
  }

  close(): void {
    this.handle.drop((opened) => ({ close: { comparison: opened.comparison } }));
    this.base.close();
    this.current.close();
  }

  private async openNow(): Promise<ComparisonOpened> {
    const [baseRun, newRun] = await Promise.all([this.base.shownHandle(), this.current.shownHandle()]);
    const { normalisation, measure } = this;
    const value = measure && { type: measure.type, unit: measure.unit };
    const openComparison = { baseRun, newRun, normalisation, ...(value ? { value } : {}) };
    const reply = await this.client.request({ openComparison });
    return expected(reply.comparisonOpened, 'ComparisonOpened');
  }
}

/** The part of a reply that was asked for; EngineFailure `protocol` when the engine answered something else. */
export function expected<Part>(part: Part | null, name: string): Part {
  if (part) return part;
  throw new EngineFailure('protocol', l10n.t("The engine's answer lacks the expected {0}.", name));
}

/** A value that the engine gave and that is asked for again when the engine was started anew. */
class Reopened<Opened> {
  /** `generation` is unknown while the value is on its way: asking may start the engine. */
  private current: { generation: number | undefined; value: Promise<Opened> } | undefined;
  private readonly inUse = new Set<Promise<unknown>>();

  constructor(
    private readonly client: EngineClient,
    private readonly open: () => Promise<Opened>,
  ) {}

  async get(): Promise<Opened> {
    const known = this.current;
    if (known && this.isCurrent(known.generation)) return known.value;
    const entry: NonNullable<typeof known> = { generation: undefined, value: this.open() };
    this.current = entry;
    try {
      const opened = await entry.value;
      entry.generation = this.client.generation;
      return opened;
    } catch (error) {
      if (this.current === entry) this.current = undefined;
      throw error;
    }
  }

  /** Of a value that is on its way the generation is not known yet. */
  private isCurrent(generation: number | undefined): boolean {
    return generation === undefined || (generation === this.client.generation && !this.client.hasEnded);
  }

  /** Runs `step` with the value, once more when the engine ended under it. */
  use<Result>(step: (opened: Opened) => Promise<Result>): Promise<Result> {
    const use = this.useNow(step).finally(() => this.inUse.delete(use));
    this.inUse.add(use);
    return use;
  }

  private async useNow<Result>(step: (opened: Opened) => Promise<Result>): Promise<Result> {
    try {
      return await step(await this.get());
    } catch (error) {
      if (!(error instanceof EngineFailure) || error.kind !== 'engine-ended') throw error;
      this.current = undefined;
      return step(await this.get());
    }
  }

  /** Closes it once what was asked of it is answered. */
  drop(body: (opened: Opened) => RequestBody): void {
    const known = this.current;
    this.current = undefined;
    if (!known || known.generation !== this.client.generation) return;
    // Closing frees memory in the engine; when it fails there is nothing left to free.
    const answered = Promise.allSettled([...this.inUse]).then(() => known.value);
    answered.then((opened) => this.client.request(body(opened))).catch(() => {});
  }
}
