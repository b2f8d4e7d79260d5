/* SPDX-License-Identifier: MIT */
/* What satellites may and may not do; one subcommand a question. Run in a group or outside, as the question needs. */
#include "guest-tp.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

static int open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	CHECK(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* error GROUP|-: what tp_attach says */
static int error(char **argv)
{
	int r = tp_attach(strcmp(argv[0], "-") ? argv[0] : NULL);

	printf("%s: %s\n", r ? strerror(-r) : "attached", r ? tp_why() : "");
	return 0;
}

/* taken GROUP FILE: FILE is mapped where the segment or its heap has to be */
static int taken(char **argv)
{
	static const unsigned long places[] = {0x7e9000000000, 0x7e9000800000, 0x7e9040000000, 0x7e9040200000};
	int fd = open(argv[1], O_RDONLY);

	CHECK(fd >= 0);
	for (int i = 0; i < 4; i++) {
		void *p = mmap((void *)places[i], 4096, PROT_READ, MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0);

		CHECK(p == (void *)places[i]);
		RESULT(tp_attach(argv[0]), -EADDRINUSE);
		CHECK(strstr(tp_why(), argv[1]) && strstr(tp_why(), "0x7e90"));
		RESULT(tp_connected(), -ENOTCONN);
		munmap(p, 4096);
	}
	RESULT(tp_attach(argv[0]), 0);
	say("named");
	return 0;
}

/* again GROUP: attached and detached many times, with all that hangs on it; nothing is left open */
static int again(char **argv)
{
	int before = open_files();
	tp_id last = 0, id;

	for (int i = 0; i < 100; i++) {
		struct tp_watch *w;
		void *block = NULL;

		RESULT(tp_attach(argv[0]), 0);
		RESULT(tp_attach(argv[0]), -EISCONN);
		RESULT(tp_self(&id), 0);
		CHECK(id >> 16 > last >> 16);
		last = id;
		CHECK((block = tp_malloc(100)) != NULL);
		RESULT(tp_watch_create(&w), 0);
		CHECK(!tp_watch_destroy(w));
		RESULT(tp_free(block), 0);
		RESULT(tp_detach(), 0);
		RESULT(tp_detach(), -ENOTCONN);
		RESULT(tp_connected(), -ENOTCONN);
		CHECK(!tp_malloc(1));
	}
	CHECK(open_files() == before);
	say("flat");
	return 0;
}

/* lend: in a group; publishes a pointer into its own memory, one into the heap, and waits to be killed */
static int lend(char **argv)
{
	static int mine = 41;
	int *shared = (int *)tp_malloc(sizeof(int));

	(void)argv;
	CHECK(shared);
	*shared = 42;
	RESULT(tp_publish("mine", &mine, "int", 0), 0);
	RESULT(tp_publish("shared", shared, "int", TP_PUBLISH_KEEP), 0);
	RESULT(tp_detach(), -EPERM);
	RESULT(tp_attach(NULL), -EISCONN);
	say("lent");
	for (;;)
		pause();
}

/* follow GROUP LENDER: as a satellite; the lender's own memory is refused with its name, the heap is good */
static int follow(char **argv)
{
	struct tp_owner o;
	struct tp_name n;
	int mine = 0;
	void *block;

	RESULT(tp_attach(argv[0]), 0);
	RESULT(tp_lookup("shared", "int", &n), 0);
	CHECK(*(int *)n.ptr == 42);
	RESULT(tp_owner_of(n.ptr, &o), 0);
	CHECK(o.memory == TP_MEMORY_HEAP && o.block == n.ptr && o.size >= sizeof(int) && !strcmp(o.name, argv[1]) && o.alive);
	RESULT(tp_lookup("mine", "int", &n), -EFAULT);
	CHECK(strstr(tp_why(), argv[1]));
	RESULT(tp_publish("satellite", &mine, "int", 0), -EFAULT);
	RESULT(tp_owner_of(&mine, &o), -EFAULT);
	CHECK(o.memory == TP_MEMORY_NONE && !o.id);
	RESULT(tp_owner_of((void *)0x7e9000000000, &o), 0);
	CHECK(o.memory == TP_MEMORY_SEGMENT);
	CHECK((block = tp_malloc(10)) != NULL);
	RESULT(tp_owner_of(block, &o), 0);
	CHECK(o.memory == TP_MEMORY_HEAP && o.alive && o.block == block);
	say("refused and followed");
	return 0;
}

/* children [GROUP]: forked children of a program or a satellite, and theirs, are nobody until they attach */
static int children(char **argv)
{
	tp_id parent, child;
	int status;

	if (argv[0])
		RESULT(tp_attach(argv[0]), 0);
	RESULT(tp_self(&parent), 0);
	if (fork() == 0) {
		struct tp_peer_info peer;
		int *block;

		RESULT(tp_self(&child), -ENOTCONN);
		CHECK(!tp_malloc(1));
		RESULT(tp_attach(NULL), 0);
		RESULT(tp_self(&child), 0);
		RESULT(tp_peer_by_id(child, &peer), 0);
		CHECK(child != parent && peer.satellite && peer.pid == getpid() && peer.state == TP_PEER_RUNNING);
		CHECK((block = (int *)tp_malloc(sizeof(int))) != NULL);
		if (fork() == 0) {
			RESULT(tp_free(block), -ENOTCONN);
			RESULT(tp_attach(NULL), 0);
			RESULT(tp_free(block), 0);
			_exit(0);
		}
		CHECK(wait(&status) > 0 && status == 0);
		RESULT(tp_detach(), 0);
		RESULT(tp_attach(NULL), 0);
		RESULT(tp_detach(), 0);
		_exit(0);
	}
	CHECK(wait(&status) > 0 && status == 0);
	RESULT(tp_self(&child), 0);
	CHECK(child == parent);
	say("three of a kind");
	return 0;
}

/* narrow GROUP: with too little address space */
static int narrow(char **argv)
{
	struct rlimit l = {64 << 20, 64 << 20};

	CHECK(setrlimit(RLIMIT_AS, &l) == 0);
	RESULT(tp_attach(argv[0]), -ENOMEM);
	CHECK(strstr(tp_why(), "ulimit -v"));
	RESULT(tp_connected(), -ENOTCONN);
	say("no room");
	return 0;
}

static void wait_for_the_end(const char *file)
{
	FILE *f = fopen(file, "w");

	CHECK(f);
	fprintf(f, "%d\n", getpid());
	fclose(f);
	for (;;)
		pause();
}

/* stay GROUP FILE: writes its pid to FILE and stays */
static int stay(char **argv)
{
	RESULT(tp_attach(argv[0]), 0);
	wait_for_the_end(argv[1]);
	return 0;
}

/* lock GROUP FILE: publishes a mutex, or finds it, and stays in it; else says what it got */
static int lock(char **argv)
{
	struct tp_name n;
	struct tp_mutex *m;
	int r;

	RESULT(tp_attach(argv[0]), 0);
	if (tp_lookup("lock", "mutex", &n) < 0) {
		CHECK((m = (struct tp_mutex *)tp_calloc(1, sizeof(*m))) != NULL);
		RESULT(tp_publish("lock", m, "mutex", TP_PUBLISH_KEEP), 0);
		RESULT(tp_mutex_lock(m), 0);
		wait_for_the_end(argv[1]);
	}
	m = (struct tp_mutex *)n.ptr;
	r = tp_mutex_timedlock(m, SOON);
	printf("%s\n", r == -EOWNERDEAD ? "owner died" : strerror(-r));
	if (r == -EOWNERDEAD)
		RESULT(tp_mutex_consistent(m), 0);
	RESULT(tp_mutex_unlock(m), 0);
	return 0;
}

/* scribble GROUP SEED: writes over all that the supervisor reads, for half a second */
static int scribble(char **argv)
{
	static const int64_t limit = TP_SECOND / 2;
	volatile uint64_t *word = (volatile uint64_t *)0x7e9000000000;
	uint64_t x = strtoull(argv[1], NULL, 10) * 2654435761u + 1;
	struct timespec start, now;

	RESULT(tp_attach(argv[0]), 0);
	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		for (size_t i = 0; i < (8 << 20) / sizeof(*word); i++) {
			x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
			word[i] = x >> 61 ? x : (x & 1 ? UINT64_MAX : 0);
		}
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - start.tv_sec) * TP_SECOND + now.tv_nsec - start.tv_nsec < limit);
	say("scribbled");
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(char **argv);
	} all[] = {{"error", error}, {"taken", taken}, {"again", again}, {"lend", lend}, {"follow", follow}, {"children", children},
		{"narrow", narrow}, {"stay", stay}, {"lock", lock}, {"scribble", scribble}};

	CHECK(argc > 1);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(all[i].name, argv[1]))
			return all[i].run(argv + 2);
	return 98;
}
