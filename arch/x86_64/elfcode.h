/* SPDX-License-Identifier: MIT */
#ifndef TP_ARCH_ELFCODE_H
#define TP_ARCH_ELFCODE_H

/* Machine code for the programs that tests assemble: wait for a signal, for ever, in this system
 * call. */
#define ARCH_CODE_PAUSE_CALL 34
#define ARCH_CODE_PAUSE                                                                            \
	{                                                                                          \
		0xb8, 0x22, 0x00, 0x00, 0x00, /* mov $34 (pause), %eax */                          \
		0x0f, 0x05,                   /* syscall */                                        \
		0xeb, 0xf7,                   /* jmp to the start */                               \
	}

#endif
