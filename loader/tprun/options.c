/* SPDX-License-Identifier: MIT */
/*
 * One parser for the options of all verbs, driven by the same tables as --help.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "tprun/command.h"
#include "tprun/say.h"

#define OPTIONS_MAX 16

static bool has_letter(const struct tp_option *o)
{
	return o->letter < 0x80;
}

static void fill_getopt(const struct tp_verb *verb, struct option *longs, char *shorts)
{
	const struct tp_option *o = verb->options;

	/* '+': stop at the first word that is no option, where a command begins; else options may follow
	 * names. ':': tell a missing value from a bad option. */
	shorts = stpcpy(shorts, verb->takes_command ? "+:" : ":");
	for (; o->name; o++) {
		*longs++ = (struct option){o->name, o->value != NULL, NULL, o->letter};
		if (has_letter(o))
			*shorts++ = (char)o->letter;
		if (has_letter(o) && o->value)
			*shorts++ = ':';
	}
	*longs = (struct option){.name = NULL};
	*shorts = 0;
}

/* -1: taken; else the status to end with. */
static int take(const struct tp_verb *verb, int letter, struct tp_options *ret)
{
	switch (letter) {
	case 'g': ret->group = optarg; break;
	case 't': ret->tty = true; break;
	case 'o':
		if (strcmp(optarg, "json"))
			return tp_usage(verb->name,
				"%s: -o: there is no output form \"%s\", only json", verb->name,
				optarg);
		ret->json = true;
		break;
	case TP_OPT_LINGER: ret->linger = true; break;
	case TP_OPT_SHARED_MALLOC: ret->shared_malloc = true; break;
	case TP_OPT_HEAP: ret->heap = optarg; break;
	case TP_OPT_LEAVE: ret->leave = true; break;
	case TP_OPT_ROOT: ret->root = optarg; break;
	case TP_OPT_EXIT_ON: ret->exit_on = optarg; break;
	case TP_OPT_HELP: tp_options_help(verb); return 0;
	}
	return -1;
}

static int refuse(const struct tp_verb *verb, int letter, const char *word)
{
	return tp_usage(verb->name, "%s: %s: %s", verb->name, word,
		letter == ':' ? "a value is missing" : "there is no such option");
}

int tp_options_parse(const struct tp_verb *verb, int argc, char **argv, struct tp_options *ret)
{
	struct option longs[OPTIONS_MAX];
	char shorts[2 * OPTIONS_MAX + 4], letter_word[] = "-?";
	int letter;

	*ret = (struct tp_options){.group = NULL};
	fill_getopt(verb, longs, shorts);
	opterr = 0;
	optind = 0; /* start afresh: where names and options mix, getopt keeps more than this */
	while ((letter = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		int status;

		letter_word[1] = (char)optopt;
		if (letter == '?' || letter == ':')
			return refuse(verb, letter,
				optopt > 0 && optopt < 0x80 ? letter_word : argv[optind - 1]);
		status = take(verb, letter, ret);
		if (status >= 0)
			return status;
	}
	ret->rest = argv + optind;
	ret->nrest = argc - optind;
	return -1;
}

void tp_options_help(const struct tp_verb *verb)
{
	printf("usage: tprun %s %s\n\n%s.\n\noptions:\n", verb->name, verb->synopsis, verb->help);
	for (const struct tp_option *o = verb->options; o->name; o++) {
		char left[64];

		snprintf(left, sizeof(left), "%c%c%c --%s%s%s", has_letter(o) ? '-' : ' ',
			has_letter(o) ? o->letter : ' ', has_letter(o) ? ',' : ' ', o->name,
			o->value ? " " : "", o->value ? o->value : "");
		printf("  %-24s %s\n", left, o->help);
	}
	fflush(stdout);
}
