// Measures the timeline in a real Chromium with software raster: time from the arrival of the bytes to the first paint of 64 tracks, and
// the time of each frame while scrolling and while zooming, on the clock and of the main thread's CPU. Usage: node --import tsx webview/bench/timeline.ts [--json]
import type { Browser } from 'playwright-core';
import type { ShownTimelineRequest } from '../../core/selectionMessages.ts';
import { openPage, type PanelPage, showRun, startBrowser } from '../test/browserPage.ts';
import { type FakeRun, timelineContent } from '../test/fakeRun.ts';
import { shopFunctions, shopGraph } from '../test/shop.ts';

const COLUMNS = 1600; // with the names' width, that of the window
const NAMES = 210;
const TRACKS = 64; // in view
const HEIGHT = 2800; // of which the timeline may take six tenths
const RUN: FakeRun = { threads: 256, seconds: 60 };
const FRAMES = 120;
const PAINTS_AND_RUNS = 5; // medians are of so many pages

/** Marks in the trace. */
const [BEGAN, DONE] = ['lineheat-frame-began', 'lineheat-frame-done'];

interface Result {
  readonly tracks: number;
  readonly columns: number;
  readonly contentBytes: number;
  readonly firstPaintMs: number; // median; from the message to the end of the frame that shows it
  readonly firstPaintMaxMs: number;
  readonly scroll: FrameTimes;
  readonly zoom: FrameTimes;
}

/** Of a frame with raster, until the pixels can be read back: medians of the quantiles of each page. */
interface FrameTimes {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p95MaxMs: number; // of the worst page
  readonly cpuP50Ms: number; // without what other processes of the machine took
  readonly cpuP95Ms: number;
}

/** Milliseconds of every frame of one page. */
interface Frames {
  readonly wall: readonly number[];
  readonly cpu: readonly number[];
}

const quantile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
};

/** A page that waits for its first timeline, with room for 64 tracks. */
async function waitingPage(panel: PanelPage): Promise<ShownTimelineRequest> {
  await panel.page.evaluate((height) => {
    const timeline = { open: true, height, order: 'time' };
    sessionStorage.setItem('state', JSON.stringify({ panel: 'run:1', viewMode: 'graph', timeline }));
  }, TRACKS * 24);
  await panel.post(showRun());
  await panel.postView('flameGraph', shopGraph);
  await panel.postView('functions', shopFunctions);
  await panel.settle();
  const first = (await panel.sent()).find((message) => message.type === 'timeline');
  if (first?.type !== 'timeline') throw new Error('The page asked for no timeline.');
  return { ...first.request, toNs: RUN.seconds * 1e9, columns: COLUMNS, first: 0, count: TRACKS + 24 };
}

/** Posts the content inside the page and waits until its pixels are there. */
async function firstPaint(panel: PanelPage, request: ShownTimelineRequest, content: Uint8Array): Promise<number> {
  return panel.page.evaluate(
    async ([asked, encoded]) => {
      const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
      await new Promise((done) => setTimeout(done, 200));
      return new Promise<number>((done) => {
        const began = performance.now();
        window.addEventListener(
          'message',
          () => {
            requestAnimationFrame(() => {
              for (const canvas of document.querySelectorAll<HTMLCanvasElement>('.timeline-canvas'))
                canvas.getContext('2d')?.getImageData(0, 0, 1, 1); // raster is done when this is
              done(performance.now() - began);
            });
          },
          { once: true },
        );
        window.postMessage({ type: 'timeline', request: asked, content: bytes.buffer }, '*', [bytes.buffer]);
      });
    },
    [request, Buffer.from(content).toString('base64')] as const,
  );
}

const median = (values: readonly number[]): number => quantile(values, 0.5);

function frameTimes(pages: readonly Frames[]): FrameTimes {
  const p95 = pages.map(({ wall }) => quantile(wall, 0.95));
  return {
    ...{ p50Ms: median(pages.map(({ wall }) => median(wall))), p95Ms: median(p95), p95MaxMs: Math.max(...p95) },
    cpuP50Ms: median(pages.map(({ cpu }) => median(cpu))),
    cpuP95Ms: median(pages.map(({ cpu }) => quantile(cpu, 0.95))),
  };
}

interface TraceEvent {
  readonly name: string;
  readonly ts: number; // µs
  readonly tdur?: number; // µs of the thread's own clock
}

/** CPU time of the callbacks between the marks that `steps` sets around each frame. */
function cpuOfFrames(trace: Buffer): number[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const sorted = traceEvents.sort((a, b) => a.ts - b.ts);
  const frames: number[] = [];
  let spent: number | undefined;
  for (const { name, tdur = 0 } of sorted) {
    if (name === BEGAN) spent = 0;
    else if (name === 'FireAnimationFrame' && spent !== undefined) spent += tdur / 1000;
    else if (name === DONE && spent !== undefined) {
      frames.push(spent);
      spent = undefined;
    }
  }
  if (frames.length !== FRAMES) throw new Error(`The trace has ${frames.length} frames.`);
  return frames;
}

