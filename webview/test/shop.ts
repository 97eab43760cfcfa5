// A small, lifelike profile for tests and pictures: a C++ program that counts words in an ordered map, and the same
// program after the map became a hash map.
import { comparedContent, type EffectSpec, functionsContent, graphContent, type NodeSpec } from './contents.ts';

const MAP =
  'std::_Rb_tree<std::string, std::pair<const std::string, unsigned long>, std::_Select1st<…>, std::less<std::string>>';
const CPP = '/projects/shop/src/count.cpp';
const LIBC = { module: 'libc.so.6' };
const KERNEL = { module: '[kernel]', kind: 2 };

export const shopTree: NodeSpec = {
  name: 'all',
  self: 0,
  children: [
    {
      name: '_start',
      self: 0,
      newSelf: 0,
      children: [
        {
          name: '__libc_start_main',
          ...LIBC,
          self: 0,
          children: [
            {
              name: 'main',
              self: 12,
              newSelf: 14,
              file: '/projects/shop/src/main.cpp',
              line: 21,
              children: [
                {
                  name: 'shop::countWords(std::istream&)',
                  self: 140,
                  newSelf: 150,
                  file: CPP,
                  line: 34,
                  children: [
                    {
                      name: `${MAP}::_M_get_insert_unique_pos(std::string const&)`,
                      self: 610,
                      file: '/usr/include/c++/12/bits/stl_tree.h',
                      line: 2064,
                      children: [
                        {
                          name: 'std::less<std::string>::operator()(std::string const&, std::string const&) const',
                          kind: 1,
                          self: 220,
                          file: '/usr/include/c++/12/bits/stl_function.h',
                          line: 408,
                          children: [{ name: '__memcmp_avx2_movbe', ...LIBC, self: 540 }],
                        },
                      ],
                    },
                    {
                      name: 'std::_Hashtable<std::string, …>::_M_find_before_node(unsigned long, std::string const&)',
                      self: 0,
                      newSelf: 310,
                      file: '/usr/include/c++/12/bits/hashtable.h',
                      line: 1835,
                      children: [
                        { name: '__memcmp_avx2_movbe', ...LIBC, self: 0, newSelf: 74 },
                        {
                          name: 'std::_Hash_bytes(void const*, unsigned long, unsigned long)',
                          module: 'libstdc++.so.6',
                          self: 0,
                          newSelf: 180,
                        },
                      ],
                    },
                    {
                      name: 'shop::Tokenizer::next()',
                      self: 318,
                      newSelf: 322,
                      file: '/projects/shop/src/tokenizer.hpp',
                      line: 58,
                      children: [
                        {
                          name: 'shop::isLetter(char)',
                          kind: 1,
                          self: 190,
                          newSelf: 186,
                          file: '/projects/shop/src/tokenizer.hpp',
                          line: 17,
                        },
                        { name: 'std::string::push_back(char)', kind: 1, self: 84, newSelf: 90 },
                      ],
                    },
                    {
                      name: 'operator new(unsigned long)',
                      module: 'libstdc++.so.6',
                      self: 20,
                      newSelf: 12,
                      children: [
                        {
                          name: 'malloc',
                          ...LIBC,
                          self: 92,
                          newSelf: 60,
                          children: [
                            {
                              name: '_int_malloc',
                              ...LIBC,
                              self: 88,
                              newSelf: 51,
                              children: [
                                {
                                  name: 'asm_exc_page_fault',
                                  ...KERNEL,
                                  self: 6,
                                  newSelf: 5,
                                  children: [
                                    {
                                      name: 'do_user_addr_fault',
                                      ...KERNEL,
                                      self: 9,
                                      newSelf: 7,
                                      children: [
                                        {
                                          name: 'handle_mm_fault',
                                          ...KERNEL,
                                          self: 31,
                                          newSelf: 24,
                                          children: [{ name: 'clear_page_erms', ...KERNEL, self: 46, newSelf: 40 }],
                                        },
                                      ],
                                    },
                                  ],
                                },
                              ],
                            },
                          ],
                        },
                      ],
                    },
                  ],
                },
                {
                  name: 'shop::readAll(int)',
                  self: 8,
                  newSelf: 7,
                  file: '/projects/shop/src/main.cpp',
                  line: 12,
                  children: [
                    {
                      name: 'read',
                      ...LIBC,
                      self: 6,
                      newSelf: 7,
                      children: [
                        {
                          name: 'entry_SYSCALL_64_after_hwframe',
                          ...KERNEL,
                          self: 4,
                          newSelf: 4,
                          children: [
                            {
                              name: 'do_syscall_64',
                              ...KERNEL,
                              self: 3,
                              newSelf: 2,
                              children: [
                                {
                                  name: 'ksys_read',
                                  ...KERNEL,
                                  self: 2,
                                  newSelf: 3,
                                  children: [
                                    {
                                      name: 'vfs_read',
                                      ...KERNEL,
                                      self: 5,
                                      newSelf: 4,
                                      children: [
                                        {
                                          name: 'filemap_read',
                                          ...KERNEL,
                                          self: 28,
                                          newSelf: 30,
                                          children: [{ name: 'copy_page_to_iter', ...KERNEL, self: 96, newSelf: 99 }],
                                        },
                                      ],
                                    },
                                  ],
                                },
                              ],
                            },
                          ],
                        },
                      ],
                    },
                  ],
                },
                {
                  name: 'shop::report(std::map<std::string, unsigned long> const&)',
                  self: 24,
                  newSelf: 0,
                  file: '/projects/shop/src/report.cpp',
                  line: 9,
                  children: [
                    { name: 'std::ostream::operator<<(unsigned long)', module: 'libstdc++.so.6', self: 61, newSelf: 0 },
                    {
                      name: 'void std::__introsort_loop<…>(…)',
                      self: 130,
                      newSelf: 0,
                      file: '/usr/include/c++/12/bits/stl_algo.h',
                      line: 1940,
                    },
                  ],
                },
                {
                  name: 'shop::report(std::unordered_map<std::string, unsigned long> const&)',
                  self: 0,
                  newSelf: 30,
                  file: '/projects/shop/src/report.cpp',
                  line: 9,
                  children: [
                    { name: 'std::ostream::operator<<(unsigned long)', module: 'libstdc++.so.6', self: 0, newSelf: 64 },
                    {
                      name: 'void std::__introsort_loop<…>(…)',
                      self: 0,
                      newSelf: 171,
                      file: '/usr/include/c++/12/bits/stl_algo.h',
                      line: 1940,
                    },
                  ],
                },
                {
                  name: 'shop::Options::parse(int, char**)',
                  self: 3,
                  newSelf: 4,
                  file: '/projects/shop/src/options.cpp',
                  line: 40,
                },
                { name: '0x7f3c (no symbol)', module: 'libz.so.1', kind: 3, self: 11, newSelf: 12 },
                ...Array.from({ length: 60 }, (_, i) => ({
                  name: `shop::detail::visit<${i}>()`,
                  self: i % 3 === 0 ? 1 : 0,
                  newSelf: i % 4 === 0 ? 1 : 0,
                  children: [],
                })),
              ],
            },
          ],
        },
      ],
    },
  ],
};

