/* SPDX-License-Identifier: MIT */
/*
 * mutex-pair make FILE N | mutex-pair join FILE N: two single-threaded programs that share a
 * DEFAULT mutex and condition variable by bare pointer. The maker writes the address to FILE. Both
 * add 1 to a plain counter N times under the mutex, then hand a turn to and fro 1,000 times.
 */
#include "guest.h"

#include <pthread.h>
#include <time.h>

struct shared {
	pthread_mutex_t lock;
	pthread_cond_t turned;
	long count;
	int joined, turn, left;
};

enum { TURNS = 1000 };

static struct shared *make(const char *path)
{
	struct shared *s = calloc(1, sizeof *s);
	char temp[4096];
	FILE *f;

	CHECK(s);
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->turned, NULL);
	snprintf(temp, sizeof temp, "%s.new", path);
	f = fopen(temp, "w");
	CHECK(f && fprintf(f, "%p\n", (void *)s) > 0 && fclose(f) == 0 && rename(temp, path) == 0);
	return s;
}

static struct shared *join(const char *path)
{
	struct timespec t = {0, 1000000};
	void *p = NULL;
	FILE *f;

	while (!(f = fopen(path, "r")))
		nanosleep(&t, NULL);
	CHECK(fscanf(f, "%p", &p) == 1 && p);
	fclose(f);
	return p;
}

/* Both wait for each other, so that the counting overlaps. */
static void meet(struct shared *s, int *mine)
{
	pthread_mutex_lock(&s->lock);
	*mine += 1;
	pthread_cond_broadcast(&s->turned);
	while (*mine < 2)
		pthread_cond_wait(&s->turned, &s->lock);
	pthread_mutex_unlock(&s->lock);
}

static void hand_over(struct shared *s, int me)
{
	for (int i = 0; i < TURNS; i++) {
		pthread_mutex_lock(&s->lock);
		while (s->turn % 2 != me)
			pthread_cond_wait(&s->turned, &s->lock);
		s->turn++;
		pthread_cond_signal(&s->turned);
		pthread_mutex_unlock(&s->lock);
	}
}

/* The memory is the maker's: it stays until the other has let go of it. */
static void wait_for_removal(const char *path)
{
	struct timespec t = {0, 1000000};

	while (access(path, F_OK) == 0)
		nanosleep(&t, NULL);
}

int main(int argc, char **argv)
{
	int maker = argc > 1 && strcmp(argv[1], "make") == 0;
	struct shared *s;
	long n;

	CHECK(argc == 4);
	n = atol(argv[3]);
	s = maker ? make(argv[2]) : join(argv[2]);
	meet(s, &s->joined);
	for (long i = 0; i < n; i++) {
		pthread_mutex_lock(&s->lock);
		s->count++;
		pthread_mutex_unlock(&s->lock);
	}
	hand_over(s, maker);
	meet(s, &s->left);
	if (!maker)
		return unlink(argv[2]);
	wait_for_removal(argv[2]);
	printf("count %ld, turns %d\n", s->count, s->turn);
	return 0;
}
