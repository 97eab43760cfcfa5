/*
 * operator new and delete of C++. Those of libstdc++ and libc++ call malloc and free, which are ours; those of jemalloc, mimalloc and
 * tcmalloc do not. So an allocation is counted here if nothing was counted while the next operator ran, whatever it is: no list
 * of allocators is needed, and nothing is counted twice. An exception passes through these functions: there is nothing to undo.
 *
 * Included by allocations.c.
 */

/* In the order of their names. */
enum new_operator { NEW, NEW_ARRAY, NEW_NOTHROW, NEW_ARRAY_NOTHROW, NEW_ALIGNED, NEW_ARRAY_ALIGNED, NEW_ALIGNED_NOTHROW, NEW_ARRAY_ALIGNED_NOTHROW, NEWS };

static const char *const names_of_new[NEWS] = {
	"_Znwm", "_Znam", "_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t",
	"_ZnwmSt11align_val_t", "_ZnamSt11align_val_t", "_ZnwmSt11align_val_tRKSt9nothrow_t", "_ZnamSt11align_val_tRKSt9nothrow_t",
};

enum delete_operator {
	DELETE, DELETE_ARRAY, DELETE_SIZED, DELETE_ARRAY_SIZED, DELETE_NOTHROW, DELETE_ARRAY_NOTHROW,
	DELETE_ALIGNED, DELETE_ARRAY_ALIGNED, DELETE_SIZED_ALIGNED, DELETE_ARRAY_SIZED_ALIGNED,
	DELETE_ALIGNED_NOTHROW, DELETE_ARRAY_ALIGNED_NOTHROW, DELETES
};

static const char *const names_of_delete[DELETES] = {
	"_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm", "_ZdlPvRKSt9nothrow_t", "_ZdaPvRKSt9nothrow_t",
	"_ZdlPvSt11align_val_t", "_ZdaPvSt11align_val_t", "_ZdlPvmSt11align_val_t", "_ZdaPvmSt11align_val_t",
	"_ZdlPvSt11align_val_tRKSt9nothrow_t", "_ZdaPvSt11align_val_tRKSt9nothrow_t",
};

typedef void *new_function(size_t, uintptr_t, uintptr_t);
typedef void delete_function(void *, uintptr_t, uintptr_t, uintptr_t);
static new_function *next_new[NEWS];
static delete_function *next_delete[DELETES];

extern void *dlopen(const char *file, int flags) WEAK;
#define LAZY_IF_LOADED (1 | 4) /* RTLD_LAZY | RTLD_NOLOAD */

/* A program without C++ may have loaded a library with it for itself: RTLD_NEXT does not see that. */
static void *find_operator(const char *name)
{
	static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1", "libc++.so.1"};
	void *found = find(name);
	for (unsigned i = 0; !found && dlopen && dlsym && i < sizeof(libraries) / sizeof(*libraries); i++) {
		void *library = dlopen(libraries[i], LAZY_IF_LOADED);
		if (library)
			found = dlsym(library, name);
	}
	return found;
}

/* For C++ code that brings its library along where it cannot be found: by malloc and free, as the libraries do it. What cannot fail
 * ends the program instead, since only that library could throw. */
static void *or_end(void *p)
{
	if (!p)
		__builtin_trap();
	return p;
}

static void *new_or_null(size_t size, uintptr_t nothrow, uintptr_t none)
{
	(void)nothrow, (void)none;
	return malloc(size ? size : 1);
}

static void *new_or_end(size_t size, uintptr_t none, uintptr_t either)
{
	return or_end(new_or_null(size, none, either));
}

static void *aligned_or_null(size_t size, uintptr_t alignment, uintptr_t nothrow)
{
	(void)nothrow;
	return aligned_alloc(alignment, size ? (size + alignment - 1) & ~(alignment - 1) : alignment);
}

static void *aligned_or_end(size_t size, uintptr_t alignment, uintptr_t none)
{
	return or_end(aligned_or_null(size, alignment, none));
}

static void delete_by_free(void *p, uintptr_t second, uintptr_t third, uintptr_t fourth)
{
	(void)second, (void)third, (void)fourth;
	free(p);
}

static new_function *const without_library[NEWS] = {
	new_or_end, new_or_end, new_or_null, new_or_null, aligned_or_end, aligned_or_end, aligned_or_null, aligned_or_null,
};

