// A comparison as the host would tell it, for tests and pictures of the page.
import type { ShownComparison, ShownExplanation, ShownSide } from '../../core/comparisonMessages.ts';
import type { ShownSweep } from '../../core/sweepMessages.ts';

const MS = 1_000_000;
/** One side; an odd number of values. */
const side = (values: readonly number[]): ShownSide => ({
  executions: values.map((value, at) => ({
    value: value * MS,
    outlier: value > 3400,
    text: `run ${at + 1} · ${(value / 1000).toFixed(2)} s wall · ${value} samples${value > 3400 ? ' · outlier' : ''}`,
  })),
  median: [...values].sort((a, b) => a - b)[values.length >> 1]! * MS,
  least: Math.min(...values) * MS,
  greatest: Math.max(...values) * MS,
});

export const shownShop: ShownComparison = {
  sentence: 'hash map is 24.6 % faster (22.1 to 27.0) in CPU time per run; 3 functions explain 92 % of it.',
  verdict: 2,
  sideNames: [],
  per: 'run',
  method: [
    'Moderated t over the logarithms of 5 + 5 runs, Benjamini-Hochberg at 5 %.',
    'These runs can show an overall change of 2.1 % or more in 4 of 5 cases.',
  ],
  normalisation: 2,
  normalisations: [
    { value: 2, label: 'per run' },
    { value: 3, label: 'per wall second' },
    { value: 4, label: 'share of total' },
  ],
  base: side([3180, 3204, 3150, 3222, 3471]),
  new: side([2390, 2410, 2377, 2450, 2402]),
  facts: [
    { what: 'commit', base: 'a1b2c3d', new: 'e4f5a6b', differs: true },
    { what: 'flags', base: '-O2 -g', new: '-O2 -g', differs: false },
    { what: 'compiler', base: 'GCC 12.2.0', new: 'GCC 12.2.0', differs: false },
    { what: 'arguments', base: 'words.txt', new: 'words.txt --quiet', differs: true },
  ],
  commits: ['e4f5a6b count: a hash map instead of the ordered one', 'd3e4f5a tests: the words of a large file'],
};

const line = (baseLine: number, newLine: number, text: string, baseSelf = 0, newSelf = 0, verdict = 0) => ({
  baseLine,
  newLine,
  text,
  baseSelf: baseSelf * MS,
  newSelf: newSelf * MS,
  verdict,
});

export const explainedShop: ShownExplanation = {
  netChange: -783 * MS,
  churn: 1_540 * MS,
  functions: [
    {
      name: 'std::_Rb_tree<std::string, …>::_M_get_insert_unique_pos(std::string const&)',
      module: 'shop',
      place: 'stl_tree.h:2064',
      note: '',
      baseSelf: 610 * MS,
      newSelf: 0,
      change: Number.NaN,
      low: Number.NaN,
      high: Number.NaN,
      q: 0.0001,
      verdict: 4,
      contribution: 0.78,
      row: 0,
      lines: [],
    },
    {
      name: 'shop::countWords(std::istream&)',
      module: 'shop',
      place: 'count.cpp:34',
      note: 'inlined: cost moved here from shop::add',
      baseSelf: 140 * MS,
      newSelf: 105 * MS,
      change: -0.25,
      low: -0.31,
      high: -0.18,
      q: 0.002,
      verdict: 2,
      contribution: 0.045,
      row: 9,
      lines: [
        line(33, 33, '// Counts each word of the input.'),
        line(34, 0, 'std::map<std::string, unsigned long> counts;', 12),
        line(0, 34, 'std::unordered_map<std::string, unsigned long> counts;', 0, 8, 3),
        line(35, 35, 'while (auto word = tokenizer.next()) {', 60, 57),
        line(36, 36, '  ++counts[*word];', 68, 40, 2),
      ],
    },
    {
      name: 'std::_Hashtable<std::string, …>::_M_find_before_node(unsigned long, std::string const&)',
      module: 'shop',
      place: 'hashtable.h:1835',
      note: '',
      baseSelf: 0,
      newSelf: 310 * MS,
      change: Number.NaN,
      low: Number.NaN,
      high: Number.NaN,
      q: 0.0001,
      verdict: 3,
      contribution: -0.396,
      row: 1,
      lines: [],
    },
    {
      name: 'shop::Tokenizer::next()',
      module: 'shop',
      place: 'tokenizer.hpp:58',
      note: '',
      baseSelf: 318 * MS,
      newSelf: 322 * MS,
      change: 0.0126,
      low: -0.02,
      high: 0.046,
      q: 0.6,
      verdict: 0,
      contribution: -0.005,
      row: 12,
      lines: [line(58, 58, 'char c = *at++;', 318, 322)],
    },
  ],
};

export const shownSweep: ShownSweep = {
  parameters: ['threads', 'chunk'],
  value: 'wall time per run',
  cells: 12,
  rows: ['1', '2', '4', '8'].flatMap((threads) =>
    ['5000', '20000', '50000'].slice(0, threads === '8' ? 2 : 3).map((chunk) => {
      const mean = 3200 / Number(threads) ** (chunk === '5000' ? 0.6 : 0.9) + Number(chunk) / 200;
      return {
        values: [threads, chunk],
        runs: 3,
        meanWallNs: mean * MS,
        sdWallNs: mean * MS * 0.04,
        meanCpuNs: 3300 * MS,
        sdCpuNs: 20 * MS,
        best: threads === '8' && chunk === '20000',
        likeBest: threads === '4' && chunk === '20000',
      };
    }),
  ),
  growing: [
    {
      name: 'shop::merge(Counts&)',
      parameter: 'threads',
      exponent: 1.04,
      cpuNs: Array.from({ length: 11 }, (_, i) => (10 + i) * MS),
    },
    {
      name: 'pthread_mutex_lock',
      parameter: 'threads',
      exponent: 0.61,
      cpuNs: Array.from({ length: 11 }, (_, i) => (5 + i) * MS),
    },
  ],
};
