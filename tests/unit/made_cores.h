/* What a core of which everything is known would measure, with noise: to find again what it is made
 * of. Include it in one file of a program. */
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/core/uarch_inside.h"
#include "model/limits/ports.h"
#include "model/measured/measured.h"

struct generated {
	struct uarch *uarch;
	const struct uarch_class *class[MEASURED_OPS], *load[MEASURED_OPS], *store[MEASURED_OPS];
	double noise, outliers; /* relative; the share that was disturbed */
	double early; /* how much longer what fills five ports and more takes, relatively, as where
			 ports are chosen early; beside others five times as much */
	unsigned random;
	int asked, rounds;
};

static inline double made_random(struct generated *made)
{
	made->random = made->random * 1664525u + 1013904223u;
	return (made->random >> 8) / 16777216.0;
}

/* A figure as measured: noise on either side, and now and then something that disturbs. */
static inline struct figure made_figure(struct generated *made, double value)
{
	double off =
		made->noise * (made_random(made) + made_random(made) + made_random(made) - 1.5);
	struct figure figure = { .known = true };

	if (made_random(made) < made->outliers)
		off += 0.04 + 0.3 * made_random(made);
	figure.value = value * (1 + off);
	figure.lo = figure.value * (1 - made->noise * 0.5);
	figure.hi = figure.value * (1 + made->noise * 0.5);
	return figure;
}

