/* SPDX-License-Identifier: MIT */
/*
 * bench-libtp [-o table|json] [FIGURE...]: what tests/bench/run libtp runs. The measuring programs beside this file do the work, most of them
 * as programs of a real group; this one starts them, reads their lines, and prints rows. A line of theirs is words, then numbers, with words in
 * between or not: "round-trip-spin 124.00 ns p99.9 180".
 */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run-figures.h"
#include "say.h"

enum { LINES_MAX = 64, VALUES_MAX = 4, RUN_S = 150 };

struct line {
	char key[96];
	double value[VALUES_MAX];
	int n;
};

static struct line lines[LINES_MAX];
static int nlines;
static char here[PATH_MAX];

/* ---- running ------------------------------------------------------------------------------------ */

static void take_word(struct line *l, const char *word)
{
	char *end;
	double value = strtod(word, &end);

	if (end != word && !*end) {
		if (l->n < VALUES_MAX)
			l->value[l->n++] = value;
		return;
	}
	if (l->n == 0)
		snprintf(l->key + strlen(l->key), sizeof(l->key) - strlen(l->key), "%s%s", *l->key ? " " : "", word);
}

static void take_line(char *text)
{
	struct line *l = &lines[nlines];
	char *save, *word;

	memset(l, 0, sizeof(*l));
	for (word = strtok_r(text, " \n", &save); word; word = strtok_r(NULL, " \n", &save))
		take_word(l, word);
	if (l->n && nlines < LINES_MAX - 1)
		nlines++;
}

/* The command of a shell; what it prints replaces what was read before. 0, or its status. */
__attribute__((format(printf, 1, 2))) static int run(const char *fmt, ...)
{
	char command[8192], text[512];
	va_list args;
	FILE *f;
	int at = snprintf(command, sizeof(command), "exec timeout -k 5 %d ", RUN_S);

	va_start(args, fmt);
	vsnprintf(command + at, sizeof(command) - (size_t)at, fmt, args);
	va_end(args);
	nlines = 0;
	f = popen(command, "r");
	if (!f)
		return -1;
	while (fgets(text, sizeof(text), f))
		take_line(text);
	return pclose(f);
}

static const struct line *find(const char *key)
{
	for (int i = 0; i < nlines; i++)
		if (!strcmp(lines[i].key, key))
			return &lines[i];
	return NULL;
}

static double value_of(const char *key, int which)
{
	const struct line *l = find(key);

	return l && which < l->n ? l->value[which] : 0;
}

/* A command that starts programs in a group of its own; what follows is its first program. */
static const char *in_group(void)
{
	static char text[2 * PATH_MAX];
	static unsigned serial;

	snprintf(text, sizeof(text), "'%s/../../loader/tprun/tprun' run -g bench-libtp-%d-%u --", here, (int)getpid(), serial++);
	return text;
}

static const char *program(const char *name)
{
	static char ring[8][PATH_MAX + 64];
	static unsigned at;
	char *path = ring[at++ % 8];

	snprintf(path, sizeof(ring[0]), "'%s/libtp/bench-%s'", here, name);
	return path;
}

/* ---- rows --------------------------------------------------------------------------------------- */

struct row {
	const char *name;
	const char *key; /* line that holds the value */
	int which;       /* of its numbers */
	double scale;
	const char *unit;
	enum bench_bound bound;
	double must;
};

__attribute__((format(printf, 2, 3))) static void print_row(const struct row *r, const char *fmt, ...)
{
	struct bench_figure figure = {.name = r->name, .unit = r->unit, .bound = r->bound, .must = r->must};
	const struct line *l = find(r->key);
	char note[400];
	va_list args;

	if (!l || r->which >= l->n) {
		bench_row_missing(r->name, "its program did not say (two processors, or a package of tests/lib, may be missing)");
		return;
	}
	va_start(args, fmt);
	vsnprintf(note, sizeof(note), fmt, args);
	va_end(args);
	figure.value = l->value[r->which] * (r->scale != 0 ? r->scale : 1);
	bench_row(&figure, "%s", note);
}

