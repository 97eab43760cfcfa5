// Ten workspaces as newcomers open them, made by the real tools. Each is profiled from the list of targets in the editor.
// `choices` are the rows that a person picks after "Profile This Target"; a choice with `answer` is typed.
import { chmodSync, cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { run } from '../../../../scripts/steps/command.mjs';

/** The line that is hot in every C and C++ program here. */
const HOT = 'sum += 1.0 / (double)(i % 7 + 1) / (double)i;';
const TURNS = 200_000_000;
const burn = (turns = TURNS) => `static double burn(long turns) {
  double sum = 0;
  for (long i = 1; i <= turns; i++)
    ${HOT}
  return sum;
}

int main(int argc, char **argv) { return burn(${turns} + argc) < 0 && argv; }
`;

const write = (folder, files) => {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof text === 'string' ? text : JSON.stringify(text, null, 2));
  }
};

const cmakePresets = {
  name: 'CMake presets, in a path with a space and an umlaut',
  folder: 'größe und maß',
  choices: ['Configure CMake with Preset perf', 'CMake, out/perf, RelWithDebInfo'],
  hot: ['burn.c', HOT],
  make: (folder) =>
    write(folder, {
      'CMakeLists.txt': 'cmake_minimum_required(VERSION 3.21)\nproject(burn C)\nadd_executable(burn burn.c)\n',
      'CMakePresets.json': {
        version: 3,
        configurePresets: [
          {
            name: 'perf',
            generator: 'Unix Makefiles',
            binaryDir: `\${sourceDir}/out/\${presetName}`,
            cacheVariables: { CMAKE_BUILD_TYPE: 'RelWithDebInfo' },
          },
        ],
      },
      'burn.c': burn(),
    }),
};

const make = {
  name: 'Make, never built, without -g',
  folder: 'make',
  choices: ['Make, burn, adds -g'],
  hot: ['burn.c', HOT],
  make: (folder) => write(folder, { Makefile: 'CFLAGS = -O2\nburn: burn.o\n', 'burn.c': burn() }),
};

const cargo = {
  name: 'Cargo with tests and benches',
  folder: 'cargo',
  choices: ['Cargo integration test of sums', 'All Tests'],
  hot: ['lib.rs', 'sum += 1.0 / (i % 7 + 1) as f64 / i as f64;'],
  run: /^harmonic/, // the name of the run: no hash
  make: (folder) =>
    write(folder, {
      'Cargo.toml':
        '[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n[[bench]]\nname = "speed"\nharness = false\n[workspace]\n',
      'src/lib.rs': `pub fn harmonic(turns: u64) -> f64 {
    let mut sum = 0.0;
    for i in 1..=turns {
        sum += 1.0 / (i % 7 + 1) as f64 / i as f64;
    }
    sum
}
`,
      'tests/harmonic.rs': `#[test]
fn large() {
    assert!(sums::harmonic(${TURNS}) > 1.0);
}
#[test]
fn small() {
    assert!(sums::harmonic(1) > 0.4);
}
`,
      'benches/speed.rs': 'fn main() {\n    println!("{}", sums::harmonic(10));\n}\n',
    }),
};

const meson = {
  name: 'Meson, never configured',
  folder: 'meson',
  choices: ['Meson, build/lineheat-meson, debugoptimized'],
  hot: ['burn.c', HOT],
  make: (folder) =>
    write(folder, { 'meson.build': "project('burn', 'c')\nexecutable('burn', 'burn.c')\n", 'burn.c': burn() }),
};

const go = {
  name: 'Go, never built, in a subfolder',
  folder: 'go',
  choices: ['Go program ./cmd/sums'],
  hot: ['main.go', 'sum += 1.0 / float64(i%7+1) / float64(i)'],
  make: (folder) =>
    write(folder, {
      'service/go.mod': 'module example.com/service\n\ngo 1.18\n',
      'service/cmd/sums/main.go': `package main

import "fmt"

func harmonic(turns int) (sum float64) {
	for i := 1; i <= turns; i++ {
		sum += 1.0 / float64(i%7+1) / float64(i)
	}
	return sum
}

func main() { fmt.Println(harmonic(${TURNS})) }
`,
    }),
};

const prebuilt = {
  name: 'a program built elsewhere, its sources moved since',
  folder: 'prebuilt',
  choices: ['bin/burn'],
  hot: ['burn.c', HOT],
  async make(folder) {
    const before = `${folder} of the builder`;
    write(path.join(before, 'burn/src'), { 'burn.c': burn() });
    await run('gcc', ['-O2', '-g', '-o', 'burn.out', path.join(before, 'burn/src/burn.c')], { cwd: before });
    mkdirSync(path.join(folder, 'bin'), { recursive: true });
    cpSync(path.join(before, 'burn.out'), path.join(folder, 'bin/burn'));
    renameSync(path.join(before, 'burn'), path.join(folder, 'burn'));
    rmSync(before, { recursive: true });
  },
};

