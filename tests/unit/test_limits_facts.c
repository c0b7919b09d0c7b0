/* Limits describe each loop: ports, classes, names. A core file may lack some facts. */
#include "tried_cores.h"

#include <time.h>

#include "base/random.h"
#include "model/limits/tally.h"

static double pressure_of(const char *port)
{
	for (int i = 0; i < limits.port_count; i++)
		if (!strcmp(limits.uarch->port[i], port))
			return limits.pressure[i];
	fail_msg("no port %s", port);
	return 0;
}

TEST(instructions_are_described)
{
	limits_of(*state,
		"mov r8d,dword [rdi+rcx*4]; mov edx,dword [rdi+rcx*4+4]; add rcx,2; mov r11d,r8d; "
		"movzx r8d,r8d; mov r9d,edx; shr r11d,16; movzx edx,edx; shr r9d,16; add edx,r8d; "
		"add r9d,r11d; add eax,edx; add r10d,r9d; cmp rcx,rsi; jb top",
		2);
	check_near(limits.slots, 14, 0);
	check_near(limits.instructions, 15, 0);
	assert_true(limits.insn[14].fused);
	check_near(limits.insn[14].slots, 0, 0);
	assert_true(limits.insn[3].eliminated);
	assert_int_equal(limits.unknown, 0);
	limits_of(*state, "imul eax,dword [rdi]; add rdi,4; cmp rdi,rdx; jne top", 1);
	assert_true(limits.insn[0].carried);
	assert_false(limits.insn[1].carried);
	limits_of(*state, "mov eax,[rdi]; add eax,[rsi]; mov [rdx],eax; add rdx,4; jne top", 1);
	assert_true(limits.chain.assumed);
	limits_of(*odd, "div rax,rbx; mov rax,rcx; imul r8,r9; cmp rcx,rdx; jne top", 1);
	assert_string_equal(limits.insn[0].ports, "a0 + div:9");
	check_near(limits.insn[0].slots, 2, 0);
	check_near(limits.insn[0].latency, 20, 0);
	limits_of(
		*odd, "add rax,[rsi]; vmovupd ymmword [rdi],ymm0; add qword [r8],rbx; jne top", 1);
	assert_string_equal(limits.insn[0].ports, "l10,11 + a0-3");
	check_near(limits.insn[0].latency, 5, 0);
	assert_string_equal(limits.insn[1].ports, "l10,11 + 2*st");
	assert_false(uarch_known(limits.insn[1].latency));
	assert_string_equal(limits.insn[2].ports, "l10,11 + l10,11 + st + a0-3");
	assert_string_equal(limits.insn[3].ports, "a3");
	/* A load with sign extension takes one cycle longer than a load without it. */
	limits_of(cores[ZEN4], "mov rax,[rsi]; movsxd rbx,dword [rsi]; jne top", 1);
	check_near(limits.insn[1].latency - limits.insn[0].latency, 1, 0);
	/* Rename adds constants. The addition needs a port only if an instruction needs the sum. */
	limits_of(cores[GOLDEN_COVE],
		"mov r8,[rdi+rcx*8]; add rcx,2; add rbx,1; cmp rcx,rsi; jne top", 1);
	assert_false(limits.insn[1].eliminated);
	assert_string_equal(limits.insn[1].ports, "p0,1,5,6,11");
	check_near(limits.insn[1].latency, 0, 0);
	assert_true(limits.insn[2].eliminated);
	assert_string_equal(limits.insn[2].ports, "");
	limits_of(*state, "zork rax,rbx; zork rax,rcx; quux rdx", 1);
	assert_int_equal(limits.binding, -1);
	assert_int_equal(limits.predicted_by, -1);
	check_near(limits.bound, 0, 0);
	assert_int_equal(limits.unknown, 3);
	assert_string_equal(limits.unknown_names, "zork, quux");
	assert_false(limits.insn[0].known);
}

