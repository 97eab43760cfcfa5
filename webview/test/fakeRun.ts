// A host for a run with a timeline: threads with a life of their own, made on demand, and a selection with undo and redo as the
// extension keeps it.
import type { Page } from 'playwright-core';
import { visibleText } from '../../core/foreignText.ts';
import {
  EMPTY_SELECTION,
  type SelectedMessage,
  type ShownSelection,
  type ShownTimelineRequest,
  sameSelection,
} from '../../core/selectionMessages.ts';
import type { HostMessage, NamedFunction, PageMessage } from '../../core/webviewMessages.ts';
import { wire } from '../../core/wire.ts';

const HZ = 1000; // samples a second of a thread that is on a CPU
const RUN_SAMPLES = 5321;
export const PEAK_BYTES = 345 * 2 ** 20;
const { SAMPLES, WAITS, MEMORY, SAMPLES_FOR_LACK_OF_TIMES } = wire.Timeline.Shows;

export interface FakeRun {
  readonly threads: number;
  readonly seconds: number;
  readonly executions?: readonly { number: number; fromNs: number; toNs: number }[];
  readonly stack?: readonly NamedFunction[];
  readonly samplesWithoutTime?: number;
  readonly waits?: boolean; // a thread that is not busy waits
  readonly shows?: readonly number[]; // Timeline.Shows by the number of a measure; none: samples
}

const threadName = (thread: number): string => (thread === 0 ? 'main' : thread % 4 === 3 ? 'io' : `worker-${thread}`);

/** How busy a thread is at a moment, 0 … 1: phases of its own length. */
function busy(thread: number, share: number): number {
  const wave = Math.sin(share * (6 + (thread % 5)) * Math.PI + thread);
  return Math.max(0, Math.min(1, 0.55 + 0.6 * wave)) / (1 + (thread % 7) / 4);
}

export function timelineContent(
  { threads, seconds, executions = [], samplesWithoutTime = 0, waits = false, shows: of = [] }: FakeRun,
  request: ShownTimelineRequest,
): Uint8Array {
  const endNs = seconds * 1e9;
  const toNs = request.toNs === 0 ? endNs : request.toNs;
  const { fromNs, columns } = request;
  const shows = of[request.value ?? 0] ?? SAMPLES;
  const hasSamples = shows === SAMPLES || shows === SAMPLES_FOR_LACK_OF_TIMES;
  const full = (HZ * (toNs - fromNs)) / 1e9 / columns;
  const trackOf = (thread: number) => {
    const counts = (part: number) =>
      Array.from({ length: columns }, (_, column) => {
        const ns = fromNs + ((column + 0.5) / columns) * (toNs - fromNs);
        return hasSamples ? Math.round(full * busy(thread, ns / endNs) * part) : 0;
      });
    const kernel = thread % 4 === 3 ? 0.6 : 0.1;
    return {
      pid: 4000 + (thread % 3),
      tid: 5000 + thread,
      process: thread % 3 === 0 ? 'shop' : 'shop-helper',
      thread: threadName(thread),
      samples: Math.round(2000 / (1 + thread)),
      value: 1e6 * (thread + 1),
      ...{ own: counts(0.9 - kernel - 0.2), library: counts(0.25), kernel: counts(kernel) },
      ...(request.tinted ? { tinted: counts(0.35) } : {}),
      ...((waits && hasSamples) || shows === WAITS
        ? { queued: thousandths(thread, 0.2), waiting: thousandths(thread, 0.8) }
        : {}),
    };
  };
  const thousandths = (thread: number, part: number) =>
    Array.from({ length: columns }, (_, column) => {
      const ns = fromNs + ((column + 0.5) / columns) * (toNs - fromNs);
      return Math.round(1000 * part * (1 - busy(thread, ns / endNs)));
    });
  const count = Math.max(0, Math.min(request.count, threads - request.first));
  const tracks = Array.from({ length: count }, (_, i) => trackOf(request.first + i));
  const some = Array.from({ length: Math.min(4, threads) }, (_, thread) => trackOf(thread));
  const sums = (part: 'own' | 'library' | 'kernel' | 'queued' | 'waiting') =>
    Array.from({ length: columns }, (_, column) => some.reduce((sum, track) => sum + (track[part]?.[column] ?? 0), 0));
  const all = {
    ...{
      samples: RUN_SAMPLES,
      value: (1e6 * threads * (threads + 1)) / 2,
      own: sums('own'),
      library: sums('library'),
      kernel: sums('kernel'),
    },
    ...(request.tinted ? { tinted: sums('own').map((own) => Math.round(own * 0.4)) } : {}),
    ...(shows === WAITS ? { queued: sums('queued'), waiting: sums('waiting') } : {}),
  };
  const memory = {
    highestBytes: Array.from({ length: columns }, (_, column) => Math.round(PEAK_BYTES * ((column + 1) / columns))),
    peaks: [{ timeNs: endNs - 1, peakBytes: PEAK_BYTES }],
  };
  return wire.Timeline.encode({
    ...{ endNs, fromNs, toNs, columns, full, cpus: 4, all, trackCount: threads, tracks },
    ...{ executions: [...executions], samplesWithoutTime, shows },
    ...(shows === MEMORY ? { memory } : {}),
  }).finish();
}

