// Runs one build step as a child process: an argument array, no shell, output passed on as it comes.
import { spawn } from 'node:child_process';
import { type Step, StepFailed } from './target.ts';

const STDOUT_MAX = 64 << 20; // bytes; `cargo metadata` of a large workspace stays far below
const LAST_WORDS_MAX = 4000; // characters

/** The step's standard output. Throws StepFailed when it cannot start, fails, or `signal` stops it. */
export function runStep(step: Step, show: (text: string) => void, signal?: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(step.command, [...step.args], {
      cwd: step.cwd,
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
    const fail = (why: string) => {
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
      fail(error.code === 'ENOENT' ? `${step.command} was not found in PATH, or ${step.cwd} is gone` : error.message);
    });
    child.on('close', (code, killed) => {
      if (signal?.aborted) return fail('it was stopped');
      if (code !== 0) return fail(killed ? `it was killed by ${killed}` : `it ended with exit code ${code}`);
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
