/* SPDX-License-Identifier: MIT */
/* publish, lookup, wait, unpublish, names. */
#include <errno.h>
#include <string.h>

#include "tpmodule.h"

struct name {
	PyObject_HEAD
	struct tp_name entry;
	PyObject *buffer;
};

/* ---- publishing ------------------------------------------------------------------------------- */

/* Keeps what was published, as long as the name stands. */
static int remember(struct module_state *s, const char *name, const char *type, PyObject *buffer)
{
	PyObject *key = Py_BuildValue("(ss)", name, type);
	int r = key ? PyDict_SetItem(s->published, key, buffer) : -1;

	Py_XDECREF(key);
	return r;
}

static PyObject *publish(PyObject *module, PyObject *args, PyObject *kwargs)
{
	static char *words[] = {"name", "buffer", "type", "keep", "replace", NULL};
	struct module_state *s = PyModule_GetState(module);
	const char *name, *type;
	PyObject *object, *buffer;
	int keep = 0, replace = 0, r;
	void *at;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "sOs|$pp:publish", words, &name, &object, &type, &keep, &replace))
		return NULL;
	if (PyObject_TypeCheck(object, s->buffer_type)) {
		Py_INCREF(object);
		buffer = object;
	} else if (keep) {
		PyErr_SetString(PyExc_ValueError, "keep: only memory of tp.alloc() outlives this program");
		return NULL;
	} else {
		buffer = buffer_wrap(s, object);
	}
	at = buffer ? buffer_pointer(buffer) : NULL;
	if (!at) {
		Py_XDECREF(buffer);
		return NULL;
	}
	r = tp_publish(name, at, type, (keep ? TP_PUBLISH_KEEP : 0) | (replace ? TP_PUBLISH_REPLACE : 0));
	if (r) {
		Py_DECREF(buffer);
		return raise_errno(r);
	}
	if (keep)
		buffer_keep(buffer);
	r = remember(s, name, type, buffer);
	Py_DECREF(buffer);
	if (r) {
		tp_unpublish(name, type);
		return NULL;
	}
	Py_RETURN_NONE;
}

/* Of one name: a type, or all. The names are gone, so what was published may go as well. */
static int forget(struct module_state *s, const char *name, const char *type)
{
	PyObject *keys = PyDict_Keys(s->published);
	Py_ssize_t n = keys ? PyList_Size(keys) : -1;
	int r = n < 0 ? -1 : 0;

	for (Py_ssize_t i = 0; !r && i < n; i++) {
		PyObject *key = PyList_GetItem(keys, i);
		const char *has_name, *has_type;

		if (!PyArg_ParseTuple(key, "ss", &has_name, &has_type))
			r = -1;
		else if (!strcmp(has_name, name) && (!type || !strcmp(has_type, type)))
			r = PyDict_DelItem(s->published, key);
	}
	Py_XDECREF(keys);
	return r;
}

static PyObject *unpublish(PyObject *module, PyObject *args, PyObject *kwargs)
{
	static char *words[] = {"name", "type", NULL};
	const char *name, *type = NULL;
	int r;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s|z:unpublish", words, &name, &type))
		return NULL;
	r = tp_unpublish(name, type);
	if (r)
		return raise_errno(r);
	if (forget(PyModule_GetState(module), name, type))
		return NULL;
	Py_RETURN_NONE;
}

/* The interpreter ends. Kept entries stay, and so does their memory. */
void names_forget(struct module_state *s)
{
	PyObject *key, *buffer;
	Py_ssize_t at = 0;

	while (s->published && PyDict_Next(s->published, &at, &key, &buffer)) {
		const char *name, *type;
		PyObject *owned = PyObject_GetAttrString(buffer, "owned");

		if (owned && PyObject_IsTrue(owned) == 1 && PyArg_ParseTuple(key, "ss", &name, &type))
			tp_unpublish(name, type);
		Py_XDECREF(owned);
		PyErr_Clear();
	}
}

/* ---- finding ---------------------------------------------------------------------------------- */

static PyObject *make_name(struct module_state *s, const struct tp_name *entry, Py_ssize_t nbytes)
{
	PyObject *buffer = nbytes >= 0 ? buffer_raw(s, entry->ptr, (uint64_t)nbytes, NULL) : buffer_borrow(s, entry->ptr);
	struct name *n = buffer ? (struct name *)PyType_GenericAlloc(s->name_type, 0) : NULL;

	if (!n) {
		Py_XDECREF(buffer);
		return NULL;
	}
	n->entry = *entry;
	n->buffer = buffer;
	return (PyObject *)n;
}

static PyObject *lookup(PyObject *module, PyObject *args, PyObject *kwargs)
{
	static char *words[] = {"name", "type", "nbytes", NULL};
	const char *name, *type = NULL;
	Py_ssize_t nbytes = -1;
	struct tp_name entry;
	int r;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s|z$n:lookup", words, &name, &type, &nbytes))
		return NULL;
	r = tp_lookup(name, type, &entry);
	return r ? raise_errno(r) : make_name(PyModule_GetState(module), &entry, nbytes);
}

struct waiting {
	const char *name, *type;
	struct tp_name entry;
};

static int wait_step(void *arg, int64_t timeout)
{
	struct waiting *w = arg;

	return tp_wait(w->name, w->type, timeout, &w->entry);
}

