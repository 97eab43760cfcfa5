// The profiler samply, by `cargo install`: what ours is measured beside. Some minutes of compiling.
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { run } from '../../scripts/steps/command.mjs';
import { buildFolder, built, once } from './build-folder.mjs';

const paranoid = '/proc/sys/kernel/perf_event_paranoid';

/**
 * The command that runs samply with these arguments. Without hardware counters it gives up where the kernel's setting
 * forbids sampling to ordinary users, even as root, whom the setting does not concern: it then sees another number
 * there, in a mount namespace of its own. The setting itself stays.
 */
export async function samply(args) {
  await once('samply/installed', 'cargo install samply', async (mark) => {
    const args = ['install', 'samply', '--version', '0.13.1', '--locked', '--root', built('samply')];
    await run('nice', ['cargo', ...args], { cwd: buildFolder });
    await run('touch', [mark]);
  });
  const program = built('samply/bin/samply');
  if (process.getuid() !== 0 || Number(readFileSync(paranoid, 'utf8')) <= 1) return [program, ...args];
  const shown = built('samply/perf_event_paranoid');
  await writeFile(shown, '1\n');
  const script = `mount --bind "$0" ${paranoid} && exec "$@"`;
  return ['unshare', '--mount', 'sh', '-c', script, shown, program, ...args];
}