/* Other libraries, beside a round trip by channel that was measured just before. */
static void peers_of_channels(double channel)
{
	double scale = channel > 0 ? 1 / channel : 1;

	run("%s 1", program("zmq-figures"));
	print_row(&(struct row){"round trip by ZeroMQ inproc, two threads spinning / by channel, spinning", "zmq-inproc-spin", 0, scale, "x",
			  BENCH_MEASURED, 0},
		"%.1f us, p99.9 %.1f; sleeping %.1f us", value_of("zmq-inproc-spin", 0) / 1e3, value_of("zmq-inproc-spin", 1) / 1e3,
		value_of("zmq-inproc", 0) / 1e3);
	print_row(&(struct row){"round trip by ZeroMQ ipc / by channel, spinning", "zmq-ipc", 0, scale, "x", BENCH_MEASURED, 0},
		"%.1f us, p99.9 %.1f", value_of("zmq-ipc", 0) / 1e3, value_of("zmq-ipc", 1) / 1e3);
	run("%s 1", program("boost-queue-figures"));
	print_row(&(struct row){"round trip by Boost.Interprocess message_queue / by channel, spinning", "boost-queue", 0, scale, "x",
			  BENCH_MEASURED, 0},
		"%.1f us, p99.9 %.1f", value_of("boost-queue", 0) / 1e3, value_of("boost-queue", 1) / 1e3);
}

static void channels(void)
{
	run("%s %s serve ::: %s 15", in_group(), program("chan-figures"), program("chan-figures"));
	print_row(&(struct row){"channel round trip, both spinning / raw cache lines", "spin-per-raw", 0, 1, "x", BENCH_AT_MOST, 1.3},
		"%.0f / %.0f ns; p99.9 %.0f / %.0f", value_of("round-trip-spin", 0), value_of("raw-lines", 0),
		value_of("round-trip-spin", 1), value_of("raw-lines", 1));
	print_row(&(struct row){"channel round trip, both sleeping / raw futex", "sleep-per-futex", 0, 1, "x", BENCH_AT_MOST, 1.25},
		"one CPU: %.1f / %.1f us; p99.9 %.1f / %.1f", value_of("round-trip-sleep", 0) / 1e3, value_of("raw-futex", 0) / 1e3,
		value_of("round-trip-sleep", 1) / 1e3, value_of("raw-futex", 1) / 1e3);
	print_row(&(struct row){"round trip by pipe / by channel, spinning", "pipe-per-spin", 0, 1, "x", BENCH_AT_LEAST, 15},
		"pipe %.1f us, p99.9 %.1f", value_of("pipe", 0) / 1e3, value_of("pipe", 1) / 1e3);
	print_row(&(struct row){"round trip by unix socket / by channel, spinning", "socket-per-spin", 0, 1, "x", BENCH_AT_LEAST, 30},
		"socket %.1f us, p99.9 %.1f", value_of("unix-socket", 0) / 1e3, value_of("unix-socket", 1) / 1e3);
	print_row(&(struct row){"one lane with acknowledgement, single", "stream-single", 0, 1, "ns", BENCH_AT_MOST, 10},
		"a message, median of blocks of 1,000; mean %.1f", value_of("stream-single", 1));
	print_row(&(struct row){"one lane with acknowledgement, batches of 64", "stream-batch-64", 0, 1, "ns", BENCH_AT_MOST, 4},
		"a message, median of blocks of 1,000; mean %.1f", value_of("stream-batch-64", 1));
	print_row(&(struct row){"one lane, single / a raw ring of slots", "single-per-slots", 0, 1, "x", BENCH_MEASURED, 0},
		"raw: %.1f ns a message: loads and stores alone, no check, no count", value_of("raw-slots", 0));
	peers_of_channels(value_of("round-trip-spin", 0));
}

struct handover {
	double wall, cpu, bytes;
};

