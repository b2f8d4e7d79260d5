/* SPDX-License-Identifier: MIT */
/*
 * tp.Buffer: memory of the group with Python's buffer protocol.
 *
 * What another program wrote is checked once, when the Buffer is made, and copied: later changes to the struct change nothing here.
 */
#include <errno.h>
#include <string.h>

#include "tpmodule.h"

enum { DATA_ALIGN = 64 };

struct buffer {
	PyObject_HEAD
	struct tp_buffer *at; /* NULL: raw bytes, or given away */
	char *data;
	uint64_t size;
	uint32_t itemsize, dimensions;
	char format[8];
	Py_ssize_t shape[TP_BUFFER_DIMENSIONS], strides[TP_BUFFER_DIMENSIONS];
	Py_ssize_t exports;
	Py_buffer held; /* of an object whose memory this is; held.obj NULL: none */
	PyObject *base; /* whose memory this is a piece of; NULL: none */
	bool readonly, owned, gone;
};

static int use(const struct buffer *b)
{
	if (!b->gone)
		return 0;
	PyErr_SetString(PyExc_ValueError, "this Buffer has been given away: it belongs to its receiver");
	return -1;
}

/* Bytes of one element; 0: no such format. */
static uint32_t size_of_format(const char *format)
{
	static const struct {
		char letter;
		uint8_t size;
	} known[] = {
		{'c', 1}, {'b', 1}, {'B', 1}, {'?', 1}, {'h', 2}, {'H', 2}, {'e', 2}, {'i', 4}, {'I', 4}, {'f', 4},
		{'l', sizeof(long)}, {'L', sizeof(long)}, {'q', 8}, {'Q', 8}, {'d', 8},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (format[0] == known[i].letter && !format[1])
			return known[i].size;
	return 0;
}

static void set_strides(struct buffer *b)
{
	Py_ssize_t step = b->itemsize;

	for (uint32_t i = b->dimensions; i-- > 0;) {
		b->strides[i] = step;
		step *= b->shape[i];
	}
}

static const char *take_shape(struct buffer *b, const struct tp_buffer *t)
{
	uint64_t size = t->itemsize;

	if (t->dimensions > TP_BUFFER_DIMENSIONS)
		return "it has more than 8 dimensions";
	for (uint32_t i = 0; i < t->dimensions; i++) {
		b->shape[i] = (Py_ssize_t)t->shape[i];
		if (t->shape[i] > PY_SSIZE_T_MAX || __builtin_mul_overflow(size, t->shape[i], &size) || size > PY_SSIZE_T_MAX)
			return "its shape is too large";
	}
	b->dimensions = t->dimensions;
	return size == t->size ? NULL : "its size is not that of its shape";
}

/* Copies what the struct says, and believes nothing. Return: NULL, or why it cannot be used. */
static const char *take_struct(struct buffer *b, struct tp_buffer *at)
{
	struct tp_buffer t;
	const char *why;

	if ((uintptr_t)at % _Alignof(struct tp_buffer))
		return "it is not aligned";
	memcpy(&t, at, sizeof(t));
	if (t.magic != TP_BUFFER_MAGIC)
		return "there is no struct tp_buffer (pass nbytes=... for plain memory)";
	t.format[sizeof(t.format) - 1] = '\0';
	if (!t.itemsize || size_of_format(t.format) != t.itemsize)
		return "its format is unknown, or not of its itemsize";
	why = take_shape(b, &t);
	if (why)
		return why;
	if ((uintptr_t)t.data + t.size < (uintptr_t)t.data)
		return "its data ends beyond all memory";
	b->at = at;
	b->data = t.data;
	b->size = t.size;
	b->itemsize = t.itemsize;
	b->readonly = t.flags & TP_BUFFER_READONLY;
	memcpy(b->format, t.format, sizeof(b->format));
	set_strides(b);
	return NULL;
}

static struct buffer *make(struct module_state *s)
{
	struct buffer *b = (struct buffer *)PyType_GenericAlloc(s->buffer_type, 0);

	return b;
}

/* May this process use the memory? What is private to a program is at this address in the group only. */
static bool in_group(const struct module_state *s, const void *at, const char *what)
{
	struct tp_owner owner;
	int r = tp_owner_of(at, &owner);

	if (r == -ENOTCONN || r == -EPROTO) {
		raise_errno(r);
		return false;
	}
	if (r || owner.memory == TP_MEMORY_NONE) {
		PyErr_Format(PyExc_ValueError, "%s: %p is memory of no program of this group", what, at);
		return false;
	}
	if (s->satellite && owner.memory != TP_MEMORY_HEAP && owner.memory != TP_MEMORY_SEGMENT) {
		PyErr_Format(PyExc_ValueError, "%s: %p is private memory of %s, out of a satellite's reach (publish what tp.alloc() made)", what, at,
			owner.name[0] ? owner.name : "the group's programs");
		return false;
	}
	return true;
}

PyObject *buffer_borrow(struct module_state *s, void *struct_at)
{
	struct buffer *b;
	const char *why;

	if (!in_group(s, struct_at, "what the name stands for") ||
		!in_group(s, (char *)struct_at + sizeof(struct tp_buffer) - 1, "what the name stands for"))
		return NULL;
	b = make(s);
	if (!b)
		return NULL;
	why = take_struct(b, struct_at);
	if (why)
		PyErr_Format(PyExc_ValueError, "what lies at %p cannot be used as a Buffer: %s", struct_at, why);
	if (why || (b->size && (!in_group(s, b->data, "its data") || !in_group(s, b->data + b->size - 1, "the end of its data")))) {
		Py_DECREF(b);
		return NULL;
	}
	return (PyObject *)b;
}

PyObject *buffer_own(struct module_state *s, void *struct_at)
{
	PyObject *b = buffer_borrow(s, struct_at);

	if (b)
		buffer_taken(b);
	return b;
}

PyObject *buffer_raw(struct module_state *s, void *at, uint64_t size, PyObject *base)
{
	struct buffer *b;

	if (size > PY_SSIZE_T_MAX || (uintptr_t)at + size < (uintptr_t)at) {
		PyErr_SetString(PyExc_ValueError, "nbytes: it would end beyond all memory");
		return NULL;
	}
	if (size && (!in_group(s, at, "the memory") || !in_group(s, (char *)at + size - 1, "the end of the memory")))
		return NULL;
	b = make(s);
	if (!b)
		return NULL;
	b->data = at;
	b->size = size;
	b->itemsize = b->dimensions = 1;
	b->shape[0] = (Py_ssize_t)size;
	strcpy(b->format, "B");
	set_strides(b);
	Py_XINCREF(base);
	b->base = base;
	return (PyObject *)b;
}

/* ---- making ----------------------------------------------------------------------------------- */

/* Fills in everything but where the data lies. Return: -1: an exception is set. */
static int describe(struct tp_buffer *t, const char *format, uint32_t dimensions, const uint64_t *shape)
{
	uint64_t size;

	*t = (struct tp_buffer){.magic = TP_BUFFER_MAGIC, .itemsize = size_of_format(format), .dimensions = dimensions};
	if (!t->itemsize) {
		PyErr_Format(PyExc_ValueError, "format: \"%.20s\" is not one letter of c b B ? h H e i I f l L q Q d", format);
		return -1;
	}
	strcpy(t->format, format);
	size = t->itemsize;
	for (uint32_t i = 0; i < dimensions; i++) {
		t->shape[i] = shape[i];
		if (__builtin_mul_overflow(size, shape[i], &size) || size > PY_SSIZE_T_MAX - 4096) {
			PyErr_SetString(PyExc_ValueError, "shape: it is too large");
			return -1;
		}
	}
	t->size = size;
	return 0;
}

/* Return: how many dimensions, -1 with an exception. */
static int shape_from(PyObject *tuple, uint64_t *ret)
{
	Py_ssize_t n = PySequence_Size(tuple);

	if (n < 0)
		return -1;
	if (n > TP_BUFFER_DIMENSIONS) {
		PyErr_SetString(PyExc_ValueError, "shape: at most 8 dimensions");
		return -1;
	}
	for (Py_ssize_t i = 0; i < n; i++) {
		PyObject *item = PySequence_GetItem(tuple, i);
		Py_ssize_t v = item ? PyNumber_AsSsize_t(item, PyExc_OverflowError) : -1;

		Py_XDECREF(item);
		if (v < 0) {
			if (!PyErr_Occurred())
				PyErr_SetString(PyExc_ValueError, "shape: no dimension may be negative");
			return -1;
		}
		ret[i] = (uint64_t)v;
	}
	return (int)n;
}

PyObject *buffer_alloc(struct module_state *s, Py_ssize_t count, const char *format, PyObject *shape)
{
	const size_t head = (sizeof(struct tp_buffer) + DATA_ALIGN - 1) & ~(size_t)(DATA_ALIGN - 1);
	uint64_t dims[TP_BUFFER_DIMENSIONS] = {(uint64_t)count};
	bool with_shape = shape && shape != Py_None;
	int n = with_shape ? shape_from(shape, dims) : 1, r;
	struct tp_buffer t;
	PyObject *b;
	void *block;

	if (n < 0)
		return NULL;
	if (with_shape == (count >= 0)) {
		PyErr_SetString(PyExc_ValueError, "alloc: either a count of elements, at least 0, or a shape");
		return NULL;
	}
	if (describe(&t, format, (uint32_t)n, dims))
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	r = tp_alloc(head + t.size, DATA_ALIGN, &block);
	if (!r)
		memset(block, 0, head + t.size);
	Py_END_ALLOW_THREADS
	if (r)
		return raise_errno(r);
	t.flags = TP_BUFFER_ONE_BLOCK;
	t.data = (char *)block + head;
	memcpy(block, &t, sizeof(t));
	b = buffer_own(s, block);
	if (!b)
		tp_free(block);
	return b;
}

/* "<d" and "@d" are "d" on this machine. */
static const char *bare(const char *format)
{
	if (!format)
		return "B";
	return (format[0] == '<' || format[0] == '@' || format[0] == '=') && format[1] && !format[2] ? format + 1 : format;
}

/* The struct is a block of its own; the memory stays the object's. */
PyObject *buffer_wrap(struct module_state *s, PyObject *object)
{
	uint64_t dims[TP_BUFFER_DIMENSIONS];
	struct tp_buffer t;
	struct buffer *b;
	Py_buffer held;
	void *block;
	int r;

	if (PyObject_GetBuffer(object, &held, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT))
		return NULL;
	for (int i = 0; i < held.ndim && i < TP_BUFFER_DIMENSIONS; i++)
		dims[i] = (uint64_t)held.shape[i];
	if (held.ndim > TP_BUFFER_DIMENSIONS) {
		PyErr_SetString(PyExc_ValueError, "at most 8 dimensions can be handed over");
		goto fail;
	}
	if (describe(&t, bare(held.format), (uint32_t)held.ndim, dims))
		goto fail;
	t.data = held.buf;
	t.flags = held.readonly ? TP_BUFFER_READONLY : 0;
	r = tp_alloc(sizeof(t), DATA_ALIGN, &block);
	if (r) {
		raise_errno(r);
		goto fail;
	}
	memcpy(block, &t, sizeof(t));
	b = make(s);
	if (!b || take_struct(b, block)) {
		tp_free(block);
		Py_XDECREF((PyObject *)b);
		goto fail;
	}
	b->owned = true;
	b->held = held;
	return (PyObject *)b;
fail:
	PyBuffer_Release(&held);
	return NULL;
}

/* ---- whose it is ------------------------------------------------------------------------------ */

void *buffer_pointer(PyObject *buffer)
{
	struct buffer *b = (struct buffer *)buffer;

	if (use(b))
		return NULL;
	return b->at ? (void *)b->at : b->data;
}

int buffer_can_give(PyObject *buffer)
{
	struct buffer *b = (struct buffer *)buffer;

	if (use(b))
		return -1;
	if (b->exports) {
		PyErr_SetString(PyExc_BufferError, "views of this Buffer exist (memoryview, numpy array): release them before it is given away");
		return -1;
	}
	if (!b->owned || b->held.obj) {
		PyErr_SetString(PyExc_ValueError, "only what tp.alloc() made, or what was given to this program, can be given away");
		return -1;
	}
	return 0;
}

void buffer_given(PyObject *buffer)
{
	struct buffer *b = (struct buffer *)buffer;

	b->gone = true;
	b->owned = false;
}

void buffer_taken(PyObject *buffer)
{
	((struct buffer *)buffer)->owned = true;
}

void buffer_keep(PyObject *buffer)
{
	((struct buffer *)buffer)->owned = false;
}

/* ---- the type --------------------------------------------------------------------------------- */

static void buffer_dealloc(PyObject *self)
{
	struct buffer *b = (struct buffer *)self;
	PyTypeObject *type = Py_TYPE(self);

	PyObject_GC_UnTrack(self);
	if (b->owned && b->at)
		tp_free(b->at);
	if (b->held.obj)
		PyBuffer_Release(&b->held);
	Py_XDECREF(b->base);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

static int buffer_traverse(PyObject *self, visitproc visit, void *arg)
{
	Py_VISIT(Py_TYPE(self));
	Py_VISIT(((struct buffer *)self)->held.obj);
	Py_VISIT(((struct buffer *)self)->base);
	return 0;
}

static int buffer_get(PyObject *self, Py_buffer *view, int flags)
{
	struct buffer *b = (struct buffer *)self;

	if (use(b))
		return -1;
	if (b->readonly && (flags & PyBUF_WRITABLE)) {
		PyErr_SetString(PyExc_BufferError, "this Buffer is read-only");
		return -1;
	}
	*view = (Py_buffer){
		.buf = b->data,
		.obj = self,
		.len = (Py_ssize_t)b->size,
		.readonly = b->readonly,
		.itemsize = b->itemsize,
		.format = flags & PyBUF_FORMAT ? b->format : NULL,
		.ndim = flags & PyBUF_ND ? (int)b->dimensions : 1,
		.shape = flags & PyBUF_ND ? b->shape : NULL,
		.strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? b->strides : NULL,
	};
	Py_INCREF(self);
	b->exports++;
	return 0;
}

static void buffer_release(PyObject *self, Py_buffer *view)
{
	(void)view;
	((struct buffer *)self)->exports--;
}

static Py_ssize_t buffer_length(PyObject *self)
{
	struct buffer *b = (struct buffer *)self;

	return b->dimensions ? b->shape[0] : 1;
}

static PyObject *get_nbytes(PyObject *self, void *unused)
{
	(void)unused;
	return PyLong_FromUnsignedLongLong(((struct buffer *)self)->size);
}

static PyObject *get_address(PyObject *self, void *unused)
{
	void *p = buffer_pointer(self);

	(void)unused;
	return p ? PyLong_FromVoidPtr(p) : NULL;
}

static PyObject *get_data_address(PyObject *self, void *unused)
{
	(void)unused;
	return use((struct buffer *)self) ? NULL : PyLong_FromVoidPtr(((struct buffer *)self)->data);
}

static PyObject *get_format(PyObject *self, void *unused)
{
	(void)unused;
	return PyUnicode_FromString(((struct buffer *)self)->format);
}

static PyObject *get_shape(PyObject *self, void *unused)
{
	struct buffer *b = (struct buffer *)self;
	PyObject *t = PyTuple_New(b->dimensions);

	(void)unused;
	for (uint32_t i = 0; t && i < b->dimensions; i++) {
		PyObject *n = PyLong_FromSsize_t(b->shape[i]);

		if (!n || PyTuple_SetItem(t, i, n))
			Py_CLEAR(t);
	}
	return t;
}

static PyObject *get_owned(PyObject *self, void *unused)
{
	(void)unused;
	return PyBool_FromLong(((struct buffer *)self)->owned);
}

static PyObject *buffer_repr(PyObject *self)
{
	struct buffer *b = (struct buffer *)self;

	if (b->gone)
		return PyUnicode_FromString("<tp.Buffer, given away>");
	return PyUnicode_FromFormat("<tp.Buffer %zd bytes '%s' at %p%s>", (Py_ssize_t)b->size, b->format, b->data, b->owned ? "" : ", of another program");
}

static PyGetSetDef attributes[] = {
	{"nbytes", get_nbytes, NULL, "bytes of data", NULL},
	{"address", get_address, NULL, "what another program is given: of the struct tp_buffer, or of plain memory", NULL},
	{"data_address", get_data_address, NULL, "where the data begins", NULL},
	{"format", get_format, NULL, "a letter of the struct module", NULL},
	{"shape", get_shape, NULL, "elements along each dimension", NULL},
	{"owned", get_owned, NULL, "is it freed with the last reference?", NULL},
	{NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
	{Py_tp_doc, "Memory of the group. memoryview(b), numpy.asarray(b) use it in place."},
	{Py_tp_dealloc, buffer_dealloc},
	{Py_tp_traverse, buffer_traverse},
	{Py_tp_repr, buffer_repr},
	{Py_tp_getset, attributes},
	{Py_sq_length, buffer_length},
	{Py_bf_getbuffer, buffer_get},
	{Py_bf_releasebuffer, buffer_release},
	{0, NULL},
};

PyType_Spec buffer_spec = {
	.name = "tp.Buffer",
	.basicsize = sizeof(struct buffer),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = slots,
};
