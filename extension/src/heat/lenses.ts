// Which functions of a file get a code lens, and its words.
import * as l10n from '@vscode/l10n';

import { type Compared, isSignificant, Verdict, verdictText } from '../../../core/changeText.ts';
import type { ShownMeasure } from '../../../core/measureText.ts';
import { percentText, share, valueText } from '../../../core/numbersAsText.ts';
import { areFew, chanceCountOf, countOf, type SampleCount } from '../../../core/sampleCount.ts';
import type { CalledFunction, Effect, FileDifference, FileHeat, FunctionDifference } from '../../../core/wire.ts';
import { callsText } from './callsText.ts';
import { changeFigure, measureWords } from './marks.ts';

export const LENSES_MAX = 20;

export interface FunctionLens {
  readonly line: number; // 1-based
  readonly title: string;
  /** That the figures rest on; undefined: not said. */
  readonly samples: SampleCount;
  /** How many functions with samples have this definition: the instances of a template. */
  readonly instances: number;
  /** As the profile has them; the module of a comparison is not said. */
  readonly name: string;
  readonly module: string;
  /** Counted calls of the function, or why there are none; undefined: nobody asked for them. */
  readonly called?: CalledFunction | undefined;
}

/** The lenses of the hottest functions and of those whose calls were counted, at most one a line, in line order. */
export function functionLenses(heat: FileHeat, threshold: number, measure?: ShownMeasure): FunctionLens[] {
  const words = measureWords(measure);
  const byLine = new Map<number, FunctionLens>();
  for (const one of heat.functions) {
    if (byLine.size === LENSES_MAX) break;
    const { line, name, module } = one;
    const samples = countOf(one.definitionTotalSamples, heat);
    const byChance = chanceCountOf(one.definitionTotalSamples, heat);
    const total = share(one.definitionTotalValue, heat.totalValue);
    if (line === 0 || byLine.has(line) || total < threshold || areFew(byChance)) continue;
    const self = percentText(share(one.definitionSelfValue, heat.totalValue));
    const figures = l10n.t('{0} self · {1} total', self, percentText(total));
    const called = heat.calls.find((of) => of.line === line);
    const title = [figures, words, called && callsText(called)].filter(Boolean).join(' · ');
    byLine.set(line, { line, title, samples, instances: instancesAt(heat.functions, line), name, module, called });
  }
  for (const called of heat.calls.slice(0, LENSES_MAX)) {
    const { line, name, module } = called;
    if (line === 0 || byLine.has(line)) continue;
    byLine.set(line, { line, title: callsText(called), samples: undefined, instances: 1, name, module, called });
  }
  return [...byLine.values()].sort((a, b) => a.line - b.line);
}

function instancesAt(functions: readonly { readonly line: number }[], line: number): number {
  return functions.filter((other) => other.line === line).length;
}

/** The lenses of a comparison: functions whose change is significant, and the heavy ones of which it can be said that it is not. */
export function differenceLenses(difference: FileDifference, per: string, threshold: number): FunctionLens[] {
  const { baseTotal, newTotal } = difference;
  const heavy = ({ baseTotal: base, newTotal: now }: FunctionDifference) =>
    Math.max(share(base, baseTotal), share(now, newTotal)) >= threshold;
  const clear = ({ totalEffect, selfEffect }: FunctionDifference) =>
    [totalEffect, selfEffect].some((effect) => effect !== null && isSignificant(effect.verdict));
  const byLine = new Map<number, FunctionLens>();
  // What changed comes before what did not: a file of many functions keeps the lenses that say something.
  const wanted = [...difference.functions.filter(clear), ...difference.functions.filter((one) => !clear(one))];
  for (const one of wanted) {
    if (byLine.size === LENSES_MAX) break;
    if (one.line === 0 || byLine.has(one.line) || !heavy(one)) continue;
    const { line, name } = one;
    const instances = instancesAt(difference.functions, line);
    const title = differenceTitle(one, { per, unit: difference.unit, instances });
    byLine.set(line, { line, title, samples: undefined, instances, name, module: '' });
  }
  return [...byLine.values()].sort((a, b) => a.line - b.line);
}

interface TitleOf {
  readonly per: string;
  readonly unit: string;
  readonly instances: number;
}

function differenceTitle(one: FunctionDifference, { per, unit, instances }: TitleOf): string {
  const values = `${valueText(one.baseTotal, unit)} → ${valueText(one.newTotal, unit)}`;
  const parts = [
    effectWords(one.totalEffect, one.baseTotal, one.newTotal, { unit, per }),
    per && per !== 'share' ? l10n.t('{0} per {1}', values, per) : values,
  ];
  const { selfEffect, totalEffect } = one;
  if (selfEffect && (selfEffect.verdict !== totalEffect?.verdict || one.newSelf !== one.newTotal))
    parts.push(l10n.t('self {0}', changeFigure(selfEffect, one.baseSelf, one.newSelf, unit)));
  if (instances > 1) parts.push(l10n.t('1 of {0} instances', instances));
  if (one.note) parts.push(one.note);
  return parts.filter(Boolean).join(' · ');
}

/** `▲ +4.1 % ±0.6 slower`. */
function effectWords(effect: Effect | null, base: number, now: number, of: Compared): string {
  if (!effect) return '';
  const figure = changeFigure(effect, base, now, of.unit);
  const words = verdictText(effect.verdict, of);
  return figure.includes(words) || effect.verdict === Verdict.tooFew ? figure : `${figure} ${words}`;
}
