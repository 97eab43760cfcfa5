// The `inputs` of a launch.json: what `${input:id}` asks for.

export type LaunchInput =
  | { readonly kind: 'prompt'; readonly description: string; readonly default: string; readonly password: boolean }
  | {
      readonly kind: 'pick';
      readonly description: string;
      readonly default: string;
      readonly options: readonly { readonly label: string; readonly value: string }[];
    }
  | { readonly kind: 'command'; readonly command: string; readonly argument: unknown };

/** The input with this id; undefined when there is none, or it is of no known shape. */
export function launchInput(inputs: unknown, id: string): LaunchInput | undefined {
  const input = Array.isArray(inputs) ? inputs.map(recordOf).find((candidate) => candidate.id === id) : undefined;
  if (!input) return undefined;
  const described = { description: textOf(input.description) || id, default: textOf(input.default) };
  switch (input.type) {
    case 'promptString':
      return { kind: 'prompt', ...described, password: input.password === true };
    case 'pickString': {
      const options = Array.isArray(input.options) ? input.options.flatMap(optionOf) : [];
      return options.length > 0 ? { kind: 'pick', ...described, options } : undefined;
    }
    case 'command':
      return typeof input.command === 'string'
        ? { kind: 'command', command: input.command, argument: input.args }
        : undefined;
    default:
      return undefined;
  }
}

/** An option is a text, or a label with a value. */
function optionOf(option: unknown): { label: string; value: string }[] {
  if (typeof option === 'string') return [{ label: option, value: option }];
  const { label, value } = recordOf(option);
  return typeof value === 'string' ? [{ label: textOf(label) || value, value }] : [];
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
