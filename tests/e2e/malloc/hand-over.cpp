// SPDX-License-Identifier: MIT
//
// hand-over give ROUNDS OUT BACK [stay]: makes C++ objects with plain new and std::, writes their addresses into the FIFO OUT, and waits for
// a word in BACK after each ("stay": only ends when BACK does).
// hand-over take OUT BACK: reads the addresses, checks what lies there, and DESTROYS it with plain delete.
//
// Linked with nothing of this project. No object here has virtual functions.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

struct Node {
	std::string name;
	std::unique_ptr<Node> next;
	std::vector<double> numbers;
};

struct Parcel {
	unsigned round;
	std::string *text;
	std::map<int, std::string> *map;
	std::unordered_map<std::string, std::vector<int>> *table;
	std::unique_ptr<Node> chain;
	std::deque<std::set<long>> sets;
	std::list<std::unique_ptr<char[]>> blocks;
};

static std::string word(unsigned i)
{
	return "word number " + std::to_string(i) + " that is too long for any small string";
}

static Parcel *make(unsigned round)
{
	Parcel *p = new Parcel;

	p->round = round;
	p->text = new std::string(word(round));
	p->map = new std::map<int, std::string>;
	p->table = new std::unordered_map<std::string, std::vector<int>>;
	for (unsigned i = 0; i < 40; i++) {
		(*p->map)[i] = word(i * round);
		(*p->table)[word(i)].assign(i * 7, round);
		std::unique_ptr<Node> node(new Node{word(i), std::move(p->chain), std::vector<double>(i, 0.5)});
		p->chain = std::move(node);
		p->blocks.push_back(std::make_unique<char[]>((i * 977 + round) % 70000 + 1));
		p->blocks.back()[0] = 'x';
	}
	for (long i = 0; i < 10; i++)
		p->sets.push_back({i, i + 1, i + 2, static_cast<long>(round)});
	return p;
}

static bool check(const Parcel *p, unsigned round)
{
	unsigned i = 40;

	if (p->round != round || *p->text != word(round) || p->map->size() != 40 || p->table->size() != 40 || p->sets.size() != 10)
		return false;
	for (const Node *n = p->chain.get(); n; n = n->next.get())
		if (n->name != word(--i) || n->numbers.size() != i || (*p->map)[i] != word(i * round))
			return false;
	for (const auto &b : p->blocks)
		if (b[0] != 'x')
			return false;
	return i == 0 && p->table->at(word(3)).size() == 21;
}

/* What a receiver does with what is its own: grows it, shrinks it, lets it go. */
static void use_up(Parcel *p)
{
	p->text->append(1000, '!');
	p->text->shrink_to_fit();
	for (int i = 100; i < 200; i++)
		(*p->map)[i] = word(i);
	p->map->erase(p->map->begin(), p->map->find(150));
	(*p->table)["mine"].resize(5000);
	delete p->text;
	delete p->map;
	delete p->table;
	delete p;
}

static int give(unsigned rounds, FILE *out, FILE *back, bool stay)
{
	for (unsigned r = 0; r < rounds; r++) {
		std::fprintf(out, "%p\n", static_cast<void *>(make(r)));
		if (std::fflush(out) || std::fgetc(back) != '+')
			return 1;
	}
	std::fclose(out);
	while (stay && std::fgetc(back) != EOF)
		;
	return 0;
}

static int take(FILE *out, FILE *back)
{
	void *at;
	unsigned r = 0;

	for (; std::fscanf(out, "%p", &at) == 1; r++) {
		Parcel *p = static_cast<Parcel *>(at);

		if (!check(p, r)) {
			std::printf("round %u: something else lies there\n", r);
			return 1;
		}
		use_up(p);
		std::fputc('+', back);
		std::fflush(back);
	}
	std::printf("%u parcels checked and destroyed\n", r);
	return 0;
}

static FILE *open_or_die(const char *path, const char *mode)
{
	FILE *f = std::fopen(path, mode);

	if (f)
		return f;
	std::perror(path);
	std::exit(2);
}

int main(int argc, char **argv)
{
	std::string how = argc > 1 ? argv[1] : "";

	if (how == "give" && argc >= 5) {
		FILE *out = open_or_die(argv[3], "w"), *back = open_or_die(argv[4], "r");

		return give(std::atoi(argv[2]), out, back, argc > 5);
	}
	if (how == "take" && argc == 4) {
		FILE *out = open_or_die(argv[2], "r"), *back = open_or_die(argv[3], "w");

		return take(out, back);
	}
	std::fputs("usage: hand-over give ROUNDS OUT BACK [stay] | take OUT BACK\n", stderr);
	return 2;
}
