// Starts the editor's server on a loopback port, with a profile folder of its own: nothing of the user's is read or written.
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { run, track } from '../steps/command.mjs';

/** Settings that keep the editor quiet, so that what a test sees is the extension. */
const quiet = {
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'workbench.startupEditor': 'none',
  'workbench.enableExperiments': false,
  'workbench.tips.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'chat.disableAIFeatures': true,
  'git.openRepositoryInParentFolders': 'never',
  'files.autoSave': 'off', // on the web the default saves after a delay, which would change fixtures
  'editor.minimap.enabled': false,
};

/**
 * Installs the extensions (.vsix files) into `profile` and starts the server of the editor in folder `editor`.
 * `forApiSuite` starts the mode that accepts a test suite from the page's address; it hides notifications and dialogs.
 * `workspaceTrust` makes folders untrusted until someone trusts them.
 * Gives { url, authority, profile, log(), open(file), stop() }; `open` shows FILE or FILE:LINE in the connected window.
 */
export async function startServer({
  editor,
  profile,
  extensions = [],
  settings = {},
  env = {},
  port = 0,
  forApiSuite = false,
  workspaceTrust = false,
}) {
  const inProfile = (...parts) => path.join(profile, ...parts);
  mkdirSync(inProfile('data/User'), { recursive: true });
  writeFileSync(inProfile('data/User/settings.json'), JSON.stringify({ ...quiet, ...settings }, null, 2));
  writeFileSync(inProfile('config.yaml'), '');
  const { program, common, env: ofProfile } = commandFor(editor, profile);
  const serverEnv = { ...ofProfile, ...env };
  for (const file of extensions) await run(program, [...common, '--install-extension', file], { env: serverEnv });
  const child = spawn(
    program,
    [
      ...[...common, '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`],
      ...[
        '--disable-telemetry',
        '--disable-update-check',
        '--disable-getting-started-override',
        '--ignore-last-opened',
      ],
      ...(workspaceTrust ? [] : ['--disable-workspace-trust']),
      ...(forApiSuite ? ['--vscode-option', 'enable-smoke-test-driver'] : []),
    ],
    { env: { ...process.env, ...serverEnv }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  track(child);
  let log = '';
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const url = await firstAddress(child, ended, (words) => {
    log += words;
    return log;
  });
  const open = (file) => run(program, [...common.slice(0, 4), '--reuse-window', file], { env: serverEnv });
  return { url, authority: new URL(url).host, profile, log: () => log, open, stop: () => stop(child, ended) };
}

/** How the editor is called for a profile: { program, common, env }. */
function commandFor(editor, profile) {
  const inProfile = (...parts) => path.join(profile, ...parts);
  const folders = { config: 'config.yaml', 'user-data-dir': 'data', 'extensions-dir': 'extensions' };
  const env = {
    EXTENSIONS_GALLERY: '{}', // no market place: nothing is looked up outside
    XDG_DATA_HOME: inProfile('home'),
    XDG_CONFIG_HOME: inProfile('home'),
  };
  const common = Object.entries(folders).flatMap(([option, name]) => [`--${option}`, inProfile(name)]);
  return { program: path.join(editor, 'bin/code-server'), common, env };
}

/**
 * Makes the extensions of a new profile: a copy of what the editor once made of this package (.vsix), which costs a tenth of making
 * it again. It is kept in `kept` until the package is another one.
 */
export async function placeExtension({ editor, profile, extension, kept }) {
  const { size, mtimeMs } = statSync(extension);
  const made = path.join(kept, `${path.basename(extension)}-${size}-${Math.round(mtimeMs)}`);
  if (!existsSync(made)) {
    mkdirSync(kept, { recursive: true });
    for (const old of readdirSync(kept).filter((name) => name.startsWith(`${path.basename(extension)}-`)))
      rmSync(path.join(kept, old), { recursive: true, force: true });
    const own = mkdtempSync(path.join(kept, 'profile-'));
    writeFileSync(path.join(own, 'config.yaml'), '');
    const { program, common, env } = commandFor(editor, own);
    await run(program, [...common, '--install-extension', extension], { env });
    renameSync(path.join(own, 'extensions'), made);
    rmSync(own, { recursive: true, force: true });
  }
  const folder = path.join(profile, 'extensions');
  cpSync(made, folder, { recursive: true });
  // The list of them has whole paths, of where they were made.
  const list = path.join(folder, 'extensions.json');
  const text = readFileSync(list, 'utf8');
  writeFileSync(list, text.replaceAll(path.dirname(JSON.parse(text)[0].location.path), folder));
}

/** Waits until the server says where it listens. */
function firstAddress(child, ended, keep) {
  return new Promise((resolve, reject) => {
    const failed = (why) => reject(new Error(`The editor's server ${why}:\n${keep('')}`));
    const timer = setTimeout(() => {
      child.kill();
      failed('did not say where it listens within 60 s');
    }, 60_000);
    const read = (bytes) => {
      const found = /listening on (http:\/\/[\d.]+:\d+)/.exec(keep(bytes));
      if (!found) return;
      clearTimeout(timer);
      resolve(found[1]);
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', read);
    ended.then((code) => {
      clearTimeout(timer);
      failed(`ended with ${code}`);
    });
  });
}

async function stop(child, ended) {
  child.kill('SIGTERM');
  const patience = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await ended;
  clearTimeout(patience);
}
