/* Swaps the file "lineheat-sampler" of folder argv[1] with those beside it, and changes it in place, without a pause
 * longer than a few ms; in between tries in every way to put something of its own at argv[2], at the file's ".new", and
 * at the three folders above them. Counts what it does in the file "counts", for whoever watches. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "random.h"

#define OWN "lineheat-sampler"

/* Read by the test as three numbers. */
struct counts {
	uint64_t swaps;
	uint64_t attempts;
	uint64_t successes; /* of the attempts: each is one too many */
};

/* Mostly none: swaps as fast as they go. The pauses let the others work, and one state last for a whole command. */
static void pause_sometimes(void)
{
	if (random_number() % 32 == 0)
		usleep(random_number() % 4000);
}

static void must(int done, const char *what)
{
	if (!done) {
		perror(what);
		exit(1);
	}
}

static void exchange(const char *other)
{
	must(renameat2(AT_FDCWD, OWN, AT_FDCWD, other, RENAME_EXCHANGE) == 0, other);
}

static void change_in_place(off_t at)
{
	int file = open(OWN, O_RDWR);
	char byte;
	must(file >= 0 && pread(file, &byte, 1, at) == 1, OWN);
	byte ^= 1;
	must(pwrite(file, &byte, 1, at) == 1, OWN);
	close(file);
}

static int attack(const char *path, const char *foreign)
{
	char away[600];
	snprintf(away, sizeof(away), "%s.away", path);
	int file = open(path, O_WRONLY | O_CREAT, 0777);
	int done = (file >= 0) + (rename(path, away) == 0) + (rename("foreign", path) == 0);
	done += (renameat2(AT_FDCWD, "foreign", AT_FDCWD, path, RENAME_EXCHANGE) == 0) + (unlink(path) == 0);
	done += (symlink(foreign, path) == 0) + (link("foreign", path) == 0) + (mkdir(path, 0777) == 0);
	done += (rmdir(path) == 0) + (chmod(path, 0777) == 0);
	if (file >= 0)
		close(file);
	return done;
}

#define WAYS 10

int main(int argc, char **argv)
{
	static const char *others[] = {"foreign", "link", "changed"};
	char paths[5][520], foreign[520];
	must(argc == 3 && chdir(argv[1]) == 0, "swap FOLDER INSTALLED");
	snprintf(foreign, sizeof(foreign), "%s/foreign", argv[1]);
	for (int i = 0; i < 4; i++) {
		snprintf(paths[i], sizeof(paths[i]), "%s", i ? paths[i - 1] : argv[2]);
		if (i)
			*strrchr(paths[i], '/') = 0;
	}
	snprintf(paths[4], sizeof(paths[4]), "%.512s/.new", paths[1]);
	int file = open("counts", O_RDWR | O_CREAT, 0666);
	must(file >= 0 && ftruncate(file, sizeof(struct counts)) == 0, "counts");
	volatile struct counts *counts = mmap(0, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	must(counts != MAP_FAILED, "counts");
	puts("ready");
	fflush(stdout);
	for (;;) {
		int how = random_number() % 4;
		for (int back = 0; back < 2; back++) {
			if (how < 3)
				exchange(others[how]);
			else
				change_in_place(4711);
			counts->swaps++;
			pause_sometimes();
		}
		counts->successes += attack(paths[random_number() % 5], foreign);
		counts->attempts += WAYS;
	}
}
