// SPDX-License-Identifier: MIT
//
// Two ends of a pipe (a FIFO, by its path) between two of the programs: in JSON mode everything travels through it.
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

#include <fcntl.h>
#include <unistd.h>

class pipe_end
{
public:
	pipe_end(const std::string &path, int flags)
	    : path_(path), fd_(open(path.c_str(), flags | O_CLOEXEC))
	{
		if (fd_ < 0)
			fail("cannot be opened");
	}
	pipe_end(const pipe_end &) = delete;
	pipe_end &operator=(const pipe_end &) = delete;
	~pipe_end()
	{
		close(fd_);
	}

protected:
	[[noreturn]] void fail(const char *what) const
	{
		throw std::runtime_error(path_ + ": " + what + ": " + std::strerror(errno));
	}

	const std::string path_;
	const int fd_;
};

class handover_writer : public pipe_end
{
public:
	explicit handover_writer(const std::string &path) : pipe_end(path, O_WRONLY)
	{
	}

	void write(const char *data, std::size_t size)
	{
		while (size) {
			ssize_t written = ::write(fd_, data, size);

			if (written < 0 && errno == EINTR)
				continue;
			if (written < 0)
				fail("cannot be written");
			data += written;
			size -= written;
			bytes_ += written;
		}
	}

	// What the demonstration's table adds up.
	void report(const char *program) const
	{
		std::fprintf(stderr, "%s: handed over %zu bytes\n", program, bytes_);
	}

private:
	std::size_t bytes_ = 0;
};

class handover_reader : public pipe_end
{
public:
	explicit handover_reader(const std::string &path) : pipe_end(path, O_RDONLY)
	{
	}

	// 0 at the end.
	std::size_t read(char *buffer, std::size_t size)
	{
		ssize_t got;

		do
			got = ::read(fd_, buffer, size);
		while (got < 0 && errno == EINTR);
		if (got < 0)
			fail("cannot be read");
		return got;
	}
};
