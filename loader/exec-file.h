/* SPDX-License-Identifier: MIT */
#ifndef TP_LOADER_EXEC_FILE_H
#define TP_LOADER_EXEC_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "where.h"

/* A regular file that the caller may execute, and read. */
struct tpi_exec_file {
	int fd; /* O_RDONLY; owned by whoever holds the struct */
	struct stat st;
};

/* Why a file was refused: the caller knows what it is for and makes the sentence. */
struct tpi_refusal {
	int error;       /* negative errno, the one that execve would give */
	bool exists;     /* something is there, but it cannot be used */
	bool directory;  /* … namely a directory */
	const char *why; /* static */
};

/*
 * tpi_exec_file_open - open a file for execution.
 * Never blocks on a FIFO and never opens a device.
 * Returns 0, or ret_refusal->error.
 */
int tpi_exec_file_open(const struct tpi_where *where, const char *path,
		       struct tpi_exec_file *ret_file, struct tpi_refusal *ret_refusal);

/* tpi_exec_file_privileges - refuse a file that would change the privileges of its process. */
int tpi_exec_file_privileges(const struct tpi_exec_file *file, struct tpi_refusal *ret_refusal);

#endif
