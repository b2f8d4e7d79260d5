// SPDX-License-Identifier: MIT
//
// What json.hpp writes it reads back, it reads what others may write, and it refuses the rest.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include <unistd.h>

#include "handover.hpp"
#include "json.hpp"
#include "packages-json.hpp"

static std::string path;
static int failures;

static void check(bool holds, const char *what)
{
	if (!holds)
		std::fprintf(stderr, "FAILED: %s\n", what);
	failures += !holds;
}

static void write_file(const std::string &text)
{
	std::FILE *file = std::fopen(path.c_str(), "w");

	if (!file || std::fwrite(text.data(), 1, text.size(), file) != text.size() ||
		std::fclose(file))
		throw std::runtime_error(path + ": cannot be written");
}

static std::string string_from(const std::string &json)
{
	write_file(json);
	handover_reader pipe(path);
	return json_reader(pipe).string();
}

static void check_refused(const std::string &json, void (*read)(json_reader &))
{
	write_file(json);
	handover_reader pipe(path);
	json_reader reader(pipe);
	bool refused = false;

	try {
		read(reader);
	} catch (const std::runtime_error &) {
		refused = true;
	}
	check(refused, json.c_str());
}

static void reads_strings()
{
	check(string_from(" \n\"plain\"") == "plain", "a plain string");
	check(string_from(R"("\"\\\/\b\f\n\r\t")") == "\"\\/\b\f\n\r\t", "short escapes");
	check(string_from(R"("\u0041\u00e9\u20AC\ud83d\ude00")") == "A\u00e9\u20ac\U0001f600",
		"four-digit escapes");
}

static void refuses_what_is_broken()
{
	auto string = [](json_reader &from) { from.string(); };
	auto number = [](json_reader &from) { from.number(); };

	for (const char *broken : {"\"open", "\"\\x\"", "\"\\u12g4\"", "\"\\ud83d\"",
		     "\"\\ud83d\\u0041\"", "\"\\udc00\"", "5", ""})
		check_refused(broken, string);
	for (const char *broken : {"99999999999999999999 ", "-1 ", "\"1\" "})
		check_refused(broken, number);
}

// More than both buffers hold, so that values lie across their borders.
static void packages_come_back()
{
	package_list<own_memory> sent, received;

	for (int i = 0; i < 5000; i++) {
		package<own_memory> &p = sent.append();
		p.name = "name-" + std::to_string(i) + "\"\\\x01\n";
		p.version = std::string(i % 97, 'v');
		p.depends.resize(i % 5, p.name);
		p.provides.resize(i % 3, "a|b");
	}
	write_file("");
	write_packages(*std::make_unique<handover_writer>(path), sent);
	handover_reader pipe(path);
	read_packages(pipe, received);

	const package<own_memory> *a = sent.first(), *b = received.first();
	for (; a && b; a = a->next, b = b->next)
		if (a->name != b->name || a->version != b->version || a->depends != b->depends ||
			a->provides != b->provides)
			break;
	check(!a && !b && received.count() == 5000, "packages come back as they were sent");
}

int main()
{
	char name[] = "/tmp/check-json.XXXXXX";
	int fd = mkstemp(name);

	if (fd < 0) {
		std::perror(name);
		return 1;
	}
	close(fd);
	path = name;
	try {
		reads_strings();
		refuses_what_is_broken();
		packages_come_back();
	} catch (const std::exception &failure) {
		check(false, failure.what());
	}
	unlink(name);
	return failures ? 1 : 0;
}
