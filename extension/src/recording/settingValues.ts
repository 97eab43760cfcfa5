// Values of settings, which may hold anything that JSON can say: what has no use is brought within the bounds.

/** The settings of one section. */
export interface Settings {
  /** The value that counts here, from wherever it was set; undefined: there is none. */
  get(key: string): unknown;
  /** The user's own value, whatever a folder says; undefined: there is none. */
  ofUser(key: string): unknown;
}

export function countIn(value: unknown, { usual, min, max }: { usual: number; min: number; max: number }): number {
  return Math.round(clamp(value === undefined ? usual : value, min, max));
}

export function secondsIn(value: unknown, max: number): number {
  return clamp(value, 0, max);
}

/** Those that are texts, each once. */
export function textsIn(value: unknown): readonly string[] {
  const texts = Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string' && one !== '') : [];
  return [...new Set(texts)];
}

export function isOn(value: unknown): boolean {
  return value === true;
}

export function isOff(value: unknown): boolean {
  return value === false;
}

export function clamp(value: unknown, low: number, high: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.min(Math.max(value, low), high) : low;
}
