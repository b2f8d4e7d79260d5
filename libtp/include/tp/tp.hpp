// SPDX-License-Identifier: MIT
//
// libtp for C++17: the standard containers in memory of the group, pointers that any program may free, channels, locks and names.
//
//	struct order { tp::string symbol; tp::vector<double> prices; };
//	TP_TYPE(order, "order@1")
//
//	tp::lane<order> to("orders");               // one program                tp::channel<order> from("orders");      // another
//	auto o = tp::make_unique<order>();                                        while (auto o = from.receive())
//	o->symbol = "ACME";                                                               std::cout << o->symbol << '\n';
//	to.give(std::move(o));
//
// What may cross to another program is data: no virtual functions, no function pointers, nothing on this program's own heap. What can be
// seen of that at compile time is refused there, with the reason. What a type's members hide cannot be seen: read cpp/crossing.hpp.
//
// Errors: constructors and calls that return something else throw tp::error (a std::system_error), whose text is that of tp_why; calls
// whose names begin with try_ return 0 or a negative errno as the C calls do, and throw nothing. Memory that cannot be had: tp::no_memory
// (a std::bad_alloc).
//
// gcc and clang with libstdc++. libc++, the string of before 2011 and the debug mode lay their containers out otherwise: refused.
#pragma once

#include <tp/tp.h>

#include <tp/cpp/config.hpp>

#include <tp/cpp/allocator.hpp>
#include <tp/cpp/channel.hpp>
#include <tp/cpp/containers.hpp>
#include <tp/cpp/crossing.hpp>
#include <tp/cpp/error.hpp>
#include <tp/cpp/lock.hpp>
#include <tp/cpp/name.hpp>
#include <tp/cpp/pointer.hpp>
#include <tp/cpp/shared-pointer.hpp>
