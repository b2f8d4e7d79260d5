// SPDX-License-Identifier: MIT
//
// Locks between programs, in the shape of those of std::. They are members of objects on the group's heap (tp::make and its kin).
//
// The death of a program that held a mutex: one of those who lock it next gets it together with tp::owner_dead. What the mutex guards may
// be half done then.
//
//	try {
//		std::lock_guard hold(account->mutex);
//		…
//	} catch (tp::owner_dead &death) {               // this thread holds the mutex now
//		account->repair();
//		death.recovered();                      // … and gives it back at the end of this block. Without this line nobody
//	}                                               // can lock the mutex any more: tp::error with ENOTRECOVERABLE
//
// or, in one: tp::lock_and_repair hold(account->mutex, [&] { account->repair(); });
#pragma once

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include <tp/cpp/error.hpp>
#include <tp/cpp/time.hpp>
#include <tp/lock.h>

namespace tp
{

class mutex;

// A program died while it held the mutex, which the catcher now holds. The exception gives it back when it ends, where it holds it alone (not
// where a std::unique_lock does, after condition_variable::wait).
class owner_dead : public error
{
public:
	inline owner_dead(mutex &m, bool holds);

	// What the mutex guards is sound again.
	inline void recovered();
	mutex &locked() const noexcept
	{
		return *mutex_;
	}

private:
	struct unlocker {
		inline void operator()(mutex *m) const noexcept;
	};

	mutex *mutex_;
	std::shared_ptr<mutex> held_; // exceptions are copied: the last copy unlocks
};

class mutex
{
public:
	constexpr mutex() noexcept = default;
	mutex(const mutex &) = delete;
	mutex &operator=(const mutex &) = delete;

	// Throws tp::owner_dead; tp::error with ENOTRECOVERABLE, EDEADLK, EFAULT (the mutex is no memory of the group).
	void lock()
	{
		took(tp_mutex_lock(&c_), "tp::mutex cannot be locked");
	}
	bool try_lock()
	{
		int r = tp_mutex_trylock(&c_);

		return r != -EBUSY && took(r, "tp::mutex cannot be locked");
	}
	template <typename R, typename P> bool try_lock_for(std::chrono::duration<R, P> d)
	{
		int r = tp_mutex_timedlock(&c_, timeout(d));

		return r != -ETIMEDOUT && took(r, "tp::mutex cannot be locked");
	}
	void unlock() noexcept
	{
		tp_mutex_unlock(&c_);
	}

	// As the C calls: 0 and -EOWNERDEAD mean that it is held.
	int try_lock_robust(timeout t = forever) noexcept
	{
		return tp_mutex_timedlock(&c_, t);
	}
	int try_consistent() noexcept
	{
		return tp_mutex_consistent(&c_);
	}
	tp_mutex *c_face() noexcept
	{
		return &c_;
	}

private:
	bool took(int r, const char *what)
	{
		if (r == -EOWNERDEAD)
			throw owner_dead(*this, true);
		return check(r, what) == 0;
	}

	tp_mutex c_ = {};
};

inline owner_dead::owner_dead(mutex &m, bool holds)
    : error(-EOWNERDEAD, "a program died while it held this tp::mutex"), mutex_(&m)
{
	if (holds)
		held_ = std::shared_ptr<mutex>(&m, unlocker());
}

inline void owner_dead::recovered()
{
	int r = mutex_->try_consistent();

	if (r < 0)
		throw error(r, "tp::owner_dead::recovered: this program does not hold the mutex, or it is consistent", false);
}

inline void owner_dead::unlocker::operator()(mutex *m) const noexcept
{
	m->unlock();
}

// A wait may end without a notification, and does so when a program has died: prefer those that take a condition.
class condition_variable
{
public:
	constexpr condition_variable() noexcept = default;
	condition_variable(const condition_variable &) = delete;
	condition_variable &operator=(const condition_variable &) = delete;

	void notify_one() noexcept
	{
		tp_cond_signal(&c_);
	}
	void notify_all() noexcept
	{
		tp_cond_broadcast(&c_);
	}
	// Throws tp::owner_dead: the lock is held, by `lock`.
	void wait(std::unique_lock<mutex> &lock)
	{
		woke(lock, tp_cond_wait(&c_, lock.mutex()->c_face()));
	}
	template <typename F> void wait(std::unique_lock<mutex> &lock, F holds)
	{
		while (!holds())
			wait(lock);
	}
	template <typename R, typename P>
	std::cv_status wait_for(std::unique_lock<mutex> &lock, std::chrono::duration<R, P> d)
	{
		int r = tp_cond_timedwait(&c_, lock.mutex()->c_face(), timeout(d));

		if (r == -ETIMEDOUT)
			return std::cv_status::timeout;
		woke(lock, r);
		return std::cv_status::no_timeout;
	}
	template <typename R, typename P, typename F>
	bool wait_for(std::unique_lock<mutex> &lock, std::chrono::duration<R, P> d, F holds)
	{
		auto end = std::chrono::steady_clock::now() + d;

		while (!holds())
			if (wait_for(lock, end - std::chrono::steady_clock::now()) == std::cv_status::timeout)
				return holds();
		return true;
	}
	tp_cond *c_face() noexcept
	{
		return &c_;
	}

private:
	static void woke(std::unique_lock<mutex> &lock, int r)
	{
		if (r == -EOWNERDEAD)
			throw owner_dead(*lock.mutex(), false);
		// The C call has not got the mutex back: `lock` must not unlock it.
		if (r == -ENOTRECOVERABLE)
			lock.release();
		check(r, "tp::condition_variable cannot wait");
	}

