// How views, selections and messages name a function.

export interface NamedFunction {
  readonly name: string;
  readonly module: string;
}

export const isSameFunction = (a: NamedFunction, b: NamedFunction): boolean =>
  a.name === b.name && a.module === b.module;
