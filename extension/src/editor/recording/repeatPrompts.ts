// The questions before a repeated recording and before a sweep. What was answered last is offered again.
import * as vscode from 'vscode';
import { REPEAT_MAX, type RecordSettings, WARM_UP_MAX } from '../../recording/recordOptions.ts';
import { argumentText, parseArguments } from '../../targets/argumentText.ts';
import { parseCount, parseTurns, parseWork, type Turns, type WorkCount } from '../../targets/repeatText.ts';
import { misfitOf, parseSweep } from '../../targets/sweepText.ts';
import type { SweepAnswers } from '../targets/lastTarget.ts';

const MEMORY = 'lineheat.repeatAnswers';

interface Answers {
  readonly repeat: string;
  readonly turns: string;
  readonly warmUp: string;
  readonly work: string;
  readonly sweep: string;
}

export type RepeatAnswers = Pick<RecordSettings, 'repeat' | 'warmUp' | 'work' | 'workFrom'>;

export class RepeatPrompts {
  constructor(private readonly memory: vscode.Memento) {}

  /** How often, how many warm-up executions, and the work of each; undefined when the user changed their mind. */
  async askRepeats(title: string, settings: RecordSettings): Promise<RepeatAnswers | undefined> {
    const repeat = await this.ask('repeat', {
      title,
      prompt: vscode.l10n.t(
        'How many times should the program run? Five executions show large changes, ten or more show small ones.',
      ),
      otherwise: String(settings.repeat > 1 ? settings.repeat : 10),
      parse: (text) => parseCount(text, 1, REPEAT_MAX),
    });
    if (repeat === undefined) return undefined;
    const rest = await this.askWarmUpAndWork(title, settings);
    return rest && { repeat, ...rest };
  }

  /** The same for two builds, which may also run until the difference is known. */
  async askTurns(title: string, settings: RecordSettings): Promise<(RepeatAnswers & Turns) | undefined> {
    const turns = await this.ask<Turns>('turns', {
      title,
      prompt: vscode.l10n.t(
        'How many times should each build run? A number, or the smallest change that matters, such as {0}: then as often as it takes.',
        '2%',
      ),
      otherwise: String(settings.repeat > 1 ? settings.repeat : 10),
      parse: (text) => parseTurns(text, REPEAT_MAX),
    });
    const rest = turns && (await this.askWarmUpAndWork(title, settings));
    return rest && { ...turns, ...rest };
  }

  private async askWarmUpAndWork(
    title: string,
    settings: RecordSettings,
  ): Promise<Omit<RepeatAnswers, 'repeat'> | undefined> {
    const warmUp = await this.ask('warmUp', {
      title,
      prompt: vscode.l10n.t('How many warm-up executions first, without samples?'),
      otherwise: String(settings.warmUp || 1),
      parse: (text) => parseCount(text, 0, WARM_UP_MAX),
    });
    if (warmUp === undefined) return undefined;
    const work = await this.ask<WorkCount>('work', {
      title,
      prompt: vscode.l10n.t(
        'The work of each execution: a number, or a regular expression over its output, such as items: (\\d+). Empty: the same work each time.',
      ),
      otherwise: '',
      parse: parseWork,
    });
    return work && { warmUp, ...work };
  }

  /**
   * The parameters of a sweep and the arguments with their places, where they differ from `args`. `env`: other texts that
   * may hold places.
   */
  async askSweep(title: string, args: readonly string[], env: readonly string[]): Promise<SweepAnswers | undefined> {
    const parameters = await this.ask('sweep', {
      title,
      prompt: vscode.l10n.t('Parameters with their values, such as threads=1,2,4,8 chunk=5000,20000'),
      otherwise: 'threads=1,2,4,8',
      parse: parseSweep,
    });
    if (!parameters) return undefined;
    const places = parameters.map(({ name }) => `{${name}}`).join(' ');
    const fits = misfitOf(parameters, [...args, ...env]) === undefined;
    const text = await vscode.window.showInputBox({
      title,
      prompt: vscode.l10n.t('Arguments, with {0} in place of the values', places),
      value: [argumentText(args), fits ? '' : places].filter(Boolean).join(' '),
      ignoreFocusOut: true,
      validateInput: (value) => {
        const parsed = parseArguments(value);
        return parsed ? misfitOf(parameters, [...parsed, ...env]) : vscode.l10n.t('A quote is left open.');
      },
    });
    const chosen = text === undefined ? undefined : parseArguments(text);
    if (!chosen) return undefined;
    // Left as they are they come from the target each time, answers to its ${input:…} included, which may be secret.
    return argumentText(chosen) === argumentText(args) ? { parameters } : { parameters, args: chosen };
  }

  private async ask<Value>(
    key: keyof Answers,
    question: { title: string; prompt: string; otherwise: string; parse: (text: string) => Value | string },
  ): Promise<Value | undefined> {
    const { title, prompt, otherwise, parse } = question;
    const known = this.memory.get<Partial<Answers>>(MEMORY, {});
    const text = await vscode.window.showInputBox({
      title,
      prompt,
      value: known[key] ?? otherwise,
      ignoreFocusOut: true,
      validateInput: (value) => {
        const parsed = parse(value);
        return typeof parsed === 'string' ? parsed : undefined;
      },
    });
    if (text === undefined) return undefined;
    await this.memory.update(MEMORY, { ...this.memory.get<Partial<Answers>>(MEMORY, {}), [key]: text });
    const parsed = parse(text);
    return typeof parsed === 'string' ? undefined : parsed;
  }
}
