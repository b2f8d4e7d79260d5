/* SPDX-License-Identifier: MIT */
/* struct tp_str: a string with the layout of libstdc++'s std::string, whose memory is the group's heap. */
#ifndef TP_STR_H
#define TP_STR_H

#include <tp/base.h>

struct tp_str {
	char *data;		/* NUL-terminated; == local for short ones: NEVER copy the struct by assignment */
	size_t len;
	union {
		char local[16];
		size_t capacity;
	};
};

TP_BEGIN

TP_API void tp_str_init(struct tp_str *s);
TP_API int tp_str_set(struct tp_str *s, const char *text);
TP_API int tp_str_set_n(struct tp_str *s, const char *bytes, size_t n);
TP_API int tp_str_append(struct tp_str *s, const char *text);
TP_API int tp_str_append_n(struct tp_str *s, const char *bytes, size_t n);
TP_API int tp_str_reserve(struct tp_str *s, size_t capacity);
TP_API void tp_str_move(struct tp_str *to, struct tp_str *from);	/* to must be initialised; from is empty afterwards */
TP_API void tp_str_fini(struct tp_str *s);

TP_END
#endif
