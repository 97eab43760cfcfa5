// A machine on which others work: bursts of computing on every CPU, of random length and at random times.
import { spawn } from 'node:child_process';
import os from 'node:os';

// Until this process has ended, however it ends. A timeout of 0 would be none, and one not in the foreground leaves the group.
const bursts = `while kill -0 $PPID; do
  timeout --foreground "$((RANDOM % 2)).$((1 + RANDOM % 9))" sha256sum /dev/zero
  sleep "$((RANDOM % 3)).$((RANDOM % 10))"
done`;

/** What `work` gives, done while others compute for a third of the time. */
export async function disturbed(work) {
  // A group of its own, so that one signal ends the loop and what it runs.
  const others = os.cpus().map(() => spawn('bash', ['-c', bursts], { stdio: 'ignore', detached: true }));
  try {
    return await work();
  } finally {
    for (const { pid } of others) process.kill(-pid);
  }
}
