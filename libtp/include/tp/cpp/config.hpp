// SPDX-License-Identifier: MIT
//
// With which compilers and libraries containers can be shared: those that lay them out as libstdc++ does.
#pragma once

#if __cplusplus < 201703L
#error "tp.hpp needs C++17 (-std=c++17)"
#endif

#include <cstddef>

#if defined(_LIBCPP_VERSION)
#error "tp.hpp: libc++ lays out strings and containers otherwise than the other programs of the group: use -stdlib=libstdc++"
#elif !defined(__GLIBCXX__)
#error "tp.hpp: the layout of this C++ library's containers is not known: use libstdc++"
#elif !_GLIBCXX_USE_CXX11_ABI
#error "tp.hpp: _GLIBCXX_USE_CXX11_ABI=0 has a std::string of another layout than the other programs of the group: set it to 1"
#elif defined(_GLIBCXX_DEBUG)
#error "tp.hpp: _GLIBCXX_DEBUG changes the layout of the containers: use _GLIBCXX_ASSERTIONS, which does not"
#endif
