// Runs programs for the scripts: argument arrays only, never a shell.
import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { root } from './paths.mjs';

/** A program ended with something else than 0, or could not be started. */
export class CommandFailed extends Error {
  constructor(line, why, output) {
    super(`\`${line}\` ${why}.`);
    this.output = output;
  }
}

const running = new Set();

/** Lets `endRunning` end a program that something else started. */
export function track(child) {
  running.add(child);
  child.once('exit', () => running.delete(child));
}

/** Ends everything that `run` started, or that is tracked, and that still runs. */
export function endRunning() {
  for (const child of running) child.kill('SIGTERM');
}

/**
 * Runs a program and gives what it printed, standard error included.
 * Options: cwd (the repository), env (added to ours), show (pass the output through as it comes), input (text),
 * timeoutMs (it is ended then; 0: it may take as long as it likes).
 * Throws CommandFailed with the output when it does not end with 0.
 */
export function run(program, args = [], { cwd = root, env = {}, show = false, input = '', timeoutMs = 0 } = {}) {
  const line = [program, ...args].join(' ');
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: timeoutMs,
    });
    running.add(child);
    let output = '';
    const take = (stream) => (bytes) => {
      output += bytes;
      if (show) stream.write(bytes);
    };
    child.stdout.setEncoding('utf8').on('data', take(process.stdout));
    child.stderr.setEncoding('utf8').on('data', take(process.stderr));
    child.stdin.on('error', () => {}); // it ended before reading its input
    child.stdin.end(input);
    child.once('error', (error) => {
      running.delete(child);
      reject(new CommandFailed(line, `could not be started: ${error.message}`, output));
    });
    child.once('close', (code, signal) => {
      running.delete(child);
      if (code === 0) resolve(output);
      else reject(new CommandFailed(line, signal ? `was ended by ${signal}` : `ended with ${code}`, output));
    });
  });
}

/** The full path of a program on PATH, or undefined. */
export function findProgram(name, env = process.env) {
  for (const folder of (env.PATH ?? '').split(path.delimiter)) {
    const file = path.join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      if (folder && statSync(file).isFile()) return file;
    } catch {
      // not here: the next folder
    }
  }
  return undefined;
}
