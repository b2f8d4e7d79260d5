/* SPDX-License-Identifier: MIT */
/*
 * Print the auxiliary vector as far as it is the same for every run of one executable: plain values
 * as they are, strings as text, addresses as what they must point at.
 */
#include "guest.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif
#ifndef AT_RSEQ_FEATURE_SIZE
#define AT_RSEQ_FEATURE_SIZE 27
#define AT_RSEQ_ALIGN        28
#endif

static const struct {
	unsigned long type;
	const char *name;
} plain[] = {
	{AT_HWCAP, "HWCAP"},
	{AT_HWCAP2, "HWCAP2"},
	{AT_PAGESZ, "PAGESZ"},
	{AT_CLKTCK, "CLKTCK"},
	{AT_PHENT, "PHENT"},
	{AT_PHNUM, "PHNUM"},
	{AT_FLAGS, "FLAGS"},
	{AT_UID, "UID"},
	{AT_EUID, "EUID"},
	{AT_GID, "GID"},
	{AT_EGID, "EGID"},
	{AT_SECURE, "SECURE"},
	{AT_MINSIGSTKSZ, "MINSIGSTKSZ"},
	{AT_RSEQ_FEATURE_SIZE, "RSEQ_FEATURE_SIZE"},
	{AT_RSEQ_ALIGN, "RSEQ_ALIGN"},
};

extern const ElfW(Ehdr) __ehdr_start;
extern int main(int argc, char **argv);

/* AT_PHDR must be the table of this very image, AT_ENTRY its entry point. */
static void check_image(void)
{
	const ElfW(Ehdr) *ehdr = &__ehdr_start;
	unsigned long base = (unsigned long)ehdr;

	printf("PHDR %s\n", getauxval(AT_PHDR) == base + ehdr->e_phoff ? "right" : "wrong");
	if (ehdr->e_type == ET_EXEC)
		base = 0;
	printf("ENTRY %s\n", getauxval(AT_ENTRY) == base + ehdr->e_entry ? "right" : "elsewhere");
}

static void check_addresses(char **argv)
{
	const unsigned char *random = (void *)getauxval(AT_RANDOM);
	const unsigned char *vdso = (void *)getauxval(AT_SYSINFO_EHDR);
	unsigned set = 0;

	for (int i = 0; random && i < 16; i++)
		set |= random[i];
	printf("RANDOM %s\n", set ? "filled" : "empty");
	printf("SYSINFO_EHDR %s\n", vdso && memcmp(vdso, ELFMAG, SELFMAG) == 0 ? "ELF" : "none");
	printf("BASE %s\n", getauxval(AT_BASE) ? "set" : "0");
	printf("argv is 16-byte aligned with argc: %d\n", (int)(((unsigned long)(argv - 1)) % 16));
}

int main(int argc, char **argv)
{
	(void)argc;
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
		printf("%s %lx\n", plain[i].name, getauxval(plain[i].type));
	printf("EXECFN %s\n", (char *)getauxval(AT_EXECFN));
	printf("PLATFORM %s\n", getauxval(AT_PLATFORM) ? (char *)getauxval(AT_PLATFORM) : "none");
	check_image();
	check_addresses(argv);
	return 0;
}
