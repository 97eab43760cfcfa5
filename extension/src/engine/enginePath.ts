// Where the engine is: in the packaged extension, or in the build folder of a checkout. There is no setting for it.

import fs from 'node:fs';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { EngineFailure } from './failure.ts';

/** The engine's file. Throws EngineFailure `no-engine` when this installation has none, saying why. */
export function enginePath(extensionFolder: string, platform: string = process.platform, arch: string = process.arch) {
  // A checkout has both after packaging, and the one that was just built is meant. A package has no helper folder.
  const target = `${arch === 'arm64' ? 'aarch64' : 'x86_64'}-unknown-linux-gnu`;
  const built = `helper/target/${target}/release/lineheat`;
  const places = [built, 'bin/lineheat'].map((place) => path.join(extensionFolder, place));
  const found = places.find((place) => fs.statSync(place, { throwIfNoEntry: false })?.isFile());
  if (found) return found;
  if (platform !== 'linux') {
    throw new EngineFailure(
      'no-engine',
      l10n.t('Lineheat uses eBPF and runs on Linux only, but this extension host runs on {0} ({1}).', platform, arch),
      l10n.t('Open the folder on the Linux machine itself, through Remote-SSH, WSL or a dev container.'),
    );
  }
  // The stores offer hosts with musl a package of their own name.
  const system = fs.existsSync('/etc/alpine-release') ? 'alpine' : platform;
  throw new EngineFailure(
    'no-engine',
    l10n.t('This installation of Lineheat contains no engine for {0} ({1}): no file {2}.', platform, arch, places[1]!),
    l10n.t('Install the package built for {0}-{1}, or run "npm run build" in a checkout.', system, arch),
  );
}