static inline bool made_starts(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

static inline bool made_is_load(const char *name)
{
	return made_starts(name, "load") || made_starts(name, "vload");
}

static inline bool made_is_store(const char *name)
{
	return made_starts(name, "store") || made_starts(name, "vstore");
}

static inline bool made_ends_load(const char *name)
{
	size_t length = strcspn(name, ".");

	return length > 5 && strncmp(name + length - 5, "-load", 5) == 0;
}

static inline unsigned made_bits(const char *name)
{
	const char *dot = strchr(name, '.');

	return dot ? (unsigned)atoi(dot + 1) : 128;
}

/* Accesses count for the caps of their kind, as limits_throughput.c has it. */
static inline double made_caps(
	const struct generated *made, const double loads[3], const double stores[3])
{
	static const enum uarch_fact load_cap[] = { CAP_LOADS, CAP_LOADS_VECTOR, CAP_LOADS_512 },
				     store_cap[] = { CAP_STORES, CAP_STORES_VECTOR,
					     CAP_STORES_512 };
	double most = 0, all = 0;

	for (int kind = 0; kind < 3; kind++) {
		double l = 0, s = 0;

		for (int k = kind; k < 3; k++) {
			l += loads[k];
			s += stores[k];
		}
		if (uarch_known(made->uarch->fact[load_cap[kind]]))
			most = fmax(most, l / made->uarch->fact[load_cap[kind]]);
		if (uarch_known(made->uarch->fact[store_cap[kind]]))
			most = fmax(most, s / made->uarch->fact[store_cap[kind]]);
		all = kind == 0 ? l + s : all;
	}
	return uarch_known(made->uarch->fact[CAP_MEMORY])
		       ? fmax(most, all / made->uarch->fact[CAP_MEMORY])
		       : most;
}

static inline int made_kind(const char *name)
{
	return name[0] != 'v' ? 0 : made_bits(name) == 512 ? 2 : 1;
}

static inline double made_slots(const struct generated *made, int op)
{
	return made->class[op]->slots + (made->store[op] ? 1 : 0);
}

/* What it really takes. */
static inline double made_cycles(const struct generated *made, const struct measured_mix *mix)
{
	struct port_load load[MEASURED_PARTS * 3 * UARCH_TERMS];
	double slots = 0, loads[3] = { 0 }, stores[3] = { 0 }, pressure[UARCH_PORTS], cycles;
	uint32_t fullest = 0;
	int count = 0;

	for (int i = 0; i < mix->count; i++) {
		int op = mix->op[i];
		const struct uarch_class *const class[] = { made->class[op], made -> load[op],
			made -> store[op] };

		slots += mix->times[i] * made_slots(made, op);
		for (int k = 0; k < 3; k++) {
			if (!class[k])
				continue;
			if (made_is_load(class[k] -> name))
				loads[made_kind(class[k] -> name)] += mix->times[i];
			if (made_is_store(class[k] -> name))
				stores[made_kind(class[k] -> name)] += mix->times[i];
			for (int t = 0; t < class[k] -> term_count; t++)
				if (class[k] -> term[t].ports)
					load[count++] = (struct port_load){
						class[k] -> term[t].ports,
						mix->times[i] * (double)class[k]
						-> term[t].count *(double)class[k] -> term[t].cycles
					};
		}
	}
	cycles = ports_balance(load, count, uarch_port_count(made->uarch), pressure, &fullest);
	if (made->early > 0 && __builtin_popcount(fullest) >= 5)
		cycles *= 1 + (mix->count > 1 ? 5 : 1) * made->early;
	cycles = fmax(cycles, made_caps(made, loads, stores));
	if (uarch_known(made->uarch->width))
		cycles = fmax(cycles, slots / made->uarch->width);
	return cycles;
}

/* Every class of a core (made->uarch): throughputs, slots and latencies, and nothing of ports. */
static inline void made_begin_core(
	struct generated *made, double noise, double outliers, unsigned seed, struct measured *m)
{
	memset(m, 0, sizeof(*m));
	made->noise = noise;
	made->outliers = outliers;
	made->random = seed;
	made->asked = made->rounds = 0;
	snprintf(m->isa, sizeof(m->isa), "%s", made->uarch->isa);
	snprintf(m->processor, sizeof(m->processor), "a made %.50s", made->uarch->title);
	if (uarch_known(made->uarch->width))
		m->width = (struct figure){ true, made->uarch->width * (1 - 0.3 * noise),
			made->uarch->width * (1 - noise), made->uarch->width };
	for (int i = 0; i < made->uarch->class_count && m->op_count < MEASURED_OPS; i++) {
		const struct uarch_class *class = &made->uarch->class[i];
		struct measured_op *op = &m->op[m->op_count];
		struct measured_mix one = { .count = 1, .op = { m->op_count }, .times = { 1 } };
		const struct uarch_class *load = NULL;

		if (!class->executes || strcmp(class->name, "modify") == 0 ||
			strstr(class->name, "-pair"))
			continue;
		if (made_ends_load(class->name))
			load = uarch_find(made->uarch, "vload", made_bits(class->name));
		made->class[m->op_count] = class;
		made->load[m->op_count] = load;
		made->store[m->op_count] = NULL;
		snprintf(op->name, sizeof(op->name), "%s", class->name);
		op->bits = strchr(class->name, '.')
				   ? made_bits(class->name) > 64 ? made_bits(class->name) : 0
				   : 0;
		if (load)
			snprintf(op->load, sizeof(op->load), "%s", load->name);
		if (uarch_known(class->latency))
			op->latency = class->latency > 0 ? made_figure(made, class->latency)
							 : (struct figure){ true, 0.02, 0, 0.05 };
		op->slots = (struct figure){ true,
			made_slots(made, m->op_count) * (1 + 0.02 * (made_random(made) - 0.5)), 0,
			0 };
		if (!(made_cycles(made, &one) > 0))
			continue;
		op->each = made_figure(made, made_cycles(made, &one));
		m->op_count++;
	}
}

/* Of a core by its name. */
static inline void made_begin(struct generated *made, const char *name, double noise,
	double outliers, unsigned seed, struct measured *m)
{
	struct status status = uarch_load(name, NULL, &made->uarch);

	check_ok(status);
	made_begin_core(made, noise, outliers, seed, m);
}

/* Measures whatever is asked for until nothing is, or so many have been. */
static inline void made_measure(struct generated *made, struct measured *m, int most)
{
	struct measured_mix next[64];

	for (int count; m->mix_count < most && (count = measured_next(m, next, 64)) > 0;
		made->rounds++)
		for (int i = 0; i < count && m->mix_count < MEASURED_MIXES; i++) {
			struct measured_mix *mix = &m->mix[m->mix_count++];

			*mix = next[i];
			mix->cycles = made_figure(made, made_cycles(made, mix));
			made->asked++;
		}
}

static inline void made_end(struct generated *made)
{
	uarch_free(made->uarch);
}
