/* SPDX-License-Identifier: MIT */
/*
 * party host N          gives a party for N guests and prints what came of it
 * party guest NAME      comes, counts, writes letters, reads the answers, and looks who else is there
 * party attach GROUP NAME    the same as a satellite
 *
 * Built with every C library, statically and dynamically; all of them meet in one group.
 */
#include "party.h"

#include <pthread.h>

static struct tp_chan *letters;
static struct tp_lane *answers[64];
static char guests[64][PARTY_NAME_MAX];
static int guests_n;

static struct tp_lane *lane_to(const char *name)
{
	char channel[64] = "answers-";

	for (int i = 0; i < guests_n; i++)
		if (strcmp(guests[i], name) == 0)
			return answers[i];
	CHECK(guests_n < 64);
	strcat(channel, name);
	strcpy(guests[guests_n], name);
	RESULT(tp_chan_open(channel, "letter@1", SOON, &answers[guests_n]), 0);
	return answers[guests_n++];
}

/* A letter for each letter, from this program's own blocks. */
static void answer_all(int n)
{
	struct tp_message m;

	for (int i = 0; i < n * PARTY_LETTERS; i++) {
		struct letter *l;
		struct tp_lane *lane;
		uint64_t number;
		int r;

		/* -EPIPE: all who have come so far have closed their lanes. */
		do
			r = tp_chan_recv(letters, SOON, &m);
		while (r == -EPIPE);
		RESULT(r, 0);
		CHECK(m.given && !m.repeated);
		l = (struct letter *)m.ptr;
		lane = lane_to(l->from);
		number = l->number;
		RESULT(tp_chan_ack(letters, &m), 0);
		letter_read(l);
		RESULT(tp_lane_send_give(lane, letter_write("host", number), SOON), 0);
	}
}

static void host(int n)
{
	struct party *p = (struct party *)tp_calloc(1, sizeof(*p));

	CHECK(p);
	RESULT(tp_barrier_init(&p->barrier, (uint32_t)n + 1), 0);
	RESULT(tp_chan_create("party-letters", "letter@1", NULL, &letters), 0);
	RESULT(tp_publish("party", p, "party@1", TP_PUBLISH_KEEP), 0);
	say("open");
	answer_all(n);
	CHECK(tp_barrier_wait(&p->barrier, SOON) >= 0);
	CHECK(tp_barrier_wait(&p->barrier, SOON) >= 0);
	CHECK(p->counter == p->threads * PARTY_COUNTS);
	for (int i = 0; i < guests_n; i++)
		answers[i] = tp_lane_close(answers[i]);
	letters = tp_chan_destroy(letters);
	RESULT(tp_heap_check(), 0);
	printf("%d guests, %d letters, counted by %d threads: %d\n", guests_n, n * PARTY_LETTERS, (int)p->threads,
		(int)p->counter);
}

static void *count(void *arg)
{
	struct party *p = (struct party *)arg;

	for (int i = 0; i < PARTY_COUNTS; i++) {
		RESULT(tp_mutex_lock(&p->mutex), 0);
		p->counter++;
		p->threads += i == 0;
		RESULT(tp_mutex_unlock(&p->mutex), 0);
	}
	return NULL;
}

/* In its own memory, but for a satellite's: heap memory is for those who want to be read by all. */
static void publish_self(const char *name)
{
	char published[64] = "guest-";
	struct tp_str *card = (struct tp_str *)tp_malloc(sizeof(*card));

	CHECK(card);
	tp_str_init(card);
	RESULT(tp_str_set(card, "my name, which is too long for a short string, is "), 0);
	RESULT(tp_str_append(card, name), 0);
	strcat(published, name);
	RESULT(tp_publish(published, card, "card@1", TP_PUBLISH_KEEP), 0);
}

static int read_cards(void)
{
	struct tp_name_cursor cursor;
	struct tp_name entry;
	int n = 0, r;

	memset(&cursor, 0, sizeof(cursor));
	while ((r = tp_name_next(&cursor, &entry)) == 1) {
		const struct tp_str *card = (const struct tp_str *)entry.ptr;

		if (strncmp(entry.name, "guest-", 6) != 0)
			continue;
		RESULT(tp_str_check(card), 0);
		CHECK(strstr(card->data, entry.name + 6));
		n++;
	}
	RESULT(r, 0);
	return n;
}

static void correspond(const char *name)
{
	char channel[64] = "answers-";
	struct tp_chan *in;
	struct tp_lane *out;
	struct tp_message m;
	int got = 0;

	strcat(channel, name);
	RESULT(tp_chan_create(channel, "letter@1", NULL, &in), 0);
	RESULT(tp_chan_open("party-letters", "letter@1", SOON, &out), 0);
	for (int i = 0; i < PARTY_LETTERS; i++) {
		RESULT(tp_lane_send_give(out, letter_write(name, (uint64_t)i), SOON), 0);
		for (; tp_chan_recv(in, TP_NOWAIT, &m) == 0; got++) {
			RESULT(tp_chan_ack(in, &m), 0);
			letter_read((struct letter *)m.ptr);
		}
	}
	for (; got < PARTY_LETTERS; got++) {
		RESULT(tp_chan_recv(in, SOON, &m), 0);
		RESULT(tp_chan_ack(in, &m), 0);
		letter_read((struct letter *)m.ptr);
	}
	out = tp_lane_close(out);
	in = tp_chan_destroy(in);
}

static void guest(const char *name)
{
	struct tp_name entry;
	struct party *p;
	pthread_t thread;

	RESULT(tp_wait("party", "party@1", SOON, &entry), 0);
	p = (struct party *)entry.ptr;
	RESULT(pthread_create(&thread, NULL, count, p), 0);
	count(p);
	publish_self(name);
	correspond(name);
	RESULT(pthread_join(thread, NULL), 0);
	CHECK(tp_barrier_wait(&p->barrier, SOON) >= 0);
	printf("%s saw %d cards\n", name, read_cards());
	CHECK(tp_barrier_wait(&p->barrier, SOON) >= 0);
}

int main(int argc, char **argv)
{
	CHECK(argc >= 3);
	if (strcmp(argv[1], "host") == 0) {
		host(atoi(argv[2]));
	} else if (strcmp(argv[1], "guest") == 0) {
		RESULT(tp_connected(), 0);
		guest(argv[2]);
	} else {
		RESULT(tp_connected(), -ENOTCONN);
		RESULT(tp_attach(argv[2]), 0);
		guest(argv[3]);
		RESULT(tp_detach(), 0);
		RESULT(tp_connected(), -ENOTCONN);
	}
	return 0;
}