static PyObject *wait_for(PyObject *module, PyObject *args, PyObject *kwargs)
{
	static char *words[] = {"name", "type", "timeout", "nbytes", NULL};
	struct waiting w = {.type = NULL};
	PyObject *seconds = NULL;
	Py_ssize_t nbytes = -1;
	int64_t timeout;
	int r;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s|zO$n:wait", words, &w.name, &w.type, &seconds, &nbytes) ||
		!timeout_from(seconds, &timeout))
		return NULL;
	r = wait_in_slices(wait_step, &w, timeout);
	if (r == INTERRUPTED)
		return NULL;
	return r ? raise_errno(r) : make_name(PyModule_GetState(module), &w.entry, nbytes);
}

static PyObject *names(PyObject *module, PyObject *unused)
{
	struct tp_name_cursor cursor = {.at = 0};
	PyObject *list = PyList_New(0);
	struct tp_name e;
	int r = 0;

	(void)module, (void)unused;
	while (list && (r = tp_name_next(&cursor, &e)) > 0) {
		PyObject *one = Py_BuildValue("(ssKO)", e.name, e.type, (unsigned long long)e.owner, e.alive ? Py_True : Py_False);

		if (!one || PyList_Append(list, one))
			Py_CLEAR(list);
		Py_XDECREF(one);
	}
	if (list && r < 0) {
		Py_DECREF(list);
		return raise_errno(r);
	}
	return list;
}

PyDoc_STRVAR(publish_doc,
	"publish(name, buffer, type, *, keep=False, replace=False)\n\n"
	"Lets others find a Buffer, or any object with a contiguous buffer (a numpy array, a bytearray), in place. It is held until "
	"unpublish(). keep: it stays after this program's end (Buffers of tp.alloc() only). replace: instead of what this program has published under that name and type.");
PyDoc_STRVAR(unpublish_doc, "unpublish(name, type=None)\n\nTakes this program's own entry away; None: of all types.");
PyDoc_STRVAR(lookup_doc,
	"lookup(name, type=None, *, nbytes=None) -> Name\n\n"
	"What was published. nbytes: the pointer is of plain memory, so many bytes long, and not of a struct tp_buffer.");
PyDoc_STRVAR(wait_doc, "wait(name, type=None, timeout=None, *, nbytes=None) -> Name\n\nThe same, once it is there. TimeoutError.");
PyDoc_STRVAR(names_doc, "names() -> [(name, type, owner, alive), ...]");

PyMethodDef names_methods[] = {
	{"publish", (PyCFunction)(void (*)(void))publish, METH_VARARGS | METH_KEYWORDS, publish_doc},
	{"unpublish", (PyCFunction)(void (*)(void))unpublish, METH_VARARGS | METH_KEYWORDS, unpublish_doc},
	{"lookup", (PyCFunction)(void (*)(void))lookup, METH_VARARGS | METH_KEYWORDS, lookup_doc},
	{"wait", (PyCFunction)(void (*)(void))wait_for, METH_VARARGS | METH_KEYWORDS, wait_doc},
	{"names", names, METH_NOARGS, names_doc},
	{NULL, NULL, 0, NULL},
};

/* ---- the type: an entry, and its memory ------------------------------------------------------- */

static void name_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	Py_XDECREF(((struct name *)self)->buffer);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

static PyObject *name_check(PyObject *self, PyObject *unused)
{
	int r = tp_name_check(&((struct name *)self)->entry);

	(void)unused;
	if (r)
		return raise_errno(r);
	Py_RETURN_NONE;
}

static int name_get_buffer(PyObject *self, Py_buffer *view, int flags)
{
	return PyObject_GetBuffer(((struct name *)self)->buffer, view, flags);
}

static PyObject *get_buffer(PyObject *self, void *unused)
{
	PyObject *b = ((struct name *)self)->buffer;

	(void)unused;
	Py_INCREF(b);
	return b;
}

static PyObject *get_name(PyObject *self, void *unused)
{
	(void)unused;
	return PyUnicode_FromString(((struct name *)self)->entry.name);
}

static PyObject *get_type(PyObject *self, void *unused)
{
	(void)unused;
	return PyUnicode_FromString(((struct name *)self)->entry.type);
}

static PyObject *get_owner(PyObject *self, void *unused)
{
	(void)unused;
	return PyLong_FromUnsignedLongLong(((struct name *)self)->entry.owner);
}

static PyObject *get_generation(PyObject *self, void *unused)
{
	(void)unused;
	return PyLong_FromUnsignedLongLong(((struct name *)self)->entry.generation);
}

static PyGetSetDef attributes[] = {
	{"buffer", get_buffer, NULL, "the memory", NULL},
	{"name", get_name, NULL, NULL, NULL},
	{"type", get_type, NULL, NULL, NULL},
	{"owner", get_owner, NULL, "id of the program that published it", NULL},
	{"generation", get_generation, NULL, "counts on with each publish of the name", NULL},
	{NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef name_methods[] = {
	{"check", name_check, METH_NOARGS, "check()\n\nOSError if the name stands for something else by now, or its owner has died."},
	{NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
	{Py_tp_doc, "What was found under a name. memoryview(n), numpy.asarray(n) use its memory in place."},
	{Py_tp_dealloc, name_dealloc},
	{Py_tp_getset, attributes},
	{Py_tp_methods, name_methods},
	{Py_bf_getbuffer, name_get_buffer},
	{0, NULL},
};

PyType_Spec name_spec = {
	.name = "tp.Name",
	.basicsize = sizeof(struct name),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = slots,
};
