// The kinds of figures that a recording of ours can have besides, each with the record option that asks for it. Calls are not among them:
// their functions must be chosen.

/** By the measures that a page offers where they are missing. */
const OPTION_OF_MEASURE = {
  wait: 'waiting',
  alloc_space: 'allocations',
  inuse_space: 'allocations',
  syscall: 'syscalls',
  faults: 'faults',
} as const;

export type RecordableMeasure = keyof typeof OPTION_OF_MEASURE;
export type KindOption = (typeof OPTION_OF_MEASURE)[RecordableMeasure];

export const isRecordable = (type: unknown): type is RecordableMeasure =>
  typeof type === 'string' && Object.hasOwn(OPTION_OF_MEASURE, type);

/** What a recording takes to have this measure. */
export const recordedWith = (type: RecordableMeasure): { readonly [Option in KindOption]?: true } => ({
  [OPTION_OF_MEASURE[type]]: true,
});