TEST(a_path_that_begins_inside_the_loop_has_one_taken_branch)
{
	struct loop loop;
	struct loop_step last;

	assembly_loop("cmp r9d,r8d; je out; mov r9d,[rdi]; cmp r9d,edx; jne top", &loop);
	for (int i = 0; i < 3; i++) {
		last = loop.path[loop.path_count - 1];
		memmove(loop.path + 1, loop.path,
			(size_t)(loop.path_count - 1) * sizeof(*loop.path));
		loop.path[0] = last;
	}
	limits_compute(&loop, *state, &(struct limits_place){ 0 }, &limits);
	check_near(find(LIMIT_TAKEN)->cycles, 1, 0);
	loop_free(&loop);
}

/* A load of an array of indices: the latency of its row is that from the base of the address. */
TEST(a_late_index_is_told)
{
	struct loop loop;

	assembly_loop("mov rax,[rdi+rax*8]; dec ecx; jne top", &loop);
	limits_compute(&loop, cores[ZEN5], &(struct limits_place){ 0 }, &limits);
	assert_string_equal(limit_sooner(&limits, &loop).text,
		"mov takes 4 cycles from the base of its address, but 5 from the index");
	loop_free(&loop);
	assembly_loop("mov rax,[rax+8]; dec ecx; jne top", &loop);
	limits_compute(&loop, cores[ZEN5], &(struct limits_place){ 0 }, &limits);
	assert_string_equal(limit_sooner(&limits, &loop).text, "");
	loop_free(&loop);
}

/* Zen 5 predicts taken branches in pairs, the same in each iteration. Measured: 1, 2, 2, 3 and 3
 * cycles for two to six. */
TEST(taken_branches_come_in_pairs)
{
	static const double cycles[] = { 1, 2, 2, 3, 3 };
	char source[256] = "cmp r9d,r8d; jne top";

	for (int count = 2; count <= 6; count++) {
		struct loop loop;
		int kept = 0;

		/* The path leaves out the nops, so the jumps before them are taken. */
		memmove(source + strlen("jmp top; nop; "), source, strlen(source) + 1);
		memcpy(source, "jmp top; nop; ", strlen("jmp top; nop; "));
		assembly_loop(source, &loop);
		for (int s = 0; s < loop.path_count; s++)
			if (strcmp(loop.insn[loop.path[s].insn].text, "nop") != 0)
				loop.path[kept++] = loop.path[s];
		loop.path_count = kept;
		limits_compute(&loop, cores[ZEN5], &(struct limits_place){ 0 }, &limits);
		check_near(find(LIMIT_TAKEN)->cycles, cycles[count - 2], 1e-9);
		limits_compute(&loop, cores[ZEN4], &(struct limits_place){ 0 }, &limits);
		assert_null(strstr(find(LIMIT_TAKEN)->cause, "pairs"));
		loop_free(&loop);
	}
}

TEST(ports_have_their_pressure)
{
	struct loop loop;
	double others;

	limits_of(*state,
		"mov r10d,dword [rdi+rcx*4+4]; mov r8d,r10d; imul r8d,ecx; imul r8d,edx; imul "
		"r8d,ecx; add rcx,1; imul r8d,r9d; mov r9d,r10d; add eax,r8d; cmp rcx,rsi; jne top",
		1);
	check_near(pressure_of("p1"), 4, 1e-9);
	check_near(pressure_of("p2"), 0.5, 1e-9);
	check_near(pressure_of("p3"), 0.5, 1e-9);
	check_near(pressure_of("p4") + pressure_of("p7"), 0, 0);
	others = pressure_of("p0") + pressure_of("p5") + pressure_of("p6");
	assert_true(others >= 3 - 1e-9 && others <= 5 + 1e-9);
	assert_int_equal(limits.bottleneck, 2);
	assert_string_equal(limits.insn[0].ports, "p23");
	assert_string_equal(limits.insn[1].ports, "");
	assert_string_equal(limits.insn[2].ports, "p1");
	assert_string_equal(limits.insn[5].ports, "p0156");
	/* Two sets of ports are equally full. */
	limits_of(*odd, "imul rax,rbx; mov [rsi],rcx", 1);
	check_near(pressure_of("a1"), 1, 1e-9);
	check_near(pressure_of("st"), 1, 1e-9);
	assert_int_equal(limits.bottleneck, 1 << 1 | 1 << 6);
	limits_of(*odd, "div rax,rbx; jne top", 1);
	check_near(pressure_of("div"), 9, 1e-9);
	/* The pressure is of one turn. */
	assembly_loop("mov rax,[rdi]; imul rbx,rax; add rdi,8; cmp rdi,rcx; jne top", &loop);
	assembly_step(&loop, 6, page_apart);
	limits_compute(&loop, *state, &(struct limits_place){ 0 }, &limits);
	loop_free(&loop);
	check_near(pressure_of("p1"), 1, 1e-9);
}