interface Sums {
  self: number;
  total: number;
  newSelf: number;
  newTotal: number;
  readonly spec: NodeSpec;
}

/** Totals of a node and what it calls. */
function totalsOf(spec: NodeSpec): [number, number] {
  return (spec.children ?? []).reduce<[number, number]>(
    ([base, later], child) => {
      const [childBase, childLater] = totalsOf(child);
      return [base + childBase, later + childLater];
    },
    [spec.self, spec.newSelf ?? 0],
  );
}

/** Sums by function. No function of this tree calls itself, so totals simply add up. */
function functionsOf(root: NodeSpec): Sums[] {
  const byName = new Map<string, Sums>();
  const visit = (spec: NodeSpec) => {
    const sums = byName.get(spec.name) ?? { self: 0, total: 0, newSelf: 0, newTotal: 0, spec };
    const [base, later] = totalsOf(spec);
    sums.self += spec.self;
    sums.newSelf += spec.newSelf ?? 0;
    sums.total += base;
    sums.newTotal += later;
    byName.set(spec.name, sums);
    for (const child of spec.children ?? []) visit(child);
  };
  for (const child of root.children ?? []) visit(child);
  return [...byName.values()];
}

const sums = functionsOf(shopTree);
export const shopTotals = totalsOf(shopTree);

export const shopGraph = graphContent(shopTree);
export const shopComparedGraph = graphContent(shopTree, true);
export const shopFunctions = functionsContent(
  sums
    .filter(({ total }) => total > 0)
    .sort((a, b) => b.self - a.self)
    .map(({ self, total, spec }) => ({ ...spec, self, total })),
  shopTotals[0],
);

const verdictOf = ({ self, newSelf, total, newTotal }: Sums): number => {
  if (total + newTotal < 10) return 6;
  if (total === 0) return 3;
  if (newTotal === 0) return 4;
  if (Math.abs(newSelf - self) < 3 * Math.sqrt(self + newSelf + 1)) return 0;
  return newSelf > self ? 1 : 2;
};

const changed = [...sums].sort((a, b) => Math.abs(b.newSelf - b.self) - Math.abs(a.newSelf - a.self));
const comparedFunctionRows = changed.map((row) => ({
  name: row.spec.name,
  base: [row.self, row.total] as const,
  later: [row.newSelf, row.newTotal] as const,
  verdict: verdictOf(row),
  note: row.spec.name.startsWith('std::_Hash_bytes') ? 'cost moved here from std::_Rb_tree' : '',
}));
const comparedLineRows = changed
  .filter(({ spec }) => spec.file)
  .map((row) => ({
    name: row.spec.name,
    file: row.spec.file!,
    line: row.spec.line ?? 1,
    baseLine: row.self > 0 ? (row.spec.line ?? 1) + (row.spec.file === CPP ? -3 : 0) : 0,
    base: [row.self, row.total] as const,
    later: [row.newSelf, row.newTotal] as const,
    verdict: verdictOf(row),
  }));
export const shopComparedFunctions = comparedContent(comparedFunctionRows, shopTotals);
export const shopComparedLines = comparedContent(comparedLineRows, shopTotals);

/** As an engine might judge two counts, with an interval of three standard deviations of a Poisson count. */
export function judgeShop(base: number, later: number): EffectSpec {
  if (base + later < 10) return { verdict: 6 };
  if (base === 0) return { verdict: 3, q: 0.0001 };
  if (later === 0) return { verdict: 4, q: 0.0001 };
  const change = later / base - 1;
  const half = 3 * Math.sqrt(1 / base + 1 / later) * (1 + change);
  const clear = Math.abs(change) > half;
  const verdict = clear ? (change > 0 ? 1 : 2) : 0;
  return { verdict, change, low: Math.max(-1, change - half), high: change + half, q: clear ? 0.003 : 0.4 };
}
export const shopJudgedGraph = graphContent(shopTree, true, judgeShop);
export const shopJudgedFunctions = comparedContent(comparedFunctionRows, shopTotals, judgeShop);
export const shopJudgedLines = comparedContent(comparedLineRows, shopTotals, judgeShop);