static void *of_next_new(enum new_operator which)
{
	void *found = __atomic_load_n(&next_new[which], __ATOMIC_RELAXED);
	if (RARELY(!found)) {
		int before = errno;
		found = find_operator(names_of_new[which]);
		errno = before;
		if (!found)
			found = without_library[which];
		__atomic_store_n(&next_new[which], (new_function *)found, __ATOMIC_RELAXED);
	}
	return found;
}

static void *of_next_delete(enum delete_operator which)
{
	void *found = __atomic_load_n(&next_delete[which], __ATOMIC_RELAXED);
	if (RARELY(!found)) {
		int before = errno;
		found = find_operator(names_of_delete[which]);
		if (!found) /* in a library of before C++14 or C++17 */
			found = find_operator(names_of_delete[which & 1]);
		errno = before;
		if (!found)
			found = delete_by_free;
		__atomic_store_n(&next_delete[which], (delete_function *)found, __ATOMIC_RELAXED);
	}
	return found;
}

/* `second` and `third`: what follows the size, whatever it is. */
static inline void *new_by(enum new_operator which, size_t size, uintptr_t second, uintptr_t third)
{
	new_function *next = of_next_new(which);
	if (left == 0)
		left = 1; /* all bytes are points, and counting one leaves 0: see reach_point */
	int64_t before = left;
	void *p = next(size, second, third);
	if (p && left == before)
		counted(p, size);
	return p;
}

static inline void delete_by(enum delete_operator which, void *p, uintptr_t second, uintptr_t third, uintptr_t fourth)
{
	if (RARELY(may_be_kept(p))) {
		uint32_t id = take(p);
		if (id == OF_THE_ARENA)
			return;
		if (id)
			lineheat_freed(id);
	}
	((delete_function *)of_next_delete(which))(p, second, third, fourth);
}

#define NEW_OPERATOR(name, which)                                                                                                     \
	EXPORT void *name(size_t size, uintptr_t second, uintptr_t third)                                                             \
	{                                                                                                                             \
		return new_by(which, size, second, third);                                                                            \
	}
NEW_OPERATOR(_Znwm, NEW)
NEW_OPERATOR(_Znam, NEW_ARRAY)
NEW_OPERATOR(_ZnwmRKSt9nothrow_t, NEW_NOTHROW)
NEW_OPERATOR(_ZnamRKSt9nothrow_t, NEW_ARRAY_NOTHROW)
NEW_OPERATOR(_ZnwmSt11align_val_t, NEW_ALIGNED)
NEW_OPERATOR(_ZnamSt11align_val_t, NEW_ARRAY_ALIGNED)
NEW_OPERATOR(_ZnwmSt11align_val_tRKSt9nothrow_t, NEW_ALIGNED_NOTHROW)
NEW_OPERATOR(_ZnamSt11align_val_tRKSt9nothrow_t, NEW_ARRAY_ALIGNED_NOTHROW)

#define DELETE_OPERATOR(name, which)                                                                                                  \
	EXPORT void name(void *p, uintptr_t second, uintptr_t third, uintptr_t fourth)                                                \
	{                                                                                                                             \
		delete_by(which, p, second, third, fourth);                                                                           \
	}
DELETE_OPERATOR(_ZdlPv, DELETE)
DELETE_OPERATOR(_ZdaPv, DELETE_ARRAY)
DELETE_OPERATOR(_ZdlPvm, DELETE_SIZED)
DELETE_OPERATOR(_ZdaPvm, DELETE_ARRAY_SIZED)
DELETE_OPERATOR(_ZdlPvRKSt9nothrow_t, DELETE_NOTHROW)
DELETE_OPERATOR(_ZdaPvRKSt9nothrow_t, DELETE_ARRAY_NOTHROW)
DELETE_OPERATOR(_ZdlPvSt11align_val_t, DELETE_ALIGNED)
DELETE_OPERATOR(_ZdaPvSt11align_val_t, DELETE_ARRAY_ALIGNED)
DELETE_OPERATOR(_ZdlPvmSt11align_val_t, DELETE_SIZED_ALIGNED)
DELETE_OPERATOR(_ZdaPvmSt11align_val_t, DELETE_ARRAY_SIZED_ALIGNED)
DELETE_OPERATOR(_ZdlPvSt11align_val_tRKSt9nothrow_t, DELETE_ALIGNED_NOTHROW)
DELETE_OPERATOR(_ZdaPvSt11align_val_tRKSt9nothrow_t, DELETE_ARRAY_ALIGNED_NOTHROW)
