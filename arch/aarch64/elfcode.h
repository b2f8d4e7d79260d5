/* SPDX-License-Identifier: MIT */
#ifndef TP_ARCH_ELFCODE_H
#define TP_ARCH_ELFCODE_H

/* Machine code for the programs that tests assemble: wait for a signal, for ever, in this system
 * call. */
#define ARCH_CODE_PAUSE_CALL 73
#define ARCH_CODE_PAUSE                                                                            \
	{                                                                                          \
		0x00, 0x00, 0x80, 0xd2, /* mov x0, #0: no descriptors, */                          \
		0x01, 0x00, 0x80, 0xd2, /* mov x1, #0 */                                           \
		0x02, 0x00, 0x80, 0xd2, /* mov x2, #0: no time-out, */                             \
		0x03, 0x00, 0x80, 0xd2, /* mov x3, #0: no signal mask */                           \
		0x28, 0x09, 0x80, 0xd2, /* mov x8, #73 (ppoll) */                                  \
		0x01, 0x00, 0x00, 0xd4, /* svc #0 */                                               \
		0xfa, 0xff, 0xff, 0x17, /* b to the start */                                       \
	}

#endif
