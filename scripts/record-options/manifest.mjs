// The settings lineheat.record.* in package.json, with their texts in package.nls.json.

const PREFIX = 'lineheat.record.';
const TEXT_PREFIX = 'setting.record.';

/** @returns {string} the manifest with the settings of these options */
export function manifestText(options, text) {
  const manifest = JSON.parse(text);
  const settings = settingsOf(options);
  const section = manifest.contributes.configuration.find(({ title }) => title === '%settings.record%');
  section.properties = Object.fromEntries(settings.map((option) => [PREFIX + option.setting.key, property(option)]));
  const { untrustedWorkspaces } = manifest.capabilities;
  // What only the user decides is not read from a folder at all.
  const ofFolders = settings.filter(({ setting }) => setting.scope !== 'machine').map(({ setting }) => setting.key);
  untrustedWorkspaces.restrictedConfigurations = [
    ...ofFolders.map((key) => PREFIX + key),
    ...untrustedWorkspaces.restrictedConfigurations.filter((name) => !name.startsWith(PREFIX)),
  ];
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

/** @returns {string} the manifest's texts with those of these options; a new one comes after the others */
export function manifestTexts(options, text) {
  const texts = new Map(settingsOf(options).map(({ setting }) => [TEXT_PREFIX + setting.key, setting.text]));
  const entries = Object.entries(JSON.parse(text));
  const last = entries.findLastIndex(([key]) => key.startsWith(TEXT_PREFIX));
  const known = new Set(entries.map(([key]) => key));
  const made = entries.flatMap(([key, old], at) => {
    const here = !key.startsWith(TEXT_PREFIX) ? [[key, old]] : texts.has(key) ? [[key, texts.get(key)]] : [];
    return at === last ? [...here, ...[...texts].filter(([added]) => !known.has(added))] : here;
  });
  return `${JSON.stringify(Object.fromEntries(made), undefined, 2)}\n`;
}

const settingsOf = (options) =>
  options.filter(({ setting }) => setting).sort((a, b) => a.setting.order - b.setting.order);

function property({ type, min, max, setting, default: usual }) {
  const { key, order, scope } = setting;
  const bounds =
    type === 'count' ? { minimum: min, maximum: setting.max ?? max } : type === 'seconds' ? { minimum: 0 } : {};
  return {
    type: { count: 'integer', seconds: 'number', switch: 'boolean', list: 'array' }[type],
    ...(type === 'list' ? { items: { type: 'string' } } : {}),
    default: usual ?? (type === 'list' ? [] : 0),
    ...bounds,
    scope,
    order,
    markdownDescription: `%${TEXT_PREFIX}${key}%`,
  };
}
