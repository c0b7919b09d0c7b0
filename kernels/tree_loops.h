/* The loops of tree-lookup. Each looks up walk->count keys, one by one or walk->lookups at a time;
 * each kind of tree is searched with branches and without, all in the same memory.
 *
 * With branches a search ends where the key is found. Without, it goes down as many levels as there
 * are, and stays at what it has found. */
#pragma once

#include "kernels/tree.h"

/* ---- One of three values, by a comparison and conditional moves: compilers may make a branch of
 * plain C. */

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

/* A value that one way of a branch alone computes: KERNEL_KEEP() keeps compilers from computing
 * both, and choosing. */

/* What is found adds to these. */
#define BEGIN uint64_t found = 0, sum = 0
#define END                   \
	walk->found += found; \
	walk->sum += sum

/* Several searches begin at the same place. */
KERNEL_BODY void all_at(uint64_t *at, uint64_t lookups, uint64_t first)
{
	for (uint64_t i = 0; i < lookups; i++)
		at[i] = first;
}

/* ---- Pointers in binary nodes */

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

KERNEL_BODY const struct tree_node *below(const struct tree_node *node, uint64_t key)
{
	return (const struct tree_node *)(uintptr_t)choose(
		key, node->key, (uintptr_t)node->left, (uintptr_t)node, (uintptr_t)node->right);
}

KERNEL_LOOP static void pointer_branch_free(struct tree_walk *walk)
{
	BEGIN;

	for (const uint64_t *asked = walk->asked, *end = asked + walk->count; asked < end;
		asked++) {
		const struct tree_node *node = walk->root;
		uint64_t key = *asked, is;

		/* node = key < node->key ? node->left : key > node->key ? node->right : node */
		for (uint64_t level = walk->levels; level > 1; level--)
			node = below(node, key);
		is = node->key == key;
		found += is;
		sum += (uintptr_t)node & -is;
	}
	END;
}

/* As in the article: those that are through stay in the array, and are passed over. */
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

KERNEL_LOOP static void pointer_branch_free_interleaved(struct tree_walk *walk)
{
	const struct tree_node **at = walk->node;
	uint64_t lookups = walk->lookups;
	BEGIN;

	for (const uint64_t *asked = walk->asked, *end = asked + walk->count; asked < end;
		asked += lookups) {
		for (uint64_t i = 0; i < lookups; i++)
			at[i] = walk->root;
		for (uint64_t level = walk->levels; level > 1; level--)
			for (uint64_t i = 0; i < lookups; i++)
				at[i] = below(at[i], asked[i]);
		for (uint64_t i = 0; i < lookups; i++) {
			uint64_t is = at[i]->key == asked[i];

			found += is;
			sum += (uintptr_t)at[i] & -is;
		}
	}
	END;
}

/* ---- Binary nodes in level order, in an array: 2i + 1 is the left child of i, 2i + 2 the right
 * one. words: of a node. */

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

/* Only the last level may lack nodes: what would be there is nothing. */
KERNEL_BODY uint64_t node_or_nothing(uint64_t at, uint64_t number)
{
	return choose(at, number, at, at, number);
}

/* Whether that is the node with the key. */
KERNEL_BODY uint64_t is_key(
	const struct tree_walk *walk, uint64_t node, uint64_t key, const unsigned words)
{
	return walk->nodes[words * node] == key;
}

