// Lets the user choose a target: the last choice first, arguments one button away.
import * as vscode from 'vscode';
import { entryText, visibleText } from '../../../core/foreignText.ts';
import { argumentText, parseArguments } from '../targets/argumentText.ts';
import { type CmakeProject, configureProject } from '../targets/cmakeTargets.ts';
import type { Target, TargetKind } from '../targets/target.ts';
import type { BuildOutput } from './buildOutput.ts';
import type { LastTarget } from './lastTarget.ts';
import type { TargetDiscovery } from './targetDiscovery.ts';

interface TargetItem extends vscode.QuickPickItem {
  readonly choice?: { target: Target } | { configure: CmakeProject } | 'attach';
}

const argumentsButton: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('symbol-parameter'),
  tooltip: 'Set arguments…',
};

export class TargetPick {
  constructor(
    private readonly discovery: TargetDiscovery,
    private readonly builds: BuildOutput,
    private readonly last: LastTarget,
  ) {}

  /** The target that the user chose; undefined when they changed their mind. */
  async choose(): Promise<Target | undefined> {
    const item = await this.show();
    if (!item?.choice) return undefined;
    if (item.choice === 'attach') return this.chooseProcess();
    if ('target' in item.choice) return item.choice.target;
    const project = item.choice.configure;
    await configureProject(project, (step) => this.builds.run(step));
    return this.choose();
  }

  private show(): Promise<TargetItem | undefined> {
    const pick = vscode.window.createQuickPick<TargetItem>();
    pick.title = vscode.l10n.t('Profile This Target');
    pick.placeholder = vscode.l10n.t('Looking for targets…');
    pick.matchOnDescription = true;
    pick.busy = true;
    const fill = async () => {
      const { targets, unconfigured, problems } = await this.discovery.all();
      pick.items = [...this.items(targets, unconfigured), ...problems.map(problemItem)];
      pick.placeholder =
        targets.length + unconfigured.length > 0
          ? vscode.l10n.t('Choose what to build, run and record')
          : vscode.l10n.t('No target was found in this workspace');
      pick.busy = false;
    };
    return new Promise((resolve) => {
      pick.onDidTriggerItemButton(async ({ item }) => {
        if (!item.choice || item.choice === 'attach' || !('target' in item.choice)) return;
        pick.ignoreFocusOut = true;
        await this.askArguments(item.choice.target);
        pick.ignoreFocusOut = false;
        pick.show();
        await fill();
      });
      pick.onDidAccept(() => {
        resolve(pick.selectedItems[0]);
        pick.hide();
      });
      pick.onDidHide(() => {
        if (pick.ignoreFocusOut) return; // the arguments are asked for
        resolve(undefined);
        pick.dispose();
      });
      pick.show();
      void fill();
    });
  }

  private items(targets: readonly Target[], unconfigured: readonly CmakeProject[]): TargetItem[] {
    const lastId = this.last.id;
    const isLast = (target: Target) => target.id === lastId;
    const groups: [string, TargetItem[]][] = [
      [vscode.l10n.t('last choice'), targets.filter(isLast).map((target) => this.item(target))],
    ];
    const rest = targets.filter((target) => !isLast(target));
    for (const [kind, title] of groupTitles()) {
      groups.push([title, rest.filter((target) => target.kind === kind).map((target) => this.item(target))]);
      if (kind === 'cmake') groups.push([title, unconfigured.map(configureItem)]);
    }
    const attach: TargetItem = {
      label: `$(debug-disconnect) ${vscode.l10n.t('Attach to a Running Process…')}`,
      alwaysShow: true,
      choice: 'attach',
    };
    groups.push([vscode.l10n.t('running'), [attach]]);
    return groups.flatMap(([label, items]) =>
      items.length > 0 ? [{ label, kind: vscode.QuickPickItemKind.Separator }, ...items] : [],
    );
  }

  private item(target: Target): TargetItem {
    const args = argumentText(this.last.argumentsOf(target.id));
    return {
      label: `$(${icons[target.kind]}) ${entryText(`${target.label}${args ? ` ${args}` : ''}`)}`,
      description: entryText(target.description),
      buttons: target.takesArguments ? [argumentsButton] : [],
      choice: { target },
    };
  }

  private async askArguments(target: Target): Promise<void> {
    const text = await vscode.window.showInputBox({
      title: vscode.l10n.t('Arguments of {0}', visibleText(target.label)),
      value: argumentText(this.last.argumentsOf(target.id)),
      prompt: vscode.l10n.t('Quotes and backslashes as in a shell; nothing is expanded.'),
      ignoreFocusOut: true,
      validateInput: (value) => (parseArguments(value) ? undefined : vscode.l10n.t('A quote is left open.')),
    });
    const args = text === undefined ? undefined : parseArguments(text);
    if (args) await this.last.setArguments(target.id, args);
  }

  private async chooseProcess(): Promise<Target | undefined> {
    const items = this.discovery.processes().then((targets) =>
      targets.map((target) => ({
        label: entryText(target.label),
        description: entryText(target.description),
        target,
      })),
    );
    const placeHolder = vscode.l10n.t('Choose a process; it goes on running while it is recorded');
    return (await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true }))?.target;
  }
}

const icons: Readonly<Record<TargetKind, string>> = {
  cmake: 'tools',
  cargo: 'package',
  launch: 'debug-alt',
  executable: 'file-binary',
  process: 'debug-disconnect',
  program: 'file-binary',
};

function groupTitles(): [TargetKind, string][] {
  return [
    ['cmake', 'CMake'],
    ['cargo', 'Cargo'],
    ['launch', 'launch.json'],
    ['executable', vscode.l10n.t('executables, run as they are')],
  ];
}

function configureItem(project: CmakeProject): TargetItem {
  return {
    label: `$(gear) ${vscode.l10n.t('Configure CMake to List Its Targets')}`,
    description: vscode.l10n.t('in build/lineheat, RelWithDebInfo'),
    choice: { configure: project },
  };
}

function problemItem(problem: string): TargetItem {
  return { label: `$(warning) ${entryText(problem)}`, alwaysShow: true };
}
