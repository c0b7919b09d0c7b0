/* The loops of the kernel tree-lookup. Each kind of tree is searched with and without branches, one
 * key at a time or walk->lookups keys at a time. A search with branches ends at the node with the
 * key. A search without branches passes through all levels, and stays at the node with the key once
 * it is found. */
#pragma once

#include "kernels/tree.h"

/* ---- The following functions select a value by a comparison and conditional moves. The selections
 * are in assembly because compilers may turn plain C into a branch. */

/* key < here ? below : key > here ? above : equal */
KERNEL_BODY uint64_t choose(
	uint64_t key, uint64_t here, uint64_t below, uint64_t equal, uint64_t above)
{
#if defined(__x86_64__)
	__asm__("cmpq %[here], %[key]\n\tcmovaq %[above], %[below]\n\tcmoveq %[equal], %[below]"
		: [below] "+r"(below)
		: [key] "r"(key), [here] "r"(here), [equal] "r"(equal), [above] "r"(above)
		: "cc");
#else
	__asm__("cmp %[key], %[here]\n\tcsel %[below], %[above], %[below], hi\n\tcsel %[below], "
		"%[equal], %[below], eq"
		: [below] "+r"(below)
		: [key] "r"(key), [here] "r"(here), [equal] "r"(equal), [above] "r"(above)
		: "cc");
#endif
	return below;
}

/* which ? yes : no */
KERNEL_BODY uint64_t choose_if(uint64_t which, uint64_t yes, uint64_t no)
{
#if defined(__x86_64__)
	__asm__("testq %[which], %[which]\n\tcmovneq %[yes], %[no]"
		: [no] "+r"(no)
		: [which] "r"(which), [yes] "r"(yes)
		: "cc");
#else
	__asm__("cmp %[which], #0\n\tcsel %[no], %[yes], %[no], ne"
		: [no] "+r"(no)
		: [which] "r"(which), [yes] "r"(yes)
		: "cc");
#endif
	return no;
}

/* BEGIN defines the variables found and sum, to which each loop adds its results. The macro END
 * adds the variables found and sum to *walk. */
#define BEGIN uint64_t found = 0, sum = 0
#define END                   \
	walk->found += found; \
	walk->sum += sum

/* ---- Positions. The position of a search is the number of the next node, or the address of the
 * next node. With child=computed and nodes in level order, the numbers of the children are
 * computed: (keys + 1) * i + 1 and the following numbers. With child=pointer, the search reads the
 * address of a child from the node. If the nodes lie in memory in the order of their keys, the
 * search halves the remaining range of nodes. */

/* A kind of tree, with its layout in memory. All fields of struct tree_kind are compile-time
 * constants in the loops. */
struct tree_kind {
	bool computed; /* positions of searches are node numbers; false: positions are addresses of
			  nodes */
	bool sorted;   /* the nodes lie in memory in the order of their keys */
	unsigned keys, words; /* number of keys and of 8-byte words of a node */
};

KERNEL_BODY const uint64_t *keys_at(
	const uint64_t *nodes, uint64_t at, const bool computed, const unsigned words)
{
	return computed ? nodes + words * at : (const uint64_t *)(uintptr_t)at;
}

KERNEL_BODY uint64_t child_of(
	const struct tree_kind kind, const uint64_t *here, uint64_t at, uint64_t slot)
{
	return kind.computed ? (kind.keys + 1) * at + 1 + slot : here[kind.keys + slot];
}

KERNEL_BODY uint64_t first_at(const struct tree_walk *walk, const bool computed)
{
	return computed ? 0 : (uintptr_t)walk->root;
}

KERNEL_BODY uint64_t nothing_at(const struct tree_walk *walk, const bool computed)
{
	return computed ? walk->number : (uintptr_t)walk->nothing;
}

/* Sets the positions of `lookups` searches to `first`. */
KERNEL_BODY void all_at(uint64_t *at, uint64_t lookups, uint64_t first)
{
	for (uint64_t i = 0; i < lookups; i++)
		at[i] = first;
}

/* ---- Searches with branches */

/* The state of a search. at: the next node; to: the node "nothing". In sorted nodes, at and to are
 * the start and the end of the remaining range. */
struct rest {
	uint64_t at, to;
};

KERNEL_BODY bool goes_on(const struct tree_kind kind, struct rest rest)
{
	return kind.computed ? rest.at < rest.to : rest.at != rest.to;
}

/* Compares a key with the keys of one node. KERNEL_KEEP() in one arm of a branch prevents a
 * conditional move: the compiler cannot compute both arms and select a result. */
KERNEL_BODY struct rest compare(const uint64_t *nodes, const struct tree_kind kind, uint64_t key,
	struct rest rest, uint64_t *found, uint64_t *sum)
{
	uint64_t at = kind.sorted ? (rest.at + rest.to) / 2 : rest.at, slot = 0;
	const uint64_t *here = keys_at(nodes, at, kind.computed, kind.words);

	while (kind.keys > 1 && slot < kind.keys && key > here[slot])
		slot++;
	if (kind.keys > 1 && (slot == kind.keys || key != here[slot])) {
		rest.at = child_of(kind, here, at, slot);
	} else if (kind.keys == 1 && kind.sorted && key < *here) {
		rest.to = at;
		KERNEL_KEEP(rest.to);
	} else if (kind.keys == 1 && key < *here) {
		rest.at = child_of(kind, here, at, 0);
		KERNEL_KEEP(rest.at);
	} else if (kind.keys == 1 && __builtin_expect(key > *here, 1)) {
		rest.at = kind.sorted ? at + 1 : child_of(kind, here, at, 1);
		KERNEL_KEEP(rest.at);
	} else {
		++*found;
		*sum += at;
		rest.at = rest.to;
	}
	return rest;
}

