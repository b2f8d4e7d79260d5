/* SPDX-License-Identifier: MIT */
#include "run-figures.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "say.h"

#define LIMIT_S 480

struct choice {
	const struct bench_subject *subjects;
	size_t n;
};

static int usage(const struct choice *c, const char *program, int status)
{
	FILE *out = status ? stderr : stdout;
	const char *slash = strrchr(program, '/');

	fprintf(out, "usage: %s [-o table|json] [FIGURE...]\nFIGURE is any of (default: all)\n", slash ? slash + 1 : program);
	for (size_t i = 0; i < c->n; i++)
		fprintf(out, "  %-10s %s\n", c->subjects[i].name, c->subjects[i].help);
	return status;
}

static const struct bench_subject *find(const struct choice *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(name, c->subjects[i].name))
			return &c->subjects[i];
	return NULL;
}

static void too_late(int signo)
{
	static const char text[] = "bench: not done after eight minutes, given up\n";

	(void)signo;
	_exit(write(STDERR_FILENO, text, sizeof(text) - 1) < 0 ? 1 : 1);
}

int bench_run_figures(const struct bench_subject *subjects, size_t n, int argc, char **argv)
{
	const struct choice c = {subjects, n};
	int option;

	while ((option = getopt(argc, argv, "o:h")) != -1)
		if (option != 'o' || bench_format(optarg))
			return usage(&c, argv[0], option == 'h' ? 0 : 2);
	for (int i = optind; i < argc; i++)
		if (!find(&c, argv[i]))
			return usage(&c, argv[0], 2);
	signal(SIGALRM, too_late);
	alarm(LIMIT_S);
	for (size_t i = 0; optind == argc && i < n; i++)
		subjects[i].measure();
	for (int i = optind; i < argc; i++)
		find(&c, argv[i])->measure();
	return 0;
}
