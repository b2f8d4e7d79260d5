/* SPDX-License-Identifier: MIT */
/* sysv-shm [leak]: attach a segment; `leak`: print its id and die by SIGKILL while it is attached.
 */
#include "guest.h"

#include <signal.h>
#include <sys/ipc.h>
#include <sys/shm.h>

int main(int argc, char **argv)
{
	int id = shmget(IPC_PRIVATE, 1 << 16, IPC_CREAT | 0600);
	struct shmid_ds info;
	char *p;

	(void)argv;
	CHECK(id >= 0);
	p = shmat(id, NULL, 0);
	CHECK(p != (void *)-1);
	memset(p, 1, 1 << 16);
	CHECK(shmctl(id, IPC_STAT, &info) == 0 && info.shm_nattch == 1);
	if (argc > 1) {
		printf("%d\n", id);
		fflush(stdout);
		kill(getpid(), SIGKILL);
	}
	CHECK(shmdt(p) == 0 && shmctl(id, IPC_STAT, &info) == 0 && info.shm_nattch == 0);
	CHECK(shmctl(id, IPC_RMID, NULL) == 0);
	puts("attached and detached");
	return 0;
}
