/* SPDX-License-Identifier: MIT */
/*
 * The bytes of one ELF file. See elf-file.h.
 *
 * Invariant: nothing outside [0, size) is ever read, and size is that of the moment of opening. A
 * file that has become shorter since gives -ERANGE, as if it had been too short from the start.
 */
#include "elf-file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads until len bytes are there, the file ends or an error comes. Returns the count or -errno. */
static ssize_t read_fully(int fd, uint64_t off, void *buf, size_t len)
{
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = pread(fd, (char *)buf + done, len - done, off + done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		done += n;
	}
	return done;
}

int tp_elf_open_fd(int fd, struct tp_elf *ret_elf)
{
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) < 0)
		return -errno;
	n = read_fully(fd, 0, ret_elf->head, TP_ELF_HEAD);
	if (n < 0)
		return n;
	ret_elf->fd = fd;
	ret_elf->mem = NULL;
	ret_elf->size = st.st_size < 0 ? 0 : st.st_size;
	ret_elf->nhead = (uint64_t)n < ret_elf->size ? (uint64_t)n : ret_elf->size;
	return 0;
}

int tp_elf_open_memory(const void *bytes, size_t size, struct tp_elf *ret_elf)
{
	ret_elf->fd = -1;
	ret_elf->mem = bytes;
	ret_elf->size = size;
	ret_elf->nhead = size < TP_ELF_HEAD ? size : TP_ELF_HEAD;
	if (ret_elf->nhead)
		memcpy(ret_elf->head, bytes, ret_elf->nhead);
	return 0;
}

static int read_file(const struct tp_elf *elf, uint64_t off, void *buf, size_t len)
{
	ssize_t n = read_fully(elf->fd, off, buf, len);

	if (n < 0)
		return n;
	return (size_t)n == len ? 0 : -ERANGE;
}

int tp_elf_read(const struct tp_elf *elf, uint64_t off, void *buf, size_t len)
{
	if (!tp_elf_has(elf, off, len))
		return -ERANGE;
	if (len == 0)
		return 0;
	if (elf->mem)
		memcpy(buf, elf->mem + off, len);
	else if (off <= elf->nhead && len <= elf->nhead - off)
		memcpy(buf, elf->head + off, len);
	else
		return read_file(elf, off, buf, len);
	return 0;
}

bool tp_elf_has(const struct tp_elf *elf, uint64_t off, uint64_t len)
{
	return len <= elf->size && off <= elf->size - len;
}