async function frames(browser: Browser, panel: PanelPage, kind: 'scroll' | 'zoom'): Promise<Frames> {
  await browser.startTracing(panel.page, { categories: ['devtools.timeline', 'blink.user_timing'] });
  const wall = await steps(panel, kind);
  return { wall, cpu: cpuOfFrames(await browser.stopTracing()) };
}

/** One step a frame; the time of the script with its raster. */
async function steps(panel: PanelPage, kind: 'scroll' | 'zoom'): Promise<number[]> {
  return panel.page.evaluate(
    async ([count, what, beganMark, doneMark]) => {
      const canvas = document.querySelector<HTMLCanvasElement>('.timeline-scroller .timeline-canvas')!;
      const scroller = document.querySelector('.timeline-scroller')!;
      const context = canvas.getContext('2d')!;
      const { left, top } = canvas.getBoundingClientRect();
      const times: number[] = [];
      for (let i = 0; i < count; i++) {
        await new Promise((done) => requestAnimationFrame(done));
        // Callbacks of one animation frame run in the order they were asked for: ours, the page's drawing, ours again.
        let began = 0;
        requestAnimationFrame(() => {
          began = performance.now();
          performance.mark(beganMark);
        });
        if (what === 'scroll') {
          scroller.scrollTop = i % 40 < 20 ? (i % 20) * 20 : (20 - (i % 20)) * 20;
          scroller.dispatchEvent(new Event('scroll'));
        } else
          canvas.dispatchEvent(
            new WheelEvent('wheel', {
              ctrlKey: true,
              deltaY: i % 40 < 20 ? -60 : 60,
              clientX: left + 300 + ((i * 37) % 700),
              clientY: top + 200,
              bubbles: true,
              cancelable: true,
            }),
          );
        await new Promise<void>((done) => {
          requestAnimationFrame(() => {
            context.getImageData(0, 0, 1, 1); // returns when the raster is done
            times.push(performance.now() - began);
            performance.mark(doneMark);
            done();
          });
        });
      }
      return times;
    },
    [FRAMES, kind, BEGAN, DONE] as const,
  );
}

async function measure(): Promise<Result> {
  const browser = await startBrowser();
  try {
    const paints: number[] = [];
    const [scroll, zoom]: [Frames[], Frames[]] = [[], []];
    let contentBytes = 0;
    for (let i = 0; i < PAINTS_AND_RUNS; i++) {
      const panel = await openPage(browser, { width: COLUMNS + NAMES, height: HEIGHT });
      const request = await waitingPage(panel);
      const content = timelineContent(RUN, request);
      contentBytes = content.length;
      paints.push(await firstPaint(panel, request, content));
      const shown = await panel.page.locator('.timeline-row:visible').count();
      if (shown < TRACKS) throw new Error(`Only ${shown} tracks are in view.`);
      // All that scrolling brings into view has come before.
      const more = { ...request, first: 60, count: 100 };
      const bytes = Uint8Array.from(timelineContent(RUN, more)).buffer;
      await panel.post({ type: 'timeline', request: more, content: bytes });
      await panel.page.waitForTimeout(500);
      scroll.push(await frames(browser, panel, 'scroll'));
      zoom.push(await frames(browser, panel, 'zoom'));
      await panel.close();
    }
    return {
      ...{ tracks: TRACKS, columns: COLUMNS, contentBytes },
      ...{ firstPaintMs: median(paints), firstPaintMaxMs: Math.max(...paints) },
      ...{ scroll: frameTimes(scroll), zoom: frameTimes(zoom) },
    };
  } finally {
    await browser.close();
  }
}

async function main(args: readonly string[]) {
  const result = await measure();
  if (args.includes('--json')) {
    console.log(JSON.stringify([result], null, 2));
    return;
  }
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  console.log(`${result.tracks} tracks × ${result.columns} columns, ${(result.contentBytes / 1e3).toFixed(0)} kB`);
  console.log(
    `  first paint after the bytes     median ${ms(result.firstPaintMs)}, worst ${ms(result.firstPaintMaxMs)}`,
  );
  const told = ({ p50Ms, p95Ms, p95MaxMs, cpuP50Ms, cpuP95Ms }: FrameTimes) =>
    `p50 ${ms(p50Ms)}, p95 ${ms(p95Ms)} (worst page ${ms(p95MaxMs)}); CPU p50 ${ms(cpuP50Ms)}, p95 ${ms(cpuP95Ms)}`;
  console.log(`  scroll frame, script and raster ${told(result.scroll)}`);
  console.log(`  zoom frame, script and raster   ${told(result.zoom)}`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
