/*
 * Preloaded into a program that is recorded with --alloc: samples the bytes that it allocates, leaves the memory to the program's
 * own allocator, and calls an empty function for each sample, where the sampler has a probe.
 *
 * Sampling: points lie on the bytes that a thread asks for, at distances with an exponential distribution. An allocation that holds
 * points is a sample that stands for so many distances. Most calls cost a subtraction; most frees the load of one byte.
 *
 * Nothing in here allocates, locks, or links a library: it runs in whatever program is recorded, beside glibc or musl, in any
 * thread, and in a child after fork.
 */
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))
#define RARELY(condition) __builtin_expect(!!(condition), 0)
#define WEAK __attribute__((weak))

/* Of the C library, whichever it is. */
extern void *dlsym(void *handle, const char *name) WEAK;
extern char **environ WEAK;
extern int clock_gettime(clockid_t clock, struct timespec *now) WEAK;
/* None: the program has a loader and no C library, as Go makes them, and calls nothing of this one. */
extern int *__errno_location(void) WEAK;
#define NEXT ((void *)-1) /* RTLD_NEXT */

/* Where the probes are. The first instruction is one that the kernel need not single-step: on x86-64 a nop of one byte. One of five
 * would be replaced by a call on Linux 6.18, into memory that a forked child does not have, and the child would crash.
 *
 * `id`: by which the free is known, unique in the process; 0: the free will not be seen. `weight`: as many usual distances as the
 * sample stands for. `points`: in it. */
void lineheat_allocated(uint32_t id, size_t size, uint32_t weight, uint32_t points);
void lineheat_freed(uint32_t id);

