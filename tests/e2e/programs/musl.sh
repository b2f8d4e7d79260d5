# SPDX-License-Identifier: MIT
# Programs of another libc, dynamic and static, beside those of glibc.
needs='musl-gcc'
setup() {
	cat >a.c <<'END'
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void *work(void *a) { for (int i = 0; i < 20000; i++) { char *p = malloc(i % 5000 + 1); memset(p, 1, i % 5000 + 1); free(p); } return a; }
int main(int c, char **v)
{
	pthread_t t[4];
	int s;
	for (long i = 0; i < 4; i++) pthread_create(&t[i], 0, work, (void *)i);
	for (long i = 0; i < 4; i++) { void *r; pthread_join(t[i], &r); printf("%ld\n", (long)r); }
	fflush(stdout);
	if (!fork()) _exit(9);
	wait(&s);
	printf("%d %d %s\n", WEXITSTATUS(s), system("exit 4") >> 8, strerror(ENOENT));
	return 36;
}
END
	musl-gcc -O1 -o dynamic a.c && musl-gcc -O1 -static -no-pie -o fixed a.c && musl-gcc -O1 -static -o static a.c
}
lane=fixed
cmd() {
	R ./dynamic
	echo $?
	R ./fixed
	echo $?
	R ./static
}
