// The columns of the tables of a comparison: functions or lines, base beside new, by self or by total.
import * as l10n from '@vscode/l10n';
import {
  type Compared,
  isSignificant,
  isSlowness,
  perText,
  sideTitles,
  Verdict,
  verdictGlyph,
  verdictText,
} from '../../core/changeText.ts';
import { visibleText } from '../../core/foreignText.ts';
import {
  countText,
  difference,
  percentText,
  samplesText,
  share,
  valueChangeText,
  valueText,
} from '../../core/numbersAsText.ts';
import type { Counted } from '../../core/sampleCount.ts';
import type { Effects } from '../content/effects.ts';
import { frameFile, frameModule, frameName } from '../content/frameTable.ts';
import type { ComparedTable } from '../content/tables.ts';
import { effectNote } from '../graph/describe.ts';
import { fillDifference, fillNotedFunction, fillText } from './cells.ts';
import { compareNumbers, compareTexts } from './functionColumns.ts';
import { fillInterval, intervalScale } from './intervalCell.ts';
import { rowNames } from './rowNames.ts';
import type { Sort, TableColumn } from './virtualTable.ts';

export type Measure = 'self' | 'total';
export const COMPARED_SORT: Sort = { column: 'change', descending: true };

interface Sides {
  readonly base: Float64Array;
  readonly later: Float64Array;
  readonly baseSamples: Uint32Array | undefined;
  readonly laterSamples: Uint32Array | undefined;
}

const sidesOf = (table: ComparedTable, measure: Measure): Sides =>
  measure === 'self'
    ? {
        base: table.baseSelf,
        later: table.newSelf,
        baseSamples: table.baseSelfSamples,
        laterSamples: table.newSelfSamples,
      }
    : {
        base: table.baseTotalOfRow,
        later: table.newTotalOfRow,
        baseSamples: table.baseTotalSamplesOfRow,
        laterSamples: table.newTotalSamplesOfRow,
      };

const effectsOf = (table: ComparedTable, measure: Measure): Effects | undefined =>
  measure === 'self' ? table.selfEffects : table.totalEffects;

/** Which figures of a comparison are shown. */
export interface ComparedShown {
  readonly rows: 'functions' | 'lines';
  readonly measure: Measure;
  readonly what: string; // is compared, in words
  readonly counted: Counted;
}

export function comparedColumns(table: ComparedTable, { rows, measure, what, counted }: ComparedShown): TableColumn[] {
  const { frames, unit } = table;
  const sides = sidesOf(table, measure);
  const effects = effectsOf(table, measure);
  const verdict = effects?.verdict ?? table.verdict;
  const { base, later } = sides;
  const change = (row: number) => difference(base[row]!, later[row]!);
  let largest = 1;
  for (let row = 0; row < frames.count; row++) largest = Math.max(largest, Math.abs(change(row)));

  const [ofBase, ofNew] = sideTitles(table.partNames);
  const titles = { base: ofBase, new: ofNew };
  const side = (
    id: 'base' | 'new',
    values: Float64Array,
    samples: Sides['baseSamples'],
    whole: number,
  ): TableColumn => ({
    id,
    title: titles[id],
    hint: l10n.t('{0}: {1}', titles[id], perText(table.per, what)),
    numeric: true,
    compare: (a, b) => compareNumbers(values[a]!, values[b]!),
    fill: (cell, row) => {
      cell.textContent = millisecondsText(values[row]!, unit);
      const part = percentText(share(values[row]!, whole));
      const ofSide = table.partNames.length === 0 ? l10n.t('{0} of the run', part) : l10n.t('{0} of the part', part);
      cell.title = samples ? l10n.t('{0}, {1}', ofSide, samplesText(samples[row]!, counted)) : ofSide;
    },
  });
  const place = rows === 'lines' ? [lineColumn(table), nameColumn(table)] : [nameColumn(table), moduleColumn(table)];
  return [
    {
      id: 'verdict',
      title: '',
      hint: isSlowness(table)
        ? l10n.t('Verdict: ▲ slower, ▼ faster, + new, − gone, → moved, ⇄ moved within, ○ noise, ? untested')
        : l10n.t('Verdict: ▲ more, ▼ less, + new, − gone, → moved, ⇄ moved within, ○ noise, ? untested'),
      numeric: false,
      compare: (a, b) => compareNumbers(verdict[a]!, verdict[b]!),
      fill: (cell, row) => {
        const text = verdictText(verdict[row]!, table);
        cell.textContent = verdictGlyph(verdict[row]!);
        cell.title = text;
        cell.setAttribute('aria-label', text);
        cell.dataset.verdict = String(verdict[row]);
      },
    },
    {
      id: 'change',
      title: l10n.t('Change'),
      hint: l10n.t('New minus base, sorted by absolute size'),
      numeric: true,
      compare: (a, b) => compareNumbers(Math.abs(change(a)), Math.abs(change(b))),
      fill: (cell, row) => {
        const text = millisecondsChangeText(change(row), unit);
        fillDifference(cell, { text, change: change(row), largest, few: !isSignificant(verdict[row]!) });
        cell.title = valueChangeText(change(row), unit);
      },
    },
    ...(effects ? [relativeColumn(effects, table)] : []),
    side('base', base, sides.baseSamples, table.baseTotal),
    side('new', later, sides.laterSamples, table.newTotal),
    ...place,
  ];
}

