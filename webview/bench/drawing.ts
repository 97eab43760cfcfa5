// Measures drawing in a real Chromium with software raster: time from the arrival of the bytes to the first paint, and
// the time of each frame while zooming. Usage: node --import tsx webview/bench/drawing.ts [--json] [NODES SAMPLES]
import { openPage, type PanelPage, showRun, startBrowser } from '../test/browserPage.ts';
import { randomGraph } from '../test/contents.ts';

const WIDTH = 1600;
const HEIGHT = 900;
const PAINTS = 5;
const ZOOM_FRAMES = 120;

interface Result {
  readonly nodes: number;
  readonly samples: number;
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
async function firstPaint(panel: PanelPage, graph: Uint8Array): Promise<number> {
  const base64 = Buffer.from(graph).toString('base64');
  return panel.page.evaluate(async (encoded) => {
    const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
    await new Promise((done) => setTimeout(done, 200));
    return new Promise<number>((done) => {
      const began = performance.now();
      window.addEventListener(
        'message',
        () => {
          requestAnimationFrame(() => {
            document.querySelector('canvas')?.getContext('2d')?.getImageData(0, 0, 1, 1); // raster is done when this is
            done(performance.now() - began);
          });
        },
        { once: true },
      );
      window.postMessage({ type: 'view', view: 'flameGraph', value: 0, content: bytes.buffer }, '*', [bytes.buffer]);
    });
  }, base64);
}

/** Zooms in and out by the wheel, one step a frame; times the script alone and the script with its raster. */
async function zoomFrames(panel: PanelPage): Promise<{ script: number[]; frame: number[] }> {
  return panel.page.evaluate(async (frames) => {
    const canvas = document.querySelector('canvas')!;
    const context = canvas.getContext('2d')!;
    const { left, top } = canvas.getBoundingClientRect();
    const script: number[] = [];
    const frame: number[] = [];
    for (let i = 0; i < frames; i++) {
      await new Promise((done) => requestAnimationFrame(done));
      const zoomIn = i % 40 < 20;
      canvas.dispatchEvent(
        new WheelEvent('wheel', {
          ctrlKey: true,
          deltaY: zoomIn ? -60 : 60,
          clientX: left + 300 + ((i * 37) % 700),
          clientY: top + 200,
          bubbles: true,
          cancelable: true,
        }),
      );
      // The page draws in the next animation frame, before this callback, which was asked for later.
      const [drew, began] = await new Promise<[number, number]>((done) => {
        let start = 0;
        requestAnimationFrame(() => done([performance.now(), start]));
        start = performance.now();
      });
      void began;
      const timeline = (document.timeline.currentTime as number) ?? drew;
      script.push(drew - timeline);
      context.getImageData(0, 0, 1, 1);
      frame.push(performance.now() - timeline);
    }
    return { script, frame };
  }, ZOOM_FRAMES);
}

async function measure(nodes: number, samples: number): Promise<Result> {
  const { graph } = randomGraph(nodes, samples);
  const browser = await startBrowser();
  try {
    const panel = await openPage(browser, { width: WIDTH, height: HEIGHT });
    await panel.post(showRun());
    await panel.page.keyboard.press('1');
    await panel.settle();
    const paints: number[] = [];
    for (let i = 0; i < PAINTS; i++) paints.push(await firstPaint(panel, graph));
    const { script, frame } = await zoomFrames(panel);
    return {
      nodes,
      samples,
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

const args = process.argv.slice(2);
const numbers = args.filter((arg) => /^\d+$/.test(arg)).map(Number);
const sizes: readonly (readonly [number, number])[] =
  numbers.length >= 2
    ? [[numbers[0]!, numbers[1]!]]
    : [
        [50_000, 100_000],
        [500_000, 1_000_000],
      ];
const results: Result[] = [];
for (const [nodes, samples] of sizes) results.push(await measure(nodes, samples));
if (args.includes('--json')) console.log(JSON.stringify(results, null, 2));
else {
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  for (const result of results) {
    console.log(
      `${result.nodes} nodes, ${result.samples} samples, ${(result.contentBytes / 1e6).toFixed(1)} MB, ${WIDTH} × ${HEIGHT}`,
    );
    console.log(
      `  first paint after the bytes   median ${ms(result.firstPaintMs)}, worst ${ms(result.firstPaintMaxMs)}`,
    );
    console.log(`  zoom frame, script            p50 ${ms(result.scriptP50Ms)}, p95 ${ms(result.scriptP95Ms)}`);
    console.log(`  zoom frame, script and raster p50 ${ms(result.frameP50Ms)}, p95 ${ms(result.frameP95Ms)}`);
  }
}