/* The counters of a histogram: the load is instruction 2, its counter one of four, or each in turn.
 */
static uint64_t counter_at_random(int turn, int insn, int operand)
{
	uint32_t random = (uint32_t)turn * 2654435761u;

	return insn == 2 ? 0x20000 + 8 * (uint64_t)(random >> 13 & 3)
			 : 0x10000 + 8 * (uint64_t)turn;
}

static uint64_t counter_in_turn(int turn, int insn, int operand)
{
	return insn == 2 ? 0x20000 + 8 * (uint64_t)(turn & 3) : 0x10000 + 8 * (uint64_t)turn;
}

TEST(changes_of_few_places_wait_for_each_other)
{
	static const char histogram[] =
		"mov rax,[rsi]; add rsi,8; add qword [rdx+rax*8],rcx; cmp rsi,rdi; jne top";
	struct loop loop;

	assembly_loop(histogram, &loop);
	assembly_step(&loop, 400, counter_at_random);
	limits_compute(&loop, cores[ZEN3], &(struct limits_place){ 0 }, &limits);
	/* A quarter of the changes, of 7 cycles each. */
	check_near(cycles_of(LIMIT_FORWARDING) / 400, 1.75, 0.15);
	check_contains(cause_of(LIMIT_FORWARDING), "same place");
	assembly_step(&loop, 400, counter_in_turn);
	limits_compute(&loop, cores[ZEN3], &(struct limits_place){ 0 }, &limits);
	assert_true(!find(LIMIT_FORWARDING) || !strstr(cause_of(LIMIT_FORWARDING), "same place"));
	loop_free(&loop);
}

TEST(names_are_complete)
{
	for (int kind = 0; kind < LIMIT_COUNT; kind++) {
		assert_true(limit_rows[kind].name && *limit_rows[kind].name);
		assert_int_equal(limit_find(limit_rows[kind].name), kind);
		assert_true(*limit_eases(kind) && *limit_remedy(kind) &&
			    limit_remedy(kind)[strlen(limit_remedy(kind)) - 1] == '.');
	}
	assert_int_equal(limit_find("latencies"), LIMIT_COUNT);
	/* The terms of the textbook. */
	assert_string_equal(limit_bound(LIMIT_LATENCY), "latency bound");
	assert_string_equal(limit_bound(LIMIT_PORTS), "throughput bound");
	assert_string_equal(limit_bound(LIMIT_WIDTH), "throughput bound");
	assert_string_equal(limit_bound(LIMIT_MEMORY_LINES), "");
	assert_string_equal(limit_bound(LIMIT_FORWARDING), "");
}

/* Ports that are chosen at rename, before anyone knows when what may go to one of them alone will
 * be ready. */