/* Median of three by wall time; one of a bad run is not. */
static struct handover hand_over(const char *way, const char *order, unsigned nodes)
{
	struct handover h[3], tmp;
	char key[32];

	snprintf(key, sizeof(key), "%s %s", way, order);
	for (int i = 0; i < 3; i++) {
		char socket[64];

		snprintf(socket, sizeof(socket), "/tmp/bench-libtp-%d.socket", (int)getpid());
		run("%s %s receive %s %s %u %s ::: %s send %s %s %u %s", in_group(), program("map-handover"), way, order, nodes, socket,
			program("map-handover"), way, order, nodes, socket);
		unlink(socket);
		h[i] = (struct handover){value_of(key, 0), value_of(key, 1), value_of(key, 2)};
	}
	for (int i = 0; i < 2; i++)
		for (int k = 0; k < 2 - i; k++)
			if (h[k].wall > h[k + 1].wall)
				tmp = h[k], h[k] = h[k + 1], h[k + 1] = tmp;
	return h[1];
}

static void hand_over_in(const char *order, const char *name, double must)
{
	const unsigned nodes = 10000000;
	struct handover own = hand_over("pointer", order, nodes), boost = hand_over("boost", order, nodes);
	struct bench_figure figure = {.name = name, .unit = "x", .bound = BENCH_AT_LEAST, .must = must};

	if (own.wall <= 0 || boost.wall <= 0) {
		bench_row_missing(name, "needs libboost-serialization-dev, and 2 GiB of memory");
		return;
	}
	figure.value = boost.wall / own.wall;
	bench_row(&figure, "%.2f / %.2f s, CPU of both programs %.2f / %.2f s, %.0f / %.0f MB copied; medians of 3", boost.wall, own.wall,
		boost.cpu, own.cpu, boost.bytes / 1e6, own.bytes / 1e6);
}

static void maps(void)
{
	hand_over_in("key", "a std::map of 10 M nodes, built in key order: Boost.Serialization and socket / by pointer, with a walk", 5);
	hand_over_in("random", "the same, built in random order", 1.2);
}

static void heap_row(const char *figure, int rounds, const char *name, double must)
{
	run("%s %s %d", program("heap-figures"), figure, rounds);
	print_row(&(struct row){name, figure, 2, 1, "x", BENCH_AT_MOST, must}, "%.1f / %.1f ns of CPU time a block", value_of(figure, 0),
		value_of(figure, 1));
}

static void heap(void)
{
	heap_row("churn", 15, "tp_malloc + tp_free, 16-1,024 B / mimalloc", 1.0);
	heap_row("live", 15, "the same, 16-256 B with 20,000 live", 1.25);
	heap_row("large", 15, "the same, above 16 KiB", 1.5);
	heap_row("pair", 9, "allocated in one program, freed in another, 64-1,024 B / mimalloc across two threads", 1.0);
	heap_row("pair-small", 9, "the same, 16-256 B", 1.0);
	run("%s bounded 100", program("heap-figures"));
	print_row(&(struct row){"heap held after 100 M blocks went from program to program", "bounded", 0, 1, "MiB", BENCH_AT_MOST, 64},
		"bounded, not growing with the blocks");
}

/* Huge pages come with a tmpfs of the heap's own, which not everybody can make. */
static void touch(void)
{
	if (geteuid() == 0) {
		run("%s touch 15", program("heap-figures"));
		print_row(&(struct row){"first touch of a page of the heap / of anonymous memory", "touch", 2, 1, "x", BENCH_AT_MOST, 0.3},
			"%.0f / %.0f ns a page; huge pages", value_of("touch", 0), value_of("touch", 1));
	}
	run("%s touch-small 15", program("heap-figures"));
	print_row(&(struct row){"the same where huge pages cannot be had", "touch-small", 2, 1, "x", BENCH_AT_MOST, 1.7},
		"%.0f / %.0f ns a page", value_of("touch-small", 0), value_of("touch-small", 1));
}

