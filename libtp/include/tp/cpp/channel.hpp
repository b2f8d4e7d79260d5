// SPDX-License-Identifier: MIT
//
// Channels of objects. tp::channel<T> is the consumer's end, tp::lane<T> a producer's; T has a name by TP_TYPE.
//
// A message is acknowledged, and its object destroyed if it was given, at the end of the scope that it was received in. A program that
// dies before that has lost nothing: its successor, which makes the channel of that name again, gets the message once more.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <utility>

#include <tp/chan.h>
#include <tp/cpp/error.hpp>
#include <tp/cpp/name.hpp>
#include <tp/cpp/pointer.hpp>
#include <tp/cpp/time.hpp>

namespace tp
{

template <typename T> class channel;

// One received object. Belongs to the thread that uses the channel, and ends before it does.
template <typename T> class message
{
public:
	message() noexcept = default;
	message(message &&from) noexcept
	    : from_(std::exchange(from.from_, nullptr)), c_(from.c_), exceptions_(from.exceptions_)
	{
	}
	message &operator=(message &&from) noexcept
	{
		if (this != &from) {
			done();
			from_ = std::exchange(from.from_, nullptr);
			c_ = from.c_;
			exceptions_ = from.exceptions_;
		}
		return *this;
	}
	// Thrown past, it stays unacknowledged until the next one of its lane is.
	~message()
	{
		if (std::uncaught_exceptions() <= exceptions_)
			done();
	}

	explicit operator bool() const noexcept
	{
		return from_;
	}
	T *get() const noexcept
	{
		return static_cast<T *>(c_.ptr);
	}
	T &operator*() const noexcept
	{
		return *get();
	}
	T *operator->() const noexcept
	{
		return get();
	}
	// The same for a repeat.
	std::uint64_t id() const noexcept
	{
		return c_.id;
	}
	// A consumer that died may have received it before.
	bool repeated() const noexcept
	{
		return c_.repeated;
	}
	bool given() const noexcept
	{
		return c_.given;
	}
	tp_id sender() const noexcept
	{
		return c_.sender;
	}

	// Acknowledges, and destroys what was given; what was lent must not be used any more.
	void done() noexcept
	{
		if (acknowledge() && c_.given)
			destroy(get());
	}
	// Acknowledges, and hands over what was given. Throws tp::error (EPERM) for what was lent.
	unique_ptr<T> take()
	{
		if (!from_ || !c_.given)
			throw error(-EPERM, "tp::message::take: it was lent, not given");
		acknowledge();
		return unique_ptr<T>(get());
	}

private:
	friend class channel<T>;

	bool acknowledge() noexcept
	{
		tp_chan *from = std::exchange(from_, nullptr);

		return from && tp_chan_ack(from, &c_) == 0;
	}

	tp_chan *from_ = nullptr; // null: nothing was received, or it is done
	tp_message c_ = {};
	int exceptions_ = std::uncaught_exceptions();
};

// The consumer's end. One thread at a time.
template <typename T> class channel
{
public:
	static_assert(!std::is_polymorphic_v<T>, "tp: a type with virtual functions must not cross to another program");

	// Creates it, or takes it over from a consumer that died. Throws tp::error: EEXIST: it has a consumer.
	explicit channel(const char *name, const tp_chan_options *options = nullptr)
	{
		check(tp_chan_create(name, type_name<T>::value, options, &c_), name);
	}
	// Closes it: producers get EPIPE, what was given and not received is freed, but not destroyed: its own blocks stay.
	~channel()
	{
		tp_chan_destroy(c_);
	}
	channel(channel &&from) noexcept : c_(std::exchange(from.c_, nullptr)), deaths_(from.deaths_), closed_(from.closed_)
	{
	}
	channel &operator=(channel &&) = delete;

	// The next message. Empty where none came in time, or where the last producer has closed its lane: closed() tells. A
	// producer that died is counted, and else left alone. Throws tp::error.
	message<T> receive(timeout t = forever)
	{
		message<T> m;
		int r;

		while ((r = try_receive(m, t)) == -EOWNERDEAD)
			deaths_++;
		closed_ = r == -EPIPE;
		if (r != -EAGAIN && r != -ETIMEDOUT && r != -EPIPE)
			check(r, "tp::channel::receive");
		return m;
	}

	// As tp_chan_recv.
	int try_receive(message<T> &ret_message, timeout t) noexcept
	{
		tp_message raw;
		int r = tp_chan_recv(c_, t, &raw);

		if (r == 0) {
			ret_message.done();
			ret_message.c_ = raw;
			ret_message.from_ = c_;
		}
		return r;
	}

	// The last receive() found that all producers have closed their lanes. Others may come.
	bool closed() const noexcept
	{
		return closed_;
	}
	// How many producers have died with their lanes open.
	std::uint64_t deaths() const noexcept
	{
		return deaths_;
	}
	// For poll and epoll; see tp_chan_fd and tp_chan_arm.
	int fd()
	{
		return check(tp_chan_fd(c_), "tp::channel::fd");
	}
	// False: there is something already.
	bool arm()
	{
		return check(tp_chan_arm(c_), "tp::channel::arm") == 0;
	}
	tp_chan *c_face() const noexcept
	{
		return c_;
	}

private:
	tp_chan *c_ = nullptr;
	std::uint64_t deaths_ = 0;
	bool closed_ = false;
};

// A producer's end. One thread at a time.
template <typename T> class lane
{
public:
	static_assert(!std::is_polymorphic_v<T>, "tp: a type with virtual functions must not cross to another program");

	// Waits for the channel. Throws tp::error.
	explicit lane(const char *name, timeout t = forever)
	{
		check(tp_chan_open(name, type_name<T>::value, t, &c_), name);
	}
	~lane()
	{
		tp_lane_close(c_);
	}
	lane(lane &&from) noexcept : c_(std::exchange(from.c_, nullptr))
	{
	}
	lane &operator=(lane &&) = delete;

	// The object is the receiver's from now on. Throws tp::error (EPIPE, EOWNERDEAD, ETIMEDOUT); `object` is the caller's still then.
	void give(unique_ptr<T> &&object, timeout t = forever)
	{
		check(try_give(std::move(object), t), "tp::lane::give");
	}
	int try_give(unique_ptr<T> &&object, timeout t = nowait) noexcept
	{
		int r = tp_lane_send_give(c_, raw(object), t);

		if (r == 0)
			object.release();
		return r;
	}

	// As many of `count` objects as there is room for in time, at a fraction of the cost. Return: how many; those are null afterwards.
	std::size_t give_batch(unique_ptr<T> *objects, std::size_t count, timeout t = forever)
	{
		void *pointers[64];
		std::size_t sent = 0;

		while (sent < count) {
			std::size_t n = std::min(count - sent, std::size(pointers));

			for (std::size_t i = 0; i < n; i++)
				pointers[i] = raw(objects[sent + i]);
			int r = tp_lane_send_batch_give(c_, pointers, n, t);
			if (sent == 0)
				check(r, "tp::lane::give_batch");
			for (int i = 0; i < r; i++)
				objects[sent + i].release();
			sent += r > 0 ? r : 0;
			if (r < static_cast<int>(n))
				break;
		}
		return sent;
	}

	// The object stays the caller's, unchanged until it is acknowledged.
	void lend(const T &object, timeout t = forever)
	{
		check(try_lend(object, t), "tp::lane::lend");
	}
	int try_lend(const T &object, timeout t = nowait) noexcept
	{
		return tp_lane_send_lend(c_, &object, t);
	}

	// How many of this lane's messages have been acknowledged, from the first on.
	std::uint64_t acknowledged() const
	{
		std::uint64_t count = 0;

		check(tp_lane_acknowledged(c_, &count), "tp::lane::acknowledged");
		return count;
	}
	// Waits until the channel has a consumer again. False: none in time. Throws tp::error: EPIPE: there will be none.
	bool wait_consumer(timeout t = forever)
	{
		int r = tp_lane_wait_consumer(c_, t);

		return r != -ETIMEDOUT && r != -EOWNERDEAD && check(r, "tp::lane::wait_consumer") == 0;
	}
	tp_lane *c_face() const noexcept
	{
		return c_;
	}

private:
	static void *raw(const unique_ptr<T> &object) noexcept
	{
		return const_cast<std::remove_const_t<T> *>(object.get());
	}

	tp_lane *c_ = nullptr;
};

} // namespace tp
