/* SPDX-License-Identifier: MIT */
/* What the files of the Python module `tp` share. It keeps to Python's stable ABI: one file serves 3.11 and all later ones. */
#ifndef TP_PYTHON_TPMODULE_H
#define TP_PYTHON_TPMODULE_H

#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <tp/buffer.h>
#include <tp/tp.h>

struct module_state {
	PyTypeObject *buffer_type, *name_type, *message_type, *channel_type, *lane_type;
	bool satellite;      /* only the group's own memory is to be had */
	PyObject *published; /* (name, type) -> what was published, which must stay as long as its name */
};

extern struct PyModuleDef tp_module;

struct module_state *module_state_of(PyTypeObject *type);

/* OSError (or its subclass) of a negative errno with tp_why's words. Return: NULL. */
PyObject *raise_errno(int error);

/* Seconds, or None for ever. Return: false: an exception is set. */
bool timeout_from(PyObject *seconds, int64_t *ret_ns);

/*
 * Waiting that Ctrl-C ends: runs step(arg, slice) without the interpreter's lock until it answers something but -ETIMEDOUT (or -EAGAIN, for
 * no time-out at all), the time is over, or a signal handler raises. Return: what step answered last, or INTERRUPTED with an exception.
 */
enum { INTERRUPTED = -0x10000 };
int wait_in_slices(int (*step)(void *arg, int64_t timeout), void *arg, int64_t timeout);

/*
 * buffer.c. A Buffer is a struct tp_buffer and its data.
 *
 * borrow: of another program. own: freed with the last reference. raw: bytes without a struct. wrap: makes a struct for an object's memory
 * and holds the object.
 */
PyObject *buffer_borrow(struct module_state *state, void *struct_at);
PyObject *buffer_own(struct module_state *state, void *struct_at);
/* `base` is held as long as the Buffer; NULL: nothing. */
PyObject *buffer_raw(struct module_state *state, void *at, uint64_t size, PyObject *base);
PyObject *buffer_wrap(struct module_state *state, PyObject *object);
PyObject *buffer_alloc(struct module_state *state, Py_ssize_t count, const char *format, PyObject *shape);
/* The pointer that others are given; NULL with an exception: it has been given away. */
void *buffer_pointer(PyObject *buffer);
/* Before it is given away: -1 with BufferError while views of it exist. */
int buffer_can_give(PyObject *buffer);
/* From now on it is somebody else's: every use raises ValueError. */
void buffer_given(PyObject *buffer);
/* From now on it is this program's to free. */
void buffer_taken(PyObject *buffer);
/* It stays when the last reference goes. */
void buffer_keep(PyObject *buffer);

extern PyType_Spec buffer_spec, name_spec, message_spec, channel_spec, lane_spec;
extern PyMethodDef names_methods[];

/* names.c: unpublishes what would otherwise point to freed memory. */
void names_forget(struct module_state *state);

#endif
