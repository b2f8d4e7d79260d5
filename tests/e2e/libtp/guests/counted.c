/* SPDX-License-Identifier: MIT */
/*
 * counted receive: makes a channel, and sleeps. counted send: sends it seven messages, publishes a name, makes two mistakes, says "sent", and
 * sleeps until it is killed.
 */
#include <stdio.h>
#include <string.h>
#include <tp/tp.h>
#include <unistd.h>

static int receive(void)
{
	struct tp_chan *c;

	if (tp_chan_create("counted", "int", NULL, &c))
		return 1;
	puts("ready");
	fflush(stdout);
	return pause();
}

static int give(struct tp_lane *lane)
{
	void *block = tp_malloc(1000);

	return block ? tp_lane_send_give(lane, block, TP_NOWAIT) : -1;
}

static int send(void)
{
	struct tp_lane *lane;

	if (tp_chan_open("counted", "int", 10 * TP_SECOND, &lane))
		return 1;
	for (int i = 0; i < 7; i++)
		if (give(lane))
			return 2;
	if (tp_publish("counted.name", tp_malloc(16), "t", 0))
		return 3;
	tp_publish("counted.none", NULL, "t", 0);
	tp_publish("counted.none", NULL, "t", 0);
	puts("sent");
	fflush(stdout);
	return pause();
}

int main(int argc, char **argv)
{
	return argc == 2 && !strcmp(argv[1], "receive") ? receive() : send();
}
