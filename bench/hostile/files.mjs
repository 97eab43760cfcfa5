// 1,000 damaged and invented pprof files through the engine and `go tool pprof`.
import { tested } from './tested.mjs';

export const title = 'Hostile input: pprof files';

export async function measure({ files = 1000 } = {}) {
  const told = await tested('hostile', { LINEHEAT_HOSTILE_FILES: String(files), LINEHEAT_HOSTILE_PPROF: 'each' });
  return [
    {
      what: `hostile pprof files through report, annotate, diff and serve: ${told.shown} shown, ${told.refused} refused with their cause`,
      goal: `${files} without hang or panic, none shown that pprof refuses`,
      value: `${told.files}; pprof: ${told.pprofShown} shown, ${told.pprofRefused} refused, ${told.pprofHung} hung, ${told.pprofOver1GB} over 1 GB`,
      ok: told.files === files,
    },
    {
      what: 'maximum CPU time of one command on one file',
      goal: '≤ 10 s',
      value: `${(told.cpuMs / 1000).toFixed(1)} s`,
      ok: told.cpuMs <= 10_000,
    },
    {
      what: 'maximum memory of one command on one file',
      goal: '≤ 1 GB',
      value: `${(told.peakBytes / 1e6).toFixed(0)} MB`,
      ok: told.peakBytes <= 2 ** 30,
    },
  ];
}
