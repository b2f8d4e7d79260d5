/* SPDX-License-Identifier: MIT */
/*
 * malloc and its kin for programs of a group that was started with --shared-malloc: any of them may free what any other has allocated.
 *
 * Here errno is set, as <stdlib.h> asks for. A pointer that is not of the region goes to the C library where that has lent us its malloc (there
 * is no region then), else it is an error: it is named, and the program is ended, as the C library would.
 *
 * Outside a group the library has a region of its own. Signal handlers may not call any of this, as ever.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tp/heap.h>

#include "heap-fast.h"
#include "region.h"

#define EXPORT __attribute__((visibility("default")))

enum { PAGE = 4096, ALIGN = 16 };

/* glibc's own, under names that nobody interposes. */
extern void *__libc_malloc(size_t) __attribute__((weak));
extern void *__libc_calloc(size_t, size_t) __attribute__((weak));
extern void *__libc_realloc(void *, size_t) __attribute__((weak));
extern void *__libc_memalign(size_t, size_t) __attribute__((weak));
extern void __libc_free(void *) __attribute__((weak));

EXPORT void *memalign(size_t align, size_t size);
EXPORT void *pvalloc(size_t size);
EXPORT void *valloc(size_t size);
EXPORT size_t malloc_usable_size(void *ptr);
EXPORT void free_sized(void *ptr, size_t size);
EXPORT void free_aligned_sized(void *ptr, size_t align, size_t size);
EXPORT int tp_malloc_check(void);

static bool aside(void)
{
	return tpi_unlikely(tpi_ready() < 0);
}

static bool in_region(const void *ptr)
{
	return (uintptr_t)ptr - TPI_HEAP_BASE < tpi_heap_size();
}

static void *no_memory(void)
{
	errno = ENOMEM;
	return NULL;
}

static __attribute__((noinline)) void *malloc_slow(size_t size)
{
	void *p;

	if (aside())
		return __libc_malloc ? __libc_malloc(size) : no_memory();
	return tpi_heap_alloc(size, ALIGN, &p) == 0 ? p : no_memory();
}

/* A thread that has its part near is in a region. Blocks of all classes start at multiples of 16. */
EXPORT void *malloc(size_t size)
{
	struct tpi_heap *t = tpi_heap_near();
	void *p;

	if (tpi_unlikely(!t || size > TPI_SMALL_MAX))
		return malloc_slow(size);
	return tpi_likely(tpi_heap_pop_small(t, size, &p)) ? p : malloc_slow(size);
}

EXPORT void *calloc(size_t count, size_t size)
{
	size_t bytes;
	void *p;

	if (__builtin_mul_overflow(count, size, &bytes))
		return no_memory();
	if (aside())
		return __libc_calloc ? __libc_calloc(count, size) : no_memory();
	return tpi_heap_alloc_zero(bytes, &p) == 0 ? p : no_memory();
}

/* Not of the region: of a program that keeps its own malloc, or a wild pointer. */
static void foreign(void *ptr, const char *call)
{
	tpi_heap_blame(ptr, call);
	abort();
}

static __attribute__((noinline)) int free_slow(void *ptr)
{
	if (!aside())
		return ptr && tpi_ended() ? tpi_heap_free_as_guest(ptr) : tpi_heap_free(ptr);
	if (ptr && __libc_free)
		__libc_free(ptr);
	return 0;
}

EXPORT void free(void *ptr)
{
	struct tpi_heap *t = tpi_heap_near();
	int r = tpi_likely(t != NULL) ? tpi_heap_free_fast(t, ptr) : free_slow(ptr);

	if (tpi_unlikely(r < 0))
		abort();
}

EXPORT void *realloc(void *ptr, size_t size)
{
	void *p;
	int r;

	if (!ptr)
		return malloc(size);
	if (aside())
		return __libc_realloc ? __libc_realloc(ptr, size) : no_memory();
	if (!size) {
		free(ptr);
		return NULL;
	}
	if (tpi_unlikely(!in_region(ptr)))
		foreign(ptr, "realloc");
	r = tpi_heap_realloc(ptr, size, &p);
	if (r == -EFAULT || r == -EALREADY)
		abort();
	return r == 0 ? p : no_memory();
}

EXPORT void *reallocarray(void *ptr, size_t count, size_t size)
{
	size_t bytes;

	return __builtin_mul_overflow(count, size, &bytes) ? no_memory() : realloc(ptr, bytes);
}

static bool power_of_two(size_t n)
{
	return n && !(n & (n - 1));
}

/* Any power of two; 0 or -errno. */
static int aligned(size_t align, size_t size, void **ret)
{
	if (!aside())
		return tpi_heap_alloc(size, align < ALIGN ? ALIGN : align, ret) == 0 ? 0 : -ENOMEM;
	*ret = __libc_memalign ? __libc_memalign(align, size) : NULL;
	return *ret ? 0 : -ENOMEM;
}

EXPORT void *memalign(size_t align, size_t size)
{
	void *p;

	/* glibc rounds up, and some rely on it. */
	if (!power_of_two(align)) {
		if (align > SIZE_MAX / 4)
			return no_memory();
		align = align ? (size_t)1 << (64 - __builtin_clzll(align)) : ALIGN;
	}
	return aligned(align, size, &p) == 0 ? p : no_memory();
}

EXPORT void *aligned_alloc(size_t align, size_t size)
{
	if (!power_of_two(align)) {
		errno = EINVAL;
		return NULL;
	}
	return memalign(align, size);
}

EXPORT int posix_memalign(void **ret_ptr, size_t align, size_t size)
{
	void *p;

	if (align % sizeof(void *) || !power_of_two(align))
		return EINVAL;
	if (aligned(align, size, &p) < 0)
		return ENOMEM;
	*ret_ptr = p;
	return 0;
}

EXPORT void *valloc(size_t size)
{
	return memalign(PAGE, size);
}

EXPORT void *pvalloc(size_t size)
{
	return size > SIZE_MAX - PAGE ? no_memory() : memalign(PAGE, (size + PAGE - 1) & ~(size_t)(PAGE - 1));
}

EXPORT size_t malloc_usable_size(void *ptr)
{
	if (!ptr)
		return 0;
	if (aside()) {
		size_t (*theirs)(void *) = (size_t(*)(void *))dlsym(RTLD_NEXT, "malloc_usable_size");

		return theirs ? theirs(ptr) : 0;
	}
	return tpi_heap_usable_size(ptr);
}

EXPORT void free_sized(void *ptr, size_t size)
{
	(void)size;
	free(ptr);
}

EXPORT void free_aligned_sized(void *ptr, size_t align, size_t size)
{
	(void)align, (void)size;
	free(ptr);
}

/* For debuggers and tests: walks all of the region. 0: sound; else a negative errno, and what is wrong on standard error. */
EXPORT int tp_malloc_check(void)
{
	int r = aside() ? -ENOTCONN : tp_heap_check();

	if (r < 0)
		tpi_complain("%s", tp_why());
	return r;
}