/* The words of a limit name operations as a reader does, not as core files do. */
TEST(every_class_of_a_shipped_core_has_words)
{
	static const char *const isas[] = { "x86_64", "aarch64" };

	for (size_t i = 0; i < sizeof(isas) / sizeof(isas[0]); i++)
		for (const char *const *name = uarch_names(isas[i]); *name; name++) {
			struct uarch *uarch;

			check_ok(uarch_load(*name, isas[i], &uarch));
			for (int c = 0; c < uarch->class_count; c++) {
				struct class_use use = { .class = &uarch->class[c], .count = 2 };
				struct limit_words words =
					words_uses(&(struct class_uses){ 1, &use }, 1, 1);

				if (strcmp(words.text + strlen("2 "), use.class->name) == 0)
					fail_msg("data/limits has no words for class %s of %s",
						use.class->name, *name);
			}
			uarch_free(uarch);
		}
}

TEST(a_choice_of_port_at_rename_is_soft)
{
	static const char loops[][240] = {
		"imul rax,rcx; add rbx,rcx; imul rdx,rcx; add rsi,rcx; imul rdi,rcx; add r8,rcx; "
		"add r9,rcx; add r10,rcx; add r11,rcx; jne top",
		"adc rax,rcx; imul rbx,rcx; add rdx,rbx; add rsi,rcx; imul rdi,rcx; add r8,rdi; "
		"adc r9,rcx; add r10,r9; jne top",
		"imul rax,rax; add rbx,rcx; add rdx,rcx; add rsi,rcx; imul rdi,rdi; jne top",
		"adc rax,rcx; add rbx,rcx; add rdx,rcx; add rsi,rcx; imul rdi,rcx; add r8,rcx; jne "
		"top",
		"add rax,[rsi]; add rbx,[rsi+8]; imul rcx,[rsi+16]; adc rdx,rdx; add rdi,rdx; jne "
		"top",
		"add rax,rax; cmp rcx,rdx; jne top",
	};
	struct uarch *plain = parse(head, "", ""),
		     *binds = parse(head, "extra binds-ports 1 [M]\n", "");
	int found = 0;

	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
		double bound;

		limits_of(plain, loops[i], 1);
		assert_null(find(LIMIT_SCHEDULING));
		bound = limits.bound;
		limits_of(binds, loops[i], 1);
		check_near(limits.bound, bound, 0);
		if (!find(LIMIT_SCHEDULING))
			continue;
		/* Worse than the best assignment, and never so bad as one after the other. */
		assert_true(cycles_of(LIMIT_SCHEDULING) > bound &&
			    cycles_of(LIMIT_SCHEDULING) < limits.slots + 3);
		assert_true(limits.predicted >= find(LIMIT_SCHEDULING)->cpe);
		found++;
	}
	assert_true(found > 0);
	uarch_free(plain);
	uarch_free(binds);
}

/* Removes about one in `one_in` lines of a core's text. */
static void thin_out(
	const char *text, struct random *random, int one_in, char *thinner, size_t size)
{
	static const char *const kept[] = { "uarch", "isa", "ports", "units", "set", "fuse",
		"extra forward-renamed", "width" };
	size_t length = 0;

	while (*text) {
		size_t line = strcspn(text, "\n") + 1;
		bool needed = false;

		for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
			needed |= strncmp(text, kept[i], strlen(kept[i])) == 0;
		assert_true(length + line < size);
		if (needed || random_below(random, (uint64_t)one_in)) {
			memcpy(thinner + length, text, line);
			length += line;
		} else if (strncmp(text, "class ", 6) == 0 && random_below(random, 2)) {
			size_t name = 6 + strcspn(text + 6, " ");

			length += (size_t)snprintf(thinner + length, size - length,
				"%.*s ports unknown\n", (int)name, text);
		}
		text += line;
	}
	thinner[length] = '\0';
}

