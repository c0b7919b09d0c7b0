/* The loops of tree-lookup. Each kind of tree is searched with and without branches, one key at a
 * time or walk->lookups keys at a time. A search with branches ends at the key. A search without
 * branches visits all levels, and stays at the key after it is found. */
#pragma once

#include "kernels/tree.h"

/* ---- Selects one of three values by a comparison and conditional moves, because compilers may
 * turn plain C into a branch. */

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

/* KERNEL_KEEP() of a value in one arm of a branch stops the compiler from computing both arms and
 * selecting by a conditional move. */

/* Each loop adds its results to these. */
#define BEGIN uint64_t found = 0, sum = 0
#define END                   \
	walk->found += found; \
	walk->sum += sum

/* Several searches start at the same place. */
KERNEL_BODY void all_at(uint64_t *at, uint64_t lookups, uint64_t first)
{
	for (uint64_t i = 0; i < lookups; i++)
		at[i] = first;
}

/* ---- Searches with branches: pointers in binary nodes */

KERNEL_LOOP static void pointer_branching(struct tree_walk *walk)
{
	const struct tree_node *nothing = walk->nothing;
	BEGIN;

	for (const uint64_t *asked = walk->asked, *end = asked + walk->count; asked < end;
		asked++) {
		const struct tree_node *node = walk->root;
		uint64_t key = *asked;

		while (node != nothing) {
			if (key < node->key) {
				node = node->left;
				KERNEL_KEEP(node);
			} else if (key > node->key) {
				node = node->right;
				KERNEL_KEEP(node);
			} else {
				found++;
				sum += (uintptr_t)node;
				break;
			}
		}
	}
	END;
}

/* As in the article: searches that have ended stay in the array, and the loop skips them. */
KERNEL_LOOP static void pointer_branching_interleaved(struct tree_walk *walk)
{
	const struct tree_node **at = walk->node, *nothing = walk->nothing;
	uint64_t lookups = walk->lookups, active;
	BEGIN;

	for (const uint64_t *asked = walk->asked, *end = asked + walk->count; asked < end;
		asked += lookups) {
		for (uint64_t i = 0; i < lookups; i++)
			at[i] = walk->root;
		do {
			active = 0;
			for (uint64_t i = 0; i < lookups; i++) {
				const struct tree_node *node = at[i];
				uint64_t key = asked[i];

				if (node == nothing)
					continue;
				if (key < node->key) {
					node = node->left;
					KERNEL_KEEP(node);
				} else if (key > node->key) {
					node = node->right;
					KERNEL_KEEP(node);
				} else {
					found++;
					sum += (uintptr_t)node;
					node = nothing;
					KERNEL_KEEP(node);
				}
				at[i] = node;
				active++;
			}
		} while (active > 0);
	}
	END;
}

/* ---- Binary nodes in level order, in an array: 2i + 1 is the left child of i, and 2i + 2 the
 * right child. words: words of a node. */

KERNEL_BODY void level_branching(struct tree_walk *walk, const unsigned words)
{
	const uint64_t *nodes = walk->nodes;
	uint64_t number = walk->number;
	BEGIN;

	for (const uint64_t *asked = walk->asked, *end = asked + walk->count; asked < end;
		asked++) {
		uint64_t key = *asked, at = 0;

		while (at < number) {
			uint64_t here = nodes[words * at];

			if (key < here) {
				at = 2 * at + 1;
				KERNEL_KEEP(at);
			} else if (key > here) {
				at = 2 * at + 2;
				KERNEL_KEEP(at);
			} else {
				found++;
				sum += at;
				break;
			}
		}
	}
	END;
}