KERNEL_BODY void branching(struct tree_walk *walk, const struct tree_kind kind)
{
	const uint64_t *nodes = walk->nodes;
	uint64_t first = first_at(walk, kind.computed), nothing = nothing_at(walk, kind.computed);
	BEGIN;

	for (const uint64_t *asked = walk->asked, *end = asked + walk->count; asked < end;
		asked++) {
		struct rest rest = { first, nothing };
		uint64_t key = *asked;

		while (goes_on(kind, rest))
			rest = compare(nodes, kind, key, rest, &found, &sum);
	}
	END;
}

/* Interleaves several searches, as in the cited article. Searches that have ended stay in the
 * array, and the loop skips these searches. */
KERNEL_BODY void branching_interleaved(struct tree_walk *walk, const struct tree_kind kind)
{
	const uint64_t *nodes = walk->nodes;
	uint64_t *at = walk->at, *to = walk->to, lookups = walk->lookups,
		 nothing = nothing_at(walk, kind.computed), active;
	BEGIN;

	for (const uint64_t *asked = walk->asked, *end = asked + walk->count; asked < end;
		asked += lookups) {
		all_at(at, lookups, first_at(walk, kind.computed));
		if (kind.sorted)
			all_at(to, lookups, nothing);
		do {
			active = 0;
			for (uint64_t i = 0; i < lookups; i++) {
				struct rest rest = { at[i], kind.sorted ? to[i] : nothing };

				if (!goes_on(kind, rest))
					continue;
				rest = compare(nodes, kind, asked[i], rest, &found, &sum);
				at[i] = rest.at;
				if (kind.sorted)
					to[i] = rest.to;
				active++;
			}
		} while (active > 0);
	}
	END;
}

/* ---- Searches without branches. A step of a search moves to the next node, or stays at the node
 * that has the key. */

/* One step of a search in a tree whose nodes have several keys. The number of keys in the node that
 * are smaller than `key` selects the child. */
KERNEL_BODY uint64_t many_descend(
	const uint64_t *here, uint64_t key, uint64_t at, const struct tree_kind kind)
{
	uint64_t smaller = 0, is = 0;

	for (unsigned slot = 0; slot < kind.keys; slot++) {
		smaller += key > here[slot];
		is |= key == here[slot];
		KERNEL_KEEP(is);
	}
	return choose_if(is, at, child_of(kind, here, at, smaller));
}

/* One step of a search. In sorted nodes the search descends to the last node whose key is not
 * larger than `key`. The number of remaining nodes does not depend on the key. */
KERNEL_BODY uint64_t descend(const struct tree_walk *walk, const struct tree_kind kind,
	uint64_t key, uint64_t at, uint64_t half)
{
	const uint64_t *here =
		keys_at(walk->nodes, kind.sorted ? at + half : at, kind.computed, kind.words);

	if (kind.sorted) /* key < here[0] ? at : at + half */
		return choose(key, here[0], at, at + half, at + half);
	if (kind.keys > 1)
		return many_descend(here, key, at, kind);
	/* key < here[0] ? left : key > here[0] ? right : at */
	return choose(key, here[0], child_of(kind, here, at, 0), at, child_of(kind, here, at, 1));
}

/* Adds the position at which a search ended to *sum, if the node there has the key. Only the last
 * level of a tree may lack nodes; the node "nothing" replaces the missing nodes. */
KERNEL_BODY void add_place(struct tree_walk *walk, const struct tree_kind kind, uint64_t key,
	uint64_t at, uint64_t *found, uint64_t *sum)
{
	const uint64_t *here;
	uint64_t is = 0;

	if (kind.computed && !kind.sorted)
		at = choose(at, walk->number, at, at, walk->number);
	here = keys_at(walk->nodes, at, kind.computed, kind.words);
	for (unsigned slot = 0; slot < kind.keys; slot++) {
		is |= key == here[slot];
		if (kind.keys > 1)
			KERNEL_KEEP(is);
	}
	*found += is;
	*sum += at & -is;
}

KERNEL_BODY void branch_free(struct tree_walk *walk, const struct tree_kind kind)
{
	BEGIN;

	for (const uint64_t *asked = walk->asked, *end = asked + walk->count; asked < end;
		asked++) {
		uint64_t key = *asked, at = first_at(walk, kind.computed);

		for (uint64_t left = kind.sorted ? walk->number : walk->levels, half; left > 1;
			left -= half) {
			half = kind.sorted ? left / 2 : 1;
			at = descend(walk, kind, key, at, half);
		}
		add_place(walk, kind, key, at, &found, &sum);
	}
	END;
}

KERNEL_BODY void branch_free_interleaved(struct tree_walk *walk, const struct tree_kind kind)
{
	uint64_t *at = walk->at, lookups = walk->lookups;
	BEGIN;

	for (const uint64_t *asked = walk->asked, *end = asked + walk->count; asked < end;
		asked += lookups) {
		all_at(at, lookups, first_at(walk, kind.computed));
		for (uint64_t left = kind.sorted ? walk->number : walk->levels, half; left > 1;
			left -= half) {
			half = kind.sorted ? left / 2 : 1;
			for (uint64_t i = 0; i < lookups; i++)
				at[i] = descend(walk, kind, asked[i], at[i], half);
		}
		for (uint64_t i = 0; i < lookups; i++)
			add_place(walk, kind, asked[i], at[i], &found, &sum);
	}
	END;
}

#undef BEGIN
#undef END
