// Where the engine is: in the packaged extension, or in the build folder of a checkout. There is no setting for it.
import fs from 'node:fs';
import path from 'node:path';
import { EngineFailure } from './failure.ts';

/** The engine's file. Throws EngineFailure `no-engine` when this installation has none, saying why. */
export function enginePath(extensionFolder: string, platform: string = process.platform, arch: string = process.arch) {
  // A checkout has both after packaging, and the one that was just built is meant. A package has no helper folder.
  const places = ['helper/target/release/lineheat', 'bin/lineheat'].map((place) => path.join(extensionFolder, place));
  const found = places.find((place) => fs.statSync(place, { throwIfNoEntry: false })?.isFile());
  if (found) return found;
  if (platform !== 'linux') {
    throw new EngineFailure(
      'no-engine',
      `Lineheat records with eBPF and runs on Linux only; this extension host runs on ${platform} (${arch}).`,
      'Open the folder on the Linux machine itself, through Remote-SSH, WSL or a dev container.',
    );
  }
  throw new EngineFailure(
    'no-engine',
    `The engine is missing from this installation of Lineheat for ${platform} (${arch}): no file ${places[1]}.`,
    `Install the package built for ${platform}-${arch}, or run "npm run build" in a checkout.`,
  );
}