KERNEL_BODY void level_branching_interleaved(struct tree_walk *walk, const unsigned words)
{
	const uint64_t *nodes = walk->nodes;
	uint64_t *at = walk->at, number = walk->number, lookups = walk->lookups, active;
	BEGIN;

	for (const uint64_t *asked = walk->asked, *end = asked + walk->count; asked < end;
		asked += lookups) {
		all_at(at, lookups, 0);
		do {
			active = 0;
			for (uint64_t i = 0; i < lookups; i++) {
				uint64_t node = at[i], key = asked[i], here;

				if (node >= number)
					continue;
				here = nodes[words * node];
				if (key < here) {
					node = 2 * node + 1;
					KERNEL_KEEP(node);
				} else if (key > here) {
					node = 2 * node + 2;
					KERNEL_KEEP(node);
				} else {
					found++;
					sum += node;
					node = number;
					KERNEL_KEEP(node);
				}
				at[i] = node;
				active++;
			}
		} while (active > 0);
	}
	END;
}

/* ---- Binary nodes in the order of their keys: the search halves the remaining range. */

KERNEL_BODY void sorted_branching(struct tree_walk *walk, const unsigned words)
{
	const uint64_t *nodes = walk->nodes;
	BEGIN;

	for (const uint64_t *asked = walk->asked, *end = asked + walk->count; asked < end;
		asked++) {
		uint64_t key = *asked, from = 0, to = walk->number;

		while (from < to) {
			uint64_t middle = (from + to) / 2, here = nodes[words * middle];

			if (key < here) {
				to = middle;
				KERNEL_KEEP(to);
			} else if (key > here) {
				from = middle + 1;
				KERNEL_KEEP(from);
			} else {
				found++;
				sum += middle;
				break;
			}
		}
	}
	END;
}

KERNEL_BODY void sorted_branching_interleaved(struct tree_walk *walk, const unsigned words)
{
	const uint64_t *nodes = walk->nodes;
	uint64_t *at = walk->at, *to = walk->to, lookups = walk->lookups, active;
	BEGIN;

	for (const uint64_t *asked = walk->asked, *end = asked + walk->count; asked < end;
		asked += lookups) {
		all_at(at, lookups, 0);
		all_at(to, lookups, walk->number);
		do {
			active = 0;
			for (uint64_t i = 0; i < lookups; i++) {
				uint64_t key = asked[i], middle = (at[i] + to[i]) / 2, here;

				if (at[i] >= to[i])
					continue;
				here = nodes[words * middle];
				if (key < here) {
					to[i] = middle;
				} else if (key > here) {
					at[i] = middle + 1;
				} else {
					found++;
					sum += middle;
					to[i] = at[i];
				}
				active++;
			}
		} while (active > 0);
	}
	END;
}

/* ---- Nodes of several keys. They lie in level order with computed children (bare or not), or in
 * any order with pointers. `at` is the number of a node, or its address. */

KERNEL_BODY const uint64_t *keys_at(
	const struct tree_walk *walk, uint64_t at, const bool computed, const unsigned words)
{
	return computed ? walk->nodes + words * at : (const uint64_t *)(uintptr_t)at;
}

KERNEL_BODY uint64_t first_at(const struct tree_walk *walk, const bool computed)
{
	return computed ? 0 : (uintptr_t)walk->root;
}

KERNEL_BODY uint64_t nothing_at(const struct tree_walk *walk, const bool computed)
{
	return computed ? walk->number : (uintptr_t)walk->nothing;
}

KERNEL_BODY void many_branching(
	struct tree_walk *walk, const unsigned keys, const unsigned words, const bool computed)
{
	uint64_t nothing = nothing_at(walk, computed);
	BEGIN;

	for (const uint64_t *asked = walk->asked, *end = asked + walk->count; asked < end;
		asked++) {
		uint64_t key = *asked, at = first_at(walk, computed);

		while (computed ? at < nothing : at != nothing) {
			const uint64_t *here = keys_at(walk, at, computed, words);
			uint64_t slot = 0;

			while (slot < keys && key > here[slot])
				slot++;
			if (slot < keys && key == here[slot]) {
				found++;
				sum += at;
				break;
			}
			at = computed ? (keys + 1) * at + 1 + slot : here[keys + slot];
		}
	}
	END;
}