/** The relative change with its interval, as words and as a small bar. */
function relativeColumn(effects: Effects, { unit, per }: Compared): TableColumn {
  const scale = intervalScale(effects);
  return {
    id: 'relative',
    title: l10n.t('Change and 95 % interval'),
    hint: l10n.t(
      'New against base with its 95 % interval; the bar is the interval, its dot the change, the line in the middle no change',
    ),
    numeric: true,
    compare: (a, b) => compareNumbers(orderOf(effects.change[a]!), orderOf(effects.change[b]!)),
    fill: (cell, row) => {
      fillInterval(cell, effects, { row, unit, per }, scale);
      cell.title = effectNote(effects, row, { unit, per });
    },
  };
}

/** What cannot be said comes last. */
const orderOf = (change: number): number => (Number.isNaN(change) ? Number.NEGATIVE_INFINITY : change);

function nameColumn({ frames, note }: ComparedTable): TableColumn {
  const nameOf = rowNames(frames);
  return {
    id: 'name',
    title: l10n.t('Function'),
    hint: l10n.t('The function'),
    numeric: false,
    compare: (a, b) => compareTexts(frameName(frames, a), frameName(frames, b)),
    fill: (cell, row) => {
      const name = frameName(frames, row);
      fillNotedFunction(cell, { name, short: nameOf(row), note: frames.strings[note[row]!] ?? '' });
    },
  };
}

const moduleColumn = ({ frames }: ComparedTable): TableColumn => ({
  id: 'module',
  title: l10n.t('Module'),
  hint: l10n.t('The program or library that holds the function'),
  numeric: false,
  compare: (a, b) => compareTexts(frameModule(frames, a), frameModule(frames, b)),
  fill: (cell, row) => fillText(cell, frameModule(frames, row)),
});

function lineColumn({ frames, baseLine, verdict }: ComparedTable): TableColumn {
  return {
    id: 'line',
    title: l10n.t('Line'),
    hint: l10n.t('The line in the new text; in the base text when it is gone'),
    numeric: false,
    compare: (a, b) => compareTexts(frameFile(frames, a), frameFile(frames, b)) || frames.line[a]! - frames.line[b]!,
    fill: (cell, row) => {
      const file = frameFile(frames, row);
      const line = frames.line[row]!;
      const moved = baseLine[row]! > 0 && baseLine[row] !== line && verdict[row] !== Verdict.gone;
      const short = file.slice(file.lastIndexOf('/') + 1) || frameModule(frames, row);
      cell.textContent = visibleText(line > 0 ? `${short}:${line}` : short);
      const place = `${file}:${line}`;
      cell.title = visibleText(moved ? l10n.t('{0}, was line {1}', place, baseLine[row]!) : place, 2000);
    },
  };
}

/** Milliseconds for every row, so that a column can be read down; other units as they are. */
function millisecondsText(value: number, unit: string): string {
  return unit === 'nanoseconds' ? `${grouped(value / 1e6)} ms` : valueText(value, unit);
}

function millisecondsChangeText(change: number, unit: string): string {
  if (unit !== 'nanoseconds') return valueChangeText(change, unit);
  const text = grouped(Math.abs(change) / 1e6);
  return change === 0 ? '±0' : `${change < 0 ? '−' : '+'}${text} ms`;
}

function grouped(value: number): string {
  const [whole, fraction] = value.toFixed(1).split('.') as [string, string];
  return `${countText(Number(whole))}.${fraction}`;
}