KERNEL_BODY void level_branch_free(struct tree_walk *walk, const unsigned words)
{
	const uint64_t *nodes = walk->nodes;
	BEGIN;

	for (const uint64_t *asked = walk->asked, *end = asked + walk->count; asked < end;
		asked++) {
		uint64_t key = *asked, at = 0, is;

		/* at = key < here ? 2 * at + 1 : key > here ? 2 * at + 2 : at */
		for (uint64_t level = walk->levels; level > 1; level--)
			at = choose(key, nodes[words * at], 2 * at + 1, at, 2 * at + 2);
		at = node_or_nothing(at, walk->number);
		is = is_key(walk, at, key, words);
		found += is;
		sum += at & -is;
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

KERNEL_BODY void level_branch_free_interleaved(struct tree_walk *walk, const unsigned words)
{
	const uint64_t *nodes = walk->nodes;
	uint64_t *at = walk->at, lookups = walk->lookups;
	BEGIN;

	for (const uint64_t *asked = walk->asked, *end = asked + walk->count; asked < end;
		asked += lookups) {
		all_at(at, lookups, 0);
		for (uint64_t level = walk->levels; level > 1; level--)
			for (uint64_t i = 0; i < lookups; i++)
				at[i] = choose(asked[i], nodes[words * at[i]], 2 * at[i] + 1, at[i],
					2 * at[i] + 2);
		for (uint64_t i = 0; i < lookups; i++) {
			uint64_t node = node_or_nothing(at[i], walk->number),
				 is = is_key(walk, node, asked[i], words);

			found += is;
			sum += node & -is;
		}
	}
	END;
}

/* ---- Binary nodes in the order of their keys: the middle of what is left. */

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

/* The last node whose key is not larger: how many are left does not depend on the key. */
KERNEL_BODY void sorted_branch_free(struct tree_walk *walk, const unsigned words)
{
	const uint64_t *nodes = walk->nodes;
	BEGIN;

	for (const uint64_t *asked = walk->asked, *end = asked + walk->count; asked < end;
		asked++) {
		uint64_t key = *asked, from = 0, is;

		/* from = key < here ? from : from + half */
		for (uint64_t left = walk->number, half; left > 1; left -= half) {
			half = left / 2;
			from = choose(
				key, nodes[words * (from + half)], from, from + half, from + half);
		}
		is = is_key(walk, from, key, words);
		found += is;
		sum += from & -is;
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

KERNEL_BODY void sorted_branch_free_interleaved(struct tree_walk *walk, const unsigned words)
{
	const uint64_t *nodes = walk->nodes;
	uint64_t *at = walk->at, lookups = walk->lookups;
	BEGIN;

	for (const uint64_t *asked = walk->asked, *end = asked + walk->count; asked < end;
		asked += lookups) {
		all_at(at, lookups, 0);
		for (uint64_t left = walk->number, half; left > 1; left -= half) {
			half = left / 2;
			for (uint64_t i = 0; i < lookups; i++)
				at[i] = choose(asked[i], nodes[words * (at[i] + half)], at[i],
					at[i] + half, at[i] + half);
		}
		for (uint64_t i = 0; i < lookups; i++) {
			uint64_t is = is_key(walk, at[i], asked[i], words);

			found += is;
			sum += at[i] & -is;
		}
	}
	END;
}

/* ---- Nodes of several keys, in level order with computed children (bare or not), or anywhere with
 * pointers. `at` is a node's number, or its address. */

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

/* How many of the node's keys are smaller says which child is next. */
KERNEL_BODY uint64_t many_below(
	const uint64_t *here, uint64_t at, uint64_t key, const unsigned keys, const bool computed)
{
	uint64_t smaller = 0, is = 0;

	for (unsigned slot = 0; slot < keys; slot++) {
		smaller += key > here[slot];
		is |= key == here[slot];
		KERNEL_KEEP(is);
	}
	return choose_if(is, at, computed ? (keys + 1) * at + 1 + smaller : here[keys + smaller]);
}

KERNEL_BODY uint64_t many_is(const uint64_t *here, uint64_t key, const unsigned keys)
{
	uint64_t is = 0;

	for (unsigned slot = 0; slot < keys; slot++) {
		is |= key == here[slot];
		KERNEL_KEEP(is);
	}
	return is;
}

KERNEL_BODY void many_branch_free(
	struct tree_walk *walk, const unsigned keys, const unsigned words, const bool computed)
{
	BEGIN;

	for (const uint64_t *asked = walk->asked, *end = asked + walk->count; asked < end;
		asked++) {
		uint64_t key = *asked, at = first_at(walk, computed), is;

		for (uint64_t level = walk->levels; level > 1; level--)
			at = many_below(
				keys_at(walk, at, computed, words), at, key, keys, computed);
		if (computed)
			at = node_or_nothing(at, walk->number);
		is = many_is(keys_at(walk, at, computed, words), key, keys);
		found += is;
		sum += at & -is;
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

KERNEL_BODY void many_branch_free_interleaved(
	struct tree_walk *walk, const unsigned keys, const unsigned words, const bool computed)
{
	uint64_t *at = walk->at, lookups = walk->lookups;
	BEGIN;

	for (const uint64_t *asked = walk->asked, *end = asked + walk->count; asked < end;
		asked += lookups) {
		all_at(at, lookups, first_at(walk, computed));
		for (uint64_t level = walk->levels; level > 1; level--)
			for (uint64_t i = 0; i < lookups; i++)
				at[i] = many_below(keys_at(walk, at[i], computed, words), at[i],
					asked[i], keys, computed);
		for (uint64_t i = 0; i < lookups; i++) {
			uint64_t node = computed ? node_or_nothing(at[i], walk->number) : at[i];
			uint64_t is = many_is(keys_at(walk, node, computed, words), asked[i], keys);

			found += is;
			sum += node & -is;
		}
	}
	END;
}

#undef BEGIN
#undef END
