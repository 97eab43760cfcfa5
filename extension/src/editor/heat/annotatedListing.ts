// The output of `lineheat annotate` for a file of a run.
import { spawn } from 'node:child_process';
import * as l10n from '@vscode/l10n';
import { EngineFailure } from '../../engine/failure.ts';

const OUTPUT_MAX = 32 << 20; // bytes
const TIMEOUT_MS = 60_000;

/** The annotated source of `file` in the run at `runPath`; `flags` say of which part of it. Throws EngineFailure with the engine's words. */
export function annotatedListing(
  engine: string,
  flags: readonly string[],
  runPath: string,
  file: string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, NO_COLOR: '1', TERM: 'dumb' };
    const args = ['annotate', ...flags, '--', runPath, file];
    const child = spawn(engine, args, { shell: false, stdio: ['ignore', 'pipe', 'pipe'], timeout: TIMEOUT_MS, env });
    let output = '';
    let words = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.length > OUTPUT_MAX) child.kill('SIGKILL');
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      words = (words + text).slice(-4000);
    });
    child.on('error', (error) =>
      reject(new EngineFailure('internal', l10n.t('The engine could not be started: {0}.', error.message))),
    );
    child.on('close', (code) => {
      if (code === 0) resolve(output);
      else
        reject(
          new EngineFailure(
            'not-found',
            words.trim() || l10n.t('lineheat annotate ended with exit code {0}.', String(code)),
          ),
        );
    });
  });
}
