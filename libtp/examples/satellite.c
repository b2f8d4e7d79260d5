/* SPDX-License-Identifier: MIT */
/*
 * An ordinary process that takes part.
 *
 *	tprun run -g g -- ./names put 'any text'        and, in another terminal, without tprun,
 *	./satellite g
 *
 * The text lies in the other program's own memory, which only programs of the group can reach: that is what it is told. What is in the
 * group's heap it can use as they do.
 */
#include <string.h>

#include "example.h"

int main(int argc, char **argv)
{
	struct tp_name found;
	char *text;

	check(tp_attach(argc > 1 ? argv[1] : NULL), "attach");
	if (tp_wait("greeting", "text", 10 * TP_SECOND, &found) < 0)
		printf("%s\n", tp_why());
	text = check_memory(tp_malloc(100));
	strcpy(text, "a text that everybody can read");
	check(tp_publish("for-all", text, "text", TP_PUBLISH_KEEP), "publish");
	check(tp_detach(), "detach");
	puts("published");
	return 0;
}
