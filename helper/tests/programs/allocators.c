/* Allocates by each function there is, and prints for each marker of a line: bytes and blocks allocated there, and those of them that
 * are not freed. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIMES 10

static void *volatile sink;

/* Eight blocks are freed, two are not. */
#define EACH(call)                           \
	for (int i = 0; i < TIMES; i++) {    \
		void *block = (call);        \
		sink = block;                \
		if (i >= 2)                  \
			free(block);         \
	}

__attribute__((noinline)) static void *aligned(size_t size)
{
	void *block = NULL;
	if (posix_memalign(&block, 256, size)) /* by posix_memalign */
		abort();
	return block;
}

__attribute__((noinline)) static void *grown(void)
{
	char *block = malloc(10);        /* a chain begins */
	for (int i = 0; i < 10; i++)
		block[i] = (char)i;
	block = realloc(block, 5000);    /* it grows */
	block = realloc(block, 200);     /* it shrinks */
	block = realloc(block, 1000000); /* it moves */
	for (int i = 0; i < 10; i++)
		if (block[i] != (char)i)
			abort();
	return block;
}

static void *freeing(void *blocks)
{
	for (void **block = blocks; *block; block++)
		free(*block);
	return NULL;
}

__attribute__((noinline)) static void free_elsewhere(void)
{
	void *blocks[101] = {0};
	for (int i = 0; i < 100; i++)
		blocks[i] = malloc(48); /* freed by another thread */
	pthread_t thread;
	pthread_create(&thread, NULL, freeing, blocks);
	pthread_join(thread, NULL);
}

static void *allocating(void *unused)
{
	(void)unused;
	for (int i = 0; i < 100; i++)
		sink = malloc(56); /* in threads */
	return NULL;
}

/* The child frees what it has from its parent, which is not the parent's free, and leaves something of its own. */
__attribute__((noinline)) static void in_child(void)
{
	void *block = malloc(3000); /* kept by the parent */
	sink = block;
	pid_t child = fork();
	if (child == 0) {
		free(block);
		sink = malloc(7000);    /* by the child */
		sink = malloc(500);     /* by the child, and freed */
		free(sink);
		_exit(0);
	}
	int status;
	if (waitpid(child, &status, 0) != child || status != 0)
		abort(); /* the probes must not harm it */
}

/* What fails is no allocation, and frees nothing. */
__attribute__((noinline)) static int failing(void)
{
	void *block = malloc(600); /* kept although it cannot grow */
	sink = block;
	volatile size_t huge = SIZE_MAX / 2;
	errno = 0;
	void *grown = realloc(block, huge); /* too large */
	int failures = !grown && errno == ENOMEM;
	errno = 0;
	failures += !reallocarray(block, huge, 4) && errno == ENOMEM;
	errno = 0;
	failures += !malloc(huge) && errno == ENOMEM;
	failures += !calloc(huge, 4);
	errno = 7;
	free(NULL);
	free(malloc(0));
	return failures + (errno == 7);
}

int main(void)
{
	EACH(malloc(100));              /* by malloc */
	EACH(calloc(7, 30));            /* by calloc */
	EACH(realloc(NULL, 330));       /* by realloc */
	EACH(reallocarray(NULL, 4, 110)); /* by reallocarray */
	EACH(memalign(64, 550));        /* by memalign */
	EACH(aligned_alloc(64, 640));   /* by aligned_alloc */
	EACH(valloc(770));              /* by valloc */
	EACH(pvalloc(880));             /* by pvalloc */
	EACH(aligned(990));
	EACH(strdup("nine char"));      /* by the C library */
	sink = grown();
	free(grown());
	free_elsewhere();
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, allocating, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	in_child();
	return failing() == 5 ? 0 : 1;
}
