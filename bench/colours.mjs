// From "run saved" to heat on an open file: the run file takes its name, then the first figure stands behind a line.
import { watch } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { openEditor } from '../extension/test/e2e/support/session.mjs';
import { copyOfSample } from '../extension/test/e2e/support/workspace.mjs';
import { openFile, pickRow, runCommand } from '../scripts/editor/palette.mjs';
import { run } from '../scripts/steps/command.mjs';
import { quantile, spread } from './measure.mjs';

export const title = 'Heat in the editor';

export async function measure({ repeats = 6 } = {}) {
  const workspace = copyOfSample('cpp-orders');
  const { folder } = workspace;
  await run('cmake', ['-S', folder, '-B', path.join(folder, 'build'), '-DCMAKE_BUILD_TYPE=RelWithDebInfo']);
  await mkdir(path.join(folder, '.lineheat/runs'), { recursive: true });
  const session = await openEditor(folder);
  const delays = [];
  try {
    const { page } = session;
    await openFile(page, 'ledger.hpp');
    for (let i = 0; i <= repeats; i++) {
      const saved = lastSave(path.join(folder, '.lineheat/runs'));
      if (i === 0) {
        await runCommand(page, 'Lineheat: Profile This Target');
        await pickRow(page, 'orders');
      } else await runCommand(page, 'Lineheat: Profile Again');
      const shownMs = await firstFigure(page);
      const savedMs = saved();
      if (i > 0) delays.push(shownMs - savedMs); // the first one also starts the extension and its engine
      await runCommand(page, 'Lineheat: Close Profile');
      await page.waitForFunction(() => !document.querySelector('.monaco-editor .view-line span[class*="ced-"]'));
    }
  } finally {
    await session.close();
    workspace.remove();
  }
  return [
    {
      what: 'run saved to the first figure on an open file',
      goal: '≤ 300 ms',
      value: spread(delays, 0, 'ms'),
      ok: quantile(delays, 0.5) <= 300,
    },
  ];
}

/** Watches the runs; gives what tells when one last took its name, in ms since 1970. Checkpoints do so every second. */
function lastSave(folder) {
  let savedMs;
  const watcher = watch(folder, (_, name) => {
    if (name?.endsWith('.pb.gz')) savedMs = Date.now();
  });
  return () => {
    watcher.close();
    return savedMs;
  };
}

/** When the first figure is on screen; both clocks are this machine's. */
const firstFigure = (page) =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        const look = () => {
          const spans = document.querySelectorAll('.monaco-editor .view-line span[class*="ced-"]');
          if ([...spans].some((span) => getComputedStyle(span, '::after').content.includes('%'))) resolve(Date.now());
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
