/* SPDX-License-Identifier: MIT */
/*
 * chan-figures serve, and in the same group chan-figures [ROUNDS]: two programs of a group measure channels against what they are made of.
 *
 *	round-trip-spin      both spin on two CPUs: channel, raw cache lines, pipe, unix socket
 *	round-trip-sleep     both sleep, on one CPU: channel, raw futex
 *	stream               one lane with acknowledgement, on two CPUs: single messages, batches of 64; and the same by a raw ring of slots,
 *	                     with nothing but the loads and stores that hand over and acknowledge
 *
 * Both sides of a conversation answer first and acknowledge then, as one does who must not lose what it was asked.
 *
 * Rounds are paired: in each, everything is measured once; a busy machine ends them after 90 s. One line for each figure: name, median, unit,
 * p99.9 where single trips were timed. A stream's median is of blocks of 1,000 messages, beside the mean of all. The ratios are medians of the
 * rounds' ratios. With one CPU only, what needs two is left out.
 */
#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tp/tp.h>

#include "trips.h"

enum { MESSAGES = 2000000, BLOCK = 1000, BATCH = 64, SLOTS = 1024, AHEAD = 128, ROUNDS_MAX = 99 };
enum order { NONE, RAW, FUTEX, CHAN_SPIN, CHAN_SLEEP, SINGLE, BATCHED, RAW_SLOTS, QUIT };

struct word {
	_Alignas(128) uint32_t v;
};

struct board {
	struct word ping, pong, order, done;
	uint32_t trips, cpu;
	double ns, mean; /* a message */
	_Alignas(128) uint64_t acked;
	_Alignas(128) uint64_t slot[SLOTS];
};

static _Noreturn void die(const char *what, int r)
{
	fprintf(stderr, "chan-figures: %s: %d: %s\n", what, r, tp_why());
	exit(1);
}

static void must(const char *what, int r)
{
	if (r < 0)
		die(what, r);
}

static uint32_t get(struct word *w)
{
	return __atomic_load_n(&w->v, __ATOMIC_ACQUIRE);
}

static void set(struct word *w, uint32_t v)
{
	__atomic_store_n(&w->v, v, __ATOMIC_RELEASE);
}