TEST(fewer_facts_never_raise_a_hard_limit)
{
	static const char *const loops[] = {
		"mov rax,[rsi]; add rbx,rax; imul rbx,rcx; mov [rdx],rbx; cmp rcx,rdx; jne top",
		"mov rax,[rax]; add rbx,[rax]; vmovupd ymm0,[rdi]; vaddpd ymm1,ymm1,ymm0; cmp "
		"rcx,rdx; jne top",
		"div rax,rbx; add qword [rsi],rax; adc rcx,[rdi]; lea rdi,[rdi+8]; jne top",
		"vmovsd xmm0,qword [rsi-8]; vaddsd xmm0,xmm0,xmm1; vmovsd qword [rsi],xmm0; add "
		"rsi,8; cmp rsi,rdx; jne top",
	};
	struct limits_place place = { .working_set = 16384,
		.walk.lines = 1,
		.walk.scattered = true,
		.walk.splits = 0.3,
		.measured.l3 = { .known = true, .latency = 50, .lines = 0.5 },
		.caches.level[2].bytes = 8192,
		.measured.memory = { .known = true, .latency = 300, .lines = 0.1 } };
	struct random random = { 17 };
	struct uarch *uarch = *odd;
	char *full;

	assert_true(asprintf(&full, "%s%s", head, rest) > 0);

	for (int round = 0; round < CHECK_REPEATS(400, 80); round++) {
		char text[4096];
		const char *source = loops[round % 4];
		struct uarch *thin;
		double bound, kinds[LIMIT_COUNT];

		place.walk.scattered = round % 8 < 4;
		thin_out(full, &random, 2 + (int)random_below(&random, 6), text, sizeof(text));
		thin = parse(text, "", "");
		limits_of_place(uarch, source, 1, &place);
		bound = limits.bound;
		for (int kind = 0; kind < LIMIT_COUNT; kind++)
			kinds[kind] = cycles_of(kind);
		limits_of_place(thin, source, 1, &place);
		if (limits.bound > bound + 1e-9)
			fail_msg("%.3f instead of %.3f (%s) with\n%s", limits.bound, bound,
				limits.limit[limits.binding].cause, text);
		for (int kind = 0; kind < LIMIT_COUNT; kind++)
			if (limit_rows[kind].hard && limit_rows[kind].resource != RESOURCE_MEMORY)
				if (cycles_of(kind) > fmax(0, kinds[kind]) + 1e-9)
					fail_msg("%s %.3f instead of %.3f with\n%s",
						limit_rows[kind].name, cycles_of(kind), kinds[kind],
						text);
		uarch_free(thin);
	}
	free(full);
}

