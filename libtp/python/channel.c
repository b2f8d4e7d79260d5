/* SPDX-License-Identifier: MIT */
/*
 * tp.Channel receives, tp.Lane sends. A message is a pointer to a struct tp_buffer, or to plain memory between programs that know what
 * it is.
 *
 * What was given belongs to this program once it is acknowledged, and not before: should the program die in between, the next consumer
 * gets it again.
 */
#include <errno.h>
#include <string.h>

#include "tpmodule.h"

struct channel {
	PyObject_HEAD
	struct tp_chan *chan; /* NULL: closed */
	bool busy;            /* a thread is in a call, without the interpreter's lock: libtp takes one at a time */
};

struct message {
	PyObject_HEAD
	struct tp_message m;
	struct channel *channel;
	PyObject *buffer; /* NULL: not asked for yet */
	bool acked, address_taken;
};

struct lane {
	PyObject_HEAD
	struct tp_lane *lane; /* NULL: closed */
	PyObject *lent;       /* held until they are acknowledged: (count, Buffer) */
	uint64_t sent;
	bool busy; /* as above */
};

static void free_object(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

static int can_use(const void *handle, bool busy, const char *what)
{
	if (!handle)
		PyErr_Format(PyExc_ValueError, "this %s is closed", what);
	else if (busy)
		PyErr_Format(PyExc_RuntimeError, "another thread is using this %s", what);
	return handle && !busy ? 0 : -1;
}

static int chan_ok(const struct channel *c)
{
	return can_use(c->chan, c->busy, "Channel");
}

static int lane_ok(const struct lane *l)
{
	return can_use(l->lane, l->busy, "Lane");
}

/* ---- messages --------------------------------------------------------------------------------- */

static int acknowledge(struct message *m)
{
	int r;

	if (m->acked)
		return 0;
	if (chan_ok(m->channel))
		return -1;
	r = tp_chan_ack(m->channel->chan, &m->m);
	if (r < 0) {
		raise_errno(r);
		return -1;
	}
	m->acked = true;
	if (m->buffer && m->m.given)
		buffer_taken(m->buffer);
	return 0;
}

static PyObject *message_ack(PyObject *self, PyObject *unused)
{
	(void)unused;
	if (acknowledge((struct message *)self))
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *message_enter(PyObject *self, PyObject *unused)
{
	(void)unused;
	Py_INCREF(self);
	return self;
}

/* An exception leaves it unacknowledged. */
static PyObject *message_exit(PyObject *self, PyObject *args)
{
	PyObject *type, *value, *trace;

	if (!PyArg_ParseTuple(args, "OOO:__exit__", &type, &value, &trace))
		return NULL;
	if (type == Py_None && acknowledge((struct message *)self))
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *message_buffer(PyObject *self, void *unused)
{
	struct message *m = (struct message *)self;

	(void)unused;
	if (!m->buffer) {
		m->buffer = buffer_borrow(module_state_of(Py_TYPE(self)), m->m.ptr);
		if (m->buffer && m->acked && m->m.given)
			buffer_taken(m->buffer);
	}
	Py_XINCREF(m->buffer);
	return m->buffer;
}

static PyObject *message_raw(PyObject *self, PyObject *arg)
{
	Py_ssize_t n = PyNumber_AsSsize_t(arg, PyExc_OverflowError);

	if (n < 0) {
		if (!PyErr_Occurred())
			PyErr_SetString(PyExc_ValueError, "raw: bytes, at least 0");
		return NULL;
	}
	return buffer_raw(module_state_of(Py_TYPE(self)), ((struct message *)self)->m.ptr, (uint64_t)n, self);
}

static int message_get_buffer(PyObject *self, Py_buffer *view, int flags)
{
	PyObject *b = message_buffer(self, NULL);
	int r = b ? PyObject_GetBuffer(b, view, flags) : -1;

	Py_XDECREF(b);
	return r;
}

/* Given, acknowledged, and nobody has asked for it but perhaps as plain memory, which holds the message. */
static void free_unused(const struct message *m)
{
	struct tp_owner owner;

	if (!m->m.given || !m->acked || m->buffer || m->address_taken)
		return;
	if (tp_owner_of(m->m.ptr, &owner) == 0 && owner.block == m->m.ptr)
		tp_free(m->m.ptr);
}

static void message_dealloc(PyObject *self)
{
	struct message *m = (struct message *)self;

	free_unused(m);
	Py_XDECREF(m->buffer);
	Py_XDECREF((PyObject *)m->channel);
	free_object(self);
}

static PyObject *message_address(PyObject *self, void *unused)
{
	(void)unused;
	((struct message *)self)->address_taken = true;
	return PyLong_FromVoidPtr(((struct message *)self)->m.ptr);
}

static PyObject *message_id(PyObject *self, void *unused)
{
	(void)unused;
	return PyLong_FromUnsignedLongLong(((struct message *)self)->m.id);
}

static PyObject *message_sender(PyObject *self, void *unused)
{
	(void)unused;
	return PyLong_FromUnsignedLongLong(((struct message *)self)->m.sender);
}

static PyObject *message_given(PyObject *self, void *unused)
{
	(void)unused;
	return PyBool_FromLong(((struct message *)self)->m.given != 0);
}

static PyObject *message_repeated(PyObject *self, void *unused)
{
	(void)unused;
	return PyBool_FromLong(((struct message *)self)->m.repeated != 0);
}

static PyGetSetDef message_attributes[] = {
	{"buffer", message_buffer, NULL, "the Buffer that was sent; freed with the last reference if it was given and is acknowledged", NULL},
	{"address", message_address, NULL, "the pointer that was sent; who asks for it answers for what was given", NULL},
	{"id", message_id, NULL, "a repeat has the id of the first", NULL},
	{"sender", message_sender, NULL, "id of the program that sent it", NULL},
	{"given", message_given, NULL, "it is this program's, once acknowledged; else it is lent until then", NULL},
	{"repeated", message_repeated, NULL, "it may have been received before, by a consumer that died", NULL},
	{NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef message_methods[] = {
	{"ack", message_ack, METH_NOARGS, "ack()\n\nDone with this message and those of its lane before it."},
	{"raw", message_raw, METH_O, "raw(nbytes) -> Buffer\n\nThe pointer as plain memory; what was given is freed with the last reference to message and Buffer, once acknowledged."},
	{"__enter__", message_enter, METH_NOARGS, NULL},
	{"__exit__", message_exit, METH_VARARGS, "acknowledges, unless an exception leaves the block"},
	{NULL, NULL, 0, NULL},
};

static PyType_Slot message_slots[] = {
	{Py_tp_doc, "One message of a Channel."},
	{Py_tp_dealloc, message_dealloc},
	{Py_tp_getset, message_attributes},
	{Py_tp_methods, message_methods},
	{Py_bf_getbuffer, message_get_buffer},
	{0, NULL},
};

PyType_Spec message_spec = {
	.name = "tp.Message",
	.basicsize = sizeof(struct message),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = message_slots,
};

/* ---- the consumer's end ----------------------------------------------------------------------- */

static PyObject *channel_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	static char *words[] = {"name", "type", "capacity", "lanes", NULL};
	struct tp_chan_options options = {.size = sizeof(options)};
	const char *name, *of_type;
	struct tp_chan *chan;
	struct channel *c;
	int r;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "ss|II:Channel", words, &name, &of_type, &options.capacity, &options.lanes))
		return NULL;
	r = tp_chan_create(name, of_type, &options, &chan);
	if (r < 0)
		return raise_errno(r);
	c = (struct channel *)PyType_GenericAlloc(type, 0);
	if (c)
		c->chan = chan;
	else
		tp_chan_destroy(chan);
	return (PyObject *)c;
}

struct receiving {
	struct tp_chan *chan;
	struct tp_message m;
};

static int recv_step(void *arg, int64_t timeout)
{
	struct receiving *r = arg;

	return tp_chan_recv(r->chan, timeout, &r->m);
}

static PyObject *channel_recv(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *words[] = {"timeout", NULL};
	struct channel *c = (struct channel *)self;
	struct module_state *s = module_state_of(Py_TYPE(self));
	PyObject *seconds = NULL;
	struct receiving r = {.chan = c->chan};
	struct message *m;
	int64_t timeout;
	int result;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:recv", words, &seconds) || !timeout_from(seconds, &timeout) ||
		chan_ok(c))
		return NULL;
	m = (struct message *)PyType_GenericAlloc(s->message_type, 0);
	if (!m)
		return NULL;
	Py_INCREF(self);
	c->busy = true;
	result = wait_in_slices(recv_step, &r, timeout);
	c->busy = false;
	m->m = r.m;
	m->channel = c;
	if (!result)
		return (PyObject *)m;
	Py_DECREF((PyObject *)m);
	return result == INTERRUPTED ? NULL : raise_errno(result);
}

static PyObject *channel_fileno(PyObject *self, PyObject *unused)
{
	struct channel *c = (struct channel *)self;
	int fd;

	(void)unused;
	if (chan_ok(c))
		return NULL;
	fd = tp_chan_fd(c->chan);
	return fd < 0 ? raise_errno(fd) : PyLong_FromLong(fd);
}

static PyObject *channel_arm(PyObject *self, PyObject *unused)
{
	struct channel *c = (struct channel *)self;
	int r;

	(void)unused;
	if (chan_ok(c))
		return NULL;
	r = tp_chan_arm(c->chan);
	return r < 0 ? raise_errno(r) : PyBool_FromLong(r == 0);
}

static PyObject *channel_close(PyObject *self, PyObject *unused)
{
	struct channel *c = (struct channel *)self;

	(void)unused;
	if (c->chan && chan_ok(c))
		return NULL;
	c->chan = tp_chan_destroy(c->chan);
	Py_RETURN_NONE;
}

static void channel_dealloc(PyObject *self)
{
	tp_chan_destroy(((struct channel *)self)->chan);
	free_object(self);
}

static PyMethodDef channel_methods[] = {
	{"recv", (PyCFunction)(void (*)(void))channel_recv, METH_VARARGS | METH_KEYWORDS,
		"recv(timeout=None) -> Message\n\nThe next message. TimeoutError; BlockingIOError with timeout 0."},
	{"fileno", channel_fileno, METH_NOARGS, "fileno() -> int\n\nAn eventfd for select and asyncio: arm() before each wait."},
	{"arm", channel_arm, METH_NOARGS, "arm() -> bool\n\nTrue: the descriptor will be readable when a message comes. False: one is there, do not wait."},
	{"close", channel_close, METH_NOARGS, "close()\n\nSenders get BrokenPipeError."},
	{NULL, NULL, 0, NULL},
};

static PyType_Slot channel_slots[] = {
	{Py_tp_doc, "Channel(name, type, capacity=0, lanes=0)\n\nThe receiving end of a channel: makes it, or takes a dead consumer's over."},
	{Py_tp_new, channel_new},
	{Py_tp_dealloc, channel_dealloc},
	{Py_tp_methods, channel_methods},
	{0, NULL},
};

PyType_Spec channel_spec = {
	.name = "tp.Channel",
	.basicsize = sizeof(struct channel),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = channel_slots,
};

/* ---- a producer's end ------------------------------------------------------------------------- */

struct opening {
	const char *name, *type;
	struct tp_lane *lane;
};

static int open_step(void *arg, int64_t timeout)
{
	struct opening *o = arg;

	return tp_chan_open(o->name, o->type, timeout, &o->lane);
}

static PyObject *lane_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	static char *words[] = {"name", "type", "timeout", NULL};
	struct opening o = {.lane = NULL};
	PyObject *seconds = NULL, *lent;
	struct lane *l;
	int64_t timeout;
	int r;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "ss|O:Lane", words, &o.name, &o.type, &seconds) || !timeout_from(seconds, &timeout))
		return NULL;
	r = wait_in_slices(open_step, &o, timeout);
	if (r)
		return r == INTERRUPTED ? NULL : raise_errno(r);
	lent = PyList_New(0);
	l = lent ? (struct lane *)PyType_GenericAlloc(type, 0) : NULL;
	if (!l) {
		Py_XDECREF(lent);
		tp_lane_close(o.lane);
		return NULL;
	}
	l->lane = o.lane;
	l->lent = lent;
	return (PyObject *)l;
}

