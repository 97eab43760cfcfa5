// What is shipped runs on a system with any C library, or with none: it loads nothing when it starts or later.
import { run } from '../steps/command.mjs';

/**
 * Functions of the C library that load libraries of the system where they run, also in a static program (NSS, iconv). These
 * fit no other C library than that of their own version: glibc ends the process. `dlopen` itself is always there, for them.
 */
const loading =
  /^(getpw(nam|uid|ent)|getgr(nam|gid|ent|ouplist)|getspnam|gethostby(name|addr)|getserv\w+|getaddrinfo|getnameinfo|initgroups|iconv_open)(_r)?$/;

/** A sentence for each way in which this binary, which has its symbols, needs something of the system; empty when none. */
export async function staticProblems(binary) {
  const headers = await run('readelf', ['--program-headers', '--dynamic', '--wide', binary]);
  const symbols = await run('nm', ['--defined-only', binary]);
  const problems = [];
  for (const [what, pattern] of [
    ['an interpreter', /Requesting program interpreter: (.+)\]/],
    ['a shared library', /\(NEEDED\).*\[(.+)\]/],
  ]) {
    const found = pattern.exec(headers);
    if (found) problems.push(`${binary} needs ${what}, ${found[1]}, and is to need none.`);
  }
  const names = symbols.split('\n').map((line) => line.split(' ').at(-1));
  // As a program without symbols would have no bad one.
  if (!names.includes('main')) problems.push(`${binary} has no symbol \`main\`: nothing was checked.`);
  for (const name of names.filter((name) => loading.test(name)))
    problems.push(`${binary} calls ${name}, which loads libraries of the system. Read its files, or run \`getent\`.`);
  return problems;
}
