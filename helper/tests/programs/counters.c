// Touches 20,000 pages and sleeps 200 times.
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES = 20000, PAGE_BYTES = 4096, SLEEPS = 200 };

int main(void)
{
	char *memory = mmap(NULL, (size_t)PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || madvise(memory, (size_t)PAGES * PAGE_BYTES, MADV_NOHUGEPAGE) != 0)
		return 1;
	for (size_t page = 0; page < PAGES; page++)
		memory[page * PAGE_BYTES] = 1;
	for (int sleeps = 0; sleeps < SLEEPS; sleeps++)
		usleep(1000);
	return 0;
}