KERNEL_BODY void many_branching_interleaved(
	struct tree_walk *walk, const unsigned keys, const unsigned words, const bool computed)
{
	uint64_t *at = walk->at, lookups = walk->lookups, nothing = nothing_at(walk, computed),
		 active;
	BEGIN;

	for (const uint64_t *asked = walk->asked, *end = asked + walk->count; asked < end;
		asked += lookups) {
		all_at(at, lookups, first_at(walk, computed));
		do {
			active = 0;
			for (uint64_t i = 0; i < lookups; i++) {
				const uint64_t *here = keys_at(walk, at[i], computed, words);
				uint64_t key = asked[i], slot = 0;

				if (computed ? at[i] >= nothing : at[i] == nothing)
					continue;
				while (slot < keys && key > here[slot])
					slot++;
				if (slot < keys && key == here[slot]) {
					found++;
					sum += at[i];
					at[i] = nothing;
				} else {
					at[i] = computed ? (keys + 1) * at[i] + 1 + slot
							 : here[keys + slot];
				}
				active++;
			}
		} while (active > 0);
	}
	END;
}

/* ---- Searches without branches. A step moves to the next node, or stays at the node that has the
 * key. */

/* A kind of tree. All fields are compile-time constants in the loops. */
struct tree_kind {
	bool computed;	      /* positions are node numbers; false: addresses */
	bool sorted;	      /* nodes lie in the order of their keys */
	unsigned keys, words; /* keys and words of a node */
};

KERNEL_BODY uint64_t pointer_descend(const uint64_t *here, uint64_t key, uint64_t at)
{
	/* key < here[0] ? here[1] : key > here[0] ? here[2] : at */
	return choose(key, here[0], here[1], at, here[2]);
}

KERNEL_BODY uint64_t level_descend(const uint64_t *here, uint64_t key, uint64_t at)
{
	/* key < here[0] ? 2 * at + 1 : key > here[0] ? 2 * at + 2 : at */
	return choose(key, here[0], 2 * at + 1, at, 2 * at + 2);
}

/* Descends to the last node with a key that is not larger. The number of remaining nodes does not
 * depend on the key. */
KERNEL_BODY uint64_t sorted_descend(const uint64_t *here, uint64_t key, uint64_t at, uint64_t half)
{
	/* key < here[0] ? at : at + half */
	return choose(key, here[0], at, at + half, at + half);
}

/* The number of smaller keys in the node selects the child. */
KERNEL_BODY uint64_t many_descend(
	const uint64_t *here, uint64_t key, uint64_t at, const unsigned keys, const bool computed)
{
	uint64_t smaller = 0, is = 0;

	for (unsigned slot = 0; slot < keys; slot++) {
		smaller += key > here[slot];
		is |= key == here[slot];
		KERNEL_KEEP(is);
	}
	return choose_if(is, at, computed ? (keys + 1) * at + 1 + smaller : here[keys + smaller]);
}

KERNEL_BODY uint64_t descend(const struct tree_walk *walk, const struct tree_kind kind,
	uint64_t key, uint64_t at, uint64_t half)
{
	const uint64_t *here =
		keys_at(walk, kind.sorted ? at + half : at, kind.computed, kind.words);

	if (kind.sorted)
		return sorted_descend(here, key, at, half);
	if (kind.keys > 1)
		return many_descend(here, key, at, kind.keys, kind.computed);
	return kind.computed ? level_descend(here, key, at) : pointer_descend(here, key, at);
}

/* Adds the place where a descent ended, if its node has the key. Only the last level may lack
 * nodes; the node "nothing" replaces them. */
KERNEL_BODY void add_place(struct tree_walk *walk, const struct tree_kind kind, uint64_t key,
	uint64_t at, uint64_t *found, uint64_t *sum)
{
	const uint64_t *here;
	uint64_t is = 0;

	if (kind.computed && !kind.sorted)
		at = choose(at, walk->number, at, at, walk->number);
	here = keys_at(walk, at, kind.computed, kind.words);
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
