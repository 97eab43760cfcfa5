// Runs one build step as a child process: an argument array, no shell, output passed on as it comes.

import { spawn } from 'node:child_process';
import * as l10n from '@vscode/l10n';
import { type Step, StepFailed } from './target.ts';

const STDOUT_MAX = 64 << 20; // bytes; `cargo metadata` of a large workspace stays far below
const LAST_WORDS_MAX = 4000; // characters
const NEVER_MS = 2 ** 31 - 1; // the longest that a timer can wait

/** The step's standard output. Throws StepFailed when it cannot start, fails, or `signal` stops it. */
export function runStep(step: Step, show: (text: string) => void, signal?: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(step.command, [...step.args], {
      cwd: step.cwd,
      env: { ...process.env, ...step.env },
      shell: false,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // its own group, so that stopping it stops the compilers too
    });
    let lastWords = '';
    let length = 0;
    const kept: Buffer[] = [];
    const tell = (text: string) => {
      lastWords = (lastWords + text).slice(-LAST_WORDS_MAX);
      show(text);
    };
    const stop = () => {
      try {
        if (child.pid) process.kill(-child.pid, 'SIGTERM');
      } catch {
        // It ended in the meantime.
      }
    };
    let late = false;
    const deadline = setTimeout(() => {
      late = true;
      stop();
    }, step.timeoutMs ?? NEVER_MS);
    const fail = (why: string) => {
      clearTimeout(deadline);
      signal?.removeEventListener('abort', stop);
      reject(new StepFailed(step, why, lastWords));
    };
    child.stdout.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= STDOUT_MAX) kept.push(chunk);
      if (!step.quietOutput) tell(chunk.toString('utf8'));
    });
    child.stderr.setEncoding('utf8').on('data', tell);
    child.on('error', (error: NodeJS.ErrnoException) => {
      fail(
        error.code === 'ENOENT'
          ? l10n.t('{0} was not found in PATH, or {1} is gone', step.command, step.cwd)
          : error.message,
      );
    });
    child.on('close', (code, killed) => {
      if (signal?.aborted) return fail(l10n.t('it was stopped'));
      if (late) return fail(l10n.t('it was stopped after {0} s', (step.timeoutMs ?? 0) / 1000));
      if (code !== 0 && !(step.anyExitCode && code !== null))
        return fail(
          killed ? l10n.t('it was killed by {0}', killed) : l10n.t('it ended with exit code {0}', String(code)),
        );
      clearTimeout(deadline);
      signal?.removeEventListener('abort', stop);
      resolve(new TextDecoder().decode(bytesOf(kept)));
    });
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop);
  });
}

function bytesOf(chunks: readonly Buffer[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength), at);
    at += chunk.length;
  }
  return bytes;
}
