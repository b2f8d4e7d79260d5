/* SPDX-License-Identifier: MIT */
/*
 * A host over which some program has written: it speaks the protocol, but not the truth. What it
 * does is in its group's name ("lie-WHAT-NUMBER"), the only argument that it gets.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tp/abi/hostmsg.h"

static const char *what;
static long number; /* a pid that is none of ours */

static int says(const char *lie)
{
	return !strncmp(what, lie, strlen(lie));
}

static void hello(void)
{
	struct tp_host_hello h = {
		.head = {TP_HOST_MAGIC, TP_HOST_VERSION, TP_HOST_HELLO, sizeof(h), 0},
		.pid = getpid()};

	if (says("silent"))
		_exit(3);
	if (says("version"))
		h.head.version++;
	if (says("broken")) {
		h.error = -12;
		h.stage = TP_STAGE_SEGMENT;
	}
	if (send(TP_HOST_FD, &h, sizeof(h), 0) < 0)
		_exit(1);
}

static void answer(const struct tp_host_head *head)
{
	struct tp_host_result r = {
		.head = {TP_HOST_MAGIC, TP_HOST_VERSION, TP_HOST_RESULT, sizeof(r), head->seq}};

	if (head->op != TP_HOST_LAUNCH || says("pid"))
		r.value = (uint64_t)number;
	if (says("seq"))
		r.head.seq += 7;
	if (says("init"))
		r.value = 1;
	if (says("self"))
		r.value = (uint64_t)getpid();
	if (says("stage")) {
		r.error = -4000000;
		r.stage = 0xffffffff;
	}
	if (says("ends"))
		_exit(0);
	send(TP_HOST_FD, &r, says("short") ? sizeof(r) - 1 : sizeof(r), 0);
}

int main(int argc, char **argv)
{
	_Alignas(8) static char buf[TP_HOST_MESSAGE_MAX];

	if (argc != 2 || strncmp(argv[1], "lie-", 4))
		return 2;
	what = argv[1] + 4;
	number = strchr(what, '-') ? strtol(strchr(what, '-') + 1, NULL, 10) : 0;
	hello();
	while (recv(TP_HOST_FD, buf, sizeof(buf), 0) > 0)
		answer((const struct tp_host_head *)(const void *)buf);
	return 0;
}
