// The processes of this machine, as far as a test may know them: by the program's file.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** [{ pid, parent, program, words }] of all processes that can be read; `words` is the command line. */
export function processes() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const status = readFileSync(`/proc/${name}/status`, 'utf8');
        if (/\nState:\tZ/.test(status)) return [];
        const parent = Number(/\nPPid:\t(\d+)/.exec(status)[1]);
        const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').join(' ').trim();
        return [{ pid: Number(name), parent, program: readlinkSync(`/proc/${name}/exe`), words }];
      } catch {
        return []; // it has ended, or is the kernel's
      }
    });
}

/** The processes whose program lies below a folder. */
export const running = (folder) => processes().filter(({ program }) => program.startsWith(`${folder}/`));

/** The extension host of an editor whose profile is in `profile`: the one of the window that came last. */
export function extensionHost(profile) {
  const all = processes();
  const parentOf = new Map(all.map(({ pid, parent }) => [pid, parent]));
  const servers = new Set(all.filter(({ words }) => words.includes(profile)).map(({ pid }) => pid));
  const isBelow = (pid) => pid > 1 && (servers.has(pid) || isBelow(parentOf.get(pid) ?? 0));
  const hosts = all.filter(({ pid, words }) => words.includes('--type=extensionHost') && isBelow(pid));
  if (hosts.length === 0) throw new Error('No extension host was found.');
  return Math.max(...hosts.map(({ pid }) => pid));
}

/** What a process has started, and what that has. */
export function descendants(pid) {
  const all = processes();
  const found = [];
  for (const waiting = [pid]; waiting.length > 0; ) {
    const next = waiting.pop();
    const children = all.filter(({ parent }) => parent === next);
    found.push(...children);
    waiting.push(...children.map((child) => child.pid));
  }
  return found;
}
