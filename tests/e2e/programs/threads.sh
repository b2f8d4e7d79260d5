# SPDX-License-Identifier: MIT
# Many threads that come, go and fight over memory.
needs='gcc'
setup() {
	cat >a.c <<'END'
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t b;
static sem_t s;
static __thread char mine[5000];
static long sum, waiting;
static void *brief(void *a)
{
	char *p = malloc(10000 + (long)a);
	memset(p, (int)(long)a, 10000);
	memset(mine, (int)(long)a, sizeof mine);
	pthread_mutex_lock(&m);
	sum += p[9999] == mine[4999];
	pthread_mutex_unlock(&m);
	free(p);
	return a;
}
static void *longer(void *a)
{
	for (int i = 0; i < 200; i++) {
		pthread_barrier_wait(&b);
		sem_post(&s);
		sem_wait(&s);
	}
	pthread_mutex_lock(&m);
	if (++waiting == 16) pthread_cond_broadcast(&c);
	while (waiting < 16) pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return a;
}
int main(void)
{
	pthread_t t[16];
	for (long round = 0; round < 60; round++) {
		for (long i = 0; i < 16; i++) if (pthread_create(&t[i], 0, brief, (void *)i)) return 1;
		for (long i = 0; i < 16; i++) pthread_join(t[i], 0);
	}
	pthread_barrier_init(&b, 0, 16);
	sem_init(&s, 0, 0);
	for (long i = 0; i < 16; i++) pthread_create(&t[i], 0, longer, (void *)i);
	for (long i = 0; i < 16; i++) pthread_join(t[i], 0);
	printf("%ld %ld\n", sum, waiting);
	return 13;
}
END
	gcc -O1 -pthread -o prog a.c && gcc -O1 -pthread -static -no-pie -o prog-static a.c
}
lane=fixed
cmd() {
	R ./prog
	echo $?
	R ./prog-static
}
