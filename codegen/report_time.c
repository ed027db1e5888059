/* How long a run takes, in reports. */

#include "codegen/report_time.h"

const struct plan_time *report_times(struct plan *plan)
{
	if (!plan->knows_times) {
		struct plan_time *times = ARENA_ARRAY(plan->arena, struct plan_time, plan->nest_count + 1);
		plan->times = plan_times(plan, times) ? times : NULL;
		plan->knows_times = true;
	}
	return plan->times;
}

bool report_time_of_all(const struct report *report, struct plan_time *sum)
{
	*sum = (struct plan_time){ 0 };
	for (int p = 0; p < report->plan_count; p++) {
		const struct plan_time *times = report_times(report->plans[p]);
		for (int n = 0; times && n < report->plans[p]->nest_count; n++) {
			sum->cycles += times[n].cycles;
			sum->compute_cycles += times[n].compute_cycles;
			sum->wait_cycles += times[n].wait_cycles;
			sum->dma_cycles += times[n].dma_cycles;
			sum->move_cycles += times[n].move_cycles;
		}
		if (!times)
			return false;
	}
	return report->plan_count > 0;
}

static double seconds_of(const struct arch *arch, const struct plan_time *time)
{
	return (double)time->cycles / arch->clock_hz;
}

json_t *report_time_json(const struct arch *arch, const struct plan_time *time)
{
	json_t *entry = json_pack("{sI sI sI sI}", "cycles", (json_int_t)time->cycles,
		"compute_cycles", (json_int_t)time->compute_cycles,
		"dma_cycles", (json_int_t)time->dma_cycles, "stall_cycles", (json_int_t)time->wait_cycles);
	if (entry && arch->array.mac_cycles > 0)
		json_object_set_new(entry, "fill_drain_cycles", json_integer((json_int_t)time->move_cycles));
	if (entry)
		json_object_set_new(entry, "seconds", json_real(seconds_of(arch, time)));
	return entry;
}

enum workers report_workers(const struct plan_nest *nest)
{
	return nest->elements ? ELEMENTS_WORK : CORE_WORKS;
}

static const char *name_of(enum workers workers)
{
	return workers == CORE_WORKS ? "the core computes" : workers == ELEMENTS_WORK ? "elements compute"
		: "core and elements compute";
}

static double percent(long part, long all)
{
	return all ? 100 * (double)part / (double)all : 0;
}

void report_time_text(FILE *out, const char *indent, const struct arch *arch, enum workers workers,
	const struct plan_time *time)
{
	fprintf(out, "%stime: %s cycles, %.4g ms", indent, report_number(time->cycles),
		1e3 * seconds_of(arch, time));
	bool are_timed = workers & ELEMENTS_WORK && arch->array.mac_cycles > 0;
	if (are_timed)
		fprintf(out, ": %s %.1f %%, wait for words %.1f %% and for copies %.1f %%, the bus is busy %.1f %%\n",
			name_of(workers), percent(time->compute_cycles, time->cycles),
			percent(time->move_cycles, time->cycles), percent(time->wait_cycles, time->cycles),
			percent(time->dma_cycles, time->cycles));
	else if (arch->core_mac_cycles > 0)
		fprintf(out, ": the core computes %.1f %% and waits %.1f %%, the bus is busy %.1f %%\n",
			percent(time->compute_cycles, time->cycles), percent(time->wait_cycles, time->cycles),
			percent(time->dma_cycles, time->cycles));
	else
		fprintf(out, " of copies alone: the bus is busy %.1f %%\n",
			percent(time->dma_cycles, time->cycles));
}

void report_time_explain(FILE *out, const struct arch *arch, enum workers workers, const struct plan_time *time,
	long commands)
{
	/* starts of commands on several channels overlap */
	long starts = time->start_cycles / arch->channels;
	long bus = time->dma_cycles, computing = time->compute_cycles, words = time->network_cycles;
	fprintf(out, "  %s cycles: the bus is busy in %s, %s in %s", report_number(time->cycles),
		report_number(time->dma_cycles), name_of(workers), report_number(time->compute_cycles));
	if (words > 0)
		fprintf(out, ", words travel to and from them in %s", report_number(words));
	if (commands >= 0)
		fprintf(out, ", and %s commands start for %s on each of %d channel%s",
			report_number(commands), report_number(starts), arch->channels,
			arch->channels == 1 ? "" : "s");
	fprintf(out, ": %s most\n", computing >= bus && computing >= starts && computing >= words ? "computing takes"
		: words > bus && words > starts ? "the network of elements takes"
		: bus >= starts ? "the bus takes" : "starting commands takes");
}
