/* SPDX-License-Identifier: MIT */
/*
 * What every header of libtp uses: version, results, time.
 *
 * Results: 0 or a negative errno; positive only where a call says so. libtp neither sets nor reads `errno`. Outputs are the last
 * arguments, are named ret_…, and stay as they were on failure. Every call may return, besides what it names itself:
 *
 *   -ENOTCONN   this process is in no group: it was not started by tprun, or it is a forked child that has not called tp_attach
 *   -EPROTO     program and group were built from versions that cannot work together; tp_why names both
 *
 * and for NULL in place of an object, a text or a ret_…, where the call does not say that NULL is fine, -EINVAL; of a lock, string or vector
 * -EFAULT, as for any other place where there is none. Calls that return nothing do nothing then.
 */
#ifndef TP_BASE_H
#define TP_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define TP_BEGIN extern "C" {
#define TP_END }
#else
#define TP_BEGIN
#define TP_END
#endif

#define TP_API __attribute__((visibility("default")))

#define TP_VERSION_MAJOR 0
#define TP_VERSION_MINOR 1
#define TP_VERSION_PATCH 0

/* Time-outs are nanoseconds from now. */
#define TP_FOREVER	INT64_C(-1)
#define TP_NOWAIT	INT64_C(0)
#define TP_SECOND	INT64_C(1000000000)

/* A program of the group, or a satellite. Never reused; 0 is none. */
typedef uint64_t tp_id;

TP_BEGIN

/*
 * tp_version - the version of the library that is running, as "0.1.0".
 *
 * Context: any, in or out of a group. Since 0.1.
 */
TP_API const char *tp_version(void);

/*
 * tp_why - why the last failed call of this thread failed: one line, for people, without a newline.
 *
 * Names what a bare errno cannot: both versions, the limit that was reached, the owner of a pointer. Every call that returns a negative number,
 * or NULL for a pointer, changes it, be it an everyday answer such as -EAGAIN. After a call that succeeded it says nothing of use: it tells of an
 * older failure, or of something that the call got over. A signal handler that calls libtp may change it, as it may errno.
 *
 * Outside a group, where nothing is kept for a thread, it is the last failure of any thread.
 *
 * Return: never NULL; in a group "" when nothing has failed. Valid until the next call of this thread.
 *
 * Context: thread-safe, does not block, does not allocate. Since 0.1.
 */
TP_API const char *tp_why(void);

TP_END
#endif
