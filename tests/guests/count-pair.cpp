/* SPDX-License-Identifier: MIT */
/*
 * count-pair make FILE N | count-pair join FILE N: two single-threaded C++ programs copy one
 * std::shared_ptr N times each, at once; the count must be exact at the end. libstdc++ leaves the
 * atomics out as long as it believes that there is one thread.
 */
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

struct shared {
	std::shared_ptr<int> value = std::make_shared<int>(7);
	std::atomic<int> joined{0}, left{0};
};

static shared *make(const std::string &path)
{
	shared *s = new shared;
	FILE *f = fopen((path + ".new").c_str(), "w");

	if (!f || fprintf(f, "%p\n", (void *)s) < 0 || fclose(f) ||
		rename((path + ".new").c_str(), path.c_str()))
		exit(99);
	return s;
}

static shared *join(const std::string &path)
{
	void *p = nullptr;
	FILE *f;

	while (!(f = fopen(path.c_str(), "r")))
		usleep(1000);
	if (fscanf(f, "%p", &p) != 1)
		exit(99);
	fclose(f);
	return (shared *)p;
}

static void meet(std::atomic<int> &mine)
{
	mine++;
	while (mine < 2)
		usleep(100);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 99;
	bool maker = strcmp(argv[1], "make") == 0;
	shared *s = maker ? make(argv[2]) : join(argv[2]);
	long n = atol(argv[3]);
	std::vector<std::shared_ptr<int>> kept;

	meet(s->joined);
	kept.reserve(1000);
	for (long i = 0; i < n; i++) {
		if (kept.size() == 1000)
			kept.clear();
		kept.push_back(s->value);
	}
	kept.clear();
	meet(s->left);
	if (!maker)
		return unlink(argv[2]);
	/* The memory is the maker's: it stays until the other has let go of it. */
	while (access(argv[2], F_OK) == 0)
		usleep(1000);
	printf("use count %ld, value %d\n", s->value.use_count(), *s->value);
	return 0;
}