struct sending {
	struct tp_lane *lane;
	void *at;
	bool give;
};

static int send_step(void *arg, int64_t timeout)
{
	struct sending *s = arg;

	return s->give ? tp_lane_send_give(s->lane, s->at, timeout) : tp_lane_send_lend(s->lane, s->at, timeout);
}

static int parse_send(PyObject *self, PyObject *args, PyObject *kwargs, PyObject **ret_buffer, int64_t *ret_timeout)
{
	static char *words[] = {"buffer", "timeout", NULL};
	struct module_state *s = module_state_of(Py_TYPE(self));
	PyObject *seconds = NULL;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!|O:send", words, s->buffer_type, ret_buffer, &seconds) ||
		!timeout_from(seconds, ret_timeout) || lane_ok((struct lane *)self))
		return -1;
	return 0;
}

static int send_buffer(struct lane *l, PyObject *buffer, bool give, int64_t timeout)
{
	struct sending s = {l->lane, buffer_pointer(buffer), give};
	int r;

	if (!s.at)
		return -1;
	l->busy = true;
	r = wait_in_slices(send_step, &s, timeout);
	l->busy = false;
	if (r && r != INTERRUPTED)
		raise_errno(r);
	if (r)
		return -1;
	l->sent++;
	return 0;
}

static PyObject *lane_send_give(PyObject *self, PyObject *args, PyObject *kwargs)
{
	PyObject *buffer;
	int64_t timeout;

	if (parse_send(self, args, kwargs, &buffer, &timeout) || buffer_can_give(buffer) ||
		send_buffer((struct lane *)self, buffer, true, timeout))
		return NULL;
	buffer_given(buffer);
	Py_RETURN_NONE;
}

