// The oldest and the newest kernel that Lineheat supports, and one that it refuses, each booted in a guest.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { installSystemPackages } from '../../setup.mjs';
import { inRoot } from '../../steps/paths.mjs';
import { explain } from '../../steps/report.mjs';
import { guestPackages } from '../../steps/system-packages.mjs';
import { kernels, supportedSeries, tooOldSeries } from '../archive.mjs';
import { boot, confidential, packFileSystem, withWorkFolder } from '../guest.mjs';
import { judge, judgeLockdown } from '../verdict.mjs';

const wanted = [tooOldSeries, supportedSeries[0], supportedSeries.at(-1)];

test('programs are recorded on the oldest and the newest kernel, a kernel that is too old is refused, and one that is locked down is named', async (t) => {
  const { here, why } = await prepared();
  await withWorkFolder(inRoot('.cache/kernel-matrix-test'), async (work) => {
    const fileSystem = here.length > 0 ? await packFileSystem(work) : undefined;
    for (const series of wanted)
      await t.test(`Linux ${series}`, async (t) => {
        const kernel = here.find((kernel) => kernel.series === series);
        if (!kernel) return t.skip(why || 'the archive offers no kernel of this series');
        const { promises } = judge(await boot({ image: kernel.image, fileSystem, work, name: series }));
        for (const { what, ok, got } of promises) await t.test(what, () => assert.ok(ok, got));
      });
    const newest = here.find((kernel) => kernel.series === supportedSeries.at(-1));
    await t.test('the newest, locked down', async (t) => {
      if (!newest) return t.skip(why || 'the archive offers no kernel of this series');
      const { image } = newest;
      const printed = await boot({ image, fileSystem, work, name: 'locked-down', words: confidential });
      for (const { what, ok, got } of judgeLockdown(printed)) await t.test(what, () => assert.ok(ok, got));
    });
  });
});

/** The kernels that can be had on this machine; `why` not more. */
async function prepared() {
  try {
    await installSystemPackages(guestPackages);
    return { here: (await kernels(wanted)).here, why: '' };
  } catch (error) {
    return { here: [], why: explain(error).split('\n')[0] };
  }
}