const FUNCTIONS = ['main', 'parse', 'parse_line', 'parse_word', 'malloc'];

/** Enough of the engine's way to understand names; what it says of those that are none is like its words. */
function namesMatched({ ask, text, exact }: Extract<PageMessage, { type: 'matchNames' }>): HostMessage {
  const answer = (names: readonly string[], problem: string): HostMessage => ({
    ...{ type: 'namesMatched', ask, count: names.length, names: names.slice(0, 5), problem },
  });
  const source = /^\/.+\/$/s.test(text)
    ? text.slice(1, -1)
    : `^${text
        .replace(/[.+^${}()|[\]\\]/g, '\\$&')
        .replaceAll('*', '.*')
        .replaceAll('?', '.')}$`;
  try {
    const pattern = new RegExp(source, 'u');
    const names = FUNCTIONS.filter((name) => (exact ? name === text : pattern.test(name)));
    const none = `No function is called ${visibleText(text, 200)}. Names: ${FUNCTIONS.join(', ')}.`;
    return answer(names, names.length === 0 ? none : '');
  } catch {
    return answer([], `${text} is no regular expression: unclosed group.`);
  }
}

/** Answers what a page asks about timeline and selection; other messages are the test's business. */
export class FakeHost {
  readonly run: FakeRun;
  #past: ShownSelection[] = [];
  #future: ShownSelection[] = [];
  #committed = EMPTY_SELECTION;
  constructor(run: FakeRun) {
    this.run = run;
  }

  answers(message: PageMessage): HostMessage[] {
    switch (message.type) {
      case 'timeline': {
        const { request } = message;
        const content = Uint8Array.from(timelineContent(this.run, request)).buffer;
        return [{ type: 'timeline', request, content }];
      }
      case 'select':
        if (message.preview) return [this.#selected(message.selection, true)];
        if (!sameSelection(message.selection, this.#committed)) {
          this.#past.push(this.#committed);
          this.#future = [];
          this.#committed = message.selection;
        }
        return [this.#selected(this.#committed, false)];
      case 'undoSelection':
        return this.#step(this.#past, this.#future);
      case 'redoSelection':
        return this.#step(this.#future, this.#past);
      case 'matchNames':
        return [namesMatched(message)];
      case 'hottestStack': {
        const { stack = [{ name: 'main', module: 'shop' }] } = this.run;
        const { ask } = message;
        if (!this.run.waits)
          return [{ type: 'hottestStack', ask, frames: stack, samples: 3, ofSamples: 4, waitsFor: '', waitedNs: 0 }];
        return [
          { type: 'hottestStack', ask, frames: stack, samples: 0, ofSamples: 0, waitsFor: 'lock', waitedNs: 2e6 },
        ];
      }
      default:
        return [];
    }
  }

  /** As when the engine does not have what was selected. */
  refusal(message: string): HostMessage[] {
    this.#committed = this.#past.pop() ?? EMPTY_SELECTION;
    return [this.#selected(this.#committed, false), { type: 'selectionRefused', message }];
  }

  /** As the host says it once after `show`. */
  first(): HostMessage {
    return this.#selected(this.#committed, false);
  }

  #step(from: ShownSelection[], to: ShownSelection[]): HostMessage[] {
    const next = from.pop();
    if (!next) return [];
    to.push(this.#committed);
    this.#committed = next;
    return [this.#selected(next, false)];
  }

  #selected(selection: ShownSelection, preview: boolean): SelectedMessage {
    const all = sameSelection(selection, EMPTY_SELECTION);
    const samples = all ? RUN_SAMPLES : 412;
    return {
      ...{ type: 'selected', selection, preview, samples, value: samples * 1e6 },
      ...{
        runSamples: RUN_SAMPLES,
        runValue: RUN_SAMPLES * 1e6,
        unit: 'nanoseconds',
        notice: '',
        runtimes: ['rust', 'interrupts'],
      },
      ...{ canUndo: this.#past.length > 0, canRedo: this.#future.length > 0 },
    };
  }
}

/** Lets the page have this host, from now on until it is loaded again. */
export async function serveRun(page: Page, run: FakeRun): Promise<FakeHost> {
  const host = new FakeHost(run);
  await page.exposeFunction('askHost', (message: PageMessage) =>
    host.answers(message).map((answer) => {
      if (!('content' in answer)) return { answer, base64: '' };
      const { content, ...rest } = answer;
      return { answer: rest, base64: Buffer.from(content as ArrayBuffer).toString('base64') };
    }),
  );
  await page.evaluate(() => {
    type Answer = { answer: object; base64: string };
    const shared = window as unknown as {
      askHost(message: unknown): Promise<Answer[]>;
      answer: (message: { type: string }) => void;
    };
    shared.answer = async (message) => {
      for (const { answer, base64 } of await shared.askHost(message)) {
        const content = base64 ? Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)).buffer : undefined;
        window.postMessage(content ? { ...answer, content } : answer, '*');
      }
    };
  });
  return host;
}
