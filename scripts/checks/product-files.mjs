// The files of the TypeScript side that are shipped, as the checks of their text read them.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { inRoot, root } from '../steps/paths.mjs';

/** Paths from the root; tests, measurements and generated code left out. */
export function productFiles() {
  const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  const isProduct = (file) =>
    /^(core|extension\/src|webview)\/.*[.][cm]?[jt]sx?$/.test(file) &&
    !/[.](test|d)[.]ts$|^webview\/(test|bench)\/|\/generated\//.test(file);
  return list.split('\n').filter((file) => isProduct(file) && existsSync(inRoot(file)));
}
