// First paint and zoom of the flame graph in Chromium without a GPU: webview/bench/drawing.ts, as rows of the report.
import { run } from '../scripts/steps/command.mjs';
import { inRoot } from '../scripts/steps/paths.mjs';

export const title = 'Drawing the flame graph, 1600 × 900, software raster';

export async function measure() {
  const output = await run('node', ['--import', 'tsx', inRoot('webview/bench/drawing.ts'), '--json']);
  const results = JSON.parse(output.slice(output.indexOf('[')));
  return results.flatMap((size) => {
    const of = `${size.nodes.toLocaleString('en')} nodes, ${size.samples.toLocaleString('en')} samples${size.compared ? ', two runs compared' : ''}`;
    return [
      {
        what: `first paint after the bytes, ${of}`,
        goal: '≤ 400 ms',
        value: `${size.firstPaintMs.toFixed(0)} ms (worst ${size.firstPaintMaxMs.toFixed(0)} ms)`,
        ok: size.firstPaintMs <= 400,
      },
      {
        what: `zoom frame p95, script and raster, ${of}`,
        goal: '≤ 16.7 ms',
        value: `${size.frameP95Ms.toFixed(1)} ms (p50 ${size.frameP50Ms.toFixed(1)} ms)`,
        ok: size.frameP95Ms <= 16.7,
      },
    ];
  });
}
