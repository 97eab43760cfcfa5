/* In folder argv[1]: puts links to what lies in folder argv[2] wherever a recording may write, takes them away again, and
 * so on. Counts the links that it has put in the file argv[3], for whoever watches. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "random.h"

/* A place, and what it is linked to below argv[2]. */
static const char *places[][2] = {
	{".lineheat", "folder"},
	{".lineheat/runs", "folder"},
	{"run.pb.gz", "file"},
	{"run.pb.gz.journal", "file"},
	{"dead.pb.gz", "file"},
	{"dead.pb.gz.journal", "file"},
	{"below", "folder"},
};
#define PLACES (sizeof(places) / sizeof(places[0]))

static volatile uint64_t *planted;
static const char *outside;

/* Often none, so that each moment is met; otherwise long enough for the others to get on. */
static void pause_sometimes(void)
{
	if (random_number() % 4 == 0)
		usleep(random_number() % 20000);
}

/* The link at `place` for a while; what was there comes back. */
static void swap(const char *place, const char *to)
{
	char target[600], link[600];
	snprintf(target, sizeof(target), "%s/%s", outside, to);
	snprintf(link, sizeof(link), "swap-%s", strrchr(place, '/') ? strrchr(place, '/') + 1 : place);
	unlink(link);
	if (symlink(target, link))
		return;
	int is_there = renameat2(AT_FDCWD, link, AT_FDCWD, place, RENAME_EXCHANGE) == 0;
	if (!is_there && renameat2(AT_FDCWD, link, AT_FDCWD, place, RENAME_NOREPLACE)) {
		unlink(link);
		return;
	}
	++*planted;
	pause_sometimes();
	if (is_there)
		renameat2(AT_FDCWD, link, AT_FDCWD, place, RENAME_EXCHANGE);
	else
		renameat2(AT_FDCWD, place, AT_FDCWD, link, RENAME_NOREPLACE);
	unlink(link);
}

/* Runs, journals and temporary files whose names nobody knows before. */
static void replace_entries(const char *folder)
{
	char target[600], path[600];
	snprintf(target, sizeof(target), "%s/file", outside);
	DIR *entries = opendir(folder);
	if (!entries)
		return;
	for (struct dirent *entry; (entry = readdir(entries));) {
		if (entry->d_type != DT_REG || !strstr(entry->d_name, ".pb.gz") || random_number() % 16)
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (unlink(path) == 0 && symlink(target, path) == 0)
			++*planted;
	}
	closedir(entries);
}

int main(int argc, char **argv)
{
	if (argc != 4 || chdir(argv[1]))
		return 2;
	outside = argv[2];
	int file = open(argv[3], O_RDWR | O_CREAT, 0666);
	if (file < 0 || ftruncate(file, sizeof(*planted)))
		return 2;
	planted = mmap(0, sizeof(*planted), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	puts("ready");
	fflush(stdout);
	for (;;) {
		uint64_t which = random_number() % (PLACES + 1);
		if (which < PLACES)
			swap(places[which][0], places[which][1]);
		else
			replace_entries(".lineheat/runs");
		pause_sometimes();
	}
}
