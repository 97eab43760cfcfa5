// Puts a real VS Code into a folder: code-server from npm, on its own Node.js, with the few native modules it loads
// compiled here. Nothing is installed globally; a finished folder is left as it is.
//
//   node scripts/editor/install.mjs [FOLDER]
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findProgram, run } from '../steps/command.mjs';
import { editorFolder } from '../steps/paths.mjs';
import { isMain, main, Sentence, step } from '../steps/report.mjs';

// Newer code-server asks for Node 24, so that Node comes with it from npm, its headers included.
const versions = { 'code-server': '4.139.1', 'node-gyp': '12.1.0' };
const nodeVersion = '24.21.0';
const marker = '.lineheat-editor';

/** Installs the editor into `folder` unless it is there already, and gives the folder. */
export async function installEditor(folder = editorFolder()) {
  const nodePackage = nodePackageFor(process.platform, process.arch);
  const wanted = JSON.stringify({ ...versions, [nodePackage]: nodeVersion, layout: 1 });
  if ((await readFile(path.join(folder, marker), 'utf8').catch(() => '')) === wanted) return folder;
  requireCompiler();
  console.log(`Editor for tests and demo, in ${folder}`);
  await mkdir(path.join(folder, 'bin'), { recursive: true });
  await rm(path.join(folder, marker), { force: true });
  const at = {
    folder,
    nodePackage,
    nodeHome: path.join(folder, 'node_modules', nodePackage),
    code: path.join(folder, 'node_modules/code-server/lib/vscode'),
  };
  if (!(await starts(at))) {
    await installPackages(at);
    await compileModules(at);
    await finishLayout(at);
    if (!(await starts(at)))
      throw new Sentence(
        `The editor in ${folder} was installed but does not start. Remove the folder and run this again.`,
      );
  }
  await writeFile(path.join(folder, marker), wanted);
  return folder;
}

/** The npm package that holds Node.js for this machine. */
export function nodePackageFor(platform, arch) {
  if (platform === 'linux' && (arch === 'x64' || arch === 'arm64')) return `node-linux-${arch}`;
  throw new Sentence(`The test editor runs on Linux x64 and arm64, this is ${platform} ${arch}.`);
}

function requireCompiler() {
  const missing = ['python3', 'make', 'g++', 'npm'].filter((name) => !findProgram(name));
  if (missing.length > 0)
    throw new Sentence(
      `The test editor compiles two small modules and needs ${missing.join(', ')}. Run \`npm run setup\`.`,
    );
}

/** Whether the editor of the versions asked for is there and answers. */
async function starts({ folder, nodePackage }) {
  for (const [name, version] of Object.entries({ ...versions, [nodePackage]: nodeVersion })) {
    const manifest = await readFile(path.join(folder, 'node_modules', name, 'package.json'), 'utf8').catch(() => '{}');
    if (JSON.parse(manifest).version !== version) return false;
  }
  const config = path.join(folder, '.config.yaml');
  await writeFile(config, '');
  const env = { XDG_DATA_HOME: path.join(folder, '.home'), XDG_CONFIG_HOME: path.join(folder, '.home') };
  return run(path.join(folder, 'bin/code-server'), ['--config', config, '--version'], { env }).then(
    (words) => words.includes(versions['code-server']),
    () => false,
  );
}

const npmInstall = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

async function installPackages({ folder, nodePackage, nodeHome, code }) {
  const dependencies = { [nodePackage]: nodeVersion, ...versions };
  await writeFile(
    path.join(folder, 'package.json'),
    JSON.stringify({ name: 'lineheat-editor', private: true, dependencies }, null, 2),
  );
  await step('packages', () => run('npm', npmInstall, { cwd: folder }));
  const env = withNode(nodeHome);
  await step('packages of the editor and of its own extensions', () =>
    Promise.all(
      [code, path.join(code, 'extensions')].map((cwd) => run('npm', [...npmInstall, '--omit=dev'], { cwd, env })),
    ),
  );
}

// Terminals, file watching and search come as binaries in their packages. These two do not: the log writer, and the
// watchdog that ends the extension host when the server dies. -O1: at -O3 the log writer alone takes a minute.
async function compileModules({ folder, nodeHome, code }) {
  const gyp = path.join(folder, 'node_modules/node-gyp/bin/node-gyp.js');
  const env = { ...withNode(nodeHome), CXXFLAGS: '-O1' };
  await step('native modules of the editor', () =>
    Promise.all(
      ['@vscode/spdlog', '@vscode/native-watchdog'].map((name) =>
        run('node', [gyp, 'rebuild', `--nodedir=${nodeHome}`], { cwd: path.join(code, 'node_modules', name), env }),
      ),
    ),
  );
}

async function finishLayout({ folder, nodePackage, code }) {
  await link('code-linux.sh', path.join(code, 'bin/remote-cli/code-server'));
  await link('browser-linux.sh', path.join(code, 'bin/helpers/browser.sh'));
  await writeWrapper(folder, 'node', `"$here/node_modules/${nodePackage}/bin/node"`);
  await writeWrapper(
    folder,
    'code-server',
    `"$here/node_modules/${nodePackage}/bin/node" "$here/node_modules/code-server/out/node/entry.js"`,
  );
}

async function link(to, file) {
  if (existsSync(file)) return;
  await mkdir(path.dirname(file), { recursive: true });
  await symlink(to, file);
}

/** Writes bin/NAME, which works from wherever the folder is moved to. */
async function writeWrapper(folder, name, words) {
  const file = path.join(folder, 'bin', name);
  await writeFile(
    file,
    `#!/bin/sh\nhere=$(CDPATH= cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd)\nexec ${words} "$@"\n`,
  );
  await chmod(file, 0o755);
}

const withNode = (nodeHome) => ({ PATH: `${path.join(nodeHome, 'bin')}${path.delimiter}${process.env.PATH}` });

if (isMain(import.meta)) main(() => installEditor(process.argv[2] && path.resolve(process.argv[2])));
