/* SPDX-License-Identifier: MIT */
/* A user's first program: what an installed library must build, in C and in C++, and what it says in and out of a group. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <tp/tp.h>

int main(void)
{
	struct tp_name found;
	char *text;

	if (tp_connected() == -ENOTCONN) {
		printf("%s: outside, %s\n", tp_version(), tp_malloc(10) ? "but with memory" : "no memory");
		return 0;
	}
	text = (char *)tp_malloc(10);
	if (!text || tp_publish("text", strcpy(text, "inside"), "text", 0) || tp_lookup("text", "text", &found)) {
		printf("%s\n", tp_why());
		return 1;
	}
	printf("%s: %s\n", tp_version(), (const char *)found.ptr);
	return tp_free(found.ptr) != 0;
}
