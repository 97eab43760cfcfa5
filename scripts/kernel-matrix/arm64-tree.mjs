// The programs of a guest of arm64 that no compiler here makes, with their libraries: from Debian's packages, in the user's
// cache.
import path from 'node:path';
import { filledOnce, ownSuite, withArchive } from '../steps/debian-archive.mjs';
import { guestFolder } from '../steps/paths.mjs';

const packages = [
  'busybox-static',
  'libcap2-bin',
  'libcap2',
  'util-linux',
  'libcap-ng0',
  'libc6',
  'libgcc-s1',
  'libstdc++6',
];

/** The folder of the unpacked packages. */
export function arm64Tree() {
  const whole = path.join(guestFolder(), 'arm64');
  const archives = {
    suites: [{ archive: 'debian', suite: ownSuite() }],
    architecture: 'arm64',
    beside: guestFolder(),
  };
  return filledOnce(whole, (tree) =>
    withArchive(archives, async (archive) => {
      for (const name of packages) await archive.unpack(name, tree);
    }),
  );
}
