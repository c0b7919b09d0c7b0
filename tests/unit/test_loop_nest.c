/* Loops of made-up control flow graphs. */
#include "check.h"

#include "model/code/loop_nest.h"

enum { NODES = 12 };

/* A graph as text: "0>1 1>2". A loop as text is "1:1+12": the header, its depth, "+" if it contains
 * no other loop, and its nodes. Nodes of a loop inside it are not listed. */
static const struct {
	const char *name, *edges, *loops;
} rows[] = {
	{ "no loop", "0>1 0>2 1>3 2>3", "" },
	{ "a loop of one node", "0>1 1>1 1>2", "1:1+1" },
	{ "the entry is a loop", "0>0 0>1", "0:1+0" },
	{ "the entry is a header", "0>1 1>0", "0:1+01" },
	{ "two loops, one after the other", "0>1 1>1 1>2 2>3 3>2", "1:1+1 2:1+23" },
	{ "nested loops", "0>1 1>2 2>2 2>3 3>1 3>4", "1:1-13 2:2+2" },
	{ "three levels", "0>1 1>2 2>3 3>3 3>4 4>2 4>5 5>1", "1:1-15 2:2-24 3:3+3" },
	{ "two back edges to one header", "0>1 1>2 1>3 2>1 3>1", "1:1+123" },
	{ "a branch inside a loop", "0>1 1>2 1>3 2>4 3>4 4>1 4>5", "1:1+1234" },
	{ "a jump to the condition", "0>2 1>2 2>1 2>3", "2:1+12" },
	{ "a loop that is left in its middle", "0>1 1>2 1>4 2>3 3>1", "1:1+123" },
	{ "unreachable nodes", "0>1 2>3 3>2 3>1", "" },
	/* Node 3 is entered past the header: the set of nodes is one loop. */
	{ "two entries", "0>1 0>2 1>2 2>1 2>3", "1:1+12" },
	{ "two entries around a loop", "0>1 0>3 1>2 2>2 2>3 3>1", "1:1-13 2:2+2" },
	{ "two entries inside a loop", "0>1 1>2 1>3 2>3 3>2 3>4 4>1", "1:1-14 2:2+23" },
	{ "a loop at the second entry of a loop", "0>1 0>2 1>2 2>3 3>2 3>1", "1:1-1 2:2+23" },
	{ "two edges to one node", "0>1 0>1 1>1 1>1", "1:1+1" },
};

static void read_edges(const char *edges, struct graph_node *node)
{
	for (int i = 0; i < NODES; i++)
		node[i] = (struct graph_node){ { -1, -1 } };
	for (const char *at = edges; *at; at += 3 + (at[3] == ' ')) {
		int from = at[0] - '0', k = node[from].next[0] >= 0;

		node[from].next[k] = at[2] - '0';
	}
}

/* The loops in ascending order of headers. */
static void write_loops(const struct loop_nest *nest, char *text, size_t size)
{
	size_t length = 0;

	*text = '\0';
	for (int header = 0; header < NODES; header++)
		for (int i = 0; i < nest->count; i++) {
			if (nest->loop[i].header != header)
				continue;
			length += (size_t)snprintf(text + length, size - length, "%s%d:%d%c",
				length ? " " : "", header, nest->loop[i].depth,
				nest->loop[i].innermost ? '+' : '-');
			for (int node = 0; node < NODES; node++)
				if (nest->loop_of[node] == i)
					length += (size_t)snprintf(
						text + length, size - length, "%d", node);
		}
}

TEST(finds_the_loops_of_graphs)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct graph_node node[NODES];
		struct loop_nest nest;
		char text[200];

		read_edges(rows[i].edges, node);
		loop_nest_find(node, NODES, &nest);
		write_loops(&nest, text, sizeof(text));
		if (strcmp(text, rows[i].loops) != 0)
			fail_msg("%s: %s, not %s", rows[i].name, text, rows[i].loops);
		loop_nest_free(&nest);
	}
}

/* Random graphs: each loop is entered at its header, and its nodes reach each other. */
TEST(loops_of_random_graphs_hold_together)
{
	unsigned seed = 1;

	for (int round = 0; round < CHECK_REPEATS(3000, 300); round++) {
		struct graph_node node[NODES];
		bool reach[NODES][NODES] = { { false } };
		struct loop_nest nest;

		for (int i = 0; i < NODES; i++)
			for (int k = 0; k < 2; k++) {
				seed = seed * 1103515245 + 12345;
				node[i].next[k] = (int)(seed >> 16) % (NODES + 6);
				if (node[i].next[k] >= NODES)
					node[i].next[k] = -1;
				else
					reach[i][node[i].next[k]] = true;
			}
		for (int k = 0; k < NODES; k++)
			for (int i = 0; i < NODES; i++)
				for (int j = 0; j < NODES; j++)
					reach[i][j] |= reach[i][k] && reach[k][j];
		loop_nest_find(node, NODES, &nest);
		for (int i = 0; i < NODES; i++) {
			bool reached = i == 0 || reach[0][i];

			/* A node is in a loop if and only if it reaches itself. */
			assert_int_equal(nest.loop_of[i] >= 0, reached && reach[i][i]);
			if (nest.loop_of[i] < 0)
				continue;
			assert_true(reach[i][nest.loop[nest.loop_of[i]].header]);
			assert_true(reach[nest.loop[nest.loop_of[i]].header][i]);
		}
		for (int i = 0; i < nest.count; i++)
			if (nest.loop[i].parent >= 0)
				assert_int_equal(nest.loop[i].depth,
					nest.loop[nest.loop[i].parent].depth + 1);
		loop_nest_free(&nest);
	}
}

/* More loops around each other than the depth that is searched. */
TEST(deep_nesting_ends)
{
	enum { DEEP = 500 };
	static struct graph_node node[DEEP];
	struct loop_nest nest;

	for (int i = 0; i < DEEP; i++)
		node[i] = (struct graph_node){ { i + 1 < DEEP ? i + 1 : -1,
			i < DEEP / 2 ? -1 : DEEP - 1 - i } };
	loop_nest_find(node, DEEP, &nest);
	assert_true(nest.count >= 64 && nest.count < DEEP);
	loop_nest_free(&nest);
}

RUN_TESTS()
