// How views, selections and messages name a function.

export interface NamedFunction {
  readonly name: string;
  readonly module: string;
}
