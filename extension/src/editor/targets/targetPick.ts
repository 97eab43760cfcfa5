// Lets the user choose a target: the last choice first, arguments one button away.
import os from 'node:os';
import * as vscode from 'vscode';
import { entryText, visibleText } from '../../../../core/foreignText.ts';
import { argumentText, parseArguments } from '../../targets/argumentText.ts';
import { type CmakeConfiguration, configureProject } from '../../targets/cmakeTargets.ts';
import { targetOfId } from '../../targets/commandTargets.ts';
import type { Target, TargetKind } from '../../targets/target.ts';
import type { BuildOutput } from './buildOutput.ts';
import type { LastTarget } from './lastTarget.ts';
import type { ProgramPrompts } from './programPrompts.ts';
import { chooseProcessOf, type TargetDiscovery } from './targetDiscovery.ts';

interface TargetItem extends vscode.QuickPickItem {
  readonly choice?: { target: Target } | { configure: CmakeConfiguration } | 'attach' | 'command' | 'browse';
}

const argumentsButton: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('symbol-parameter'),
  tooltip: vscode.l10n.t('Set arguments…'),
};

export class TargetPick {
  constructor(
    private readonly discovery: TargetDiscovery,
    private readonly builds: BuildOutput,
    private readonly last: LastTarget,
    private readonly programs: ProgramPrompts,
  ) {}

  /** The target that the user chose; undefined when they changed their mind. */
  async choose(): Promise<Target | undefined> {
    const item = await this.show();
    if (!item?.choice) return undefined;
    if (item.choice === 'attach') return chooseProcessOf(this.discovery.processes());
    if (item.choice === 'command') return this.programs.askCommand();
    if (item.choice === 'browse') return this.programs.browse();
    if ('target' in item.choice) return item.choice.target;
    await configureProject(item.choice.configure, (step) => this.builds.run(step));
    return this.choose();
  }

  private show(): Promise<TargetItem | undefined> {
    const pick = vscode.window.createQuickPick<TargetItem>();
    pick.title = vscode.l10n.t('Profile This Target');
    pick.placeholder = vscode.l10n.t('Looking for targets…');
    pick.matchOnDescription = true;
    pick.busy = true;
    const fill = async () => {
      const { targets: found, unconfigured, problems } = await this.discovery.all();
      // A command that was typed, or a program that was browsed for, is nowhere to be discovered.
      const typed = targetOfId(this.last.id ?? '', os.homedir());
      const targets = typed ? [typed, ...found] : found;
      pick.items = [...this.items(targets, unconfigured), ...problems.map(problemItem)];
      pick.placeholder =
        targets.length + unconfigured.length > 0
          ? vscode.l10n.t('Choose what to build, run and record')
          : vscode.l10n.t('No target was found in this workspace');
      pick.busy = false;
    };
    return new Promise((resolve) => {
      pick.onDidTriggerItemButton(async ({ item }) => {
        if (typeof item.choice !== 'object' || !('target' in item.choice)) return;
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

  private items(targets: readonly Target[], unconfigured: readonly CmakeConfiguration[]): TargetItem[] {
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
    return [...separated(groups), ...alwaysThere()];
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
}

function separated(groups: readonly (readonly [string, readonly TargetItem[]])[]): TargetItem[] {
  return groups.flatMap(([label, items]) =>
    items.length > 0 ? [{ label, kind: vscode.QuickPickItemKind.Separator }, ...items] : [],
  );
}

/** What can be profiled in any folder. Not shown before the rest is found: rows that move under the pointer are misclicked. */
function alwaysThere(): TargetItem[] {
  const item = (icon: string, label: string, choice: 'attach' | 'command' | 'browse'): TargetItem => ({
    label: `$(${icon}) ${label}`,
    alwaysShow: true,
    choice,
  });
  const programs = [
    item('terminal', vscode.l10n.t('Run a Command…'), 'command'),
    item('folder-opened', vscode.l10n.t('Browse for a Program…'), 'browse'),
  ];
  const attach = item('debug-disconnect', vscode.l10n.t('Attach to a Running Process…'), 'attach');
  return separated([
    [vscode.l10n.t('other programs'), programs],
    [vscode.l10n.t('running'), [attach]],
  ]);
}

const icons: Readonly<Record<TargetKind, string>> = {
  cmake: 'tools',
  cargo: 'package',
  meson: 'tools',
  make: 'tools',
  go: 'package',
  launch: 'debug-alt',
  executable: 'file-binary',
  process: 'debug-disconnect',
  program: 'terminal',
};

function groupTitles(): [TargetKind, string][] {
  return [
    ['cmake', 'CMake'],
    ['cargo', 'Cargo'],
    ['meson', 'Meson'],
    ['make', 'Make'],
    ['go', 'Go'],
    ['launch', 'launch.json'],
    ['executable', vscode.l10n.t('executables, run as they are')],
  ];
}

function configureItem(configuration: CmakeConfiguration): TargetItem {
  return {
    label: `$(gear) ${entryText(configuration.label)}`,
    description: entryText(configuration.description),
    choice: { configure: configuration },
  };
}

function problemItem(problem: string): TargetItem {
  return { label: `$(warning) ${entryText(problem)}`, alwaysShow: true };
}
