// Whether a file that a profile names lies inside the open folders: where it really is counts, not how it is written.
import fs from 'node:fs/promises';
import path from 'node:path';

/** True when `file`, every link of it followed, is below one of `folders`; false also when it does not exist. */
export async function isInsideFolders(file: string, folders: readonly string[]): Promise<boolean> {
  if (!path.isAbsolute(file)) return false;
  const real = await fs.realpath(file).catch(() => undefined);
  if (real === undefined) return false;
  const realFolders = await Promise.all(folders.map((folder) => fs.realpath(folder).catch(() => undefined)));
  return realFolders.some((folder) => folder !== undefined && isBelow(real, folder));
}

function isBelow(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '' && relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
