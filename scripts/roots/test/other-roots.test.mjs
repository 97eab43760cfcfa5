// The two binaries in root folders with another C library than this machine's, or with none.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { run } from '../../steps/command.mjs';
import { engine } from '../../steps/paths.mjs';
import { explain } from '../../steps/report.mjs';
import { ranInside } from '../inside.mjs';
import { addLineheat, roots, user } from '../trees.mjs';

/** Who records, and with which of the two copies. */
const recorders = {
  root: { uid: 0, place: 'lineheat' },
  'root behind sudo': {
    uid: 0,
    place: 'lineheat',
    env: { SUDO_UID: `${user}`, SUDO_GID: `${user}`, SUDO_USER: 'dev' },
  },
  'a user with the installed sampler': { uid: user, place: 'installed', flags: ['--privileged'] },
  'a user without privilege': { uid: user, place: 'lineheat' },
};

const isRoot = process.getuid() === 0;

for (const [name, root] of Object.entries(roots))
  test(`in ${name}`, { skip: !isRoot && 'only root changes its root folder' }, async (t) => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'lineheat-root-'));
    try {
      const command = await root.make(folder).catch((error) => t.skip(explain(error).split('\n')[0]));
      if (!command) return;
      await addLineheat(folder);
      for (const [who, recorder] of Object.entries(recorders))
        await t.test(`${who} records`, () => records({ folder, command, recorder, hottest: root.function }));
      await t.test('the doctor says that it can record', () => doctorIsContent(folder));
    } finally {
      await rm(folder, { recursive: true });
    }
  });

async function records({ folder, command, recorder, hottest }) {
  const { uid, place, env, flags = [] } = recorder;
  const run_ = `tmp/${uid}-${place}-${Object.keys(env ?? {}).length}.pb.gz`;
  const record = [`/opt/${place}/lineheat`, 'record', ...flags, '--output', `/${run_}`, '--', ...command];
  const { status, output } = await ranInside(folder, { uid, env: { HOME: '/tmp', ...env } }, record);
  assert.match(output, /the command exited with 3/, output);
  assert.equal(status, 0, output);
  const report = JSON.parse(await run(engine, ['report', '--functions', '--json', path.join(folder, run_)]));
  assert.ok(report.totalSamples >= 100, output);
  if (!hottest) return;
  const [first] = report.functions;
  assert.ok(first.name === hottest && first.selfSamples >= 0.9 * report.totalSamples, JSON.stringify(first));
}

async function doctorIsContent(folder) {
  const { status, output } = await ranInside(folder, { uid: 0 }, ['/opt/lineheat/lineheat', 'doctor']);
  assert.equal(status, 0, output);
  assert.match(output, /^ok +Recording a program/m, output);
}
