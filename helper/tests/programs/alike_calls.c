// Two system calls in turns, by the numbers 1 and 17, both of which fail.
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

static char byte;

__attribute__((noinline)) static void write_byte(void)
{
	syscall(SYS_write, -1, &byte, 1); // write
	__asm__ volatile("");
}

__attribute__((noinline)) static void read_byte(void)
{
	syscall(SYS_pread64, -1, &byte, 1, 0L); // read
	__asm__ volatile("");
}

int main(void)
{
	for (int i = 0; i < 300000; i++) {
		write_byte();
		read_byte();
	}
	return 0;
}
