// Requests to the engine: starts it at first need, matches replies to requests, and starts it again after a crash.
import * as l10n from '@vscode/l10n';
import { encodeRequest, PROTOCOL_VERSION, type Reply, type RequestBody } from '../../../core/wire.ts';
import { EngineProcess } from './engineProcess.ts';
import { EngineFailure, engineFailure } from './failure.ts';

export interface EngineClientOptions {
  /** The engine's file; asked at each start, may throw EngineFailure. */
  readonly command: () => string;
  readonly args?: readonly string[];
  readonly log: (line: string) => void;
  /** Of requests that do not say it themselves. An engine that is late is ended, so one that records has 0: no limit. */
  readonly timeoutMs?: number;
}

export interface RequestOptions {
  /** Gets each reply before the final one. While it works on one that tells the newest, no other such one comes. */
  readonly onPart?: (reply: Reply) => unknown;
  /** Stops waiting; the engine's later replies are dropped. */
  readonly signal?: AbortSignal;
  /** 0: no limit. */
  readonly timeoutMs?: number;
}

/** What the engine is to tell unasked, from now on and whenever it is started anew. */
export interface Watch {
  readonly body: RequestBody;
  readonly onNews: (reply: Reply) => unknown;
  /** The engine cannot, and will tell nothing more. */
  readonly onFailure: (failure: EngineFailure) => void;
}

interface Pending {
  readonly onPart: (reply: Reply) => unknown;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (failure: EngineFailure) => void;
}

const REQUEST_TIMEOUT_MS = 60_000;
const HELLO_TIMEOUT_MS = 10_000;
const CRASH_WINDOW_MS = 60_000;
const CRASHES_MAX = 3;

export class EngineClient {
  private process: EngineProcess | undefined;
  private ready: Promise<void> | undefined;
  private readonly pending = new Map<number, Pending>();
  private lastId = 0;
  private crashTimes: number[] = [];
  private disposed = false;
  private starts = 0;
  /** With the id of the request that runs, once an engine runs. */
  private readonly watches = new Map<Watch, number | undefined>();

  constructor(private readonly options: EngineClientOptions) {}

  /** Rises with each start: handles of runs are valid within one generation only. */
  get generation(): number {
    return this.starts;
  }

  /** It ended, and was not started again: handles of its generation are of no use. */
  get hasEnded(): boolean {
    return this.starts > 0 && !this.process;
  }

  get pid(): number | undefined {
    return this.process?.pid;
  }

  /** Throws EngineFailure `no-engine` when this installation has none; starts nothing. */
  requireEngine(): void {
    this.options.command();
  }

  /**
   * Sends a request and waits for its final reply.
   * Rejects with EngineFailure: the engine's own, `engine-ended`, `timeout` or `cancelled`.
   */
  async request(body: RequestBody, options: RequestOptions = {}): Promise<Reply> {
    await this.start();
    return this.send(body, options).reply;
  }

  /** As `request`, but gives the id at once: other requests name a recording by it. */
  async requestWithId(body: RequestBody, options: RequestOptions): Promise<{ id: number; reply: Promise<Reply> }> {
    await this.start();
    return this.send(body, options);
  }

  /** Starts no engine: with the first that is started for something else it begins to tell. Ends with `dispose`. */
  watch(watch: Watch): { dispose(): void } {
    this.watches.set(watch, undefined);
    const starting = this.ready;
    // One that is still starting begins it itself.
    void starting?.then(
      () => this.watches.has(watch) && this.watches.get(watch) === undefined && this.begin(watch),
      () => {},
    );
    return {
      dispose: () => {
        const id = this.watches.get(watch);
        this.watches.delete(watch);
        if (id !== undefined && this.pending.has(id)) this.send({ unwatch: { id } }, {}).reply.catch(() => {});
      },
    };
  }

  dispose(): void {
    this.disposed = true;
    this.process?.stop();
    this.process = undefined;
    this.ready = undefined;
    this.failAll(new EngineFailure('cancelled', l10n.t('Lineheat was closed.')));
  }

  private start(): Promise<void> {
    this.ready ??= this.startOnce().catch((error: unknown) => {
      this.ready = undefined;
      throw error;
    });
    return this.ready;
  }

  private async startOnce(): Promise<void> {
    if (this.disposed) throw new EngineFailure('cancelled', l10n.t('Lineheat was closed.'));
    this.refuseCrashLoop();
    const engine = new EngineProcess(this.options.command(), this.options.args ?? ['serve'], {
      onReply: (reply) => this.receive(engine, reply),
      onEnd: (why) => this.ended(engine, why),
      onLog: this.options.log,
    });
    this.process = engine;
    this.starts++;
    this.lastId = 0; // nothing is pending when an engine starts
    const hello = { hello: { protocol: PROTOCOL_VERSION, client: 'vscode' } };
    const reply = await this.send(hello, { timeoutMs: HELLO_TIMEOUT_MS }).reply;
    const spoken = reply.welcome?.protocol;
    if (spoken === PROTOCOL_VERSION) {
      for (const watch of this.watches.keys()) this.begin(watch);
      return;
    }
    engine.stop();
    throw new EngineFailure(
      'protocol',
      spoken === undefined
        ? l10n.t('The engine uses protocol version unknown; this extension needs {0}.', PROTOCOL_VERSION)
        : l10n.t('The engine uses protocol version {0}; this extension needs {1}.', spoken, PROTOCOL_VERSION),
      l10n.t('Reinstall the extension, which contains the matching engine.'),
    );
  }

