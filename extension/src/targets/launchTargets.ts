// Programs of launch.json: configurations of native debuggers, with their arguments, folder and environment.
import path from 'node:path';
import { type LaunchContext, resolveVariables } from './launchVariables.ts';
import { type Plan, type Target, TargetError } from './target.ts';

/** Debuggers of native code, and what each calls the program (others use `program`). */
const DEBUGGERS = new Set(['cppdbg', 'lldb', 'lldb-dap', 'lldb-vscode', 'gdb', 'gdbtarget', 'codelldb', 'rust-gdb']);

export interface LaunchTargetTools {
  context(): LaunchContext;
  /** Runs a task of the workspace to its end. Throws TargetError or StepFailed when it fails. */
  runTask(name: string): Promise<void>;
}

/** The targets among the `configurations` of a folder's launch.json; what is no native launch is left out. */
export function launchTargets(configurations: unknown, folder: string, tools: LaunchTargetTools): Target[] {
  if (!Array.isArray(configurations)) return [];
  return configurations.filter(isNativeLaunch).map((configuration) => ({
    id: `launch:${folder}:${configuration.name}`,
    kind: 'launch',
    label: configuration.name,
    description: `launch.json, ${configuration.type}`,
    takesArguments: false,
    prepare: () => planOf(configuration, folder, tools),
  }));
}

type Configuration = Readonly<Record<string, unknown>> & { readonly name: string; readonly type: string };

function isNativeLaunch(value: unknown): value is Configuration {
  if (typeof value !== 'object' || value === null) return false;
  const { name, type, request } = value as Record<string, unknown>;
  return typeof name === 'string' && typeof type === 'string' && DEBUGGERS.has(type) && request === 'launch';
}

async function planOf(configuration: Configuration, folder: string, tools: LaunchTargetTools): Promise<Plan> {
  const { name } = configuration;
  const rawProgram = configuration.program ?? configuration.target;
  if (typeof rawProgram !== 'string' || rawProgram === '') {
    const cargo = configuration.cargo !== undefined;
    throw new TargetError(
      `The launch configuration "${name}" names no program${cargo ? ': it lets the debugger ask Cargo for one' : ''}.`,
      cargo ? 'Choose the Cargo binary itself from the list.' : 'Add "program" to it in launch.json.',
    );
  }
  const context = tools.context();
  const resolve = (value: string) => resolveVariables(value, context);
  const cwd = path.resolve(folder, await resolve(stringOr(configuration.cwd, folder)));
  const rawArgs = configuration.args ?? configuration.arguments ?? [];
  if (!Array.isArray(rawArgs)) {
    throw new TargetError(
      `The launch configuration "${name}" has its arguments as one text, which only a shell could take apart.`,
      'Write "args" as a list of strings.',
    );
  }
  const program = path.resolve(cwd, await resolve(rawProgram));
  const args = await oneByOne(rawArgs, (arg) => resolve(String(arg)));
  const env = await environmentOf(configuration, resolve);
  // Last, as the debugger does it: a value that is missing is told before a long build.
  await runTaskOf(configuration, tools);
  return { name, program, args, cwd, env };
}

async function runTaskOf({ name, preLaunchTask }: Configuration, tools: LaunchTargetTools): Promise<void> {
  if (preLaunchTask === undefined || preLaunchTask === '') return;
  if (typeof preLaunchTask === 'string') return tools.runTask(preLaunchTask);
  throw new TargetError(
    `The preLaunchTask of the launch configuration "${name}" is no name of a task.`,
    'Give the task a label in tasks.json, and write that label.',
  );
}

/** In order: a value may ask the user, who answers one question at a time. */
async function oneByOne<From, To>(values: readonly From[], work: (value: From) => Promise<To>): Promise<To[]> {
  const results: To[] = [];
  for (const value of values) results.push(await work(value));
  return results;
}

/** `env` as an object or as `K=V` strings (lldb-dap), `environment` as a list of {name, value} (cppdbg). */
async function environmentOf(configuration: Configuration, resolve: (value: string) => Promise<string>) {
  const pairs: [string, unknown][] = [];
  const { env, environment } = configuration;
  if (Array.isArray(env)) {
    for (const text of env.map(String)) pairs.push([text.split('=', 1)[0]!, text.slice(text.indexOf('=') + 1)]);
  } else if (typeof env === 'object' && env !== null) {
    pairs.push(...Object.entries(env));
  }
  if (Array.isArray(environment)) {
    for (const entry of environment) if (typeof entry?.name === 'string') pairs.push([entry.name, entry.value]);
  }
  const given = pairs.filter(([, value]) => value !== null && value !== undefined);
  const resolved = await oneByOne(given, async ([name, value]) => [name, await resolve(String(value))] as const);
  return Object.fromEntries(resolved);
}

function stringOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}
