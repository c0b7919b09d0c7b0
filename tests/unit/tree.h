/* A tree of /proc and /sys of a test's own. */
#pragma once

#include "table.h"

#include <sys/stat.h>
#include <unistd.h>

/* The test's own tree: tree_begin() and tree_end() of each test make and remove it. */
static struct tree {
	char root[64];
	char *files[32];
	int count;
} tree;

static inline int tree_begin(void **state)
{
	tree = (struct tree){ .root = "/tmp/slexplore-test-XXXXXX" };
	assert_non_null(mkdtemp(tree.root));
	return 0;
}

static inline int tree_end(void **state)
{
	while (tree.count-- > 0) {
		char *path = tree.files[tree.count], *slash;

		unlink(path);
		/* Directories go as they become empty. */
		while ((slash = strrchr(path, '/')) &&
			(size_t)(slash - path) >= strlen(tree.root)) {
			*slash = '\0';
			if (rmdir(path) != 0)
				break;
		}
		free(path);
	}
	rmdir(tree.root);
	return 0;
}

static inline void tree_put(const char *path, const char *text)
{
	char *whole;
	FILE *file;

	assert_true(tree.count < (int)(sizeof(tree.files) / sizeof(tree.files[0])));
	assert_true(asprintf(&whole, "%s%s", tree.root, path) > 0);
	tree.files[tree.count++] = whole;
	for (char *c = whole + strlen(tree.root) + 1; *c; c++) {
		if (*c != '/')
			continue;
		*c = '\0';
		mkdir(whole, 0755);
		*c = '/';
	}
	file = fopen(whole, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* Puts all files of a section of tests/data/NAME: rows of a path and a text. */
static inline void tree_load(const char *name, const char *section)
{
	struct table table;

	table_open(&table, name, section);
	while (table_next(&table, 2))
		tree_put(table.field[0], table_unescape(table.field[1]));
}