  private begin(watch: Watch): void {
    const { id, reply } = this.send(watch.body, { onPart: watch.onNews, timeoutMs: 0 });
    this.watches.set(watch, id);
    reply.catch((error: EngineFailure) => {
      // The next engine goes on with it.
      if (error.kind === 'engine-ended' || error.kind === 'cancelled') return;
      if (this.watches.delete(watch)) watch.onFailure(error);
    });
  }

  private send(body: RequestBody, options: RequestOptions): { id: number; reply: Promise<Reply> } {
    this.lastId = (this.lastId % 0x7fff_ffff) + 1;
    const id = this.lastId;
    const engine = this.process;
    const reply = new Promise<Reply>((resolve, reject) => {
      const { signal, timeoutMs = this.options.timeoutMs ?? REQUEST_TIMEOUT_MS } = options;
      const finish = () => {
        this.pending.delete(id);
        clearTimeout(timer);
        signal?.removeEventListener('abort', cancel);
      };
      const fail = (failure: EngineFailure) => {
        finish();
        reject(failure);
      };
      const cancel = () => fail(new EngineFailure('cancelled', l10n.t('The request was cancelled.')));
      const timer = timeoutMs > 0 ? setTimeout(() => fail(this.timedOut(engine, timeoutMs)), timeoutMs) : undefined;
      this.pending.set(id, {
        onPart: options.onPart ?? (() => {}),
        resolve: (final) => {
          finish();
          resolve(final);
        },
        reject: fail,
      });
      if (signal?.aborted) return cancel();
      signal?.addEventListener('abort', cancel);
      if (!engine) return fail(new EngineFailure('engine-ended', l10n.t('The Lineheat engine is not running.')));
      try {
        engine.send(encodeRequest(id, body));
      } catch (error) {
        fail(new EngineFailure('too-large', l10n.t('Cannot send the request: {0}.', (error as Error).message)));
      }
    });
    return { id, reply };
  }

  private receive(engine: EngineProcess, reply: Reply): void {
    if (engine !== this.process) return;
    const pending = this.pending.get(reply.id);
    if (!pending) return; // cancelled
    if (reply.failure) {
      pending.reject(engineFailure(reply.failure));
    } else if (reply.final) {
      pending.resolve(reply);
    } else {
      const done = pending.onPart(reply);
      if (reply.newest) void Promise.resolve(done).finally(() => this.seen(engine, reply.id));
    }
  }

  /** The engine may tell what is new since. */
  private seen(engine: EngineProcess, id: number): void {
    if (engine !== this.process || !this.pending.has(id)) return;
    this.lastId = (this.lastId % 0x7fff_ffff) + 1;
    engine.send(encodeRequest(this.lastId, { seen: { id } }));
  }

  private ended(engine: EngineProcess, why: string): void {
    this.options.log(`the engine (pid ${engine.pid ?? 'none'}) exited: ${why}`);
    if (engine !== this.process) return;
    this.process = undefined;
    this.ready = undefined;
    this.crashTimes.push(Date.now());
    const advice = l10n.t('It restarts with the next request. For details, see the output channel "Lineheat".');
    this.failAll(
      new EngineFailure('engine-ended', l10n.t('The Lineheat engine stopped unexpectedly: {0}.', why), advice),
    );
  }

  private timedOut(engine: EngineProcess | undefined, timeoutMs: number): EngineFailure {
    // An engine that hangs on one request would hang on the next one too.
    engine?.kill();
    return new EngineFailure(
      'timeout',
      l10n.t('The Lineheat engine did not answer within {0} s and was stopped.', timeoutMs / 1000),
      l10n.t('Try again. If it is always the same profile, that profile is probably too large or damaged.'),
    );
  }

  private refuseCrashLoop(): void {
    const now = Date.now();
    this.crashTimes = this.crashTimes.filter((time) => now - time < CRASH_WINDOW_MS);
    if (this.crashTimes.length < CRASHES_MAX) return;
    throw new EngineFailure(
      'engine-ended',
      l10n.t(
        'The Lineheat engine stopped {0} times within a minute, so it is not restarted for now.',
        this.crashTimes.length,
      ),
      l10n.t('Wait a minute, then try again. For details, see the output channel "Lineheat".'),
    );
  }

  private failAll(failure: EngineFailure): void {
    for (const pending of [...this.pending.values()]) pending.reject(failure);
  }
}
