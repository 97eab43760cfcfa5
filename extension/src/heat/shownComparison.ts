// A comparison as the page shows it: the engine's answers with all foreign text made visible. Figures pass as they are.
import * as l10n from '@vscode/l10n';
import type {
  ExplainedLine,
  ShownComparison,
  ShownExecution,
  ShownExplanation,
  ShownSide,
} from '../../../core/comparisonMessages.ts';
import { visibleText } from '../../../core/foreignText.ts';
import { durationText, percentText, samplesText } from '../../../core/numbersAsText.ts';
import { type ComparisonOpened, type Execution, type Explanation, type Spread, wire } from '../../../core/wire.ts';

const SENTENCE_MAX = 1000; // characters
const NAME_MAX = 2000;
const LINE_MAX = 400;

const { Normalisation } = wire;
const labels: Readonly<Record<number, string>> = {
  [Normalisation.NORMALISATION_WORK]: l10n.t('per unit of work'),
  [Normalisation.NORMALISATION_RUN]: l10n.t('per execution'),
  [Normalisation.NORMALISATION_WALL]: l10n.t('per wall second'),
  [Normalisation.NORMALISATION_SHARE]: l10n.t('share of total'),
};

export function shownComparison(opened: ComparisonOpened): ShownComparison {
  return {
    sentence: visibleText(opened.sentence, SENTENCE_MAX),
    verdict: opened.verdict,
    sideNames: opened.partNames.map((name) => visibleText(name, 60)),
    per: visibleText(opened.per, 60),
    method: [visibleText(opened.method, SENTENCE_MAX), detectable(opened)].filter(Boolean),
    normalisation: opened.normalisation,
    normalisations: opened.normalisations.flatMap((value) => {
      const label = labels[value];
      return label === undefined ? [] : [{ value, label }];
    }),
    base: shownSide(opened.baseExecutions, opened.baseSpread),
    new: shownSide(opened.newExecutions, opened.newSpread),
    facts: opened.facts.map((fact) => ({
      what: visibleText(fact.what, 60),
      base: visibleText(fact.base, SENTENCE_MAX),
      new: visibleText(fact.new, SENTENCE_MAX),
      differs: fact.differs,
    })),
    commits: opened.commitsBetween.map((commit) => visibleText(commit, LINE_MAX)),
  };
}

function shownSide(executions: readonly Execution[], spread: Spread | null): ShownSide {
  const { median, least, greatest } = spread ?? { median: Number.NaN, least: Number.NaN, greatest: Number.NaN };
  return { executions: executions.filter(({ warmUp }) => !warmUp).map(shownExecution), median, least, greatest };
}

function shownExecution(execution: Execution, at: number): ShownExecution {
  const { wallNs, userNs, systemNs, samples, value, outlier } = execution;
  const facts = [
    l10n.t('run {0}', at + 1),
    wallNs > 0 ? l10n.t('{0} wall', durationText(wallNs)) : '',
    userNs > 0 || systemNs > 0 ? l10n.t('{0} user, {1} system', durationText(userNs), durationText(systemNs)) : '',
    samples > 0 ? samplesText(samples) : '',
    outlier ? l10n.t('outlier') : '',
  ];
  return { value, outlier, text: facts.filter(Boolean).join(' · ') };
}

function detectable({ smallestDetectable }: ComparisonOpened): string {
  if (!Number.isFinite(smallestDetectable) || smallestDetectable <= 0) return '';
  return l10n.t(
    'These runs can show an overall change of {0} or more in 4 of 5 cases.',
    percentText(smallestDetectable),
  );
}

export function shownExplanation({ netChange, churn, functions }: Explanation): ShownExplanation {
  return {
    netChange,
    churn,
    functions: functions.map((one) => {
      const { selfEffect, path, recordedPath, line } = one;
      const file = path || recordedPath;
      const name = file.slice(file.lastIndexOf('/') + 1);
      return {
        name: visibleText(one.name, NAME_MAX),
        module: visibleText(one.module, LINE_MAX),
        place: visibleText(name && line > 0 ? `${name}:${line}` : name, LINE_MAX),
        note: visibleText(one.note, SENTENCE_MAX),
        baseSelf: one.baseSelf,
        newSelf: one.newSelf,
        change: selfEffect?.change ?? Number.NaN,
        low: selfEffect?.low ?? Number.NaN,
        high: selfEffect?.high ?? Number.NaN,
        q: selfEffect?.q ?? Number.NaN,
        verdict: selfEffect?.verdict ?? 0,
        contribution: one.contribution,
        row: one.row,
        // Field by field: a decoded message has its zeros in its prototype, which a spread leaves behind.
        lines: one.lines.map(
          ({ baseLine, newLine, text, baseSelf, newSelf, verdict }): ExplainedLine => ({
            baseLine,
            newLine,
            text: visibleText(text.replaceAll('\t', '    '), LINE_MAX),
            baseSelf,
            newSelf,
            verdict,
          }),
        ),
      };
    }),
  };
}
