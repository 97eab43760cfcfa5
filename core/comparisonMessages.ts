// What the page is told of a comparison beyond its views: the verdict of the whole, how it was made, both sides' executions
// and what differs between them, and the explanation. Texts are made by the host; foreign ones are already escaped.

/** One run of the command; `value` is what is compared, in the unit of the comparison. */
export interface ShownExecution {
  readonly value: number;
  readonly outlier: boolean;
  /** All that is known of it, for a tooltip: wall, CPU time, samples. */
  readonly text: string;
}

/** The executions of one side; median and range are NaN when there are none. */
export interface ShownSide {
  readonly executions: readonly ShownExecution[];
  readonly median: number;
  readonly least: number;
  readonly greatest: number;
}

/** One fact on both sides: a commit, a compiler, arguments. */
export interface ShownFact {
  readonly what: string;
  readonly base: string;
  readonly new: string;
  readonly differs: boolean;
}

export interface ShownComparison {
  /** The verdict of the whole, one sentence; empty when the engine has none. */
  readonly sentence: string;
  readonly verdict: number;
  /** What base and new are called; none: by these words. */
  readonly sideNames: readonly string[];
  /** What values are per: `run`, `unit of work`, `wall second`, `share`. */
  readonly per: string;
  /** Sentences on the method and on the smallest change that would have been seen. */
  readonly method: readonly string[];
  /** The normalisation in force, and those that these runs allow; numbers of protocol/comparison.proto. */
  readonly normalisation: number;
  readonly normalisations: readonly { readonly value: number; readonly label: string }[];
  readonly base: ShownSide;
  readonly new: ShownSide;
  readonly facts: readonly ShownFact[];
  /** Commits that only the new side has, newest first. */
  readonly commits: readonly string[];
}

/** A line of a function's source; 0 where one of the texts does not have it. */
export interface ExplainedLine {
  readonly baseLine: number;
  readonly newLine: number;
  readonly text: string;
  readonly baseSelf: number;
  readonly newSelf: number;
  readonly verdict: number;
}

export interface ExplainedFunction {
  readonly name: string;
  readonly module: string;
  /** `file.cpp:12`, or empty. */
  readonly place: string;
  readonly note: string;
  readonly baseSelf: number;
  readonly newSelf: number;
  readonly change: number;
  readonly low: number;
  readonly high: number;
  readonly q: number;
  readonly verdict: number;
  /** To all increases or decreases: 0.5 is half of them; negative: against the overall change. */
  readonly contribution: number;
  readonly lines: readonly ExplainedLine[];
  /** Row in the table of compared functions. */
  readonly row: number;
}

export interface ShownExplanation {
  readonly netChange: number; // ns
  readonly churn: number;
  readonly functions: readonly ExplainedFunction[];
}