TEST(random_loops_have_finite_limits)
{
	static const char *const words[] = { "add", "imul", "mov", "vaddsd", "xchg", "zork", "inc",
		"lea", "jne", "div", "vpgatherdd" };
	static const char *const shapes[] = { "r,r", "r,m", "v,v,m", "m,r", "t", "[bd]" };
	struct random random = { 23 };
	struct loop loop;

	loop_init(&loop, 64, LOOP_PATH);
	for (int round = 0; round < CHECK_REPEATS(2000, 400); round++) {
		struct limits_place place = { .working_set = (double)random_below(&random, 1 << 20),
			.walk.lines = (double)random_below(&random, 3),
			.walk.scattered = random_below(&random, 2),
			.walk.splits = (double)random_below(&random, 3),
			.walk.mispredicts = (double)random_below(&random, 2),
			.page = 4096 };

		if (random_below(&random, 2))
			place.measured.l3 = place.measured.memory =
				(struct memory_level){ .known = true, .latency = 50, .lines = 0.1 };
		loop_clear(&loop);
		loop.insn_count = 1 + (int)random_below(&random, 40);
		for (int i = 0; i < loop.insn_count; i++) {
			struct insn *insn = &loop.insn[i];

			memset(insn, 0, sizeof(*insn));
			insn->address = 64 * (uint64_t)i;
			insn->length =
				(uint8_t)(random_below(&random, 2) ? 64
								   : random_below(&random, 16));
			insn->known = random_below(&random, 8);
			strcpy(insn->mnemonic, words[random_below(&random, 11)]);
			strcpy(insn->shape, shapes[random_below(&random, 6)]);
			insn->flow = (enum insn_flow)random_below(&random, FLOW_OTHER + 1);
			strcpy(insn->condition, random_below(&random, 2) ? "ne" : "");
			insn->read_count = (uint8_t)random_below(&random, INSN_READS + 1);
			insn->write_count = (uint8_t)random_below(&random, INSN_WRITES + 1);
			for (int k = 0; k < INSN_READS; k++)
				insn->reads[k] = (uint8_t)random_next(&random);
			for (int k = 0; k < INSN_WRITES; k++)
				insn->writes[k] = (uint8_t)random_next(&random);
			insn->vector = random_below(&random, 2);
			insn->move = !random_below(&random, 4);
			insn->zeroing = !random_below(&random, 8);
			insn->writeback = random_below(&random, 2);
			insn->address_only = random_below(&random, 2);
			insn->width = (uint16_t)(8u << random_below(&random, 7));
			insn->memory_count = (uint8_t)random_below(&random, INSN_MEMORY + 1);
			for (int k = 0; k < INSN_MEMORY; k++)
				insn->memory[k] =
					(struct insn_memory){ .load = random_below(&random, 2),
						.store = random_below(&random, 2),
						.base = (uint8_t)random_next(&random),
						.index = (uint8_t)random_next(&random),
						.scale = (uint8_t)random_next(&random),
						.accesses = (uint8_t)random_below(&random, 17),
						.size = (uint16_t)random_below(&random, 80),
						.disp = (int64_t)random_next(&random) };
		}
		loop.path_count = (int)random_below(&random, 100);
		for (int s = 0; s < loop.path_count; s++)
			loop.path[s] = (struct loop_step){ .insn = (uint16_t)random_below(&random,
								   (uint64_t)loop.insn_count),
				.taken = random_below(&random, 2),
				.address = { random_below(&random, 9000), random_next(&random) } };
		loop.stepped = random_below(&random, 2);
		loop.turns = 1 + (int)random_below(&random, 4);
		loop.elements = (double)(1 + random_below(&random, 100));
		limits_compute(&loop, random_below(&random, 2) ? *odd : *state, &place, &limits);
		assert_true(limits.limit_count <= LIMIT_COUNT);
		for (int i = 0; i < limits.limit_count; i++) {
			const struct limit *limit = &limits.limit[i];

			assert_true(*limit->cause);
			assert_true(
				!limit->known || (isfinite(limit->cycles) && limit->cycles > 0));
			if (i > 0 && limit->known)
				assert_true(limits.limit[i - 1].known &&
					    limits.limit[i - 1].cycles >= limit->cycles - 1e-5);
		}
		assert_true(isfinite(limits.bound) && isfinite(limits.predicted) &&
			    limits.predicted >= limits.bound - 1e-6);
		for (int port = 0; port < limits.port_count; port++)
			assert_true(isfinite(limits.pressure[port]) && limits.pressure[port] >= 0);
	}
	loop_free(&loop);
}

/* Printed, without a limit. */
TEST(time_taken)
{
	struct timespec begin, end;
	char source[4096] = "";
	struct loop loop;

	for (int i = 0; i < 12; i++)
		strcat(source, "mov rax,[rdi+rcx*8]; imul rax,rbx; add rdx,rax; ");
	strcat(source, "mov [rsi+rcx*8],rdx; add rcx,1; cmp rcx,r15; jne top");
	assembly_loop(source, &loop);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (int i = 0; i < 200; i++)
		limits_compute(&loop, *state, &(struct limits_place){ 0 }, &limits);
	clock_gettime(CLOCK_MONOTONIC, &end);
	print_message("limits of %d instructions: %.1f us\n", loop.path_count,
		((double)(end.tv_sec - begin.tv_sec) * 1e9 +
			(double)(end.tv_nsec - begin.tv_nsec)) /
			1e3 / 200);
	assert_true(limits.binding >= 0);
	loop_free(&loop);
}

RUN_TESTS(.set_up = set_up, .tear_down = tear_down)
