// Writes a file of 40 MiB to the path that it is given, and reads it from the disk in 40 pieces, past the kernel's memory of files.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECES = 40, PIECE_BYTES = 1 << 20 };

__attribute__((noinline)) static void read_piece(int file, char *to)
{
	if (read(file, to, PIECE_BYTES) != PIECE_BYTES) /* the read */
		exit(1);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	char *piece = aligned_alloc(4096, PIECE_BYTES);
	memset(piece, 1, PIECE_BYTES);
	int file = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
	for (int i = 0; i < PIECES; i++)
		if (write(file, piece, PIECE_BYTES) != PIECE_BYTES)
			return 1;
	if (fsync(file) != 0)
		return 1;
	file = open(argv[1], O_RDONLY | O_DIRECT);
	if (file < 0)
		return 2; /* not on such a file system */
	for (int i = 0; i < PIECES; i++)
		read_piece(file, piece);
	return 0;
}
