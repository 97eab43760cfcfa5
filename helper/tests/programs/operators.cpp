// Allocates by each operator new there is: ten blocks each, eight of which the matching operator delete frees. With an argument, also
// more than there is: some allocators end the program then.
#include <cstdio>
#include <cstdlib>
#include <new>

struct alignas(64) Wide {
	char bytes[128];
};

static void *volatile sink;

#define EACH(make, drop)                   \
	for (int i = 0; i < 10; i++) {     \
		auto *block = (make);      \
		sink = block;              \
		if (i >= 2)                \
			drop;              \
	}

__attribute__((noinline)) static int failing()
{
	volatile size_t huge = ~size_t(0) / 4;
	int failures = 0;
	try {
		sink = ::operator new(huge);
	} catch (const std::bad_alloc &) {
		failures++;
	}
	failures += !::operator new(huge, std::nothrow);
	::operator delete(nullptr);
	return failures;
}

int main(int argc, char **)
{
	using std::align_val_t;
	using std::nothrow;
	EACH(::operator new(100), ::operator delete(block))                                                   /* plain */
	EACH(::operator new[](210), ::operator delete[](block))                                               /* of arrays */
	EACH(::operator new(330, nothrow), ::operator delete(block, nothrow))                                 /* nothrow */
	EACH(::operator new[](440, nothrow), ::operator delete[](block, nothrow))                             /* of arrays, nothrow */
	EACH(::operator new(576, align_val_t(64)), ::operator delete(block, align_val_t(64)))                 /* aligned */
	EACH(::operator new[](640, align_val_t(64)), ::operator delete[](block, align_val_t(64)))             /* of arrays, aligned */
	EACH(::operator new(704, align_val_t(64), nothrow), ::operator delete(block, align_val_t(64), nothrow)) /* aligned, nothrow */
	EACH(::operator new[](832, align_val_t(64), nothrow), ::operator delete[](block, align_val_t(64), nothrow)) /* all of it */
	EACH(::operator new(900), ::operator delete(block, size_t(900)))                                      /* sized */
	EACH(::operator new[](990), ::operator delete[](block, size_t(990)))                                  /* of arrays, sized */
	EACH(::operator new(1088, align_val_t(64)), ::operator delete(block, size_t(1088), align_val_t(64)))  /* sized, aligned */
	EACH(::operator new[](1152, align_val_t(64)), ::operator delete[](block, size_t(1152), align_val_t(64))) /* arrays, sized, aligned */
	EACH(new Wide, delete block)                                                                          /* by an expression */
	EACH(malloc(50), free(block))                                                                         /* malloc */
	return argc == 1 || failing() == 2 ? 0 : 1;
}
