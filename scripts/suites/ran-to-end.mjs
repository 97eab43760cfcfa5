// Runs a test program and gives what it printed, also where it failed.
import { CommandFailed, run } from '../steps/command.mjs';

/** `ended`: with 0. */
export async function ranToEnd(program, args, options = {}) {
  // Without the last, Node's runner started by a test of ours would run nothing.
  const env = { FORCE_COLOR: '0', CARGO_TERM_COLOR: 'never', NODE_TEST_CONTEXT: undefined };
  try {
    return { ended: true, output: await run(program, args, { ...options, env: { ...env, ...options.env } }) };
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    return { ended: false, output: `${error.message}\n${error.output}` };
  }
}
