/* Waits for a pipe and a socket in turns, by the same read(): only the kernel's functions tell one from the other. */
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TURNS = 150 };

static int writing[2];

static void *writer(void *unused)
{
	for (int i = 0; i < 2 * TURNS; i++) {
		usleep(2000);
		if (write(writing[i % 2], "x", 1) != 1)
			_exit(1);
	}
	return unused;
}

__attribute__((noinline)) static void take(int from)
{
	char byte;
	if (read(from, &byte, 1) != 1) /* the read */
		_exit(1);
}

int main(void)
{
	int ends[2], sockets[2];
	pthread_t thread;
	if (pipe(ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0)
		return 1;
	writing[0] = ends[1];
	writing[1] = sockets[1];
	pthread_create(&thread, NULL, writer, NULL);
	for (int i = 0; i < TURNS; i++) {
		take(ends[0]);
		take(sockets[0]);
	}
	pthread_join(thread, NULL);
	return 0;
}
