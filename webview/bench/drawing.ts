// Measures drawing in a real Chromium with software raster: time from the arrival of the bytes to the first paint, and
// the time of each frame while zooming. Usage: node --import tsx webview/bench/drawing.ts [--json] [NODES SAMPLES [--compared]]
import { openPage, type PanelPage, showComparison, showRun, startBrowser } from '../test/browserPage.ts';
import { shownShop } from '../test/comparison.ts';
import { randomGraph } from '../test/contents.ts';

const WIDTH = 1600;
const HEIGHT = 900;
const PAINTS = 5;
const ZOOM_FRAMES = 120;
const SIZES: readonly Size[] = [
  { nodes: 50_000, samples: 100_000, compared: false },
  { nodes: 500_000, samples: 1_000_000, compared: false },
  { nodes: 500_000, samples: 1_000_000, compared: true },
];

interface Size {
  readonly nodes: number;
  readonly samples: number;
  readonly compared: boolean; // the differential flame graph of two runs
}

interface Result extends Size {
  readonly contentBytes: number;
  readonly firstPaintMs: number; // median; from the message to the end of the frame that shows it
  readonly firstPaintMaxMs: number;
  readonly scriptP50Ms: number; // of a zoom frame: layout of what is visible and all canvas calls
  readonly scriptP95Ms: number;
  readonly frameP50Ms: number; // of a zoom frame with raster: until the pixels can be read back
  readonly frameP95Ms: number;
}

const quantile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
};

/** Posts the content inside the page and waits for the frame after the one that draws it. */
async function firstPaint(panel: PanelPage, graph: Uint8Array, compared: boolean): Promise<number> {
  const base64 = Buffer.from(graph).toString('base64');
  const view = compared ? 'comparedFlameGraph' : 'flameGraph';
  return panel.page.evaluate(
    async ([encoded, name]) => {
      const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
      await new Promise((done) => setTimeout(done, 200));
      return new Promise<number>((done) => {
        const began = performance.now();
        window.addEventListener(
          'message',
          () => {
            requestAnimationFrame(() => {
              document.querySelector<HTMLCanvasElement>('.graph canvas')?.getContext('2d')?.getImageData(0, 0, 1, 1); // raster is done when this is
              done(performance.now() - began);
            });
          },
          { once: true },
        );
        window.postMessage({ type: 'view', view: name, value: 0, content: bytes.buffer }, '*', [bytes.buffer]);
      });
    },
    [base64, view] as const,
  );
}

/** Zooms in and out by the wheel, one step a frame; times the script alone and the script with its raster. */
async function zoomFrames(panel: PanelPage): Promise<{ script: number[]; frame: number[] }> {
  return panel.page.evaluate(async (frames) => {
    const canvas = document.querySelector<HTMLCanvasElement>('.graph canvas')!;
    const context = canvas.getContext('2d')!;
    const { left, top } = canvas.getBoundingClientRect();
    const script: number[] = [];
    const frame: number[] = [];
    for (let i = 0; i < frames; i++) {
      await new Promise((done) => requestAnimationFrame(done));
      // Callbacks of one animation frame run in the order they were asked for: ours, the page's drawing, ours again.
      let began = 0;
      requestAnimationFrame(() => {
        began = performance.now();
      });
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
          script.push(performance.now() - began);
          context.getImageData(0, 0, 1, 1); // returns when the raster is done
          frame.push(performance.now() - began);
          done();
        });
      });
    }
    return { script, frame };
  }, ZOOM_FRAMES);
}

async function measure({ nodes, samples, compared }: Size): Promise<Result> {
  const { graph } = randomGraph(nodes, samples, compared);
  const browser = await startBrowser();
  try {
    const panel = await openPage(browser, { width: WIDTH, height: HEIGHT });
    await panel.post(compared ? showComparison({ comparison: shownShop }) : showRun());
    await panel.page.keyboard.press('1');
    await panel.settle();
    const paints: number[] = [];
    for (let i = 0; i < PAINTS; i++) paints.push(await firstPaint(panel, graph, compared));
    const { script, frame } = await zoomFrames(panel);
    return {
      nodes,
      samples,
      compared,
      contentBytes: graph.length,
      firstPaintMs: quantile(paints, 0.5),
      firstPaintMaxMs: Math.max(...paints),
      scriptP50Ms: quantile(script, 0.5),
      scriptP95Ms: quantile(script, 0.95),
      frameP50Ms: quantile(frame, 0.5),
      frameP95Ms: quantile(frame, 0.95),
    };
  } finally {
    await browser.close();
  }
}

async function main(args: readonly string[]) {
  const numbers = args.filter((arg) => /^\d+$/.test(arg)).map(Number);
  const given =
    numbers.length >= 2
      ? [{ nodes: numbers[0]!, samples: numbers[1]!, compared: args.includes('--compared') }]
      : undefined;
  const results: Result[] = [];
  for (const size of given ?? SIZES) results.push(await measure(size));
  if (args.includes('--json')) {
    console.log(JSON.stringify(results, null, 2));
    return;
  }
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  for (const result of results) {
    const megabytes = (result.contentBytes / 1e6).toFixed(1);
    console.log(
      `${result.nodes} nodes, ${result.samples} samples${result.compared ? ', compared' : ''}, ${megabytes} MB, ${WIDTH} × ${HEIGHT}`,
    );
    console.log(
      `  first paint after the bytes   median ${ms(result.firstPaintMs)}, worst ${ms(result.firstPaintMaxMs)}`,
    );
    console.log(`  zoom frame, script            p50 ${ms(result.scriptP50Ms)}, p95 ${ms(result.scriptP95Ms)}`);
    console.log(`  zoom frame, script and raster p50 ${ms(result.frameP50Ms)}, p95 ${ms(result.frameP95Ms)}`);
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
