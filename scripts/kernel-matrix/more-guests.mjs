// What is booted with a kernel beside the recordings of guest-init.sh: each for what a plain guest does not have.
import { compareVersions } from './archive.mjs';
import { judgeCounters } from './counters-verdict.mjs';
import { boot } from './guest.mjs';
import { judgeProbes } from './probes-verdict.mjs';

/** For a kernel: { title, judge(text), … of `boot` } of each. qemu has no counters for x86-64, and a program of a probe keeps its CPU from Linux 6.15 on. */
export function moreGuests({ arch, release }) {
  if (arch === 'arm64')
    return [
      {
        title: 'with hardware counters',
        init: 'counters-init',
        // Its clock goes on by 2 ns with each instruction, and for nothing else: so its CPU of 1 GHz counts both.
        emulator: ['-icount', 'shift=1,sleep=off'],
        judge: judgeCounters,
      },
    ];
  if (compareVersions(release, '6.15') < 0) return [];
  return [{ title: 'with programs that lose the CPU', init: 'probes-init', words: 'preempt=full', judge: judgeProbes }];
}

/** The promises of one of them, as `judge` of verdict.mjs gives them. */
export async function judgeGuest({ judge, init, ...how }, { name, arch, image, fileSystem, work }) {
  return judge(await boot({ ...how, init, image, fileSystem, work, arch, name: `${name}.${init}` }));
}
