// A moving picture of the demo: a source file, one command, and the heat on its lines. For the page of the stores.
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { openWorkbench } from '../editor/browser.mjs';
import { decoratedLines, hoverOver } from '../editor/marks.mjs';
import { pickRow, runCommand } from '../editor/palette.mjs';
import { webviewWith } from '../editor/webview.mjs';
import { findProgram, run } from '../steps/command.mjs';
import { Sentence } from '../steps/report.mjs';
import { until, withEditor } from './screenshot.mjs';

const EVERY_MS = 150;
/** Waiting for a build or a recording is shown no longer than this. */
const STILL_MAX_MS = 1500;
const LAST_MS = 4000;
/** Puts the hot line into the part of the file that the terminal leaves free. */
const LINE = 29;

/** Records the story in the editor and writes it as a GIF. `file`: the source that is shown, in `folder`. */
export async function saveMovingPicture(folder, file, picture) {
  for (const [program, name] of Object.entries({ convert: 'imagemagick', gifsicle: 'gifsicle' }))
    if (!findProgram(program))
      throw new Sentence(`${program} is missing, which makes the picture: apt-get install ${name}`);
  const work = await mkdtemp(path.join(os.tmpdir(), 'lineheat-frames-'));
  try {
    await rm(path.join(folder, '.lineheat/runs'), { recursive: true, force: true });
    await withEditor({ width: 1200, height: 800 }, async (context, server) => {
      const page = await openWorkbench(context, server, { folder, file, line: LINE });
      await runCommand(page, 'View: Toggle Primary Side Bar Visibility');
      await page.waitForTimeout(2000);
      const film = filming(page);
      const frames = await film.until(story(page));
      await writeFilm(frames, work, picture);
    });
  } finally {
    await rm(work, { recursive: true });
  }
}

async function story(page) {
  const look = (ms) => page.waitForTimeout(ms);
  await look(1200);
  await runCommand(page, 'Lineheat: Profile This Target');
  await look(1500);
  await pickRow(page, 'orders');
  await until('heat on the source lines', async () => (await decoratedLines(page)).some((row) => row.after.length > 0));
  await runCommand(page, 'View: Hide Panel');
  await look(2000);
  await hoverOver(page, 'index_[order.account]');
  await look(3000);
  await page.locator('.notification-toast .monaco-button').filter({ hasText: 'Flame Graph' }).click();
  await webviewWith(page, '.graph canvas');
  await look(2000);
}

/** Takes pictures; `until(work)` ends that with the work, and gives them: [{ png, ms }], equal ones as one. */
function filming(page) {
  const frames = [];
  let isOver = false;
  const filmed = (async () => {
    let last;
    for (let from = performance.now(); !isOver; ) {
      const png = await page.screenshot();
      const hash = createHash('sha256').update(png).digest('hex');
      const now = performance.now();
      if (frames.length > 0) frames.at(-1).ms += now - from;
      if (hash !== last) frames.push({ png, ms: 0 });
      [last, from] = [hash, now];
      await page.waitForTimeout(EVERY_MS);
    }
  })();
  return {
    async until(work) {
      const stop = () => {
        isOver = true;
      };
      await Promise.all([work.finally(stop), filmed]);
      return frames;
    },
  };
}

async function writeFilm(frames, work, picture) {
  const args = ['-loop', '0'];
  for (const [at, { png, ms }] of frames.entries()) {
    const file = path.join(work, `${String(at).padStart(4, '0')}.png`);
    await writeFile(file, png);
    const shown = at === frames.length - 1 ? LAST_MS : Math.min(ms, STILL_MAX_MS);
    args.push('-delay', `${Math.max(2, Math.round(shown / 10))}`, file);
  }
  const whole = path.join(work, 'whole.gif');
  await run('convert', [...args, '-layers', 'optimize', '-colors', '128', whole]);
  // A third of the size, and text stays sharp.
  await run('gifsicle', ['-O3', '--lossy=60', '--colors', '64', whole, '-o', picture]);
}
