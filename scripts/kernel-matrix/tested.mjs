// The kernels that `npm test` boots, and what has to be there before: run as a program, it fetches and builds that, so that
// it can be done beside something else.
import { buildHelper, quickly } from '../build.mjs';
import { installSystemPackages } from '../setup.mjs';
import { explain, isMain, main } from '../steps/report.mjs';
import { guestPackages } from '../steps/system-packages.mjs';
import { kernels, supportedKernels, tooOldKernel } from './archive.mjs';

export const newest = supportedKernels.x64.at(-1);
export const wanted = {
  x64: [tooOldKernel, supportedKernels.x64[0], newest],
  arm64: [supportedKernels.arm64[0], supportedKernels.arm64.at(-2)],
};

/** The kernels that can be had on this machine, with binaries for them; by architecture, `why` not more. */
export async function prepared() {
  const here = [];
  const why = {};
  for (const arch of Object.keys(wanted))
    try {
      await installSystemPackages(guestPackages);
      await buildHelper(arch, quickly);
      here.push(...(await kernels(wanted[arch])).here);
    } catch (error) {
      why[arch] = explain(error).split('\n')[0];
    }
  return { here, why };
}

if (isMain(import.meta)) main(prepared);
