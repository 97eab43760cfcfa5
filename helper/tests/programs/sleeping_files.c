/* A file system of user space (FUSE) with one file, which falls asleep: sleeping_files FOLDER NAME COPY-OF SWITCH mounts
 * it on FOLDER. As soon as a file SWITCH exists, requests are read and not answered any more.
 * The protocol: include/uapi/linux/fuse.h. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_NODE = 2, READ_BYTES_MAX = 128 << 10 };

static int device, file;
static struct stat original;
static char request[READ_BYTES_MAX + 4096], answer[READ_BYTES_MAX];

/* Attributes are valid for no time at all: the kernel has to ask for each stat(2). */
static struct fuse_attr attributes_of(uint64_t node)
{
	struct fuse_attr of = {.ino = node, .nlink = 1};
	if (node != FILE_NODE) {
		of.mode = S_IFDIR | 0755;
		return of;
	}
	of.mode = S_IFREG | 0755;
	of.size = original.st_size;
	of.blocks = (of.size + 511) / 512;
	of.mtime = of.ctime = original.st_mtime;
	of.mtimensec = of.ctimensec = original.st_mtim.tv_nsec;
	return of;
}

static void reply(uint64_t unique, int error, const void *body, size_t bytes)
{
	static char all[sizeof(struct fuse_out_header) + READ_BYTES_MAX];
	struct fuse_out_header head = {.len = sizeof head + bytes, .error = -error, .unique = unique};
	memcpy(all, &head, sizeof head);
	if (bytes)
		memcpy(all + sizeof head, body, bytes);
	if (write(device, all, head.len) < 0 && errno != ENOENT)
		perror("answer");
}

static void serve(const struct fuse_in_header *head, const void *body, const char *name)
{
	switch (head->opcode) {
	case FUSE_INIT: {
		const struct fuse_init_in *in = body;
		struct fuse_init_out out = {
			.major = FUSE_KERNEL_VERSION,
			.minor = in->minor < FUSE_KERNEL_MINOR_VERSION ? in->minor : FUSE_KERNEL_MINOR_VERSION,
			.max_readahead = in->max_readahead,
			.max_write = 4096,
		};
		reply(head->unique, 0, &out, sizeof out);
		break;
	}
	case FUSE_LOOKUP: {
		struct fuse_entry_out out = {.nodeid = FILE_NODE, .attr = attributes_of(FILE_NODE)};
		int found = strcmp(body, name) == 0;
		reply(head->unique, found ? 0 : ENOENT, &out, found ? sizeof out : 0);
		break;
	}
	case FUSE_GETATTR: {
		struct fuse_attr_out out = {.attr = attributes_of(head->nodeid)};
		reply(head->unique, 0, &out, sizeof out);
		break;
	}
	case FUSE_OPEN: {
		struct fuse_open_out out = {.fh = 1, .open_flags = FOPEN_KEEP_CACHE};
		reply(head->unique, 0, &out, sizeof out);
		break;
	}
	case FUSE_READ: {
		const struct fuse_read_in *in = body;
		size_t most = in->size < sizeof answer ? in->size : sizeof answer;
		ssize_t bytes = pread(file, answer, most, in->offset);
		reply(head->unique, bytes < 0 ? errno : 0, answer, bytes < 0 ? 0 : bytes);
		break;
	}
	case FUSE_FLUSH: /* Answered, so that each close(2) asks again. */
	case FUSE_RELEASE:
		reply(head->unique, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break; /* Nobody waits for an answer. */
	default:
		reply(head->unique, ENOSYS, NULL, 0);
	}
}

int main(int count, char **arguments)
{
	if (count != 5)
		return 2;
	const char *folder = arguments[1], *name = arguments[2], *sleep_switch = arguments[4];
	file = open(arguments[3], O_RDONLY | O_CLOEXEC);
	device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (file < 0 || device < 0 || fstat(file, &original)) {
		perror("open");
		return 3;
	}
	char options[128];
	snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=%d,group_id=%d,allow_other", device,
		 (int)getuid(), (int)getgid());
	if (mount("sleeping_files", folder, "fuse", MS_NODEV | MS_NOSUID, options)) {
		perror("mount");
		return 3;
	}
	puts("mounted");
	fflush(stdout);
	for (;;) {
		ssize_t bytes = read(device, request, sizeof request);
		if (bytes < 0 && (errno == EINTR || errno == ENOENT))
			continue;
		if (bytes < (ssize_t)sizeof(struct fuse_in_header))
			return 0; /* ENODEV: unmounted. */
		const struct fuse_in_header *head = (const void *)request;
		if (access(sleep_switch, F_OK) != 0)
			serve(head, head + 1, name);
	}
}
