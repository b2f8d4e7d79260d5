// SPDX-License-Identifier: MIT
//
// C reads, grows and frees what C++ made, and the reverse: struct tp_str and tp::string, struct tp_vec and tp::vector.
#include "cpp-group.hpp"

#include <cstddef>
#include <cstring>

#include <tp/tp.hpp>

// Where the members of a std::string lie, found out from its behaviour.
static void a_string_is_laid_out_as_tp_str()
{
	for (std::size_t len : {0, 1, 15, 16, 100, 5000}) {
		tp::string s(len, 'x');
		tp_str raw;

		std::memcpy(&raw, &s, sizeof(raw));
		CHECK(raw.data == s.data());
		CHECK(raw.len == s.size());
		if (len <= TP_STR_SHORT_MAX) {
			CHECK(raw.data == reinterpret_cast<char *>(&s) + offsetof(tp_str, local));
			CHECK(s.capacity() == TP_STR_SHORT_MAX);
		} else {
			CHECK(raw.capacity == s.capacity());
			CHECK(tp_usable_size(raw.data) >= raw.capacity + 1);
		}
		CHECK(tp_str_check(tp::c_face(s)) == 0);
	}
}

static void a_vector_is_laid_out_as_tp_vec()
{
	tp::vector<long> v;
	tp_vec raw;

	std::memcpy(&raw, &v, sizeof(raw));
	CHECK(!raw.begin && !raw.end && !raw.limit);
	for (long i = 0; i < 1000; i++) {
		v.push_back(i);
		std::memcpy(&raw, &v, sizeof(raw));
		CHECK(raw.begin == v.data() && raw.end == v.data() + v.size() && raw.limit == v.data() + v.capacity());
		CHECK(tp_vec_check(&raw, sizeof(long)) == 0);
	}
}

static void c_and_cpp_take_turns_with_a_string()
{
	auto s = tp::make_unique<tp::string>();
	std::string expected;

	for (int i = 0; i < 200; i++) {
		char c = static_cast<char>('a' + i % 26);

		if (i % 2) {
			CHECK(tp_str_append_n(tp::c_face(*s), &c, 1) == 0);
		} else {
			*s += c;
		}
		expected += c;
		CHECK(std::string_view(*s) == expected);
		CHECK(tp::c_face(*s)->len == expected.size() && expected == tp::c_face(*s)->data);
	}
	s->shrink_to_fit();
	CHECK(tp_str_append(tp::c_face(*s), "and more") == 0);
	*s = "short";
	CHECK(tp_str_set(tp::c_face(*s), "set by C to what is longer than fifteen bytes") == 0);
	CHECK(*s == "set by C to what is longer than fifteen bytes");
}

// Moves and swaps of C++ look at whether the text is in the struct: what C leaves must be right for them.
static void cpp_moves_what_c_made()
{
	for (const char *text : {"", "short", "123456789012345", "1234567890123456", "one that is much longer than that"}) {
		alignas(tp::string) unsigned char room[sizeof(tp::string)];
		auto *c = reinterpret_cast<tp_str *>(room);

		tp_str_init(c);
		CHECK(tp_str_set(c, text) == 0);
		auto *s = reinterpret_cast<tp::string *>(room);
		tp::string moved(std::move(*s)), other("something else that is long enough");

		CHECK(moved == text && s->empty());
		std::swap(moved, other);
		CHECK(other == text);
		*s = std::move(other);
		CHECK(*s == text);
		tp_str to;
		tp_str_init(&to);
		CHECK(tp_str_move(&to, c) == 0 && std::strcmp(to.data, text) == 0);
		CHECK(s->empty());
		tp_str_fini(&to);
		tp_str_fini(c);
	}
}

static void c_and_cpp_take_turns_with_a_vector()
{
	tp::vector<int> v;

	for (int i = 0; i < 1000; i++) {
		if (i % 2)
			CHECK(tp_vec_push(tp::c_face(v), sizeof(int), &i) == 0);
		else
			v.push_back(i);
		CHECK(v.size() == static_cast<std::size_t>(i + 1) && v.back() == i);
	}
	CHECK(tp_vec_resize(tp::c_face(v), sizeof(int), 2000) == 0);
	CHECK(v.size() == 2000 && v[999] == 999 && v[1000] == 0 && v[1999] == 0);
	v.insert(v.begin(), -1);
	CHECK(*static_cast<int *>(tp_vec_at(tp::c_face(v), sizeof(int), 1)) == 0);
	v.shrink_to_fit();
	CHECK(tp_vec_push(tp::c_face(v), sizeof(int), &v[0]) == 0 && v.back() == -1);
}

struct alignas(64) wide {
	char bytes[64];
};

static void c_keeps_the_alignment_of_cpp()
{
	tp::vector<wide> v(3);

	for (int i = 0; i < 50; i++) {
		CHECK(tp_vec_push(tp::c_face(v), sizeof(wide), &v[0]) == 0);
		CHECK(reinterpret_cast<std::uintptr_t>(v.data()) % 64 == 0);
		v.emplace_back();
		CHECK(reinterpret_cast<std::uintptr_t>(v.data()) % 64 == 0);
	}
}

// std::string with the usual allocator has the layout, but not the memory.
static void c_refuses_private_memory()
{
	std::string s(100, 'x');
	std::vector<int> v(100);
	auto *c = reinterpret_cast<tp_str *>(&s);

	CHECK(tp_str_append(c, "y") == -EFAULT);
	CHECK(std::strstr(tp_why(), "heap"));
	CHECK(tp_vec_push(reinterpret_cast<tp_vec *>(&v), sizeof(int), &v[0]) == -EFAULT);
	CHECK(s == std::string(100, 'x') && v.size() == 100);
}

int main()
{
	static const test tests[] = {
		{"a string is laid out as struct tp_str", a_string_is_laid_out_as_tp_str},
		{"a vector is laid out as struct tp_vec", a_vector_is_laid_out_as_tp_vec},
		{"C and C++ take turns with a string", c_and_cpp_take_turns_with_a_string},
		{"C++ moves what C made", cpp_moves_what_c_made},
		{"C and C++ take turns with a vector", c_and_cpp_take_turns_with_a_vector},
		{"C keeps the alignment of C++", c_keeps_the_alignment_of_cpp},
		{"C refuses private memory", c_refuses_private_memory},
	};

	return run_tests(tests);
}
