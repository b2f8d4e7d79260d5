/* SPDX-License-Identifier: MIT */
/* The host's stages in words. The number comes from memory that programs can write. */
#include <stddef.h>

#include "supervise/stages.h"
#include "tp/abi/hostmsg.h"

static const char *const words[] = {
	[TP_STAGE_SEGMENT] = "mapping the group segment",
	[TP_STAGE_BRK_GUARD] = "guarding the heap of the host",
	[TP_STAGE_CONTROL] = "preparing its slot",
	[TP_STAGE_IMAGE] = "mapping the executable",
	[TP_STAGE_STACK] = "mapping its stack",
	[TP_STAGE_CLONE] = "making a process",
	[TP_STAGE_RECEIVE] = "handing over its descriptors",
	[TP_STAGE_RECLAIM] = "returning memory",
	[TP_STAGE_STUB_NEAR] = "finding room near its fixed address",
	[TP_STAGE_CHILD_FDS] = "installing its descriptors",
	[TP_STAGE_CHILD_CWD] = "changing to the working directory",
	[TP_STAGE_CHILD_ROOT] = "changing to the root directory",
	[TP_STAGE_CHILD_SESSION] = "joining its process group",
	[TP_STAGE_CHILD_TTY] = "taking the terminal",
	[TP_STAGE_CHILD_RLIMIT] = "setting a resource limit",
	[TP_STAGE_CHILD_STACK] = "filling its stack",
	[TP_STAGE_CHILD_PATCH] = "rewriting its system calls",
	[TP_STAGE_CHILD_NICE] = "setting its priority",
	[TP_STAGE_PRIVATE_HEAP] = "mapping the region of --shared-malloc (raise ulimit -v and -d)",
};

const char *tp_stage_words(uint32_t stage)
{
	if (stage >= sizeof(words) / sizeof(words[0]) || !words[stage])
		return "preparing its start";
	return words[stage];
}