/* Lets go of what was lent and is acknowledged. */
static int release_lent(struct lane *l)
{
	uint64_t done;
	int r = tp_lane_acknowledged(l->lane, &done);

	if (r < 0)
		return 0;
	while (PyList_Size(l->lent) > 0) {
		PyObject *first = PyList_GetItem(l->lent, 0);
		unsigned long long count = PyLong_AsUnsignedLongLong(PyTuple_GetItem(first, 0));

		if (count > done)
			break;
		if (PySequence_DelItem(l->lent, 0))
			return -1;
	}
	return 0;
}

static PyObject *lane_send_lend(PyObject *self, PyObject *args, PyObject *kwargs)
{
	struct lane *l = (struct lane *)self;
	PyObject *buffer, *entry;
	int64_t timeout;
	int r;

	if (parse_send(self, args, kwargs, &buffer, &timeout) || release_lent(l))
		return NULL;
	entry = Py_BuildValue("(KO)", (unsigned long long)l->sent + 1, buffer);
	r = entry ? PyList_Append(l->lent, entry) : -1;
	Py_XDECREF(entry);
	if (r)
		return NULL;
	if (send_buffer(l, buffer, false, timeout)) {
		PyObject *type, *value, *trace;

		PyErr_Fetch(&type, &value, &trace);
		PySequence_DelItem(l->lent, PyList_Size(l->lent) - 1);
		PyErr_Restore(type, value, trace);
		return NULL;
	}
	Py_RETURN_NONE;
}

