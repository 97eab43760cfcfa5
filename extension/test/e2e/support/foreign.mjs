// A pprof file that Lineheat did not write: a CPU profile of a small Go program when Go is installed, else a made-up one.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { writeLargeProfile } from '../../../../bench/pprof-writer.mjs';
import { findProgram, run } from '../../../../scripts/steps/command.mjs';

const program = `package main

import (
	"fmt"
	"os"
	"runtime/pprof"
	"time"
)

func collatz(n int) int {
	steps := 0
	for ; n != 1; steps++ {
		if n%2 == 0 {
			n /= 2
		} else {
			n = 3*n + 1
		}
	}
	return steps
}

func longest(end time.Time) (best int) {
	for n := 1; time.Now().Before(end); n++ {
		if steps := collatz(n); steps > best {
			best = steps
		}
	}
	return best
}

func main() {
	file, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		panic(err)
	}
	fmt.Println(longest(time.Now().Add(time.Second)))
	pprof.StopCPUProfile()
	file.Close()
}
`;

/** Writes foreign.pb.gz into `folder`; gives the file and the name of a function that must show up. */
export async function foreignProfile(folder) {
  const file = path.join(folder, 'foreign.pb.gz');
  if (!findProgram('go')) {
    writeLargeProfile(file, { samples: 2_000, nodes: 500, locations: 200, functions: 50 });
    return { file, name: 'large::function_1(int)' };
  }
  const source = path.join(folder, 'main.go');
  writeFileSync(source, program);
  await run('go', ['run', source, file], { cwd: folder });
  return { file, name: 'main.collatz' };
}
