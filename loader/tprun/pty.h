/* SPDX-License-Identifier: MIT */
#ifndef TP_TPRUN_PTY_H
#define TP_TPRUN_PTY_H

#include <poll.h>
#include <stdbool.h>

#include "error.h"

/*
 * A terminal of its own for a program, and the copying between it and the caller's.
 */
struct tp_pty;

#define TP_PTY_POLLFDS 2

/* tp_pty_create - make the pty, with the caller's window size and modes, and turn the caller's
 * terminal (if stdin is one) raw. It is given back at tp_pty_destroy(). */
int tp_pty_create(struct tp_pty **ret_pty, struct tp_error *err);
struct tp_pty *tp_pty_destroy(struct tp_pty *pty);

/* The program's end; tp_pty_close_slave() once it has been sent. */
int tp_pty_slave(const struct tp_pty *pty);
void tp_pty_close_slave(struct tp_pty *pty);

/* What to poll: fills TP_PTY_POLLFDS entries and returns that number. */
nfds_t tp_pty_poll_fds(const struct tp_pty *pty, struct pollfd *fds);

/* tp_pty_handle - copy what can be copied. */
void tp_pty_handle(struct tp_pty *pty, const struct pollfd *fds);

/* tp_pty_finish - the program is gone: copy the rest of what it wrote. */
void tp_pty_finish(struct tp_pty *pty);

/* The caller's terminal changed its size; or the job is being stopped, and has been continued. */
void tp_pty_resize(struct tp_pty *pty);
void tp_pty_suspend(struct tp_pty *pty);
void tp_pty_resume(struct tp_pty *pty);

#endif
