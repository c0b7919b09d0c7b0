/* A tree of /proc and /sys of a test's own, and the files put there. */
#pragma once

#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

struct tree {
	char root[64];
	char *files[32];
	int count;
};

static inline struct tree *tree_new(void)
{
	struct tree *tree = calloc(1, sizeof(*tree));

	assert_non_null(tree);
	snprintf(tree->root, sizeof(tree->root), "/tmp/slexplore-test-XXXXXX");
	assert_non_null(mkdtemp(tree->root));
	return tree;
}

static inline void tree_free(struct tree *tree)
{
	while (tree->count-- > 0) {
		char *path = tree->files[tree->count], *slash;

		unlink(path);
		/* Directories go as they become empty. */
		while ((slash = strrchr(path, '/')) &&
			(size_t)(slash - path) >= strlen(tree->root)) {
			*slash = '\0';
			if (rmdir(path) != 0)
				break;
		}
		free(path);
	}
	rmdir(tree->root);
	free(tree);
}

static inline void tree_put(struct tree *tree, const char *path, const char *text)
{
	char *whole;
	FILE *file;

	assert_true(tree->count < (int)(sizeof(tree->files) / sizeof(tree->files[0])));
	assert_true(asprintf(&whole, "%s%s", tree->root, path) > 0);
	tree->files[tree->count++] = whole;
	for (char *c = whole + strlen(tree->root) + 1; *c; c++) {
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