const attach = {
  name: 'launch.json that attaches to a process',
  folder: 'attach',
  choices: ['join the server'],
  hot: ['burn.c', HOT],
  async make(folder) {
    write(folder, {
      'burn.c': burn('900000000000'),
      '.vscode/settings.json': { 'lineheat.record.durationLimit': 1 },
      '.vscode/launch.json': {
        version: '0.2.0',
        configurations: [
          {
            name: 'join the server',
            type: 'cppdbg',
            request: 'attach',
            program: `\${workspaceFolder}/burn`,
            processId: `\${command:pickProcess}`,
          },
        ],
      },
    });
    await run('gcc', ['-O2', '-g', '-o', 'burn', 'burn.c'], { cwd: folder });
  },
  /** What runs while it is recorded. */
  server: (folder) => path.join(folder, 'burn'),
};

const multiRoot = {
  name: 'two folders with a program of the same name',
  folder: 'multi/first',
  workspace: 'multi/both.code-workspace',
  choices: ['second: Make, burn'],
  hot: ['second.c', HOT],
  make(folder) {
    write(path.dirname(folder), {
      'both.code-workspace': { folders: [{ path: 'first' }, { path: 'second' }] },
      'first/Makefile': 'CFLAGS = -O2 -g\nburn: burn.c\n',
      'first/burn.c': 'int main(void) { return 0; }\n',
      'second/Makefile': 'CFLAGS = -O2 -g\nburn: second.c\n\t$(CC) $(CFLAGS) -o $@ $^\n',
      'second/second.c': burn(),
    });
  },
};

const googletest = {
  name: 'GoogleTest, one test of it',
  folder: 'googletest',
  choices: ['Make, sums_test', 'Sums.Large'],
  hot: ['sums_test.cc', HOT],
  make: (folder) =>
    write(folder, {
      Makefile:
        'CXXFLAGS = -O1 -g\nsums_test: sums_test.cc\n\t$(CXX) $(CXXFLAGS) -o $@ $^ -lgtest_main -lgtest -lpthread\n',
      'sums_test.cc': `#include <gtest/gtest.h>

static double burn(long turns) {
  double sum = 0;
  for (long i = 1; i <= turns; i++)
    ${HOT}
  return sum;
}

TEST(Sums, Small) { EXPECT_GT(burn(10), 1); }
TEST(Sums, Large) { EXPECT_GT(burn(${TURNS}), 1); }
TEST(Other, Fails) { FAIL() << "it was not chosen"; }
`,
    }),
};

const python = {
  name: 'Python with a C extension, asked for its input in the terminal',
  folder: 'python',
  choices: ['Run a Command…', { answer: '/usr/bin/python3 main.py' }],
  types: `${TURNS}`,
  hot: ['native.c', HOT],
  async make(folder) {
    write(folder, {
      'main.py': 'import native\n\nprint(native.burn(int(input("turns? "))))\n',
      'native.c': `#include <Python.h>

static PyObject *burn(PyObject *self, PyObject *turns) {
  long end = PyLong_AsLong(turns);
  double sum = 0;
  for (long i = 1; i <= end; i++)
    ${HOT}
  return PyFloat_FromDouble(sum);
}

static PyMethodDef methods[] = {{"burn", burn, METH_O, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "native", "", -1, methods};
PyMODINIT_FUNC PyInit_native(void) { return PyModule_Create(&module); }
`,
    });
    const code =
      'import sysconfig; print(sysconfig.get_path("include")); print(sysconfig.get_config_var("EXT_SUFFIX"))';
    const [include, suffix] = (await run('/usr/bin/python3', ['-c', code])).trim().split('\n');
    const flags = ['-O2', '-g', '-shared', '-fPIC', `-I${include}`];
    await run('gcc', [...flags, '-o', `native${suffix}`, 'native.c'], { cwd: folder });
  },
};

export const workspaces = [...[cmakePresets, make, cargo, meson, go, prebuilt, attach, multiRoot, googletest, python]];

/** Makes all of them below `base`. Gives each with the path of its folder and what the editor opens. */
export async function makeWorkspaces(base) {
  const made = [];
  for (const workspace of workspaces) {
    const folder = path.join(base, workspace.folder);
    mkdirSync(folder, { recursive: true });
    await workspace.make(folder);
    made.push({
      ...workspace,
      folder,
      workspace: workspace.workspace && path.join(base, workspace.workspace),
    });
  }
  chmodSync(base, 0o755);
  return made;
}
