// The oldest and the newest kernel that Lineheat supports on each machine, and one that it refuses,
// each booted in a guest. The guests of the two machines run side by side: each keeps one CPU busy.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inRoot } from '../../steps/paths.mjs';
import { boot, confidential, packFileSystem, withWorkFolder } from '../guest.mjs';
import { judgeGuest, moreGuests } from '../more-guests.mjs';
import { newest, prepared, wanted } from '../tested.mjs';
import { judge, judgeLockdown } from '../verdict.mjs';

// Without `concurrency`, Node runs the tests inside of one another one by one, whatever is awaited.
test('programs are recorded on the oldest and the newest kernel', { concurrency: 2 }, async (t) => {
  const { here, why } = await prepared();
  await withWorkFolder(inRoot('.cache/kernel-matrix-test'), (work) =>
    Promise.all(
      Object.keys(wanted).map((arch) => t.test(arch, (t) => onKernels(t, arch, { here, why: why[arch], work }))),
    ),
  );
});

async function onKernels(t, arch, { here, why, work }) {
  const fileSystem = here.some((kernel) => kernel.arch === arch) ? await packFileSystem(work, arch) : undefined;
  for (const name of wanted[arch])
    await t.test(`Linux ${name}`, async (t) => {
      const kernel = here.find((kernel) => kernel.name === name);
      if (!kernel) return t.skip(why || 'the archive offers no kernel of this series');
      const { promises } = judge(await boot({ image: kernel.image, fileSystem, work, name, arch }));
      for (const { what, ok, got } of promises) await t.test(what, () => assert.ok(ok, got));
    });
  const last = here.find((kernel) => kernel.name === wanted[arch].at(-1));
  for (const more of last ? moreGuests(last) : [])
    await t.test(`the newest, ${more.title}`, async (t) => {
      const promises = await judgeGuest(more, { ...last, fileSystem, work });
      for (const { what, ok, got } of promises) await t.test(what, () => assert.ok(ok, got));
    });
  if (arch !== 'x64') return;
  await t.test('the newest, locked down', async (t) => {
    const kernel = here.find((kernel) => kernel.name === newest);
    if (!kernel) return t.skip(why || 'the archive offers no kernel of this series');
    const printed = await boot({ image: kernel.image, fileSystem, work, name: 'locked-down', words: confidential });
    for (const { what, ok, got } of judgeLockdown(printed)) await t.test(what, () => assert.ok(ok, got));
  });
}
