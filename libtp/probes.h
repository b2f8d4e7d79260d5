/* SPDX-License-Identifier: MIT */
/*
 * Probes for perf, bpftrace, SystemTap and gdb: TPI_PROBE(name, value...) is one no-op instruction and a note in the ELF file. Up to 12
 * values, integers or pointers; they must be at hand anyway, since they are computed whether or not somebody looks.
 *
 *	bpftrace -e 'usdt:/usr/lib/x86_64-linux-gnu/libtp.so.0:libtp:send { @[arg0] = count(); }'
 *
 * The provider is libtp. Which probes there are, and their values:
 *
 *	send        channel, lane, pointer          a message is in its lane
 *	receive     channel, pointer, message id    a message has been taken
 *	acknowledge channel, message id
 *	backpressure channel, lane                  the lane was full
 *	lock        lock                            it is held now
 *	lock_wait   lock, tag of the holder         about to sleep for it
 *	unlock      lock
 *	owner_dead  lock, tag of the dead holder    the caller gets -EOWNERDEAD
 *	publish     name (char *), pointer          the name can be found
 *	unpublish   name (char *)
 *	adopt       slab, tag of the dead owner     a slab of a dead thread has a new one
 *	attach      program id
 *
 * Without <sys/sdt.h> (option usdt) they are nothing at all.
 */
#ifndef TPI_PROBES_H
#define TPI_PROBES_H

#ifdef TPI_USDT
#define SDT_USE_VARIADIC 1
#include <sys/sdt.h>
#define TPI_PROBE(name, ...) STAP_PROBEV(libtp, name, ##__VA_ARGS__)
#else
#define TPI_PROBE(name, ...) ((void)0)
#endif

#endif