#define EMPTY_FUNCTION " nop\n ret\n"
#define MARKER(name)                                                                                                                \
	asm(".text\n .p2align 4\n .globl " #name "\n .type " #name ", %function\n" #name ":\n .cfi_startproc\n" EMPTY_FUNCTION         \
	    " .cfi_endproc\n .size " #name ", . - " #name "\n")
MARKER(lineheat_allocated);
MARKER(lineheat_freed);

/* --- Live samples: by address, a few to a bucket, and how many a bucket holds. */

#define BUCKET_BITS 16
#define BUCKETS (1 << BUCKET_BITS)
#define BUCKET_SIZE 8 /* one cache line of addresses */
#define RESERVED 1    /* no address */
#define OF_THE_ARENA UINT32_MAX

static uint8_t held[BUCKETS];
static uintptr_t addresses[BUCKETS][BUCKET_SIZE] __attribute__((aligned(64)));
static uint32_t ids[BUCKETS][BUCKET_SIZE];

static inline uint32_t bucket_of(const void *p)
{
	return (uint32_t)((uintptr_t)p >> 4) * 0x9e3779b1u >> (32 - BUCKET_BITS);
}

/* 0: there is no room. */
static int keep(const void *p, uint32_t id)
{
	uint32_t bucket = bucket_of(p);
	for (int i = 0; i < BUCKET_SIZE; i++) {
		uintptr_t none = 0;
		uintptr_t *place = &addresses[bucket][i];
		if (!__atomic_compare_exchange_n(place, &none, RESERVED, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		ids[bucket][i] = id;
		__atomic_fetch_add(&held[bucket], 1, __ATOMIC_RELAXED);
		__atomic_store_n(place, (uintptr_t)p, __ATOMIC_RELEASE);
		return 1;
	}
	return 0;
}

/* The id that was kept with this address, which is forgotten; 0: none. */
static uint32_t take(const void *p)
{
	uint32_t bucket = bucket_of(p);
	for (int i = 0; i < BUCKET_SIZE; i++) {
		uintptr_t *place = &addresses[bucket][i], wanted = (uintptr_t)p;
		if (__atomic_load_n(place, __ATOMIC_ACQUIRE) != wanted)
			continue;
		uint32_t id = ids[bucket][i];
		if (!__atomic_compare_exchange_n(place, &wanted, 0, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			continue;
		__atomic_fetch_sub(&held[bucket], 1, __ATOMIC_RELAXED);
		return id;
	}
	return 0;
}

static inline int may_be_kept(const void *p)
{
	return __atomic_load_n(&held[bucket_of(p)], __ATOMIC_RELAXED) != 0;
}

/* --- Distances. */

#define USUAL_DISTANCE (512 << 10)
#define DISTANCE_MAX (1LL << 40)
/* For tests. 1: each byte is a point, and nothing is left to chance. */
#define DISTANCE_VARIABLE "LINEHEAT_ALLOC_INTERVAL"

/* A program that allocates more than this is sampled at larger distances. */
#define SAMPLES_PER_SECOND_MAX 2000
#define SAMPLES_LOOKED_AT 256
#define DOUBLINGS_MAX 20

static int64_t distance; /* mean, in bytes; 0: not known yet */
static int is_fixed;
static uint32_t doublings;

#define OWN __thread __attribute__((tls_model("initial-exec")))
static OWN int64_t left;          /* bytes to the next point */
static OWN uint32_t left_doubled; /* how often the distance had been doubled when that was drawn */
static OWN uint64_t random_state; /* 0: nothing has been drawn yet */
static OWN int is_inside;         /* of another function of the allocator, which counts */

static uint64_t now_ns(void)
{
	struct timespec now = {0, 0};
	if (clock_gettime)
		clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* xorshift64* (Vigna 2016). */
static uint64_t draw_bits(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return random_state * 0x2545f4914f6cdd1dULL;
}

/* -ln of a number that is drawn from ]0, 1[: exponent and mantissa apart, ln m = 2 artanh((m - 1) / (m + 1)), which is exact to
 * 1e-7 with these terms. */
static double draw_exponential(void)
{
	uint64_t bits = draw_bits() | 1;
	int zeros = __builtin_clzll(bits);
	double mantissa = (double)(bits << zeros) * 0x1p-63; /* [1, 2] */
	double t = (mantissa - 1) / (mantissa + 1), t2 = t * t;
	double ln = 2 * t * (1 + t2 * (1. / 3 + t2 * (1. / 5 + t2 * (1. / 7 + t2 * (1. / 9 + t2 * (1. / 11))))));
	return (zeros + 1) * 0.693147180559945309 - ln;
}

static int64_t draw_distance(void)
{
	left_doubled = __atomic_load_n(&doublings, __ATOMIC_RELAXED);
	return (int64_t)(draw_exponential() * (double)(distance << left_doubled)) + 1;
}

/* Of the environment: before the C library has begun, there is none. */
static int learn_distance(void)
{
	if (distance)
		return 1;
	if (!&environ || !environ)
		return 0;
	int64_t chosen = 0;
	for (char **entry = environ; *entry; entry++) {
		const char *name = DISTANCE_VARIABLE "=", *at = *entry;
		while (*name && *name == *at)
			name++, at++;
		if (*name)
			continue;
		for (; *at >= '0' && *at <= '9' && chosen < DISTANCE_MAX / 10; at++)
			chosen = chosen * 10 + (*at - '0');
	}
	is_fixed = chosen > 0;
	distance = chosen ? chosen : USUAL_DISTANCE;
	return 1;
}

static int begin_drawing(void)
{
	if (!learn_distance())
		return 0;
	/* Another one in each thread and each execution. */
	random_state = ((uintptr_t)&random_state * 0x9e3779b97f4a7c15ULL ^ now_ns()) | 1;
	for (int i = 0; i < 4; i++)
		draw_bits();
	left += draw_distance();
	return 1;
}

/* Doubles the distance of a program that allocates so much that samples would slow it down. */
static void watch_rate(uint32_t sample)
{
	static uint64_t since_ns;
	if (is_fixed || sample % SAMPLES_LOOKED_AT)
		return;
	uint64_t now = now_ns(), before = __atomic_exchange_n(&since_ns, now, __ATOMIC_RELAXED);
	uint32_t doubled = __atomic_load_n(&doublings, __ATOMIC_RELAXED);
	uint64_t least_ns = 1000000000ULL * SAMPLES_LOOKED_AT / SAMPLES_PER_SECOND_MAX;
	if (before && now - before < least_ns && doubled < DOUBLINGS_MAX)
		__atomic_compare_exchange_n(&doublings, &doubled, doubled + 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static uint32_t at_most_32_bits(uint64_t number)
{
	return number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
}

static void note_sample(void *p, size_t size, uint64_t weight, uint64_t points)
{
	static uint32_t last;
	uint32_t id = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
	if (id == 0 || id == OF_THE_ARENA)
		id = __atomic_add_fetch(&last, 2, __ATOMIC_RELAXED);
	watch_rate(id);
	if (may_be_kept(p)) { /* its memory was freed in a way that we do not see */
		uint32_t before = take(p);
		if (before)
			lineheat_freed(before);
	}
	if (!keep(p, id))
		id = 0;
	lineheat_allocated(id, size, at_most_32_bits(weight), at_most_32_bits(points));
}

/* The bytes have reached the next point. */
static __attribute__((noinline)) void reach_point(void *p, size_t size)
{
	if (is_inside || (!random_state && !begin_drawing())) {
		left += (int64_t)size;
		return;
	}
	uint64_t points = 0, weight = 0;
	if (distance == 1) {
		points = weight = size;
		left = 0;
	}
	while (left <= 0 && distance != 1) {
		points++;
		weight += 1ULL << left_doubled;
		left += draw_distance();
	}
	if (points)
		note_sample(p, size, weight, points);
}

static inline void *counted(void *p, size_t size)
{
	left -= (int64_t)size;
	if (RARELY(left <= 0))
		reach_point(p, size);
	return p;
}

/* --- The program's own allocator, which is looked for when something is first allocated. */

static void *first_malloc(size_t size);
static void *first_calloc(size_t count, size_t size);
static void *first_realloc(void *p, size_t size);
static void first_free(void *p);

static void *(*next_malloc)(size_t) = first_malloc;
static void *(*next_calloc)(size_t, size_t) = first_calloc;
static void *(*next_realloc)(void *, size_t) = first_realloc;
static void (*next_free)(void *) = first_free;
static void *(*next_memalign)(size_t, size_t);
static void *(*next_aligned_alloc)(size_t, size_t);
static int (*next_posix_memalign)(void **, size_t, size_t);
static void *(*next_valloc)(size_t);
static void *(*next_pvalloc)(size_t);

/* What is allocated while it is looked for. */
static char arena[64 << 10] __attribute__((aligned(16)));
static size_t arena_used;
static int is_searching;

static void *allocate_in_arena(size_t size)
{
	size_t needed = (size + 15) & ~(size_t)15;
	if (size > sizeof(arena) || needed > sizeof(arena) - arena_used)
		return NULL;
	void *p = arena + arena_used;
	arena_used += needed ? needed : 16;
	return keep(p, OF_THE_ARENA) ? p : NULL;
}

static void *find(const char *name)
{
	return dlsym ? dlsym(NEXT, name) : NULL;
}

static void find_allocator(void)
{
	if (next_malloc != first_malloc || is_searching || !__errno_location)
		return;
	is_searching = 1;
	int before = errno;
	next_free = find("free");
	next_calloc = find("calloc");
	next_realloc = find("realloc");
	next_memalign = find("memalign");
	next_aligned_alloc = find("aligned_alloc");
	next_posix_memalign = find("posix_memalign");
	next_valloc = find("valloc");
	next_pvalloc = find("pvalloc");
	void *found = find("malloc");
	if (!found || !next_free || !next_calloc || !next_realloc)
		__builtin_trap(); /* a program that allocates without any allocator */
	next_malloc = found;
	errno = before;
	is_searching = 0;
}

__attribute__((constructor)) static void begin(void)
{
	find_allocator();
}

static void *first_malloc(size_t size)
{
	find_allocator();
	return is_searching ? allocate_in_arena(size) : next_malloc(size);
}

static void *first_calloc(size_t count, size_t size)
{
	find_allocator();
	return is_searching ? allocate_in_arena(count * size) : next_calloc(count, size); /* never used before: it is zero */
}

static void *first_realloc(void *p, size_t size)
{
	find_allocator();
	return is_searching ? NULL : next_realloc(p, size);
}

static void first_free(void *p)
{
	find_allocator();
	if (!is_searching)
		next_free(p);
}

/* --- What the program calls. */

EXPORT void *malloc(size_t size)
{
	void *p = next_malloc(size);
	return p ? counted(p, size) : p;
}

static __attribute__((noinline)) void free_kept(void *p)
{
	uint32_t id = take(p);
	if (id == OF_THE_ARENA)
		return;
	if (id)
		lineheat_freed(id);
	next_free(p);
}

EXPORT void free(void *p)
{
	if (RARELY(may_be_kept(p)))
		free_kept(p);
	else
		next_free(p);
}

/* Some allocators call functions of their own that we have, too. */
#define CALL_INSIDE(call)                                                                                                            \
	({                                                                                                                            \
		int was_inside = is_inside;                                                                                           \
		int64_t before = left;                                                                                                \
		is_inside = 1;                                                                                                        \
		__auto_type result = (call);                                                                                          \
		is_inside = was_inside;                                                                                               \
		left = before;                                                                                                        \
		result;                                                                                                               \
	})

EXPORT void *calloc(size_t count, size_t size)
{
	void *p = CALL_INSIDE(next_calloc(count, size));
	return p ? counted(p, count * size) : p;
}

static void *move_out_of_arena(char *p, size_t size)
{
	char *moved = malloc(size);
	size_t there = (size_t)(arena + sizeof(arena) - p);
	for (size_t i = 0; moved && i < size && i < there; i++)
		((volatile char *)moved)[i] = p[i];
	return moved;
}

EXPORT void *realloc(void *p, size_t size)
{
	/* Before the memory can become another thread's. */
	uint32_t id = RARELY(p && may_be_kept(p)) ? take(p) : 0;
	if (RARELY(id == OF_THE_ARENA))
		return move_out_of_arena(p, size);
	void *moved = CALL_INSIDE(next_realloc(p, size));
	if (RARELY(!moved && size)) {
		if (id)
			keep(p, id); /* it stays as it is */
		return NULL;
	}
	if (RARELY(id))
		lineheat_freed(id);
	return moved ? counted(moved, size) : moved;
}

EXPORT void *reallocarray(void *p, size_t count, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, bytes);
}

static void *without_function(void)
{
	errno = ENOMEM;
	return NULL;
}

#define COUNTED_IF_THERE(next, call, size)                                                                                           \
	find_allocator();                                                                                                             \
	if (!(next))                                                                                                                  \
		return without_function();                                                                                            \
	void *p = CALL_INSIDE(call);                                                                                                  \
	return p ? counted(p, size) : p

EXPORT void *memalign(size_t alignment, size_t size)
{
	COUNTED_IF_THERE(next_memalign, next_memalign(alignment, size), size);
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
	COUNTED_IF_THERE(next_aligned_alloc, next_aligned_alloc(alignment, size), size);
}

EXPORT void *valloc(size_t size)
{
	COUNTED_IF_THERE(next_valloc, next_valloc(size), size);
}

EXPORT void *pvalloc(size_t size)
{
	COUNTED_IF_THERE(next_pvalloc, next_pvalloc(size), size);
}

EXPORT int posix_memalign(void **to, size_t alignment, size_t size)
{
	find_allocator();
	if (!next_posix_memalign)
		return ENOMEM;
	int failed = CALL_INSIDE(next_posix_memalign(to, alignment, size));
	if (!failed)
		counted(*to, size);
	return failed;
}

#include "operators_new.c"
