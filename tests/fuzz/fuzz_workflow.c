/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_workflow.c - any bytes at all as a workflow file, and as the rule of a search.
 *
 * The reader may refuse, with a status and a text; the jobs that it passes on are within bounds.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "models/search/search.h"
#include "sim/scenario/scenario.h"
#include "tests/world/builtin_registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { DIGITS_MAX = 4, RULE_MAX = 300 };

/* Counts that take long are no mistakes. */
static bool is_large(const uint8_t *data, size_t size)
{
	size_t digits = 0;
	for (size_t i = 0; i < size; i++) {
		digits = data[i] >= '0' && data[i] <= '9' ? digits + 1 : 0;
		if (digits > DIGITS_MAX)
			return true;
	}
	return false;
}

static void load(const uint8_t *data, size_t size)
{
	static const char begin[] = "workflows:";
	char path[32];
	struct sl_err err = { 0 };
	struct scenario scenario;
	const int fd = memfd_create("fuzz", 0);
	SL_CHECK(fd >= 0 && write(fd, begin, strlen(begin)) == (ssize_t)strlen(begin) &&
		 write(fd, data, size) == (ssize_t)size);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	const struct scenario_options options = {
		.registry = builtin_registry(), .trace = path, .any_machine = true
	};
	const int status = scenario_load(&scenario, &options, &err);
	SL_CHECK(status == err.status && (!status || (status == SL_INPUT && *err.text)));
	for (uint32_t row = 0; !status && row < scenario.jobs.count; row++)
		SL_CHECK(scenario.jobs.run[row] > 0 && scenario.jobs.size[row] > 0 &&
			 (scenario.jobs.id[row] >= 0 || scenario.jobs.id_name[row]));
	if (!status)
		scenario_release(&scenario);
	(void)close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[RULE_MAX + 1];
	struct sl_err err = { 0 };
	struct search_rule rule = { .kind = SEARCH_NONE, .eta = 3, .rung = SL_NONE, .target = SL_NONE };
	const size_t len = size < RULE_MAX ? size : RULE_MAX;
	memcpy(text, data, len);
	text[len] = '\0';
	const int status = search_rule_of(text, &rule, &err);
	SL_CHECK(status == err.status && (status || (rule.eta >= 2 && rule.eta <= SEARCH_ETA_MAX)));
	if (!is_large(data, size))
		load(data, size);
	return 0;
}
