// Shows the editor in a headless Chromium, through playwright.
import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { findProgram } from '../steps/command.mjs';

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** The browser: $CHROMIUM, else the first known name on PATH. */
export function browserProgram(env = process.env) {
  const found = env.CHROMIUM || names.map((name) => findProgram(name, env)).find(Boolean);
  if (!found)
    throw new Error(`None of ${names.join(', ')} is on PATH. Run \`npm run setup\`, or name one in $CHROMIUM.`);
  return found;
}

/** Starts a browser with an empty profile below `folder`. Gives playwright's context. */
export async function startBrowser(folder, { viewport = { width: 1400, height: 900 }, ...more } = {}) {
  const { chromium } = await import('playwright-core'); // here, since set-up may only just have installed it
  const context = await chromium.launchPersistentContext(mkdtempSync(path.join(folder, 'browser-')), {
    executablePath: browserProgram(),
    viewport,
    reducedMotion: 'reduce',
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ],
    ...more,
  });
  context.setDefaultTimeout(60_000);
  return context;
}

/** A file as the editor's own server names it; with another authority it would count as outside the workspace. */
export const remoteFile = (server, file) => `vscode-remote://${server.authority}${encodeURI(file)}`;

/** The address of the editor with a folder, or a .code-workspace file, open. `payload` is the list of pairs that the workbench takes. */
export function workbenchAddress(server, folder, payload = [], workspace = undefined) {
  const query = new URLSearchParams(workspace ? { workspace } : { folder });
  query.set('payload', JSON.stringify([['skipWelcome', 'true'], ...payload]));
  return `${server.url}/?${query}`;
}

/** What the payload says to open a file at a line (1-based). */
export function openFilePayload(server, file, line) {
  if (!line) return [['openFile', remoteFile(server, file)]];
  return [
    ['openFile', `${remoteFile(server, file)}:${line}`],
    ['gotoLineMode', 'true'],
  ];
}

/** Opens a folder, and a file of it when one is named; waits until the editor can be used. */
export async function openWorkbench(context, server, { folder, file, line }) {
  const page = context.pages()[0] ?? (await context.newPage());
  await page.goto(workbenchAddress(server, folder, file ? openFilePayload(server, file, line) : []));
  await page.locator('.monaco-workbench .part.statusbar').waitFor();
  if (file) await page.locator('.monaco-editor .view-line').first().waitFor();
  return page;
}
