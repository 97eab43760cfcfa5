// First paint, scrolling and zooming of the timeline in Chromium without a GPU: webview/bench/timeline.ts, as rows of the report.
import { run } from '../scripts/steps/command.mjs';
import { inRoot } from '../scripts/steps/paths.mjs';

export const title = 'Drawing the timeline, 64 tracks × 1600 columns, software raster';

const FRAME_MS = 16.7;

export async function measure() {
  const output = await run('node', ['--import', 'tsx', inRoot('webview/bench/timeline.ts'), '--json']);
  const [{ firstPaintMs, firstPaintMaxMs, ...frames }] = JSON.parse(output.slice(output.indexOf('[')));
  return [
    {
      what: 'first paint after the bytes',
      goal: '≤ 150 ms',
      value: `${firstPaintMs.toFixed(0)} ms (worst ${firstPaintMaxMs.toFixed(0)} ms)`,
      ok: firstPaintMs <= 150,
    },
    ...['scroll', 'zoom'].map((kind) => {
      const { p50Ms, p95Ms, cpuP95Ms } = frames[kind];
      return {
        what: `${kind} frame p95, script and raster, median of 5 pages`,
        goal: `≤ ${FRAME_MS} ms`,
        value: `${p95Ms.toFixed(1)} ms (p50 ${p50Ms.toFixed(1)} ms; p95 of CPU time ${cpuP95Ms.toFixed(1)} ms)`,
        ok: p95Ms <= FRAME_MS,
      };
    }),
  ];
}
