/* SPDX-License-Identifier: MIT */
/* struct tp_vec: an array with the layout of libstdc++'s std::vector of trivially copyable elements, on the group's heap. */
#ifndef TP_VEC_H
#define TP_VEC_H

#include <tp/base.h>

struct tp_vec {
	void *begin, *end, *limit;
};

TP_BEGIN

TP_API void tp_vec_init(struct tp_vec *v);
TP_API size_t tp_vec_count(const struct tp_vec *v, size_t element);
TP_API void *tp_vec_at(const struct tp_vec *v, size_t element, size_t index);	/* NULL: beyond the end */
TP_API int tp_vec_push(struct tp_vec *v, size_t element, const void *value);
TP_API int tp_vec_resize(struct tp_vec *v, size_t element, size_t count);	/* new elements are zero */
TP_API int tp_vec_reserve(struct tp_vec *v, size_t element, size_t count);
TP_API void tp_vec_move(struct tp_vec *to, struct tp_vec *from);
TP_API void tp_vec_fini(struct tp_vec *v);

TP_END
#endif