static void killed(void)
{
	double threads, lost;

	run("%s 300", program("killed-figures"));
	threads = value_of("killed", 1);
	lost = value_of("killed", 2);
	print_row(&(struct row){"blocks lost per killed thread", "killed", 2, threads > 0 ? 1 / threads : 1, "", BENCH_AT_MOST, 1},
		"%.0f blocks by %.0f kills of two threads each in tp_malloc and tp_free", lost, value_of("killed", 0));
	print_row(&(struct row){"heaps that did not pass tp_heap_check after a kill", "killed", 3, 1, "", BENCH_AT_MOST, 0}, "of %.0f",
		value_of("killed", 0));
}

static void locks(void)
{
	char group[64];

	run("%s %s 301", in_group(), program("lock-uncontended"));
	print_row(&(struct row){"uncontended mutex / pthread_mutex", "tp_mutex", 1, 1, "x", BENCH_AT_MOST, 1.0},
		"%.1f / %.1f ns; robust pthread_mutex %.1f", value_of("tp_mutex", 0), value_of("pthread_mutex", 0),
		value_of("pthread_mutex-robust", 0));
	snprintf(group, sizeof(group), "bench-libtp-%d-kill", (int)getpid());
	run("'%s/../../loader/tprun/tprun' run -g %s -- %s '%s/../../loader/tprun/tprun' %s 50", here, group, program("lock-recovery"), here,
		group);
	print_row(&(struct row){"a lock's owner is killed: until the waiter is told", "recovery", 0, 1, "ms", BENCH_AT_MOST, 100},
		"median of 50; ninth decile %.1f, longest %.1f ms (must be below 1,000)", value_of("recovery", 1), value_of("recovery", 2));
}

static void names(void)
{
	run("%s %s", in_group(), program("names-figures"));
	print_row(&(struct row){"publish, with 8,192 names", "publish-8192", 0, 1, "ns", BENCH_AT_MOST, 100}, "p99.9 of chunks of 64: %.0f ns",
		value_of("publish-8192", 1));
	print_row(&(struct row){"look-up, with 8,192 names", "look-up-8192", 0, 1, "ns", BENCH_AT_MOST, 50},
		"in random order; p99.9 of chunks of 64: %.0f ns; tp_name_check %.1f ns", value_of("look-up-8192", 1), value_of("check-8192", 0));
	print_row(&(struct row){"look-up, with 100,000 names", "look-up-100000", 0, 1, "ns", BENCH_AT_MOST, 150},
		"in random order; p99.9 of chunks of 64: %.0f ns; publish %.0f ns", value_of("look-up-100000", 1), value_of("publish-100000", 0));
}

static void shared_malloc(void)
{
	run("'%s/../../loader/tprun/tprun' run -g bench-libtp-%d-malloc --shared-malloc -- %s 15", here, (int)getpid(), program("malloc-figures"));
	print_row(&(struct row){"malloc + free of --shared-malloc, 16-1,024 B / glibc", "churn", 2, 1, "x", BENCH_MEASURED, 0},
		"%.1f / %.1f ns of CPU time", value_of("churn", 0), value_of("churn", 1));
}

static const struct bench_subject subjects[] = {
	{"channels", "round trips, streams", channels},
	{"maps", "a std::map handed over", maps},
	{"heap", "allocate and free", heap},
	{"touch", "first touch of a page", touch},
	{"killed", "blocks lost by kills", killed},
	{"locks", "mutexes, recovery", locks},
	{"names", "publish and look up", names},
	{"malloc", "--shared-malloc", shared_malloc},
};

static void find_ourselves(void)
{
	ssize_t n = readlink("/proc/self/exe", here, sizeof(here) - 1);

	if (n < 0)
		bench_die("/proc/self/exe cannot be read");
	here[n] = '\0';
	*strrchr(here, '/') = '\0';
}

int main(int argc, char **argv)
{
	find_ourselves();
	return bench_run_figures(subjects, sizeof(subjects) / sizeof(*subjects), argc, argv);
}