static void futex_set(struct word *w, uint32_t v)
{
	set(w, v);
	syscall(SYS_futex, &w->v, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void futex_await(struct word *w, uint32_t v)
{
	for (uint32_t seen; (seen = get(w)) != v;)
		syscall(SYS_futex, &w->v, FUTEX_WAIT, seen, NULL, NULL, 0);
}

static void spin_await(struct word *w, uint32_t v)
{
	while (get(w) != v)
		;
}

/* The two ends of a conversation over channels. */
struct ends {
	struct tp_chan *in;
	struct tp_lane *out;
	struct tp_message heard;
};

static void *token;

static void say(struct ends *e)
{
	must("send", tp_lane_send_lend(e->out, token, TP_FOREVER));
	if (e->heard.ptr)
		must("ack", tp_chan_ack(e->in, &e->heard));
}

static void hear(struct ends *e)
{
	must("recv", tp_chan_recv(e->in, TP_FOREVER, &e->heard));
}

static void create(const char *name, uint32_t flags, struct ends *e)
{
	struct tp_chan_options o = {.size = sizeof(o), .flags = flags};

	must("create", tp_chan_create(name, "token", &o, &e->in));
}

static void open_lane(const char *name, struct ends *e)
{
	must("open", tp_chan_open(name, "token", 10 * TP_SECOND, &e->out));
}

/* The serving side. */

/* Times of blocks of messages. */
struct blocks {
	double time[MESSAGES / BLOCK + 1], start, from;
	int n, count, last;
};

static void count_in(struct blocks *b, int got)
{
	double t;

	b->count += got;
	if (b->count - b->last < BLOCK)
		return;
	t = now();
	if (b->n++)
		b->time[b->n - 2] = (t - b->from) / (b->count - b->last);
	else
		b->start = t;
	b->from = t;
	b->last = b->count;
}

static void tell(struct blocks *b, struct board *ret)
{
	ret->ns = at(b->time, (size_t)b->n - 1, 0.5);
	ret->mean = (b->from - b->start) / (b->last - BLOCK);
}

static void stream_in(struct ends *e, struct board *board, size_t batch)
{
	static struct blocks b;
	struct tp_message m[BATCH];

	b = (struct blocks){.n = 0};
	while (b.count < MESSAGES) {
		int got = batch == 1 ? tp_chan_recv(e->in, TP_FOREVER, m) : tp_chan_recv_batch(e->in, TP_FOREVER, m, batch);

		must("recv", got);
		got = batch == 1 ? 1 : got;
		must("ack", tp_chan_ack(e->in, &m[got - 1]));
		count_in(&b, got);
	}
	tell(&b, board);
}

static void slots_in(struct board *board)
{
	static struct blocks b;

	b = (struct blocks){.n = 0};
	for (uint64_t n = 0; n < MESSAGES; n++) {
		uint64_t *slot = &board->slot[n % SLOTS];

		while (!__atomic_load_n(slot, __ATOMIC_ACQUIRE))
			;
		__atomic_store_n(&board->acked, n + 1, __ATOMIC_RELEASE);
		__atomic_store_n(slot, 0, __ATOMIC_RELEASE);
		count_in(&b, 1);
	}
	tell(&b, board);
}

static void serve_order(struct board *b, enum order order, struct ends *spin, struct ends *asleep)
{
	struct ends *e = order == CHAN_SLEEP ? asleep : spin;

	pin(b->cpu);
	for (uint32_t i = 1; i <= b->trips; i++) {
		switch (order) {
		case RAW:
			spin_await(&b->ping, i);
			set(&b->pong, i);
			break;
		case FUTEX:
			futex_await(&b->ping, i);
			futex_set(&b->pong, i);
			break;
		case CHAN_SPIN:
		case CHAN_SLEEP:
			hear(e);
			say(e);
			break;
		default: break;
		}
	}
	if (order == SINGLE || order == BATCHED)
		stream_in(spin, b, order == SINGLE ? 1 : BATCH);
	if (order == RAW_SLOTS)
		slots_in(b);
}

static int serve(void)
{
	struct board *b = tp_aligned_alloc(128, sizeof(*b));
	struct ends spin = {0}, asleep = {0};
	uint32_t n = 0;

	if (!b)
		die("board", -ENOMEM);
	token = memset(b, 0, sizeof(*b));
	create("figures-to-server", 0, &spin);
	create("figures-to-sleeping-server", TP_CHAN_NO_SPIN, &asleep);
	must("publish", tp_publish("figures", b, "board", 0));
	open_lane("figures-to-client", &spin);
	open_lane("figures-to-sleeping-client", &asleep);
	for (;;) {
		enum order order;

		futex_await(&b->order, ++n);
		order = (enum order)b->done.v;
		if (order == QUIT)
			return 0;
		serve_order(b, order, &spin, &asleep);
		futex_set(&b->done, 0);
	}
}

/* The measuring side. */

static struct board *board;
static struct ends spin, asleep;
static int pipes[2][2], sockets[2];
static uint32_t last_order;

static void command(enum order order, uint32_t cpu, uint32_t trips)
{
	board->ping.v = board->pong.v = 0;
	board->trips = trips;
	board->cpu = cpu;
	set(&board->done, order);
	futex_set(&board->order, ++last_order);
}

static void trip(enum order order, uint32_t i)
{
	char c = 1;
	ssize_t n = 1;

	switch (order) {
	case RAW:
		set(&board->ping, i);
		spin_await(&board->pong, i);
		break;
	case FUTEX:
		futex_set(&board->ping, i);
		futex_await(&board->pong, i);
		break;
	case CHAN_SPIN:
		say(&spin);
		hear(&spin);
		break;
	case CHAN_SLEEP:
		say(&asleep);
		hear(&asleep);
		break;
	case SINGLE: /* a pipe */
		n = write(pipes[0][1], &c, 1) + read(pipes[1][0], &c, 1) - 1;
		break;
	default: /* a socket */
		n = write(sockets[0], &c, 1) + read(sockets[0], &c, 1) - 1;
		break;
	}
	if (n != 1)
		die("pipe or socket", -errno);
}

static void trip_of(void *order, uint32_t i)
{
	trip(*(enum order *)order, i);
}

static struct trips measure(enum order order)
{
	return measure_trips(trip_of, &order);
}

static struct trips with_server(enum order order, uint32_t cpu)
{
	struct trips t;

	command(order, cpu, TRIPS_ALL);
	t = measure(order);
	futex_await(&board->done, 0);
	return t;
}

/* Pipe and socket: the other end is a child, as anywhere. */
static void echo(int in, int out)
{
	char c;

	while (read(in, &c, 1) == 1 && write(out, &c, 1) == 1)
		;
	_exit(0);
}

static void start_echoes(void)
{
	if (pipe(pipes[0]) || pipe(pipes[1]) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		die("pipe or socket", -errno);
	for (int i = 0; i < 2; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork", -errno);
		if (pid > 0)
			continue;
		pin(1);
		close(pipes[0][1]);
		close(sockets[0]);
		echo(i ? sockets[1] : pipes[0][0], i ? sockets[1] : pipes[1][1]);
	}
	close(sockets[1]);
	close(pipes[0][0]);
	close(pipes[1][1]);
}

static void wait_empty(uint64_t *slot)
{
	while (__atomic_load_n(slot, __ATOMIC_ACQUIRE))
		;
}

/* Like a lane: one that finds it full waits for a part of it. */
static void slots_out(void)
{
	for (uint64_t n = 0; n < MESSAGES; n++) {
		uint64_t *slot = &board->slot[n % SLOTS];

		if (__atomic_load_n(slot, __ATOMIC_ACQUIRE))
			wait_empty(&board->slot[(n + AHEAD) % SLOTS]);
		__atomic_store_n(slot, n + 1, __ATOMIC_RELEASE);
	}
}

static void stream_out(enum order order)
{
	static void *tokens[BATCH];

	for (int i = 0; i < BATCH; i++)
		tokens[i] = token;
	for (int n = 0; n < MESSAGES; n += order == SINGLE ? 1 : BATCH) {
		if (order == SINGLE)
			must("send", tp_lane_send_lend(spin.out, token, TP_FOREVER));
		else
			must("send", tp_lane_send_batch_lend(spin.out, tokens, BATCH, TP_FOREVER));
	}
}

/* In place of the tail: the mean. */
static struct trips stream(enum order order)
{
	command(order, 1, 0);
	if (order == RAW_SLOTS)
		slots_out();
	else
		stream_out(order);
	futex_await(&board->done, 0);
	return (struct trips){board->ns, board->mean};
}

enum figure { F_CHAN, F_RAW, F_PIPE, F_SOCKET, F_SLEEP, F_FUTEX, F_SINGLE, F_BATCH, F_SLOTS, F_PER_RAW, F_PER_FUTEX, F_PIPE_PER, F_SOCKET_PER,
	F_PER_SLOTS, FIGURES };

static const char *const names[FIGURES] = {"round-trip-spin", "raw-lines", "pipe", "unix-socket", "round-trip-sleep", "raw-futex",
	"stream-single", "stream-batch-64", "raw-slots", "spin-per-raw", "sleep-per-futex", "pipe-per-spin", "socket-per-spin",
	"single-per-slots"};
static double value[FIGURES][ROUNDS_MAX], tail[FIGURES][ROUNDS_MAX];

static void note(enum figure f, int round, struct trips t)
{
	value[f][round] = t.median;
	tail[f][round] = t.p999;
}

static void two_cpus(int round)
{
	note(F_RAW, round, with_server(RAW, 1));
	note(F_CHAN, round, with_server(CHAN_SPIN, 1));
	note(F_PIPE, round, measure(SINGLE));
	note(F_SOCKET, round, measure(QUIT));
	note(F_SLOTS, round, stream(RAW_SLOTS));
	note(F_SINGLE, round, stream(SINGLE));
	note(F_BATCH, round, stream(BATCHED));
	value[F_PER_RAW][round] = value[F_CHAN][round] / value[F_RAW][round];
	value[F_PIPE_PER][round] = value[F_PIPE][round] / value[F_CHAN][round];
	value[F_SOCKET_PER][round] = value[F_SOCKET][round] / value[F_CHAN][round];
	value[F_PER_SLOTS][round] = value[F_SINGLE][round] / value[F_SLOTS][round];
}

static void one_cpu(int round)
{
	note(F_FUTEX, round, with_server(FUTEX, 0));
	note(F_SLEEP, round, with_server(CHAN_SLEEP, 0));
	value[F_PER_FUTEX][round] = value[F_SLEEP][round] / value[F_FUTEX][round];
}

static void print(int rounds)
{
	for (int f = 0; f < FIGURES; f++) {
		double median = at(value[f], (size_t)rounds, 0.5), p999 = at(tail[f], (size_t)rounds, 0.5);

		if (median == 0)
			continue;
		printf("%s %.2f %s", names[f], median, f < F_PER_RAW ? "ns" : "times");
		if (p999 != 0)
			printf(f >= F_SINGLE && f <= F_SLOTS ? " mean %.2f" : " p99.9 %.0f", p999);
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 7, two = sysconf(_SC_NPROCESSORS_ONLN) > 1, round = 0;
	double end;
	struct tp_name n;

	if (argc > 1 && !strcmp(argv[1], "serve"))
		return serve();
	rounds = rounds < 1 || rounds > ROUNDS_MAX ? 7 : rounds;
	if (two)
		start_echoes();
	must("look up", tp_wait("figures", "board", 10 * TP_SECOND, &n));
	token = board = n.ptr;
	create("figures-to-client", 0, &spin);
	create("figures-to-sleeping-client", TP_CHAN_NO_SPIN, &asleep);
	open_lane("figures-to-server", &spin);
	open_lane("figures-to-sleeping-server", &asleep);
	pin(0);
	for (end = now() + 90e9; round < rounds && (!round || now() < end); round++) {
		if (two)
			two_cpus(round);
		one_cpu(round);
	}
	print(round);
	command(QUIT, 0, 0);
	close(pipes[0][1]);
	close(sockets[0]);
	while (two && wait(NULL) > 0)
		;
	return 0;
}
