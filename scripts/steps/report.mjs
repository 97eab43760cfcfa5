// Says what a script is doing: one line per step with its time, and the whole output of a step that failed.
import { realpathSync } from 'node:fs';
import { endRunning } from './command.mjs';

export const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

/** Runs one step and prints its title and time. Gives what `work` gives. */
export async function step(title, work) {
  const start = performance.now();
  try {
    const value = await work();
    console.log(`  ok      ${title}  ${seconds(performance.now() - start)}`);
    return value;
  } catch (error) {
    console.log(`  FAILED  ${title}  ${seconds(performance.now() - start)}`);
    throw error;
  }
}

/** What a failure says: its sentence, then what the program printed. */
export function explain(error) {
  // An option that is not known, or without its value: the message says which.
  if (error?.code?.startsWith?.('ERR_PARSE_ARGS_')) return error.message;
  const output = typeof error.output === 'string' ? beginningAndEnd(error.output.trimEnd()) : '';
  const words =
    error.output === undefined && !(error instanceof Sentence) ? (error.stack ?? String(error)) : error.message;
  return output ? `${words}\n${output}` : words;
}

const linesShown = 60; // of each end

function beginningAndEnd(output) {
  const lines = output.split('\n');
  if (lines.length <= 2 * linesShown) return output;
  const left = lines.length - 2 * linesShown;
  return [...lines.slice(0, linesShown), `… ${left} lines left out …`, ...lines.slice(-linesShown)].join('\n');
}

/** An expected failure, told to the person in full. */
export class Sentence extends Error {}

let tellInterruption;

/** Resolves at Ctrl+C; from then on the caller ends the script. */
export const untilInterrupted = () =>
  new Promise((resolve) => {
    tellInterruption = resolve;
  });

/** The edge of a script: runs it, turns a failure into words and an exit status, and ends what it started on Ctrl+C. */
export async function main(work) {
  for (const [signal, status] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])
    process.once(signal, () => {
      if (tellInterruption) return tellInterruption();
      endRunning();
      process.exit(status);
    });
  try {
    await work();
  } catch (error) {
    console.error(`\n${explain(error)}`);
    process.exitCode = 1;
  }
}

/** Whether this file is the script that was started, not an import of another. */
export const isMain = (meta) => process.argv[1] !== undefined && meta.filename === realpathSync(process.argv[1]);
