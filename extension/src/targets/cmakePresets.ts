// Reads the configure presets of a CMake project: their names, and the folders that they configure (cmake-presets(7)).
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

export interface CmakePreset {
  readonly name: string;
  readonly displayName: string;
  /** Absolute; undefined where it names something that only CMake knows. */
  readonly binaryDir: string | undefined;
}

type RawPreset = Readonly<Record<string, unknown>>;
const FILES_MAX = 50; // includes may name each other

/** The presets that a user may choose. Files that cannot be read have none: CMake says why when it is run. */
export async function readPresets(sourceFolder: string): Promise<CmakePreset[]> {
  const raw = new Map<string, RawPreset>();
  const seen = new Set<string>();
  const waiting = ['CMakePresets.json', 'CMakeUserPresets.json'].map((name) => path.join(sourceFolder, name));
  for (let file = waiting.shift(); file && seen.size < FILES_MAX; file = waiting.shift()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const { configurePresets, include } = await readJson(file);
    for (const preset of listOf(configurePresets)) {
      if (typeof preset.name === 'string') raw.set(preset.name, { ...preset, fileDir: path.dirname(file) });
    }
    // Variables in `include` are for CMake alone.
    const names = Array.isArray(include) ? include.filter((name) => typeof name === 'string') : [];
    waiting.push(...names.map((name) => path.resolve(path.dirname(file), name)));
  }
  return [...raw.values()]
    .filter(({ hidden }) => hidden !== true)
    .map((preset) => {
      const name = String(preset.name);
      const binaryDir = inherited(raw, preset, 'binaryDir');
      return {
        name,
        displayName: typeof preset.displayName === 'string' ? preset.displayName : '',
        binaryDir: typeof binaryDir === 'string' ? resolved(binaryDir, preset, raw, sourceFolder) : undefined,
      };
    });
}

/** A preset's own value, else that of the first of its parents that has one. */
function inherited(raw: ReadonlyMap<string, RawPreset>, preset: RawPreset, key: string, depth = 0): unknown {
  if (key in preset) return preset[key];
  if (depth > 20) return undefined;
  const parents = Array.isArray(preset.inherits) ? preset.inherits : [preset.inherits];
  for (const parent of parents) {
    const found = raw.get(String(parent));
    const value = found && inherited(raw, found, key, depth + 1);
    if (value !== undefined) return value;
  }
  return undefined;
}

function resolved(
  text: string,
  preset: RawPreset,
  raw: ReadonlyMap<string, RawPreset>,
  sourceFolder: string,
): string | undefined {
  const generator = inherited(raw, preset, 'generator');
  const values: Record<string, string | undefined> = {
    sourceDir: sourceFolder,
    sourceParentDir: path.dirname(sourceFolder),
    sourceDirName: path.basename(sourceFolder),
    presetName: String(preset.name),
    generator: typeof generator === 'string' ? generator : undefined,
    hostSystemName: os.type(),
    fileDir: String(preset.fileDir),
    dollar: '$',
    pathListSep: path.delimiter,
  };
  const environment = inherited(raw, preset, 'environment') as Record<string, unknown> | undefined;
  let known = true;
  const replaced = text.replace(/\$(p?env)?\{([^}]*)\}/g, (_, env: string | undefined, name: string) => {
    const own = env === 'env' ? environment?.[name] : undefined;
    const value = env ? (typeof own === 'string' ? own : process.env[name]) : values[name];
    if (value === undefined || /\$\w*\{/.test(value)) known = false;
    return value ?? '';
  });
  return known ? path.resolve(sourceFolder, replaced) : undefined;
}

async function readJson(file: string): Promise<RawPreset> {
  try {
    const value: unknown = JSON.parse(await fs.readFile(file, 'utf8'));
    return typeof value === 'object' && value !== null ? (value as RawPreset) : {};
  } catch {
    return {};
  }
}

function listOf(value: unknown): RawPreset[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : [];
}
