/* A storm of forks and execs: CHILDREN times a child of itself is started that works for a few milliseconds, every
 * fourth through a shell; WIDTH of them at once.
 *
 *   storm CHILDREN [WIDTH]
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ended.h"

static char self[4096];

__attribute__((noinline)) static unsigned long spin(unsigned long rounds) {
  unsigned long x = 1;
  for (unsigned long i = 0; i < rounds; ++i) x = x * 6364136223846793005ull + (x >> 33);
  return x;
}

static int child(void) {
  char *lines[64];
  for (int i = 0; i < 64; ++i) {
    if (asprintf(&lines[i], "%lu", spin(2000000) + i) < 0) return 1;
  }
  for (int i = 0; i < 64; ++i) free(lines[i]);
  return 0;
}

static void start(int number) {
  const pid_t pid = fork();
  if (pid < 0) {
    perror("storm: fork");
    exit(1);
  }
  if (pid > 0) return;
  if (number % 4 == 0) execl("/bin/sh", "sh", "-c", "\"$1\" child; :", "sh", self, (char *)0);
  execl(self, self, "child", (char *)0);
  perror("storm: exec");
  _exit(127);
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "child") == 0) return child();
  const int children = argc > 1 ? atoi(argv[1]) : 200;
  const int width = argc > 2 ? atoi(argv[2]) : 2;
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return 1;
  for (int i = 0, running = 0; i < children || running > 0;) {
    if (i < children && running < width) {
      start(i++);
      ++running;
    } else if (wait(0) > 0) {
      --running;
    }
  }
  print_end(children);
}
