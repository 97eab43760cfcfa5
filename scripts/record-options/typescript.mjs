// What the extension needs to know of record options: extension/src/recording/recordOptions.ts.
import { camelCase, literal, madeFrom, wireFields } from './table.mjs';

const tsType = {
  count: 'number',
  seconds: 'number',
  number: 'number',
  switch: 'boolean',
  text: 'string',
  list: 'readonly string[]',
};

/** @returns {string} */
export function typescriptText(options) {
  const number = (option) => wireFields(option)[0].number;
  const chosen = options.filter(({ setting, callers }) => setting || callers).sort((a, b) => number(a) - number(b));
  const lines = (of, line) => of.map(line).join('\n');
  const names = (of) => of.map(({ field }) => camelCase(field));
  const bounded = chosen.filter(({ type, setting }) => type === 'count' && setting);
  const callers = chosen.filter((option) => option.callers);
  const sent = chosen.filter(({ isOfLaunched }) => !isOfLaunched);
  const ofLaunched = chosen.filter(({ isOfLaunched }) => isOfLaunched);
  return `// How a program is recorded, as the user's settings and callers of commands choose it.
// ${madeFrom}
import * as l10n from '@vscode/l10n';
import { countIn, isOff, isOn, type Settings, secondsIn, textsIn } from './settingValues.ts';

export interface RecordSettings {
${lines(chosen, (option) => `  /** ${option.means} */\n  readonly ${camelCase(option.field)}: ${tsType[option.type]};`)}
}

${lines(bounded, (option) => `export const ${option.field.toUpperCase()}_MAX = ${literal(settingMax(option))};`)}

/** What the user's settings say; \`settings\` are those below lineheat.record. */
export function chosenBySettings(settings: Settings): RecordSettings {
  return {
${lines(chosen, (option) => `    ${camelCase(option.field)}: ${fromSetting(option)},`)}
  };
}

/** What callers of a command may say, with the type of each. */
export const CALLER_OPTIONS = {
${lines(callers, ({ field, type }) => `  ${camelCase(field)}: '${tsType[type]}',`)}
} as const;

export function whatCallersGive(): string {
  return l10n.t(
    'lineheat.profileTarget takes { ${['program', 'args', 'cwd', 'env', ...names(callers)].join(', ')} }: ${kinds(callers)}.',
  );
}

/** Their fields of a RecordRequest. */
export function requestFields(chosen: RecordSettings) {
  return {
${lines(sent.flatMap(sentFields), (line) => `    ${line},`)}
  };
}

/** Those that concern only a program that is launched. */
export function launchFields(chosen: RecordSettings) {
  return {
${lines(ofLaunched.flatMap(sentFields), (line) => `    ${line},`)}
  };
}
`;
}

const settingMax = ({ max, setting }) => setting.max ?? max;

function fromSetting(option) {
  const { type, setting, min } = option;
  const usual = option.default ?? 0;
  if (!setting) return typeof usual === 'string' ? `'${usual}'` : String(usual);
  const value = `settings.${setting.scope === 'machine' ? 'ofUser' : 'get'}('${setting.key}')`;
  if (type === 'list') return `textsIn(${value})`;
  if (type === 'switch') return usual ? `!isOff(${value})` : `isOn(${value})`;
  if (type === 'seconds') return `secondsIn(${value}, ${literal(setting.clampedTo)})`;
  return `countIn(${value}, { usual: ${literal(usual)}, min: ${literal(min)}, max: ${option.field.toUpperCase()}_MAX })`;
}

const sentFields = (option) =>
  wireFields(option).map(({ field, isNegated }) => {
    const value = `chosen.${camelCase(option.field)}`;
    const sent = option.type === 'list' ? `[...${value}]` : `${isNegated ? '!' : ''}${value}`;
    return `${camelCase(field)}: ${sent}`;
  });

const kinds = (callers) =>
  callers.some(({ type }) => type === 'switch')
    ? 'strings, lists of strings, numbers and booleans'
    : 'strings, lists of strings and numbers';
