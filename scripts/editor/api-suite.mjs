// Runs a test suite inside the extension host, where `require('vscode')` works.
import { format } from 'node:util';
import { remoteFile, workbenchAddress } from './browser.mjs';

/**
 * `suite` is a CommonJS module that exports `run(): Promise<void>`; `extension` is the folder with package.json; a
 * `workspace` (a .code-workspace file) is opened instead of the folder.
 * The server must have been started with `forApiSuite`. Gives the exit code (0 passed) and the lines that were printed.
 */
export async function runApiSuite(
  context,
  server,
  { folder, workspace, extension, suite, env = {}, timeoutMs = 300_000 },
) {
  const page = context.pages()[0] ?? (await context.newPage());
  const lines = [];
  let end;
  const ended = new Promise((resolve, reject) => {
    end = resolve;
    setTimeout(
      () => reject(new Error(`The suite did not end within ${timeoutMs / 1000} s. It printed:\n${lines.join('\n')}`)),
      timeoutMs,
    ).unref();
  });
  await page.exposeFunction('codeAutomationLog', (_kind, args) => lines.push(format(...args)));
  await page.exposeFunction('codeAutomationExit', (code) => end(code));
  const payload = [
    ['extensionDevelopmentPath', remoteFile(server, extension)],
    ['extensionTestsPath', remoteFile(server, suite)],
    ['extensionEnvironment', JSON.stringify(env)],
  ];
  await page.goto(workbenchAddress(server, folder, payload, workspace));
  return { code: await ended, lines };
}
