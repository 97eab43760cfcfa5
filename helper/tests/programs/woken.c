// Waits whose end is known: 100 times each, a thread works for 2 ms and then hands something to a thread that waits for it, by a condition
// variable, a pipe, and an eventfd behind epoll. Beside, the first thread sleeps, and waits for children that work.
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 100, CHILDREN = 20, WORK_NS = 2000000, SLEEP_US = 2000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int made, ends[2], event_fd;
static volatile unsigned long sink;

static long long now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

__attribute__((noinline)) static void work(void)
{
	long long until = now_ns() + WORK_NS;
	while (now_ns() < until)
		sink++;
}

__attribute__((noinline)) static void put(void)
{
	pthread_mutex_lock(&mutex);
	made++;
	pthread_cond_signal(&ready); /* the signal */
	pthread_mutex_unlock(&mutex);
}

__attribute__((noinline)) static void take(void)
{
	pthread_mutex_lock(&mutex);
	while (!made)
		pthread_cond_wait(&ready, &mutex); /* waits for the signal */
	made--;
	pthread_mutex_unlock(&mutex);
}

__attribute__((noinline)) static void put_into_pipe(void)
{
	char byte = 1;
	if (write(ends[1], &byte, 1) != 1) /* the write */
		_exit(1);
	sink++;
}

__attribute__((noinline)) static void take_from_pipe(void)
{
	char byte;
	if (read(ends[0], &byte, 1) != 1) /* waits for the write */
		_exit(1);
	sink++;
}

__attribute__((noinline)) static void put_event(void)
{
	uint64_t one = 1;
	if (write(event_fd, &one, sizeof one) != sizeof one) /* the event */
		_exit(1);
	sink++;
}

__attribute__((noinline)) static void take_event(int epoll)
{
	struct epoll_event found;
	uint64_t count;
	if (epoll_wait(epoll, &found, 1, -1) != 1) /* waits for the event */
		_exit(1);
	if (read(event_fd, &count, sizeof count) != sizeof count)
		_exit(1);
}

static void *producer(void *unused)
{
	void (*puts[])(void) = {put, put_into_pipe, put_event};
	for (int kind = 0; kind < 3; kind++)
		for (int i = 0; i < ROUNDS; i++) {
			work();
			puts[kind]();
		}
	return unused;
}

static void *consumer(void *unused)
{
	struct epoll_event wanted = {.events = EPOLLIN};
	int epoll = epoll_create1(0);
	epoll_ctl(epoll, EPOLL_CTL_ADD, event_fd, &wanted);
	for (int i = 0; i < ROUNDS; i++)
		take();
	for (int i = 0; i < ROUNDS; i++)
		take_from_pipe();
	for (int i = 0; i < ROUNDS; i++)
		take_event(epoll);
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	event_fd = eventfd(0, EFD_SEMAPHORE);
	if (pipe(ends))
		return 1;
	pthread_create(&threads[0], NULL, producer, NULL);
	pthread_create(&threads[1], NULL, consumer, NULL);
	for (int i = 0; i < ROUNDS; i++)
		usleep(SLEEP_US); /* the sleep */
	for (int i = 0; i < CHILDREN; i++) {
		pid_t child = fork();
		if (!child) {
			work();
			_exit(0);
		}
		waitpid(child, NULL, 0); /* waits for the child */
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
