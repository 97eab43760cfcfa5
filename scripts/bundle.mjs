// Bundles the extension and its webview page with esbuild: dist/extension.js (CommonJS for the extension host),
// dist/webview/panel.js and panel.css (the page), dist/test/*.js (the suites that run inside the extension host).
// With --watch it stays and bundles again at every change.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { generateWire } from './generate.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const inputsThatExist = (files) => files.filter((file) => fs.existsSync(path.join(root, file)));

const common = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  sourcemap: false,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
};
// The engine's frames need `eval` nowhere; a dependency that would is found here, not by the page's CSP.
const host = { ...common, platform: 'node', format: 'cjs', target: 'node20', external: ['vscode'] };
const page = {
  ...common,
  platform: 'browser',
  format: 'iife',
  target: 'es2022',
  loader: { '.ttf': 'file', '.svg': 'file' },
  assetNames: '[name]',
};

/** The bundles that can be made of what is in the tree. */
function bundles() {
  const extension = inputsThatExist(['extension/src/extension.ts']);
  const suite = (name, file) => ({
    ...host,
    entryPoints: inputsThatExist([`extension/test/api/${name}.ts`]),
    outfile: `dist/test/${file}.js`,
    minify: false,
  });
  // A style sheet that panel.ts imports comes out for comparison; one that it does not import is an input of its own.
  const script = inputsThatExist(['webview/panel.ts']);
  return [
    { ...host, entryPoints: extension, outfile: 'dist/extension.js' },
    suite('suite', 'api'),
    suite('hostileInput', 'hostile-input'),
    suite('fakeEngine', 'fake-engine'),
    suite('sourcePlaces', 'source-places'),
    { ...page, entryPoints: script, outdir: 'dist/webview' },
  ].filter((bundle) => bundle.entryPoints.length > 0);
}

/** Generates the wire code if needed and writes every bundle to dist/. */
export async function bundle() {
  generateWire();
  const shipped = bundles();
  const results = await Promise.all(shipped.map((options) => esbuild.build(options)));
  const inputs = results.filter((_, i) => !isTest(shipped[i])).flatMap(({ metafile }) => Object.keys(metafile.inputs));
  fs.writeFileSync(path.join(root, 'dist/bundled-inputs.json'), JSON.stringify([...new Set(inputs)].sort()));
}

const isTest = ({ outfile }) => outfile?.startsWith('dist/test/');

async function watch() {
  generateWire();
  for (const options of bundles()) await (await esbuild.context({ ...options, logLevel: 'info' })).watch();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await (process.argv.includes('--watch') ? watch() : bundle());
