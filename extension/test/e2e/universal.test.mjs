// The package for hosts that no engine is built for, in a real editor: it says so, and what to do.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runCommand } from '../../../scripts/editor/palette.mjs';
import { pack, UNIVERSAL } from '../../../scripts/package.mjs';
import { vsixFor } from '../../../scripts/steps/paths.mjs';
import { storyIn } from './support/session.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'lineheat-universal-'));
mkdirSync(path.join(folder, '.lineheat/runs'), { recursive: true });
writeFileSync(path.join(folder, 'main.c'), 'int main() { return 0; }\n');

const story = storyIn(folder, {
  prepare: () => pack(vsixFor(UNIVERSAL), UNIVERSAL),
  extension: vsixFor(UNIVERSAL),
});

for (const command of ['Lineheat: Profile This Target', 'Lineheat: Doctor'])
  story(`"${command}" says that there is no engine, and which package has one`, async ({ page, picture }) => {
    await runCommand(page, command);
    const said = page.locator('.notification-toast').filter({ hasText: 'contains no engine for linux' });
    await said.filter({ hasText: 'Install the package built for linux-' }).first().waitFor();
    await picture('universal');
    await page.keyboard.press('Escape');
  });
