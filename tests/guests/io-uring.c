/* SPDX-License-Identifier: MIT */
/* One no-operation through io_uring, whose rings the kernel maps where it wants only. With "leak": leaves them mapped. */
#include <errno.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static char *map_ring(int fd, size_t len, off_t which)
{
	char *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, which);

	if (p == MAP_FAILED) {
		printf("cannot map a ring: %s\n", strerror(errno));
		_exit(1);
	}
	return p;
}

static void ask_nothing(const struct io_uring_params *p, char *ring, struct io_uring_sqe *sqe)
{
	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = IORING_OP_NOP;
	sqe->user_data = 42;
	*(unsigned *)(ring + p->sq_off.array) = 0;
	__atomic_store_n((unsigned *)(ring + p->sq_off.tail), 1, __ATOMIC_RELEASE);
}

int main(int argc, char **argv)
{
	struct io_uring_params p = {0};
	struct io_uring_cqe *answer;
	size_t entries, ring_len, answers_len;
	char *ring, *answers;
	int fd = (int)syscall(SYS_io_uring_setup, 8, &p);

	if (fd < 0) {
		printf("no io_uring: %s\n", strerror(errno));
		return 77;
	}
	entries = p.sq_entries * sizeof(struct io_uring_sqe);
	ring_len = p.sq_off.array + p.sq_entries * sizeof(unsigned);
	answers_len = p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe);
	ring = map_ring(fd, ring_len, IORING_OFF_SQ_RING);
	answers = map_ring(fd, answers_len, IORING_OFF_CQ_RING);
	struct io_uring_sqe *sqe = (void *)map_ring(fd, entries, IORING_OFF_SQES);

	ask_nothing(&p, ring, sqe);
	if (syscall(SYS_io_uring_enter, fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		return 1;
	answer = (void *)(answers + p.cq_off.cqes);
	printf("answer %llu\n", (unsigned long long)answer->user_data);
	if (argc > 1 && !strcmp(argv[1], "leak"))
		return 0;
	return munmap(ring, ring_len) || munmap(answers, answers_len) || munmap(sqe, entries);
}
