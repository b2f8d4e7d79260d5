// SPDX-License-Identifier: MIT
//
// Measures: a std::map that one program has built is handed to another, which walks it once. By pointer (a tp::map through a channel), or
// through Boost.Serialization and a unix socket, the best of it that Boost offers: binary archives, buffered, without a copy in between.
//
//	tprun run -- bench-map-handover send pointer key 10000000 ::: bench-map-handover receive pointer key 10000000
//	tprun run -- bench-map-handover send boost key 10000000 SOCKET ::: bench-map-handover receive boost key 10000000 SOCKET
//
// The order is that in which the map was built: `key` puts neighbours side by side in memory, `random` does not. The receiver's map from Boost is
// always built in key order; the sender's, which is written out, and the shared one are as `order` says.
//
// The receiver prints one line: way, order, seconds from when the map was ready to the end of the walk, CPU seconds of both programs in
// that time, bytes copied between them. It exits with 1 if the map is not what it should be.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <stdexcept>
#include <streambuf>
#include <string>

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/map.hpp>

#include <tp/tp.hpp>

using own_map = std::map<std::uint64_t, std::uint64_t>;
using shared_map = tp::map<std::uint64_t, std::uint64_t>;

// What the sender has used of its time, and when it began; lies where both can see it.
struct account {
	std::atomic<std::int64_t> begin_ns;
	std::atomic<std::int64_t> sender_cpu_ns; // 0: not known yet
	std::atomic<std::uint64_t> bytes;
	std::atomic<std::uint32_t> received;
};
TP_TYPE(account, "map-handover.account@1")
TP_TYPE(shared_map, "map-handover.map@1")

static std::int64_t clock_ns(clockid_t clock)
{
	timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * std::int64_t(1000000000) + t.tv_nsec;
}

// Every odd number is prime to a power of two, and so gives each place once; the count is rounded up to one.
template <typename Map> void build(Map &map, std::uint64_t count, bool in_key_order)
{
	std::uint64_t mask = 1;

	while (mask < count)
		mask *= 2;
	if (in_key_order)
		for (std::uint64_t i = 0; i < count; i++)
			map.emplace_hint(map.end(), i, ~i);
	else
		for (std::uint64_t i = 0; i < mask; i++) {
			std::uint64_t key = i * 0x9e3779b97f4a7c15 % mask;
			if (key < count)
				map.emplace(key, ~key);
		}
}

template <typename Map> void walk(const Map &map, std::uint64_t count)
{
	std::uint64_t next = 0, sum = 0;

	for (const auto &[key, value] : map) {
		sum += value;
		next += key == next;
	}
	if (next != count || map.size() != count || sum != 0 - (count * (count - 1) / 2 + count))
		throw std::runtime_error("the map is not the one that was sent");
}

class socket_buffer : public std::streambuf
{
public:
	explicit socket_buffer(int fd) : fd_(fd)
	{
		setp(room_, room_ + sizeof(room_));
	}
	std::uint64_t bytes = 0;

protected:
	int_type overflow(int_type c) override
	{
		sync();
		if (c != traits_type::eof())
			sputc(static_cast<char>(c));
		return 0;
	}
	int sync() override
	{
		for (char *p = pbase(); p < pptr();) {
			ssize_t n = ::write(fd_, p, pptr() - p);
			if (n <= 0)
				throw std::runtime_error("the socket cannot be written");
			p += n;
			bytes += n;
		}
		setp(room_, room_ + sizeof(room_));
		return 0;
	}
	int_type underflow() override
	{
		ssize_t n = ::read(fd_, room_, sizeof(room_));

		if (n <= 0)
			return traits_type::eof();
		setg(room_, room_, room_ + n);
		return traits_type::to_int_type(*gptr());
	}

private:
	int fd_;
	char room_[262144];
};

static sockaddr_un address_of(const char *path)
{
	sockaddr_un address{};

	address.sun_family = AF_UNIX;
	if (std::strlen(path) >= sizeof(address.sun_path))
		throw std::runtime_error("the socket's path is too long");
	std::strcpy(address.sun_path, path);
	return address;
}

