// SPDX-License-Identifier: MIT
//
// JSON (RFC 8259), as much as two programs that know their format need: a writer of values and a
// reader that asks for what comes next and builds no tree. Both are buffered and copy no more than
// they must, so that the comparison is with JSON done well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "handover.hpp"

class json_writer
{
public:
	explicit json_writer(handover_writer &to) : to_(to)
	{
		buffer_.reserve(limit + 256);
	}

	void open(char bracket)
	{
		separate();
		put(bracket);
		first_ = true;
	}
	void close(char bracket)
	{
		put(bracket);
		first_ = false;
	}
	void key(std::string_view name)
	{
		string(name);
		put(':');
		first_ = true;
	}
	void number(std::size_t value)
	{
		separate();
		put(std::to_string(value));
	}

	void string(std::string_view text)
	{
		separate();
		put('"');
		for (char c : text)
			escape(c);
		put('"');
	}

	void flush()
	{
		to_.write(buffer_.data(), buffer_.size());
		buffer_.clear();
	}

private:
	static constexpr std::size_t limit = 65536;

	void separate()
	{
		if (!first_)
			put(',');
		first_ = false;
	}

	void escape(char c)
	{
		static const char digits[] = "0123456789abcdef";

		if (c == '"' || c == '\\') {
			put('\\');
			put(c);
		} else if (static_cast<unsigned char>(c) < 0x20) {
			put("\\u00");
			put(digits[c >> 4]);
			put(digits[c & 15]);
		} else {
			put(c);
		}
	}

	void put(std::string_view text)
	{
		for (char c : text)
			put(c);
	}

	void put(char c)
	{
		buffer_ += c;
		if (buffer_.size() >= limit)
			flush();
	}

	handover_writer &to_;
	std::string buffer_;
	bool first_ = true;
};

class json_reader
{
public:
	explicit json_reader(handover_reader &from) : from_(from), buffer_(65536)
	{
	}

	void open(char bracket)
	{
		expect(bracket);
	}

	// Whether another element follows; if not, takes the closing bracket.
	bool more(char closing)
	{
		int c = next();

		if (c == closing)
			return false;
		if (c != ',')
			at_--; // the first element: nothing comes before it
		return true;
	}

	void key(std::string_view name)
	{
		if (string() != name)
			throw std::runtime_error("JSON: '" + std::string(name) + "' is missing");
		expect(':');
	}

	// The key of a member that is not the first.
	void next_key(std::string_view name)
	{
		expect(',');
		key(name);
	}

	std::size_t number()
	{
		std::size_t value = 0;
		int c = next();

		if (c < '0' || c > '9')
			throw std::runtime_error("JSON: a number is missing");
		for (; c >= '0' && c <= '9'; c = get())
			if (__builtin_mul_overflow(value, 10, &value) ||
				__builtin_add_overflow(value, c - '0', &value))
				throw std::runtime_error("JSON: a number is too large");
		at_--;
		return value;
	}

	std::string string()
	{
		std::string text;

		expect('"');
		for (int c = get(); c != '"'; c = get())
			if (c == '\\')
				take_escape(text);
			else
				text += static_cast<char>(c);
		return text;
	}

private:
	int get()
	{
		if (at_ == end_) {
			// The last byte stays in front: a caller may step back by one.
			buffer_[0] = end_ ? buffer_[end_ - 1] : 0;
			end_ = 1 + from_.read(buffer_.data() + 1, buffer_.size() - 1);
			at_ = 1;
			if (end_ == 1)
				throw std::runtime_error("JSON: ends too early");
		}
		return static_cast<unsigned char>(buffer_[at_++]);
	}

	int next()
	{
		int c;

		do
			c = get();
		while (c == ' ' || c == '\t' || c == '\n' || c == '\r');
		return c;
	}

	void expect(char c)
	{
		if (next() != c)
			throw std::runtime_error(std::string("JSON: a '") + c + "' is missing");
	}

	void take_escape(std::string &to)
	{
		static const std::string_view names = "\"\\/bfnrt", values = "\"\\/\b\f\n\r\t";
		int c = get();
		std::size_t known = names.find(static_cast<char>(c));

		if (known != std::string_view::npos)
			to += values[known];
		else if (c == 'u')
			append_utf8(to, code_point());
		else
			throw std::runtime_error("JSON: an escape is unknown");
	}

	std::uint32_t four_digits()
	{
		std::uint32_t value = 0;

		for (int i = 0; i < 4; i++) {
			int c = get();
			int digit = c >= '0' && c <= '9' ? c - '0' : (c | 32) - 'a' + 10;

			if (digit < 0 || digit > 15 || (c > '9' && (c | 32) < 'a'))
				throw std::runtime_error("JSON: an escape is not four digits");
			value = value * 16 + digit;
		}
		return value;
	}

	// After "\u"; a character outside the first 65,536 takes two escapes.
	std::uint32_t code_point()
	{
		std::uint32_t high = four_digits();

		if (high < 0xd800 || high > 0xdfff)
			return high;
		if (high > 0xdbff || get() != '\\' || get() != 'u')
			throw std::runtime_error("JSON: half of a character is missing");
		std::uint32_t low = four_digits();
		if (low < 0xdc00 || low > 0xdfff)
			throw std::runtime_error("JSON: half of a character is missing");
		return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
	}

	static void append_utf8(std::string &to, std::uint32_t c)
	{
		if (c < 0x80) {
			to += static_cast<char>(c);
		} else if (c < 0x800) {
			to += static_cast<char>(0xc0 | c >> 6);
			to += static_cast<char>(0x80 | (c & 0x3f));
		} else if (c < 0x10000) {
			to += static_cast<char>(0xe0 | c >> 12);
			to += static_cast<char>(0x80 | (c >> 6 & 0x3f));
			to += static_cast<char>(0x80 | (c & 0x3f));
		} else {
			to += static_cast<char>(0xf0 | c >> 18);
			to += static_cast<char>(0x80 | (c >> 12 & 0x3f));
			to += static_cast<char>(0x80 | (c >> 6 & 0x3f));
			to += static_cast<char>(0x80 | (c & 0x3f));
		}
	}

	handover_reader &from_;
	std::vector<char> buffer_;
	std::size_t at_ = 0;
	std::size_t end_ = 0;
};
