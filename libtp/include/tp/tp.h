/* SPDX-License-Identifier: MIT */
/* All of libtp. */
#ifndef TP_TP_H
#define TP_TP_H

#include <tp/base.h>
#include <tp/buffer.h>
#include <tp/chan.h>
#include <tp/heap.h>
#include <tp/lock.h>
#include <tp/member.h>
#include <tp/name.h>
#include <tp/str.h>
#include <tp/vec.h>

#endif
