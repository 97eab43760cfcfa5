// Opens an editor on the recorded sample: `code` when it is installed, else code-server on a loopback port.
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { openFilePayload, workbenchAddress } from '../editor/browser.mjs';
import { installEditor } from '../editor/install.mjs';
import { startServer } from '../editor/server.mjs';
import { findProgram, run } from '../steps/command.mjs';
import { vsix } from '../steps/paths.mjs';
import { step, untilInterrupted } from '../steps/report.mjs';
import { opened } from './screenshot.mjs';

/** Shows the run and its hot file. Returns at once with `code`, and after Ctrl+C with code-server. */
export async function show({ folder, runFile, file, line }) {
  const code = findProgram('code');
  if (code) await showInDesktop(code, { folder, runFile, file, line });
  else await showInBrowser({ folder, runFile, file, line });
}

async function showInDesktop(code, { folder, runFile, file, line }) {
  await step('code --install-extension dist/lineheat-linux-x64.vsix', () =>
    run(code, ['--install-extension', vsix, '--force']),
  );
  await run(code, [folder, runFile, '--goto', `${file}:${line}`]);
  console.log('\nVS Code shows the run; the heat stands on the lines of the open file.');
}

async function showInBrowser({ folder, runFile, file, line }) {
  const editor = await installEditor();
  const profile = mkdtempSync(path.join(os.tmpdir(), 'lineheat-demo-'));
  const server = await step('start the editor', () => startServer({ editor, profile, extensions: [vsix] }));
  const interrupted = untilInterrupted();
  try {
    console.log(
      `\nOpen this page, it shows the run and its heat (Ctrl+C ends):\n\n  ${workbenchAddress(server, folder, openFilePayload(server, file, line))}\n`,
    );
    // The run follows when a browser is there: at its very start the editor does not know who opens such files. Then the
    // source again, so that its heat is what one sees.
    const stopWaiting = whenConnected(async () => {
      return (await opened(server, runFile)) && (await opened(server, `${file}:${line}`));
    });
    await interrupted;
    stopWaiting();
  } finally {
    await server.stop();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Tries `open` until it succeeds once. Gives a function that ends the trying. */
function whenConnected(open) {
  const timer = setInterval(async () => {
    if (await open()) clearInterval(timer);
  }, 3_000);
  return () => clearInterval(timer);
}
