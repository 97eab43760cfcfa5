// Asks which tests of a test program are run, once it is built.
import * as vscode from 'vscode';
import { entryText, visibleText } from '../../../../core/foreignText.ts';
import type { LaunchPlan, Step } from '../../targets/target.ts';
import { listStep, testChoices, testFramework } from '../../targets/testFilter.ts';

/** The arguments that choose tests: none for all of them. Undefined when the user changed their mind. */
export async function askTests(
  plan: LaunchPlan,
  run: (step: Step) => Promise<string>,
): Promise<readonly string[] | undefined> {
  const framework = await testFramework(plan);
  if (!framework) return [];
  // A program that cannot list its tests is run as it is: then its own words say why.
  const output = await run(listStep(plan, framework)).catch(() => '');
  const choices = testChoices(output, framework);
  if (choices.length < 2) return [];
  const icons = { group: '$(symbol-namespace)', test: '$(beaker)' };
  const items = [
    { label: `$(run-all) ${vscode.l10n.t('All Tests')}`, args: [] as readonly string[], alwaysShow: true },
    ...choices.map(({ name, isGroup, args }) => ({
      label: `${isGroup ? icons.group : icons.test} ${entryText(name)}`,
      args,
    })),
  ];
  const title = vscode.l10n.t('Tests of {0}', visibleText(plan.name));
  const placeHolder = vscode.l10n.t('Choose what to run and record');
  return (await vscode.window.showQuickPick(items, { title, placeHolder, ignoreFocusOut: true }))?.args;
}
