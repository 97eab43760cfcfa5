// All that can be profiled here: the targets of each source, asked side by side.
import path from 'node:path';
import * as vscode from 'vscode';
import { visibleText } from '../../../core/foreignText.ts';
import type { EngineClient } from '../engine/engineClient.ts';
import { expected } from '../engine/openProfiles.ts';
import { findCargoTargets } from '../targets/cargoTargets.ts';
import { type CmakeProject, findCmakeProject } from '../targets/cmakeTargets.ts';
import { executableTarget, processTarget } from '../targets/engineTargets.ts';
import { launchTargets } from '../targets/launchTargets.ts';
import type { Target } from '../targets/target.ts';
import { workspaceFolderPaths } from './activeProfile.ts';
import type { BuildOutput } from './buildOutput.ts';
import { launchContext } from './launchContext.ts';
import type { OutputLog } from './outputLog.ts';
import { runPreLaunchTask } from './preLaunchTask.ts';

export interface Discovered {
  readonly targets: readonly Target[];
  /** CMake projects whose targets are known only after CMake has run once. */
  readonly unconfigured: readonly CmakeProject[];
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
    const targets: Target[] = [];
    const unconfigured: CmakeProject[] = [];
    const problems: string[] = [];
    const attempt = async (source: string, find: () => Promise<readonly Target[]>) => {
      try {
        targets.push(...(await find()));
      } catch (error) {
        const problem = `${source}: ${(error as Error).message}`;
        this.log.warn(problem);
        problems.push(visibleText(problem));
      }
    };
    const folders = workspaceFolderPaths();
    const runQuietly = this.builds.runQuietly.bind(this.builds);
    await Promise.all([
      ...folders.flatMap((folder) => [
        attempt('CMake', async () => {
          const project = await findCmakeProject(folder, runQuietly);
          if (project?.configure) unconfigured.push(project);
          return project?.targets ?? [];
        }),
        attempt('Cargo', () => findCargoTargets(folder, runQuietly)),
        attempt('launch.json', async () => this.launchTargets(folder)),
      ]),
      attempt('executables', () => this.executables(folders)),
    ]);
    return { targets, unconfigured, problems };
  }

  async processes(): Promise<Target[]> {
    const reply = await this.client.request({ listProcesses: {} });
    return expected(reply.processes, 'ProcessList').processes.map(processTarget);
  }

  private async executables(folders: readonly string[]): Promise<Target[]> {
    if (folders.length === 0) return [];
    const findExecutables = { directories: [...folders], limit: EXECUTABLES_MAX };
    const reply = await this.client.request({ findExecutables });
    const { executables } = expected(reply.executables, 'ExecutableList');
    return executables.map((executable) => {
      const inside = folders.find((folder) => executable.path.startsWith(`${folder}/`));
      return executableTarget(executable, inside ?? path.dirname(executable.path));
    });
  }

  private launchTargets(folder: string): Target[] {
    const scope = vscode.Uri.file(folder);
    const configurations = vscode.workspace.getConfiguration('launch', scope).get('configurations');
    const runTask = (name: string) => runPreLaunchTask(name, folder);
    return launchTargets(configurations, folder, { context: () => launchContext(folder), runTask });
  }
}
