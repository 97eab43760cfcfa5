// Opens an editor on the recorded sample: `code` when it is installed, else code-server on a loopback port.
import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { openFilePayload, workbenchAddress } from '../editor/browser.mjs';
import { installEditor } from '../editor/install.mjs';
import { startServer } from '../editor/server.mjs';
import { CommandFailed, findProgram, run } from '../steps/command.mjs';
import { vsix } from '../steps/paths.mjs';
import { explain, step, untilInterrupted } from '../steps/report.mjs';

/** Shows the run and its hot file. Returns at once with `code`, and after Ctrl+C with code-server. */
export async function show({ folder, runFile, file, line }) {
  const code = findProgram('code');
  await leaveWaiting(folder, runFile);
  if (!code || !(await showInDesktop(code, { folder, file, line }))) await showInBrowser({ folder, file, line });
}

/**
 * The extension shows the run that this note names when the folder is opened. The run file itself could not be opened
 * from here: at its first start the editor does not know yet who shows such files, and shows it as text.
 */
export const leaveWaiting = (folder, runFile) => writeFile(path.join(folder, '.lineheat/open'), path.basename(runFile));

/** What `code` is called with, one list of arguments a call. */
export const desktopCalls = ({ folder, file, line }) => [
  ['--install-extension', vsix, '--force'],
  [folder, '--goto', `${file}:${line}`],
];

/** False when this `code` refuses to work, as it does for root and in some containers; it has said why. */
export async function showInDesktop(code, shown) {
  const [install, open] = desktopCalls(shown);
  try {
    await step('code --install-extension dist/lineheat-linux-x64.vsix', () => run(code, install));
    await run(code, open);
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    console.log(`${explain(error)}\n\nVS Code did not start here, so the page of an own editor follows.`);
    return false;
  }
  console.log('\nVS Code shows the run; the heat stands on the lines of the open file.');
  return true;
}

async function showInBrowser({ folder, file, line }) {
  const editor = await installEditor();
  const profile = mkdtempSync(path.join(os.tmpdir(), 'lineheat-demo-'));
  const server = await step('start the editor', () => startServer({ editor, profile, extensions: [vsix] }));
  try {
    const address = workbenchAddress(server, folder, openFilePayload(server, file, line));
    console.log(`\nOpen this page, it shows the run and its heat (Ctrl+C ends):\n\n  ${address}\n`);
    await untilInterrupted();
  } finally {
    await server.stop();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
