/*
 * Loads the libraries 0 to COUNT - 1 of a folder one after the other, and lets each work for so many microseconds of
 * CPU time:
 *   libraries FOLDER COUNT MICROSECONDS [close]
 *     close  unloads each after its work
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long cpu_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int main(int count, char **arguments)
{
	if (count < 4)
		return 2;
	int libraries = atoi(arguments[2]);
	long us = atol(arguments[3]);
	for (int i = 0; i < libraries; i++) {
		char path[4096];
		snprintf(path, sizeof path, "%s/%05d.so", arguments[1], i);
		void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		void (*run)(long) = library ? (void (*)(long))dlsym(library, "run") : 0;
		if (!run) {
			fprintf(stderr, "%s: %s\n", path, dlerror());
			return 1;
		}
		for (long end = cpu_us() + us; cpu_us() < end;)
			run(10000); /* the call */
		if (count > 4)
			dlclose(library);
	}
	printf("%ld\n", cpu_us() / 1000);
	return 0;
}
