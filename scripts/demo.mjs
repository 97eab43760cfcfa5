// npm run demo [-- --screenshot FILE.png | --moving-picture FILE.gif]: from an empty clone to an editor that shows where a C++
// program spends its time.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { saveMovingPicture } from './demo/moving-picture.mjs';
import { buildSample, hotFile, hottestLine, printAnnotated, recordSample, sample } from './demo/sample.mjs';
import { saveScreenshot } from './demo/screenshot.mjs';
import { show } from './demo/show.mjs';
import { makePackage } from './package.mjs';
import { setup } from './setup.mjs';
import { isMain, main, step } from './steps/report.mjs';

async function demo() {
  const { values } = parseArgs({ options: { screenshot: { type: 'string' }, 'moving-picture': { type: 'string' } } });
  await setup();
  await build();
  await makePackage();
  console.log('Demo');
  await buildSample();
  const moving = values['moving-picture'];
  if (moving) return step(`moving picture ${moving}`, () => saveMovingPicture(sample, hotFile, path.resolve(moving)));
  const runFile = await recordSample();
  await printAnnotated(runFile);
  const shown = { folder: sample, runFile, file: hotFile, line: await hottestLine(runFile) };
  if (values.screenshot) {
    const picture = path.resolve(values.screenshot);
    await step(`screenshot ${values.screenshot}`, () => saveScreenshot({ ...shown, picture }));
  } else await show(shown);
}

if (isMain(import.meta)) main(demo);
