// In which modules of a run functions of one name are.
import { type FunctionTable, wire } from '../../../core/wire.ts';
import { expected, type OpenRun } from '../engine/openProfiles.ts';

/** By name; of the whole run, whatever is selected. */
export async function functionModules(run: OpenRun): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const { defaultValue } = await run.opened();
  const kind = wire.ViewRequest.Kind.FUNCTIONS;
  const reply = await run.requestWhole((id) => ({ view: { kind, run: id, value: defaultValue } }));
  const { frames } = wire.FunctionTable.decode(expected(reply.view, 'View').content) as FunctionTable;
  const { strings, name, module } = expected(frames, 'FrameTable');
  const modules = new Map<string, Set<string>>();
  for (let row = 0; row < name.length; row++) {
    const text = strings[name[row]!] ?? '';
    const known = modules.get(text) ?? new Set();
    modules.set(text, known.add(strings[module[row]!] ?? ''));
  }
  return modules;
}
