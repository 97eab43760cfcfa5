// npm run build: the two binaries (helper/target/release/) and the bundles of extension and webview (dist/).
import { run } from './steps/command.mjs';
import { helper, inRoot } from './steps/paths.mjs';
import { isMain, main, step } from './steps/report.mjs';

export async function build() {
  console.log('Build');
  await buildHelper();
  await step('generate protocol code', () => run('node', [inRoot('scripts/generate.mjs')]));
  await step('bundle extension and webview', () => run('node', [inRoot('scripts/bundle.mjs')]));
}

/** Builds lineheat and lineheat-sampler. */
export async function buildHelper() {
  await step('cargo build --release (lineheat, lineheat-sampler)', () =>
    run('cargo', ['build', '--release', '--locked', '--bins'], { cwd: helper }),
  );
}

if (isMain(import.meta)) main(build);
