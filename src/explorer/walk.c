/* The mountain as one walks on it: what the walk of the present setting misses, which cache each
 * size stays in, and the commands for that. */
#include <math.h>
#include <string.h>

#include "explorer/panes.h"
#include "model/counts/counts.h"

static const struct machine *machine_of(const struct session *session)
{
	return session->engine.machine(session->engine.context);
}

/* As the explanation has it, whose caches may be another core's; else by the kernel's own word and
 * this machine's caches. */
static void find_misses(const struct session *session, struct misses *misses)
{
	const struct explanation *explanation =
		insight_ready(session) ? session->insight.explanation : NULL;

	if (explanation && (explanation->misses.known || explanation->misses.why[0]))
		*misses = explanation->misses;
	else
		misses_of(session->setting.kernel, session->setting.v,
			session->machine_known ? machine_of(session) : NULL, misses);
}

/* Bytes of a cache: as the probe found them where it has, else as the system states them. */
static double cache_bytes(const struct session *session, int level, bool *measured)
{
	const struct probe_report *probe = probing_report(session);
	const struct hierarchy_level *found =
		probe ? hierarchy_cache(&probe->hierarchy, level) : NULL;

	if (found && isfinite(found->bytes) && found->bytes > 0) {
		*measured = true;
		return found->bytes;
	}
	return session->machine_known ? (double)machine_cache(machine_of(session), level) : 0;
}

/* The first cache that holds a size. A sixteenth more is as well as none: curves tell sizes that
 * well. */
static int level_of(const double *cache, double bytes)
{
	bool any = false;

	for (int level = 1; level <= MISSES_LEVELS; level++) {
		if (cache[level - 1] * (1 + 1.0 / 16) >= bytes)
			return level;
		any |= cache[level - 1] > 0;
	}
	return any ? GRID_MEMORY : 0;
}

static void fill_levels(const struct session *session, struct view_grid *grid)
{
	const struct machine *machine = session->machine_known ? machine_of(session) : NULL;
	struct setting setting = session->setting;
	struct misses_walk walk;

	for (int level = 1; level <= MISSES_LEVELS; level++)
		grid->cache[level - 1] = cache_bytes(session, level, &grid->probed);
	for (int y = 0; y < grid->ny; y++) {
		setting.v[grid->size_knob] = grid->y[y];
		grid->level[y] =
			level_of(grid->cache, (double)kernel_footprint(setting.kernel, setting.v));
	}
	grid->slope_end = -1;
	grid->line = misses_line(machine);
	for (int x = 0; x < grid->nx && grid->line > 0 && grid->slope_end < 0; x++) {
		setting.v[grid->stride_knob] = grid->x[x];
		if (misses_walk_of(setting.kernel, setting.v, &walk) && walk.step >= grid->line)
			grid->slope_end = x;
	}
}

void walk_view(const struct session *session, struct view *view)
{
	static const enum event_role roles[MISSES_LEVELS] = { ROLE_L1_MISSES, ROLE_L2_MISSES,
		ROLE_L3_MISSES };
	struct view_misses *misses = &view->misses;

	find_misses(session, &misses->now);
	misses->whatif = session->whatif;
	if (misses->now.known)
		misses_if(&misses->now, &misses->whatif, &misses->then);
	for (int i = 0; i < MISSES_LEVELS; i++)
		misses->counted[i] =
			counts_of(session->counted.plan, &session->live.counts, roles[i]);
	view->grid.relief = session->relief;
	if (view->grid.present)
		fill_levels(session, &view->grid);
}

/* ---- commands */

struct status action_mountain(struct session *session, const char *arguments, double now)
{
	(void)arguments, (void)now;
	if (!session->plan.grid.present)
		return status_make(STATUS_USAGE,
			"there is no mountain of %s: it has no size and stride",
			session->setting.kernel->name);
	panes_bring(
		session, panes_in_front(session, "mountain") && panes_focused(session, "mountain")
				 ? "slices"
				 : "mountain");
	return status_ok();
}

bool action_mountain_works(const struct session *session, const char *arguments)
{
	(void)arguments;
	return session->plan.grid.present;
}

/* The keys for what can be seen. */
static bool in_front(const struct session *session)
{
	return session->plan.grid.present &&
	       (panes_in_front(session, "mountain") || panes_focused(session, "mountain"));
}

bool action_relief_works(const struct session *session, const char *arguments)
{
	(void)arguments;
	return in_front(session);
}

struct status action_relief(struct session *session, const char *arguments, double now)
{
	(void)arguments, (void)now;
	if (!session->plan.grid.present)
		return status_make(STATUS_USAGE,
			"there is no mountain of %s: it has no size and stride",
			session->setting.kernel->name);
	session->relief = !session->relief;
	return status_ok();
}

/* Tells what is asked, since the mountain may not be in front. */
static void tell(struct session *session)
{
	char words[120];

	misses_whatif_words(&session->whatif, words, sizeof(words));
	if (*words)
		session_notice(session, false, "misses are also told for %s", words);
	else
		session_notice(session, false, "misses are told for the caches there are");
}

struct status action_whatif(struct session *session, const char *arguments, double now)
{
	struct status status;

	(void)now;
	if (!*arguments)
		arguments = session->whatif.asked ? "off" : "2x";
	status = misses_whatif_parse(arguments, &session->whatif);
	if (status_is_ok(&status))
		tell(session);
	return status;
}

bool action_whatif_works(const struct session *session, const char *arguments)
{
	struct misses_whatif whatif = session->whatif;
	struct status status;
	struct misses misses;

	if (*arguments) {
		status = misses_whatif_parse(arguments, &whatif);
		return status_is_ok(&status);
	}
	if (!in_front(session))
		return false;
	find_misses(session, &misses);
	return misses.known;
}
