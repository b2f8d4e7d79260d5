/* SPDX-License-Identifier: MIT */
/* The module itself: who am I, errors, waiting, making buffers. */
#include <errno.h>
#include <string.h>

#include "tpmodule.h"

enum { SLICE_NS = 200000000 };

struct module_state *module_state_of(PyTypeObject *type)
{
	PyObject *module = PyType_GetModule(type);

	return module ? PyModule_GetState(module) : NULL;
}

PyObject *raise_errno(int error)
{
	const char *why = tp_why();
	PyObject *args = Py_BuildValue("(is)", -error, *why ? why : strerror(-error));

	if (args)
		PyErr_SetObject(PyExc_OSError, args);
	Py_XDECREF(args);
	return NULL;
}

bool timeout_from(PyObject *seconds, int64_t *ret_ns)
{
	double s;

	if (!seconds || seconds == Py_None) {
		*ret_ns = TP_FOREVER;
		return true;
	}
	s = PyFloat_AsDouble(seconds);
	if (s == -1.0 && PyErr_Occurred())
		return false;
	if (!(s >= 0)) {
		PyErr_SetString(PyExc_ValueError, "timeout: seconds, at least 0, or None for ever");
		return false;
	}
	*ret_ns = s > 9e9 ? TP_FOREVER : (int64_t)(s * 1e9);
	return true;
}

int wait_in_slices(int (*step)(void *arg, int64_t timeout), void *arg, int64_t timeout)
{
	for (;;) {
		int64_t slice = timeout == TP_FOREVER || timeout > SLICE_NS ? SLICE_NS : timeout;
		int r;

		Py_BEGIN_ALLOW_THREADS
		r = step(arg, slice);
		Py_END_ALLOW_THREADS
		if (r != -ETIMEDOUT)
			return r;
		if (PyErr_CheckSignals())
			return INTERRUPTED;
		if (timeout != TP_FOREVER)
			timeout -= slice;
		if (!timeout)
			return r;
	}
}

static PyObject *module_connected(PyObject *module, PyObject *unused)
{
	int r = tp_connected();

	(void)module, (void)unused;
	if (r == -EPROTO)
		return raise_errno(r);
	return PyBool_FromLong(r == 0);
}

static PyObject *module_self(PyObject *module, PyObject *unused)
{
	tp_id id;
	int r = tp_self(&id);

	(void)module, (void)unused;
	return r ? raise_errno(r) : PyLong_FromUnsignedLongLong(id);
}

static PyObject *module_attach(PyObject *module, PyObject *args, PyObject *kwargs)
{
	static char *words[] = {"group", NULL};
	const char *group = NULL;
	int r;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|z:attach", words, &group))
		return NULL;
	r = tp_attach(group);
	if (r)
		return raise_errno(r);
	((struct module_state *)PyModule_GetState(module))->satellite = true;
	Py_RETURN_NONE;
}

static PyObject *module_alloc(PyObject *module, PyObject *args, PyObject *kwargs)
{
	static char *words[] = {"count", "format", "shape", NULL};
	const char *format = "B";
	PyObject *shape = NULL;
	Py_ssize_t count = -1;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|nsO:alloc", words, &count, &format, &shape))
		return NULL;
	return buffer_alloc(PyModule_GetState(module), count, format, shape);
}

PyDoc_STRVAR(connected_doc,
	"connected() -> bool\n\nIs this program in a group? OSError where group and libtp cannot work together.");
PyDoc_STRVAR(self_doc, "self() -> int\n\nThe id of this program in its group.");
PyDoc_STRVAR(attach_doc,
	"attach(group=None)\n\n"
	"Makes this ordinary process, or forked child of a program, a satellite of a group; None: the only live one. Memory of the group's heap "
	"is usable here, what a program has on its own heap is refused. It lasts until this process ends.");
PyDoc_STRVAR(alloc_doc,
	"alloc(count, format='B') -> Buffer\nalloc(format='B', shape=(n, m)) -> Buffer\n\n"
	"Zeroed memory in the group's heap for so many elements; numpy.asarray(buffer) and memoryview(buffer) use it in place. It is freed "
	"with the last reference unless it is given away.");

static PyMethodDef methods[] = {
	{"connected", module_connected, METH_NOARGS, connected_doc},
	{"self", module_self, METH_NOARGS, self_doc},
	{"attach", (PyCFunction)(void (*)(void))module_attach, METH_VARARGS | METH_KEYWORDS, attach_doc},
	{"alloc", (PyCFunction)(void (*)(void))module_alloc, METH_VARARGS | METH_KEYWORDS, alloc_doc},
	{NULL, NULL, 0, NULL},
};

static int add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **ret)
{
	PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);

	if (!type)
		return -1;
	*ret = (PyTypeObject *)type;
	return PyModule_AddType(module, *ret);
}

static int module_exec(PyObject *module)
{
	struct module_state *s = PyModule_GetState(module);

	s->published = PyDict_New();
	if (!s->published || PyModule_AddFunctions(module, names_methods) ||
		add_type(module, &buffer_spec, &s->buffer_type) || add_type(module, &name_spec, &s->name_type) ||
		add_type(module, &message_spec, &s->message_type) || add_type(module, &channel_spec, &s->channel_type) ||
		add_type(module, &lane_spec, &s->lane_type))
		return -1;
	return PyModule_AddStringConstant(module, "version", tp_version());
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
	struct module_state *s = PyModule_GetState(module);

	Py_VISIT(s->buffer_type);
	Py_VISIT(s->name_type);
	Py_VISIT(s->message_type);
	Py_VISIT(s->channel_type);
	Py_VISIT(s->lane_type);
	Py_VISIT(s->published);
	return 0;
}

static int module_clear(PyObject *module)
{
	struct module_state *s = PyModule_GetState(module);

	names_forget(s);
	Py_CLEAR(s->published);
	Py_CLEAR(s->buffer_type);
	Py_CLEAR(s->name_type);
	Py_CLEAR(s->message_type);
	Py_CLEAR(s->channel_type);
	Py_CLEAR(s->lane_type);
	return 0;
}

static void module_free(void *module)
{
	module_clear(module);
}

static PyModuleDef_Slot slots[] = {
	{Py_mod_exec, module_exec},
	{0, NULL},
};

PyDoc_STRVAR(module_doc,
	"Names, memory and channels of the group that this program runs in (tprun run -- python3 ...).\n\n"
	"Pointers are pointers: what another program has published is used in place, without a copy, and is gone when its owner "
	"says so. Memory of tp.alloc() outlives its maker.");

struct PyModuleDef tp_module = {
	PyModuleDef_HEAD_INIT,
	.m_name = "tp",
	.m_doc = module_doc,
	.m_size = sizeof(struct module_state),
	.m_methods = methods,
	.m_slots = slots,
	.m_traverse = module_traverse,
	.m_clear = module_clear,
	.m_free = module_free,
};

PyMODINIT_FUNC PyInit_tp(void);
PyMODINIT_FUNC PyInit_tp(void)
{
	return PyModuleDef_Init(&tp_module);
}
