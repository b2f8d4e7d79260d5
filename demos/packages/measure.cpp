// SPDX-License-Identifier: MIT
//
// Runs commands at the same time and measures them with everything they start: the seconds until
// all have ended, the CPU seconds (user and system), and, on request, the peak of the memory.
//
// Memory is the proportional set size (PSS): a page that several processes map counts for each
// by its share, so the sum over processes is what is really in use. Processes that are one
// address space have the same pages, which are counted once. The peak is the largest of many
// samples; taking them costs time, so times are measured in runs without.
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <dirent.h>
#include <linux/kcmp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using command_line = std::vector<char *>;
using pids = std::vector<pid_t>;

static const char *const usage =
	"usage: measure [-m] -o FILE COMMAND [ARGUMENT...] [+++ COMMAND [ARGUMENT...]]...\n"
	"  -o FILE  write 'seconds cpu-seconds peak-KiB' to FILE\n"
	"  -m       sample the memory (otherwise the peak is 0)\n";

struct options {
	const char *out = nullptr;
	bool memory = false;
	std::vector<command_line> commands;
};

static bool read_options(int argc, char **argv, options &to)
{
	int option;

	while ((option = getopt(argc, argv, "+mo:")) != -1) {
		if (option == 'm')
			to.memory = true;
		else if (option == 'o')
			to.out = optarg;
		else
			return false;
	}
	to.commands.emplace_back();
	for (int i = optind; i < argc; i++) {
		if (std::strcmp(argv[i], "+++") == 0)
			to.commands.emplace_back();
		else
			to.commands.back().push_back(argv[i]);
	}
	for (const command_line &command : to.commands)
		if (command.empty())
			return false;
	return to.out;
}

static pid_t start(command_line command)
{
	pid_t pid = fork();

	if (pid < 0)
		throw std::runtime_error(std::string("no process: ") + std::strerror(errno));
	if (pid > 0)
		return pid;
	command.push_back(nullptr);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	execvp(command[0], command.data());
	std::fprintf(stderr, "measure: %s: %s\n", command[0], std::strerror(errno));
	_exit(127);
}

// Appends the descendants of `pid`, each before its own children.
static void add_descendants(pid_t pid, pids &to)
{
	std::string tasks = "/proc/" + std::to_string(pid) + "/task";
	DIR *folder = opendir(tasks.c_str());

	if (!folder)
		return; // has ended
	while (const dirent *task = readdir(folder)) {
		std::ifstream children(tasks + "/" + task->d_name + "/children");
		for (pid_t child; children >> child;) {
			to.push_back(child);
			add_descendants(child, to);
		}
	}
	closedir(folder);
}

// Where an address space has its parts, for kernels and containers that refuse kcmp. A fork has
// the same until it execs: it is then counted with its parent, too little for a moment.
static std::string outline(pid_t pid)
{
	std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
	std::string line, word, fields;

	std::getline(stat, line);
	line.erase(0, line.rfind(')') + 1);
	std::size_t at = 0;
	for (int field = 3; at < line.size(); field++) {
		std::size_t end = std::min(line.find(' ', at + 1), line.size());
		if ((field >= 26 && field <= 28) || (field >= 45 && field <= 51))
			fields += line.substr(at, end - at);
		at = end;
	}
	return fields;
}

static bool same_address_space(pid_t a, pid_t b)
{
	long order = syscall(SYS_kcmp, a, b, KCMP_VM, 0, 0);

	if (order >= 0)
		return order == 0;
	return errno != ESRCH && outline(a) == outline(b);
}

static std::size_t pss_kib(pid_t pid)
{
	std::ifstream rollup("/proc/" + std::to_string(pid) + "/smaps_rollup");
	std::size_t kib = 0;

	for (std::string word; rollup >> word;)
		if (word == "Pss:" && rollup >> kib)
			return kib;
	return 0;
}

static std::size_t sample_memory()
{
	pids all, counted;
	std::size_t kib = 0;

	add_descendants(getpid(), all);
	for (pid_t pid : all) {
		bool known = false;
		for (pid_t other : counted)
			known = known || same_address_space(pid, other);
		if (known)
			continue;
		std::size_t own = pss_kib(pid);
		if (own) // one that is just ending has none, and may not stand for its group
			counted.push_back(pid);
		kib += own;
	}
	return kib;
}

static int status_of(int wait_status)
{
	return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

// Waits for all descendants. The status is that of the first command that failed.
class run_result
{
public:
	explicit run_result(const options &from) : memory_(from.memory)
	{
		for (const command_line &command : from.commands)
			started_.push_back(start(command));
	}

	void wait()
	{
		int status;
		pid_t pid;

		while ((pid = waitpid(-1, &status, memory_ ? WNOHANG : 0)) >= 0 || errno == EINTR) {
			if (pid > 0)
				ended(pid, status);
			else if (pid == 0)
				sample();
		}
	}

	void write(const char *path) const
	{
		rusage used;
		std::FILE *out = std::fopen(path, "w");

		getrusage(RUSAGE_CHILDREN, &used);
		if (!out ||
			std::fprintf(out, "%.4f %.4f %zu\n", seconds_,
				seconds(used.ru_utime) + seconds(used.ru_stime), peak_kib_) < 0 ||
			std::fclose(out))
			throw std::runtime_error(std::string(path) + ": " + std::strerror(errno));
	}

	int status() const
	{
		return status_;
	}

private:
	using clock = std::chrono::steady_clock;

	static double seconds(const timeval &time)
	{
		return time.tv_sec + time.tv_usec / 1e6;
	}

	void ended(pid_t pid, int status)
	{
		for (pid_t &command : started_) {
			if (command != pid)
				continue;
			seconds_ = std::chrono::duration<double>(clock::now() - start_).count();
			if (!status_)
				status_ = status_of(status);
		}
	}

	void sample()
	{
		peak_kib_ = std::max(peak_kib_, sample_memory());
		usleep(1000);
	}

	const bool memory_;
	const clock::time_point start_ = clock::now();
	pids started_;
	double seconds_ = 0;
	std::size_t peak_kib_ = 0;
	int status_ = 0;
};

int main(int argc, char **argv)
{
	options wanted;

	if (!read_options(argc, argv, wanted)) {
		std::fputs(usage, stderr);
		return 2;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	try {
		run_result result(wanted);
		result.wait();
		result.write(wanted.out);
		return result.status();
	} catch (const std::exception &failure) {
		std::fprintf(stderr, "measure: %s\n", failure.what());
		return 1;
	}
}
