// Programs of launch.json: configurations of native debuggers, with their arguments, folder and environment.

import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { asksForProcess, attachedPid } from './launchAttach.ts';
import { type LaunchContext, resolveVariables } from './launchVariables.ts';
import { type AttachPlan, type Plan, type Target, TargetError } from './target.ts';

/** Debuggers of native code, and what each calls the program (others use `program`). */
const DEBUGGERS = new Set(['cppdbg', 'lldb', 'lldb-dap', 'lldb-vscode', 'gdb', 'gdbtarget', 'codelldb', 'rust-gdb']);

export interface LaunchTargetTools {
  context(): LaunchContext;
  /** Runs a task of the workspace to its end. Throws TargetError or StepFailed when it fails. */
  runTask(name: string): Promise<void>;
  /** The process of `program` (any process without it): asks the user where several fit. Throws when there is none. */
  chooseProcess(program: string | undefined): Promise<AttachPlan>;
}

/** The targets among the `configurations` of a folder's launch.json; what is no native launch is left out. */
export function launchTargets(configurations: unknown, folder: string, tools: LaunchTargetTools): Target[] {
  if (!Array.isArray(configurations)) return [];
  return configurations.filter(isNative).map((configuration) => {
    const attaches = configuration.request === 'attach';
    return {
      id: `launch:${folder}:${configuration.name}`,
      kind: 'launch',
      label: configuration.name,
      description: attaches
        ? l10n.t('launch.json, {0}, attaches to a process', configuration.type)
        : l10n.t('launch.json, {0}', configuration.type),
      takesArguments: false,
      attaches,
      prepare: () => (attaches ? attachPlanOf(configuration, folder, tools) : planOf(configuration, folder, tools)),
    };
  });
}

type Configuration = Readonly<Record<string, unknown>> & { readonly name: string; readonly type: string };

function isNative(value: unknown): value is Configuration {
  if (typeof value !== 'object' || value === null) return false;
  const { name, type, request } = value as Record<string, unknown>;
  return typeof name === 'string' && typeof type === 'string' && DEBUGGERS.has(type) && REQUESTS.has(request);
}

const REQUESTS = new Set<unknown>(['launch', 'attach']);

/** The process is named by its number, else chosen among those of the program; `waitFor` has nobody to wait for yet. */
async function attachPlanOf(configuration: Configuration, folder: string, tools: LaunchTargetTools): Promise<Plan> {
  const { name } = configuration;
  if (
    configuration.target !== undefined ||
    configuration.coreFile !== undefined ||
    configuration.miDebuggerServerAddress !== undefined
  ) {
    throw new TargetError(
      l10n.t(
        'The launch configuration "{0}" attaches to another machine or to a core file, which cannot be recorded here.',
        name,
      ),
      l10n.t('Choose a process of this machine with "Attach to a Running Process…".'),
    );
  }
  const context = tools.context();
  const resolve = (value: string) => resolveVariables(value, context);
  const raw = configuration.processId ?? configuration.pid;
  const value = typeof raw === 'string' && !asksForProcess(raw) ? await resolve(raw) : raw;
  const pid = attachedPid(value);
  const program =
    typeof configuration.program === 'string' ? path.resolve(folder, await resolve(configuration.program)) : undefined;
  if (pid === undefined && value !== undefined && value !== '' && !asksForProcess(value)) {
    throw new TargetError(
      l10n.t(
        'The launch configuration "{0}" attaches to the process "{1}", which is not a process ID.',
        name,
        String(value),
      ),
      l10n.t('Use a process ID or the command pickProcess there.'),
    );
  }
  await runTaskOf(configuration, tools);
  return pid === undefined ? tools.chooseProcess(program) : { name, attachPid: pid };
}

async function planOf(configuration: Configuration, folder: string, tools: LaunchTargetTools): Promise<Plan> {
  const { name } = configuration;
  const rawProgram = configuration.program ?? configuration.target;
  if (typeof rawProgram !== 'string' || rawProgram === '') {
    const cargo = configuration.cargo !== undefined;
    throw new TargetError(
      cargo
        ? l10n.t('The launch configuration "{0}" names no program: the debugger asks Cargo for it.', name)
        : l10n.t('The launch configuration "{0}" names no program.', name),
      cargo ? l10n.t('Choose the Cargo binary itself from the list.') : l10n.t('Add "program" to it in launch.json.'),
    );
  }
  const context = tools.context();
  const resolve = (value: string) => resolveVariables(value, context);
  const cwd = path.resolve(folder, await resolve(stringOr(configuration.cwd, folder)));
  const rawArgs = configuration.args ?? configuration.arguments ?? [];
  if (!Array.isArray(rawArgs)) {
    throw new TargetError(
      l10n.t('The launch configuration "{0}" gives its arguments as one string, which only a shell could split.', name),
      l10n.t('Write "args" as a list of strings.'),
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
    l10n.t('The preLaunchTask of the launch configuration "{0}" is not the name of a task.', name),
    l10n.t('Give the task a label in tasks.json, and write that label.'),
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
