// Numbers as people read them: shares, counts, durations, sizes and their changes. One form everywhere. What is computed here
// is one figure of the engine over another, or one less another, in order to show it; docs/architecture.md has the rule.
import * as l10n from '@vscode/l10n';

import { visibleText } from './foreignText.ts';
import type { Counted, SampleCount } from './sampleCount.ts';

const UNIT_MAX = 300; // characters: a profile may call its unit anything
const NO_CHANGE = '±0';
const MINUS = '−';

/** `part` of `whole`, 0 when there is no whole. */
export function share(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}

/** A share of 0.124 is `12.4 %`; one that would round to nothing is `< 0.1 %`. */
export function percentText(shareOfAll: number): string {
  const percent = shareOfAll * 100;
  if (percent > 0 && percent < 0.05) return '< 0.1 %';
  return `${percent.toFixed(1)} %`;
}

/** `3812` is `3,812`. */
export function countText(count: number): string {
  return Math.round(count)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `3,812 samples`, `1 sample`, `40 waits`; empty where nobody knows how many. */
export function samplesText(samples: SampleCount, counted: Counted = 'samples'): string {
  if (samples === undefined) return '';
  if (counted === 'waits')
    return samples === 1 ? l10n.t('{0} wait', countText(samples)) : l10n.t('{0} waits', countText(samples));
  return samples === 1 ? l10n.t('{0} sample', countText(samples)) : l10n.t('{0} samples', countText(samples));
}

/** Three significant digits with the unit that fits: `1.24 s`, `12.4 ms`, `3 min 20 s`. */
export function durationText(ns: number): string {
  if (ns >= 59.95e9) {
    const seconds = Math.round(ns / 1e9);
    const hours = Math.floor(seconds / 3600);
    const minutes = Math.floor((seconds % 3600) / 60);
    return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${seconds % 60} s`;
  }
  return scaledText(ns, 1000, ['ns', 'µs', 'ms', 's']);
}

/** A moment of a recording, as exact as steps of `stepNs` need: `2.7 s`, `1,250 ms`. The unit is that of `scaleNs`. */
export function momentText(ns: number, stepNs: number, scaleNs = ns): string {
  const { size, name } = unitOf(scaleNs);
  if (ns === 0) return `0 ${name}`;
  return `${momentDigits(ns, stepNs, size)} ${name}`;
}

/** Two moments: `2.7–3.1 s`, as exact as their distance needs. */
export function timeRangeText({ fromNs, toNs }: { readonly fromNs: number; readonly toNs: number }): string {
  const { size, name } = unitOf(toNs);
  const stepNs = Math.max(1, (toNs - fromNs) / 20);
  let [from, to] = [momentDigits(fromNs, stepNs, size), momentDigits(toNs, stepNs, size)];
  while (from.includes('.') && from.endsWith('0') && to.endsWith('0')) [from, to] = [shorter(from), shorter(to)];
  return `${from}–${to} ${name}`;
}

/** `412 of 5,321 samples (7.7 %)`. */
export function samplesOfText(samples: number, all: number): string {
  return l10n.t('{0} of {1} samples ({2})', countText(samples), countText(all), percentText(share(samples, all)));
}

/**
 * How much of a run is selected, in samples or, where nobody knows those or figures do not rest on them, in its unit: `4.00 KiB of
 * 12.0 KiB (33.3 %)`.
 */
export function selectedText(selected: SelectedFigures, unit: string): string {
  const { samples, runSamples, value, runValue, isComplete } = selected;
  if (samples !== undefined && runSamples !== undefined && !isComplete) return samplesOfText(samples, runSamples);
  const part = percentText(share(value, runValue));
  return l10n.t('{0} of {1} ({2})', valueText(value, unit), valueText(runValue, unit), part);
}

export interface SelectedFigures {
  readonly samples: SampleCount;
  readonly runSamples: SampleCount;
  readonly value: number;
  readonly runValue: number;
  /** All events are in it. */
  readonly isComplete?: boolean;
}

/** Without its last digit, and without a point that nothing follows. */
const shorter = (digits: string): string => digits.slice(0, -1).replace(/\.$/, '');

const TIME_UNITS = [
  { size: 1e9, name: 's' },
  { size: 1e6, name: 'ms' },
  { size: 1e3, name: 'µs' },
] as const;

const unitOf = (ns: number) => TIME_UNITS.find(({ size }) => ns >= size) ?? { size: 1, name: 'ns' };

function momentDigits(ns: number, stepNs: number, size: number): string {
  const digits = Math.min(9, Math.max(0, Math.ceil(-Math.log10(stepNs / size) - 1e-9)));
  const [whole, fraction] = (ns / size).toFixed(digits).split('.');
  const grouped = whole!.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** A value of a profile in its unit, as pprof names units. */
export function valueText(value: number, unit: string): string {
  switch (unit) {
    case 'nanoseconds':
      return durationText(value);
    case 'microseconds':
      return durationText(value * 1e3);
    case 'milliseconds':
      return durationText(value * 1e6);
    case 'seconds':
      return durationText(value * 1e9);
    case 'bytes':
      return scaledText(value, 1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB']);
    case 'count':
    case '':
      return countText(value);
    default:
      return `${countText(value)} ${visibleText(unit, UNIT_MAX)}`;
  }
}

/** Whether a unit is one of time. */
export const isTime = (unit: string): boolean => /^(nano|micro|milli)?seconds$/.test(unit);

/** What became more (above 0) or less (below 0). */
export function difference(base: number, now: number): number {
  return now - base;
}

/** A difference of values: `+12.4 ms`, `−1.00 s`, `±0`. */
export function valueChangeText(change: number, unit: string): string {
  return signed(change, valueText(Math.abs(change), unit));
}

/** The difference of two shares in percentage points: from 0.1 to 0.141 is `+4.1 pp`. */
export function pointsText(base: number, now: number): string {
  const change = difference(base, now);
  const points = Math.abs(change * 100);
  return points < 0.05 ? NO_CHANGE : signed(change, `${points.toFixed(1)} pp`);
}

function signed(change: number, magnitude: string): string {
  if (change === 0) return NO_CHANGE;
  return `${change < 0 ? MINUS : '+'}${magnitude}`;
}

function scaledText(value: number, step: number, units: readonly string[]): string {
  let unit = 0;
  let scaled = value;
  // 999.5 would be shown as 1000: it belongs to the next unit.
  while (scaled >= step - 0.5 && unit < units.length - 1) {
    scaled /= step;
    unit++;
  }
  const digits = unit === 0 || scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2;
  return `${scaled.toFixed(digits)} ${units[unit]}`;
}