static int listen_at(const char *path)
{
	sockaddr_un address = address_of(path);
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);

	unlink(path);
	if (bind(listener, reinterpret_cast<sockaddr *>(&address), sizeof(address)) || listen(listener, 1))
		throw std::runtime_error("the socket cannot be made");
	int fd = accept(listener, nullptr, nullptr);
	close(listener);
	unlink(path);
	return fd;
}

static int connect_to(const char *path)
{
	sockaddr_un address = address_of(path);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	for (int i = 0; connect(fd, reinterpret_cast<sockaddr *>(&address), sizeof(address)); i++) {
		if (i == 6000)
			throw std::runtime_error("nobody listens");
		usleep(10000);
	}
	return fd;
}

static void send_pointer(account &a, std::uint64_t count, bool in_key_order)
{
	tp::lane<shared_map> to("map-handover");
	auto map = tp::make_unique<shared_map>();

	build(*map, count, in_key_order);
	std::int64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	a.begin_ns = clock_ns(CLOCK_MONOTONIC);
	to.give(std::move(map));
	a.bytes = sizeof(void *);
	a.sender_cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu + 1;
}

static void send_boost(account &a, std::uint64_t count, bool in_key_order, const char *path)
{
	socket_buffer buffer(connect_to(path));
	own_map map;

	build(map, count, in_key_order);
	std::int64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	a.begin_ns = clock_ns(CLOCK_MONOTONIC);
	{
		boost::archive::binary_oarchive out(buffer);
		out << map;
	}
	buffer.pubsync();
	a.bytes = buffer.bytes;
	a.sender_cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu + 1;
	// The end of this program would free 10 million nodes while the other walks.
	while (!a.received)
		usleep(1000);
	_exit(0);
}

struct measured {
	std::int64_t end_ns, cpu_ns;
};

static measured receive_pointer(std::uint64_t count)
{
	tp::channel<shared_map> from("map-handover");
	auto map = from.receive();
	std::int64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	walk(*map, count);
	measured m = {clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu};
	map.take().release(); // it ends with the group
	return m;
}

static measured receive_boost(std::uint64_t count, const char *path)
{
	auto *buffer = new socket_buffer(listen_at(path));
	auto *map = new own_map;
	std::int64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	boost::archive::binary_iarchive in(*buffer);

	in >> *map;
	walk(*map, count);
	return {clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu};
}

static int run(int argc, char **argv)
{
	if (argc < 5)
		throw std::runtime_error("usage: bench-map-handover send|receive pointer|boost key|random COUNT [SOCKET]");
	bool sends = !std::strcmp(argv[1], "send"), pointer = !std::strcmp(argv[2], "pointer"), in_key_order = !std::strcmp(argv[3], "key");
	std::uint64_t count = std::strtoull(argv[4], nullptr, 10);
	const char *path = argc > 5 ? argv[5] : "/tmp/map-handover.socket";

	if (sends) {
		auto a = tp::wait<account>("map-handover.account");
		pointer ? send_pointer(*a, count, in_key_order) : send_boost(*a, count, in_key_order, path);
		return 0;
	}
	account *a = tp::make<account>();
	tp::publish("map-handover.account", *a);
	measured m = pointer ? receive_pointer(count) : receive_boost(count, path);
	while (!a->sender_cpu_ns)
		usleep(100);
	std::printf("%s %s %.6f %.6f %llu\n", argv[2], argv[3], (m.end_ns - a->begin_ns) / 1e9, (m.cpu_ns + a->sender_cpu_ns) / 1e9,
		static_cast<unsigned long long>(a->bytes));
	std::fflush(stdout);
	a->received = 1;
	_exit(0);
}

int main(int argc, char **argv)
{
	try {
		return run(argc, argv);
	} catch (const std::exception &failure) {
		std::fprintf(stderr, "bench-map-handover: %s\n", failure.what());
		return 1;
	}
}