static PyObject *lane_acknowledged(PyObject *self, PyObject *unused)
{
	struct lane *l = (struct lane *)self;
	uint64_t count;
	int r;

	(void)unused;
	if (lane_ok(l))
		return NULL;
	r = tp_lane_acknowledged(l->lane, &count);
	if (r < 0)
		return raise_errno(r);
	if (release_lent(l))
		return NULL;
	return PyLong_FromUnsignedLongLong(count);
}

static PyObject *lane_close(PyObject *self, PyObject *unused)
{
	struct lane *l = (struct lane *)self;

	(void)unused;
	if (l->lane && (lane_ok(l) || release_lent(l)))
		return NULL;
	l->lane = tp_lane_close(l->lane);
	Py_RETURN_NONE;
}

/*
 * Nobody tells when what was lent is acknowledged after this: it stays as it is, with the list. A leak, but the receiver may
 * look at it still.
 */
static void let_go_of_lent(struct lane *l)
{
	PyObject *type, *value, *trace;

	PyErr_Fetch(&type, &value, &trace);
	if (l->lane && release_lent(l))
		PyErr_Clear();
	if (PyList_Size(l->lent) == 0)
		Py_DECREF(l->lent);
	PyErr_Restore(type, value, trace);
}

static void lane_dealloc(PyObject *self)
{
	struct lane *l = (struct lane *)self;

	if (l->lent)
		let_go_of_lent(l);
	tp_lane_close(l->lane);
	free_object(self);
}

static PyMethodDef lane_methods[] = {
	{"send_give", (PyCFunction)(void (*)(void))lane_send_give, METH_VARARGS | METH_KEYWORDS,
		"send_give(buffer, timeout=None)\n\nThe Buffer is the receiver's from now on; this program cannot use it any more."},
	{"send_lend", (PyCFunction)(void (*)(void))lane_send_lend, METH_VARARGS | METH_KEYWORDS,
		"send_lend(buffer, timeout=None)\n\nThe receiver may use the Buffer until it acknowledges it; it is held here until then.\n"
		"What is not acknowledged when the lane is closed stays until this program ends."},
	{"acknowledged", lane_acknowledged, METH_NOARGS, "acknowledged() -> int\n\nHow many messages of this lane the receiver is done with."},
	{"close", lane_close, METH_NOARGS, "close()"},
	{NULL, NULL, 0, NULL},
};

static PyType_Slot lane_slots[] = {
	{Py_tp_doc, "Lane(name, type, timeout=None)\n\nA sending end of a channel; waits until the channel is there."},
	{Py_tp_new, lane_new},
	{Py_tp_dealloc, lane_dealloc},
	{Py_tp_methods, lane_methods},
	{0, NULL},
};

PyType_Spec lane_spec = {
	.name = "tp.Lane",
	.basicsize = sizeof(struct lane),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = lane_slots,
};