	tp_cond c_ = {};
};

class semaphore
{
public:
	explicit semaphore(std::uint32_t value = 0)
	{
		int r = tp_sem_init(&c_, value);

		if (r < 0)
			throw error(r, "tp::semaphore", r != -EINVAL);
	}
	semaphore(const semaphore &) = delete;
	semaphore &operator=(const semaphore &) = delete;

	void acquire()
	{
		check(tp_sem_wait(&c_), "tp::semaphore::acquire");
	}
	bool try_acquire()
	{
		int r = tp_sem_trywait(&c_);

		return r != -EAGAIN && check(r, "tp::semaphore::try_acquire") == 0;
	}
	template <typename R, typename P> bool try_acquire_for(std::chrono::duration<R, P> d)
	{
		int r = tp_sem_timedwait(&c_, timeout(d));

		return r != -ETIMEDOUT && check(r, "tp::semaphore::try_acquire_for") == 0;
	}
	void release()
	{
		check(tp_sem_post(&c_), "tp::semaphore::release");
	}
	tp_sem *c_face() noexcept
	{
		return &c_;
	}

private:
	tp_sem c_ = {};
};

class barrier
{
public:
	explicit barrier(std::uint32_t count)
	{
		int r = tp_barrier_init(&c_, count);

		if (r < 0)
			throw error(r, "tp::barrier", r != -EINVAL);
	}
	barrier(const barrier &) = delete;
	barrier &operator=(const barrier &) = delete;

	// True in one of those who meet. Throws tp::error: EOWNERDEAD: one of them has died.
	bool arrive_and_wait(timeout t = forever)
	{
		return check(tp_barrier_wait(&c_, t), "tp::barrier::arrive_and_wait") == 1; // never EINVAL: it is initialised
	}
	tp_barrier *c_face() noexcept
	{
		return &c_;
	}

private:
	tp_barrier c_ = {};
};

// For std::unique_lock (writing) and std::shared_lock (reading). A writer's death is a tp::error with EOWNERDEAD, the lock has been given
// back by then, and nobody can take it any more. Where a writer's death is to be survived, write under tp::lock_and_repair, and read
// after try_lock_shared_robust.
class shared_mutex
{
public:
	constexpr shared_mutex() noexcept = default;
	shared_mutex(const shared_mutex &) = delete;
	shared_mutex &operator=(const shared_mutex &) = delete;

	void lock()
	{
		took(tp_rwlock_wrlock(&c_));
	}
	bool try_lock()
	{
		int r = tp_rwlock_trywrlock(&c_);

		return r != -EBUSY && r != -EAGAIN && took(r);
	}
	void lock_shared()
	{
		took(tp_rwlock_rdlock(&c_));
	}
	template <typename R, typename P> bool try_lock_for(std::chrono::duration<R, P> d)
	{
		int r = tp_rwlock_timedwrlock(&c_, timeout(d));

		return r != -ETIMEDOUT && took(r);
	}
	bool try_lock_shared()
	{
		int r = tp_rwlock_tryrdlock(&c_);

		return r != -EBUSY && r != -EAGAIN && took(r);
	}
	template <typename R, typename P> bool try_lock_shared_for(std::chrono::duration<R, P> d)
	{
		int r = tp_rwlock_timedrdlock(&c_, timeout(d));

		return r != -ETIMEDOUT && took(r);
	}

	// As the C calls: 0: held; -EOWNERDEAD: held for WRITING, a writer has died: repair, try_consistent, unlock.
	int try_lock_robust(timeout t = forever) noexcept
	{
		return tp_rwlock_timedwrlock(&c_, t);
	}
	int try_lock_shared_robust(timeout t = forever) noexcept
	{
		return tp_rwlock_timedrdlock(&c_, t);
	}
	int try_consistent() noexcept
	{
		return tp_rwlock_consistent(&c_);
	}
	void unlock() noexcept
	{
		tp_rwlock_unlock(&c_);
	}
	void unlock_shared() noexcept
	{
		tp_rwlock_unlock(&c_);
	}
	tp_rwlock *c_face() noexcept
	{
		return &c_;
	}

private:
	bool took(int r)
	{
		if (r == -EOWNERDEAD)
			tp_rwlock_unlock(&c_);
		return check(r, "tp::shared_mutex cannot be locked") == 0;
	}

	tp_rwlock c_ = {};
};

// Locks a tp::mutex, or a tp::shared_mutex for writing, and where the last owner has died runs `repair` first; if that throws, nobody can
// lock it any more.
template <typename Mutex> class lock_and_repair
{
public:
	template <typename F> lock_and_repair(Mutex &m, F &&repair) : mutex_(m)
	{
		int r = m.try_lock_robust();

		if (r != -EOWNERDEAD) {
			check(r, "tp::lock_and_repair cannot lock");
			return;
		}
		try {
			std::forward<F>(repair)();
			check(m.try_consistent(), "tp::lock_and_repair");
		} catch (...) {
			m.unlock();
			throw;
		}
	}
	~lock_and_repair()
	{
		mutex_.unlock();
	}
	lock_and_repair(const lock_and_repair &) = delete;
	lock_and_repair &operator=(const lock_and_repair &) = delete;

private:
	Mutex &mutex_;
};
template <typename Mutex, typename F> lock_and_repair(Mutex &, F &&) -> lock_and_repair<Mutex>;

static_assert(sizeof(mutex) == sizeof(tp_mutex) && sizeof(condition_variable) == sizeof(tp_cond) &&
	sizeof(semaphore) == sizeof(tp_sem) && sizeof(barrier) == sizeof(tp_barrier) &&
	sizeof(shared_mutex) == sizeof(tp_rwlock), "they are the C locks");

} // namespace tp
