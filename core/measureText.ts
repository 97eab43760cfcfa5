// What a run measured, in words. A name that is not known here is foreign text and stands as the file has it.
import * as l10n from '@vscode/l10n';
import { visibleText } from './foreignText.ts';
import type { Counted } from './sampleCount.ts';

/** What is drawn in the same colours; as ValueType.Family of protocol/runs.proto. */
export const measureFamilies = ['other', 'cpu', 'waiting', 'memory', 'calls'] as const;
export type MeasureFamily = (typeof measureFamilies)[number];

/** A value of a run: `cpu` in `nanoseconds`, `alloc_space` in `bytes`. Both are foreign. */
export interface ShownMeasure {
  readonly type: string;
  readonly unit: string;
  readonly family: MeasureFamily;
  /** All events are in it: no figure is a matter of chance. */
  readonly isComplete?: boolean;
  /** Another measure of the run says more of the same events, as CPU time does of samples. */
  readonly isDetail?: boolean;
}

const NAME_MAX = 60; // characters

const names: Readonly<Record<string, string>> = {
  cpu: l10n.t('CPU time'),
  wall: l10n.t('wall time'),
  samples: l10n.t('samples'),
  wait: l10n.t('waiting time'),
  waits: l10n.t('waits'),
  delay: l10n.t('waiting time'),
  contentions: l10n.t('waits'),
  alloc_space: l10n.t('allocated memory'),
  alloc_objects: l10n.t('allocated objects'),
  inuse_space: l10n.t('memory in use'),
  inuse_objects: l10n.t('objects in use'),
  peak_space: l10n.t('peak memory'),
  peak_objects: l10n.t('peak objects'),
  temporary_space: l10n.t('temporary memory'),
  temporary_objects: l10n.t('temporary objects'),
  alloc_samples: l10n.t('allocation samples'),
  inuse_samples: l10n.t('samples in use'),
  peak_samples: l10n.t('samples at the peak'),
  temporary_samples: l10n.t('temporary samples'),
  space: l10n.t('memory'),
  objects: l10n.t('objects'),
  faults: l10n.t('page faults'),
  fault_samples: l10n.t('page fault samples'),
  calls: l10n.t('calls'),
  syscall: l10n.t('time in system calls'),
  syscalls: l10n.t('system calls'),
  syscall_samples: l10n.t('system call samples'),
  syscall_errors: l10n.t('failed system calls'),
};

/** Where there is little room, of the measures that runs of ours have, and of those of the same kind. */
const shortNames: Readonly<Record<string, string>> = {
  cpu: l10n.t('CPU'),
  wait: l10n.t('Waiting'),
  delay: l10n.t('Waiting'),
  alloc_space: l10n.t('Allocated'),
  inuse_space: l10n.t('In use'),
  peak_space: l10n.t('Peak'),
  faults: l10n.t('Faults'),
  syscall: l10n.t('System calls'),
  calls: l10n.t('Calls'),
};

export const familyOf = (family: number): MeasureFamily => measureFamilies[family] ?? 'other';

type Named = Pick<ShownMeasure, 'type' | 'unit'>;

/** `allocated memory`. */
export function measureName({ type }: Named): string {
  return Object.hasOwn(names, type) ? names[type]! : visibleText(type, NAME_MAX);
}

/** As the title of a column. */
export const capitalized = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

/** The same, with the unit where another measure of the run has this name too. */
export const measureNames = (measures: readonly Named[]): string[] => toldApart(measures, measureName);

function toldApart(measures: readonly Named[], name: (measure: Named) => string): string[] {
  const plain = measures.map(name);
  return plain.map((name, at) => {
    const isAlone = plain.indexOf(name) === plain.lastIndexOf(name);
    return isAlone ? name : `${name}, ${visibleText(measures[at]!.unit, NAME_MAX)}`;
  });
}

/** `Allocated`: the name on a button, or the whole name where there is no short one. */
export const shortMeasureName = ({ type, unit }: Named): string =>
  Object.hasOwn(shortNames, type) ? shortNames[type]! : measureName({ type, unit });

/** Whether it has a short name, so that it fits on a button. */
export const hasShortName = ({ type }: Named): boolean => Object.hasOwn(shortNames, type);

/** The same, with the unit where another measure of these has this name too. */
export const shortMeasureNames = (measures: readonly Named[]): string[] => toldApart(measures, shortMeasureName);

/** What counts of a measure are counts of: each wait is recorded, while everything else is sampled. */
export const countedIn = (type: string): Counted => (type === 'wait' || type === 'waits' ? 'waits' : 'samples');

/** Whether a table of the lines that allocate can be made of it. */
export const isSampledMemory = ({ type, unit }: Named): boolean =>
  unit === 'bytes' && ['alloc_space', 'inuse_space', 'peak_space'].includes(type);

/** Whether a run measured more than its samples of CPU time, which tell the same as that time. */
export const hasChoice = (measures: readonly Named[]): boolean =>
  measures.length > 1 && !measures.every(({ type }) => type === 'cpu' || type === 'samples');
