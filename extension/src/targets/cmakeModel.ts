// Asks a build folder for its targets through the CMake file API (cmake-file-api(7), codemodel-v2).
import fs from 'node:fs/promises';
import path from 'node:path';

const API = '.cmake/api/v1';
const TARGETS_MAX = 2000;

export interface CmakeExecutable {
  readonly name: string;
  /** Absolute; the file exists after the target was built. */
  readonly program: string;
}

/** Asks CMake to write the model at its next configure. Changes nothing that a build depends on. */
export async function writeQuery(buildFolder: string): Promise<void> {
  const folder = path.join(buildFolder, API, 'query/client-lineheat');
  await fs.mkdir(folder, { recursive: true });
  await fs.writeFile(path.join(folder, 'codemodel-v2'), '');
}

/** The executables of the newest model that CMake wrote there; undefined when there is none yet. */
export async function readExecutables(buildFolder: string): Promise<CmakeExecutable[] | undefined> {
  const reply = path.join(buildFolder, API, 'reply');
  const indexes = (await fs.readdir(reply).catch(() => [])).filter((name) => /^index-.*\.json$/.test(name)).sort();
  const newest = indexes.at(-1);
  if (!newest) return undefined;
  const index = await readJson(path.join(reply, newest));
  const objects = listOf(index.objects);
  const entry = objects.find((object) => object.kind === 'codemodel' && recordOf(object.version).major === 2);
  if (!entry) return undefined;
  const model = await readJson(path.join(reply, fileName(entry.jsonFile)));
  const executables = listOf(configurationOf(model).targets)
    .slice(0, TARGETS_MAX)
    .map((target) => readExecutable(buildFolder, path.join(reply, fileName(target.jsonFile))));
  return (await Promise.all(executables)).filter((executable) => executable !== undefined);
}

async function readExecutable(buildFolder: string, file: string): Promise<CmakeExecutable | undefined> {
  const target = await readJson(file);
  const artifact = listOf(target.artifacts)[0]?.path;
  if (target.type !== 'EXECUTABLE' || typeof target.name !== 'string' || typeof artifact !== 'string') return undefined;
  // Helpers of generators (ZERO_CHECK and its like) are no program of the project.
  if (target.isGeneratorProvided === true) return undefined;
  return { name: target.name, program: path.resolve(buildFolder, artifact) };
}

/** A multi-config folder has several configurations; the one made for profiling wins. */
function configurationOf(model: JsonObject): JsonObject {
  const configurations = listOf(model.configurations);
  return configurations.find(({ name }) => name === 'RelWithDebInfo') ?? configurations[0] ?? {};
}

type JsonObject = Readonly<Record<string, unknown>>;

async function readJson(file: string): Promise<JsonObject> {
  return recordOf(JSON.parse(await fs.readFile(file, 'utf8')));
}

function recordOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map(recordOf) : [];
}

/** A file of the reply folder itself: the model may not point elsewhere. */
function fileName(value: unknown): string {
  return typeof value === 'string' ? path.basename(value) : '';
}
