/* A server that answers 500 requests, one each 2 ms. It keeps four kinds of memory, blocks of 4000 bytes each: sessions are freed 40
 * requests later, a cache fills up with 60 entries and replaces them from then on, an answer is freed at once, and four notes of each
 * request are never freed: 8,000,000 bytes by the end. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REQUESTS = 500, SESSIONS = 40, ENTRIES = 60, NOTES = 4, BYTES = 4000 };

static char *sessions[SESSIONS], *entries[ENTRIES];
static char *volatile last_note;

__attribute__((noinline)) static void open_session(int request)
{
	char **session = &sessions[request % SESSIONS];
	free(*session);
	*session = malloc(BYTES); /* a session */
}

__attribute__((noinline)) static void remember(int request)
{
	char **entry = &entries[request % ENTRIES];
	free(*entry);
	*entry = malloc(BYTES); /* an entry */
}

__attribute__((noinline)) static void answer(int request)
{
	char *volatile text = malloc(BYTES); /* an answer */
	memset(text, request, BYTES);
	free(text);
}

__attribute__((noinline)) static void take_note(void)
{
	last_note = malloc(BYTES); /* the leak */
}

int main(void)
{
	struct timespec pause = {.tv_nsec = 2000000};
	for (int request = 0; request < REQUESTS; request++) {
		open_session(request);
		remember(request);
		answer(request);
		for (int note = 0; note < NOTES; note++)
			take_note();
		nanosleep(&pause, NULL);
	}
	return 0;
}
