// All that can be profiled here: the targets of each source, asked side by side.
import path from 'node:path';
import * as vscode from 'vscode';
import { entryText, visibleText } from '../../../../core/foreignText.ts';
import type { EngineClient } from '../../engine/engineClient.ts';
import { EngineFailure } from '../../engine/failure.ts';
import { expected } from '../../engine/openProfiles.ts';
import { findCargoTargets } from '../../targets/cargoTargets.ts';
import { type CmakeConfiguration, findCmakeProject } from '../../targets/cmakeTargets.ts';
import { executableTarget, processTarget } from '../../targets/engineTargets.ts';
import { findGoTargets } from '../../targets/goTargets.ts';
import { processesOf } from '../../targets/launchAttach.ts';
import { launchTargets } from '../../targets/launchTargets.ts';
import { locatedTarget, locationOf, type WorkspaceFolder } from '../../targets/location.ts';
import { findMakeTargets } from '../../targets/makeTargets.ts';
import { findMesonTargets } from '../../targets/mesonTargets.ts';
import { DEPTH_MAX, FOLDERS_MAX, findProjectFolders } from '../../targets/projectFolders.ts';
import { type AttachPlan, type Target, TargetError } from '../../targets/target.ts';
import type { OutputLog } from '../outputLog.ts';
import type { BuildOutput } from './buildOutput.ts';
import { launchContext } from './launchContext.ts';
import { runPreLaunchTask } from './preLaunchTask.ts';

export interface Discovered {
  readonly targets: readonly Target[];
  /** CMake projects whose targets are known only after CMake has run once. */
  readonly unconfigured: readonly CmakeConfiguration[];
  /** Sources that could not be asked: why. */
  readonly problems: readonly string[];
}

const EXECUTABLES_MAX = 200;

export class TargetDiscovery {
  constructor(
    private readonly client: EngineClient,
    private readonly builds: BuildOutput,
    private readonly log: OutputLog,
  ) {}

  /** The targets of every source; one that fails costs its own targets only. */
  async all(): Promise<Discovered> {
    const found: Found = { targets: [], unconfigured: [], problems: [] };
    const roots = workspaceRoots();
    await Promise.all([
      ...roots.map((root) => this.inFolder(root, roots.length, found)),
      this.attempt(found, 'executables', () => this.executables(roots)),
    ]);
    return found;
  }

  async processes(): Promise<Target[]> {
    return (await this.runningProcesses()).map(processTarget);
  }

  private async inFolder(root: WorkspaceFolder, roots: number, found: Found): Promise<void> {
    const run = this.builds.runQuietly.bind(this.builds);
    const { projects, cmakeBuilds, mesonBuilds, cut } = await findProjectFolders(root.path);
    if (cut) {
      found.problems.push(
        vscode.l10n.t(
          'Projects may be missing: at most {0} folders, {1} levels deep, are searched in {2}',
          FOLDERS_MAX,
          DEPTH_MAX,
          visibleText(root.name),
        ),
      );
    }
    const attemptIn = (source: string, folders: readonly string[], find: (folder: string) => Promise<Target[]>) =>
      folders.map((folder) => {
        const location = locationOf(folder, root, roots);
        return this.attempt(found, location ? vscode.l10n.t('{0} in {1}', source, location) : source, async () =>
          (await find(folder)).map((target) => locatedTarget(target, location)),
        );
      });
    await Promise.all([
      ...attemptIn('CMake', projects.cmake, async (folder) => {
        const project = await findCmakeProject(folder, run, cmakeBuilds);
        const location = locationOf(folder, root, roots);
        for (const one of project?.configurations ?? [])
          found.unconfigured.push(location ? { ...one, description: `${location}: ${one.description}` } : one);
        return [...(project?.targets ?? [])];
      }),
      ...attemptIn('Cargo', projects.cargo, (folder) => findCargoTargets(folder, run)),
      ...attemptIn('Meson', projects.meson, (folder) => findMesonTargets(folder, run, mesonBuilds)),
      ...attemptIn('Make', projects.make, (folder) => findMakeTargets(folder, run)),
      ...attemptIn('Go', projects.go, (folder) => findGoTargets(folder, run)),
      ...attemptIn('launch.json', [root.path], async (folder) => this.launchTargets(folder)),
    ]);
  }

  private async attempt(found: Found, source: string, find: () => Promise<readonly Target[]>): Promise<void> {
    try {
      found.targets.push(...(await find()));
    } catch (error) {
      const problem = `${source}: ${(error as Error).message}`;
      this.log.warn(problem);
      found.problems.push(visibleText(problem));
    }
  }

  private async runningProcesses() {
    const reply = await this.client.request({ listProcesses: {} });
    return expected(reply.processes, 'ProcessList').processes;
  }

  private async executables(roots: readonly WorkspaceFolder[]): Promise<Target[]> {
    if (roots.length === 0) return [];
    const findExecutables = { directories: roots.map((root) => root.path), limit: EXECUTABLES_MAX };
    const reply = await this.client.request({ findExecutables });
    const { executables } = expected(reply.executables, 'ExecutableList');
    return executables.map((executable) => {
      const inside = roots.find((root) => executable.path.startsWith(`${root.path}/`));
      const target = executableTarget(executable, inside?.path ?? path.dirname(executable.path));
      return inside ? locatedTarget(target, locationOf(inside.path, inside, roots.length)) : target;
    });
  }

  private launchTargets(folder: string): Target[] {
    const scope = vscode.Uri.file(folder);
    const configurations = vscode.workspace.getConfiguration('launch', scope).get('configurations');
    const runTask = (name: string) => runPreLaunchTask(name, folder);
    const chooseProcess = (program: string | undefined) => this.chooseProcess(program);
    return launchTargets(configurations, folder, { context: () => launchContext(folder), runTask, chooseProcess });
  }

  /** The only process of a program, else the one that the user chooses. */
  private async chooseProcess(program: string | undefined): Promise<AttachPlan> {
    const running = await this.runningProcesses();
    const fitting = program === undefined ? running : processesOf(running, program);
    const [only, ...others] = fitting;
    if (!only) {
      throw new TargetError(
        program === undefined
          ? vscode.l10n.t('No running process was found for this configuration.')
          : vscode.l10n.t('No running process was found for {0}.', visibleText(program)),
        vscode.l10n.t('Start the program first, then profile again.'),
      );
    }
    if (program !== undefined && others.length === 0) return { name: only.name, attachPid: only.pid };
    const chosen = await chooseProcessOf(fitting.map(processTarget));
    if (!chosen) throw new EngineFailure('cancelled', vscode.l10n.t('No process was chosen.'));
    return (await chosen.prepare({ args: [], runStep: async () => '' })) as AttachPlan;
  }
}

interface Found {
  readonly targets: Target[];
  readonly unconfigured: CmakeConfiguration[];
  readonly problems: string[];
}

/** The process that the user chooses; undefined when they changed their mind. */
export async function chooseProcessOf(targets: readonly Target[] | Promise<readonly Target[]>) {
  const items = Promise.resolve(targets).then((all) =>
    all.map((target) => ({
      label: entryText(target.label),
      description: entryText(target.description),
      target,
    })),
  );
  const placeHolder = vscode.l10n.t('Choose a process; it keeps running while it is recorded');
  return (await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true }))?.target;
}

function workspaceRoots(): WorkspaceFolder[] {
  const local = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  return local.map(({ name, uri }) => ({ name, path: uri.fsPath }));
}
