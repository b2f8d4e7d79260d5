/* SPDX-License-Identifier: MIT */
/*
 * The caller's terminal becomes raw, so that every key, Ctrl-C too, reaches the program's terminal,
 * whose line discipline makes of it what the program asked for.
 *
 * The caller's descriptors may be shared with its shell: they stay blocking, and are touched only
 * after poll() has said that they are ready.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "tprun/pty.h"
#include "tprun/say.h"

#define CTRL_D     4
#define SILENCE_MS 100
#define REST_MS    1000

struct tp_pty {
	int master, slave;
	int in, out; /* copies of the caller's 0 and 1 */
	struct termios saved;
	bool is_terminal, in_ended, drained;
	char keys[4096]; /* typed, not yet taken by the master */
	size_t keys_n;
};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void set_raw(struct tp_pty *p, bool raw)
{
	struct termios t = p->saved;

	if (!p->is_terminal)
		return;
	if (raw)
		cfmakeraw(&t);
	tcsetattr(p->in, TCSADRAIN, &t);
	tp_say_raw(raw);
}

static int open_ends(struct tp_pty *p)
{
	int unlock = 0;

	p->master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (p->master < 0 || ioctl(p->master, TIOCSPTLCK, &unlock))
		return -errno;
	p->slave = ioctl(p->master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (p->slave < 0)
		return -errno;
	p->in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	p->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	return p->in < 0 || p->out < 0 ? -errno : 0;
}

int tp_pty_create(struct tp_pty **ret_pty, struct tp_error *err)
{
	struct tp_pty *p = calloc(1, sizeof(*p));
	int r = p ? 0 : -ENOMEM;

	if (p) {
		p->master = p->slave = p->in = p->out = -1;
		r = open_ends(p);
	}
	if (r) {
		tp_pty_destroy(p);
		return tp_error_set(err, TP_STATUS_OWN, r, "cannot make a pseudo-terminal: %s",
			tp_errno_words(r));
	}
	p->is_terminal = !tcgetattr(p->in, &p->saved);
	if (p->is_terminal)
		tcsetattr(p->slave, TCSANOW, &p->saved);
	tp_pty_resize(p);
	set_raw(p, true);
	*ret_pty = p;
	return 0;
}

struct tp_pty *tp_pty_destroy(struct tp_pty *p)
{
	int fds[4];

	if (!p)
		return NULL;
	set_raw(p, false);
	memcpy(fds, (int[]){p->master, p->slave, p->in, p->out}, sizeof(fds));
	for (int i = 0; i < 4; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(p);
	return NULL;
}

int tp_pty_slave(const struct tp_pty *p)
{
	return p->slave;
}

void tp_pty_close_slave(struct tp_pty *p)
{
	if (p->slave >= 0)
		close(p->slave);
	p->slave = -1;
}

nfds_t tp_pty_poll_fds(const struct tp_pty *p, struct pollfd *fds)
{
	bool want_keys = !p->keys_n && !p->in_ended;

	fds[0] = (struct pollfd){
		.fd = p->drained ? -1 : p->master,
		.events = (short)(POLLIN | (p->keys_n ? POLLOUT : 0)),
	};
	fds[1] = (struct pollfd){.fd = want_keys ? p->in : -1, .events = POLLIN};
	return TP_PTY_POLLFDS;
}

static void read_keys(struct tp_pty *p)
{
	ssize_t n = read(p->in, p->keys, sizeof(p->keys));

	if (n > 0) {
		p->keys_n = (size_t)n;
		return;
	}
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	/* The end of a pipe becomes what ends a terminal's input. */
	p->in_ended = true;
	p->keys[0] = CTRL_D;
	p->keys_n = 1;
}

static void type_keys(struct tp_pty *p)
{
	ssize_t n = write(p->master, p->keys, p->keys_n);

	if (n <= 0)
		return;
	p->keys_n -= (size_t)n;
	memmove(p->keys, p->keys + n, p->keys_n);
}

static void write_out(const struct tp_pty *p, const char *at, ssize_t left)
{
	while (left > 0) {
		ssize_t n = write(p->out, at, (size_t)left);

		if (n < 0 && errno == EAGAIN) {
			poll(&(struct pollfd){.fd = p->out, .events = POLLOUT}, 1, -1);
			continue;
		}
		if (n <= 0)
			return;
		at += n;
		left -= n;
	}
}

/* EIO says that nobody has the other end open any more, and all that was written has been read. */
static void copy_output(struct tp_pty *p)
{
	char buf[16384];
	ssize_t n = read(p->master, buf, sizeof(buf));

	if (n > 0)
		write_out(p, buf, n);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		p->drained = true;
}

/*
 * The program is gone, but not yet all of what it wrote: the kernel hands it over in the
 * background. What it left running may keep the other end open and may write for ever: nobody waits
 * for that.
 */
void tp_pty_finish(struct tp_pty *p)
{
	struct pollfd master = {.fd = p->master, .events = POLLIN};
	int64_t end = now_ms() + REST_MS;

	while (!p->drained && now_ms() < end && poll(&master, 1, SILENCE_MS) > 0)
		copy_output(p);
	p->drained = true;
}

void tp_pty_handle(struct tp_pty *p, const struct pollfd *fds)
{
	if (fds[1].revents)
		read_keys(p);
	if (p->keys_n)
		type_keys(p);
	if (fds[0].revents && !p->drained)
		copy_output(p);
}

void tp_pty_resize(struct tp_pty *p)
{
	struct winsize size;

	if (!ioctl(p->in, TIOCGWINSZ, &size) || !ioctl(p->out, TIOCGWINSZ, &size))
		ioctl(p->master, TIOCSWINSZ, &size);
}

void tp_pty_suspend(struct tp_pty *p)
{
	set_raw(p, false);
}

void tp_pty_resume(struct tp_pty *p)
{
	tp_pty_resize(p);
	if (p->is_terminal)
		tcgetattr(p->in, &p->saved);
	set_raw(p, true);
}
