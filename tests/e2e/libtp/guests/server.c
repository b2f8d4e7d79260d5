/* SPDX-License-Identifier: MIT */
/*
 * server serve N     takes the name "server", as soon as its predecessor is known to be dead, prints its pid, and stays
 * server look N      is the one live entry that of the Nth?
 * server list        every entry of that name
 */
#include "guest-tp.h"

static uint64_t number;	/* in this program's own memory, which ends with it */

static void serve(void)
{
	int tries = 0, r;

	while ((r = tp_publish("server", &number, "server@1", 0)) == -EEXIST) {
		CHECK(++tries < 30000);
		usleep(1000);
	}
	RESULT(r, 0);
	printf("%d\n", (int)getpid());
	fflush(stdout);
	for (;;)
		pause();
}

static void look(uint64_t wanted)
{
	struct tp_name n;

	RESULT(tp_wait("server", "server@1", SOON, &n), 0);
	CHECK(n.alive);
	RESULT(tp_name_check(&n), 0);
	CHECK(*(uint64_t *)n.ptr == wanted);
	say("right");
}

static void list(void)
{
	struct tp_name_cursor at;
	struct tp_name n;
	int r;

	memset(&at, 0, sizeof(at));
	while ((r = tp_name_next(&at, &n)) == 1)
		printf("%s %s %s\n", n.name, n.type, n.alive ? "alive" : "dead");
	RESULT(r, 0);
}

int main(int argc, char **argv)
{
	CHECK(argc >= 2);
	number = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	if (strcmp(argv[1], "serve") == 0)
		serve();
	else if (strcmp(argv[1], "look") == 0)
		look(number);
	else
		list();
	return 0;
}
