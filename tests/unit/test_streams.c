/* What a loop moves through, from its code. */
#include "check.h"

#include "assembly.h"
#include "model/graph/streams.h"
#include "table.h"

TEST(loops_tell_their_streams)
{
	struct table table;

	table_open(&table, "streams", "loops");
	while (table_next(&table, 4)) {
		struct streams streams;
		struct text said = { 0 };
		const char *which;
		struct loop loop;

		assembly_loop(table.field[0], &loop);
		streams_find(&loop, &streams);
		streams_describe(&streams, &said);
		if (streams_bytes(&streams, &which) != table_number(&table, 1))
			table_fail(&table, "%g bytes", streams_bytes(&streams, &which));
		if (strcmp(which, *table.field[2] ? words_of(" %s", table.field[2]).text : "") != 0)
			table_fail(&table, "which:%s", which);
		if (strcmp(text_string(&said), table.field[3]) != 0)
			table_fail(&table, "says \"%s\"", text_string(&said));
		text_free(&said);
		loop_free(&loop);
	}
}

RUN_TESTS()
