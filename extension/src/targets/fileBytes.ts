// Looks for byte strings in files of any size without holding them in memory.
import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';

const CHUNK_BYTES = 1 << 20;

/** Those of `texts` that a regular file holds; none when it cannot be read. */
export async function textsIn(file: string, texts: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  if (!(await fs.stat(file).catch(() => undefined))?.isFile()) return found;
  const overlap = Math.max(...texts.map((text) => text.length)) - 1;
  let before = '';
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: CHUNK_BYTES, encoding: 'latin1' })) {
      const bytes = before + chunk;
      for (const text of texts) if (!found.has(text) && bytes.includes(text)) found.add(text);
      if (found.size === texts.length) break;
      before = bytes.slice(-overlap);
    }
  } catch {
    // It went away, or became unreadable: what was seen is what is known.
  }
  return found;
}
