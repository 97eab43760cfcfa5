import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostMessage } from '../../../../core/webviewMessages.ts';
import { OpenRun } from '../../engine/openProfiles.ts';
import { RunEngines } from '../../engine/runEngines.ts';
import { fileRun } from '../../engine/runRef.ts';
import { RunMeasures } from '../../selection/runMeasures.ts';
import { PageMeasure } from './pageMeasure.ts';

const client = {
  generation: 1,
  request: async () => ({ runOpened: { run: 1, values: ['samples', 'cpu', 'alloc_space'], defaultValue: 1 } }),
};
const options = { workspaceFolders: [], sourcePrefixes: [], demangle: 'recorded' } as const;

function pageOf(measures: RunMeasures) {
  const posted: HostMessage[] = [];
  const run = new OpenRun(new RunEngines(client as never), fileRun('/a.pb.gz'), options);
  return { page: new PageMeasure(run, measures, (message) => posted.push(message)), posted };
}

test('all pages of a run hear what is chosen on one, and pages of other runs nothing', async () => {
  const measures = new RunMeasures();
  const [one, other] = [pageOf(measures), pageOf(measures)];
  assert.equal(await one.page.chosen(), undefined);
  await one.page.choose(2);
  measures.choose(fileRun('/b.pb.gz'), 1);
  for (const { posted } of [one, other]) assert.deepEqual(posted, [{ type: 'measureChosen', value: 2 }]);
  assert.equal(await other.page.chosen(), 2);
});
test('a measure that the run does not have is not chosen', async () => {
  const { page, posted } = pageOf(new RunMeasures());
  await page.choose(3);
  assert.deepEqual([await page.chosen(), posted], [undefined, []]);
});
