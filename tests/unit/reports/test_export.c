/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_export.c - documents for other programs: traces of Perfetto decoded, charts, tables, hostile names.
 */
#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/world/builtin_registry.h"
#include "tests/world/result.h"

static const struct sl_metric_info metric_info[] = {
	{ "wait.mean", "mean wait", "mean waiting time", "s", -1 },
	{ "utilization", "utilization", "how much was busy", "share", 1 },
};

static const struct sl_document *document(const char *name)
{
	const struct sl_document *found = sl_by_name(builtin_registry()->known.documents, name);
	cr_assert_not_null(found, "no document '%s'", name);
	return found;
}

struct bytes {
	unsigned char *data;
	size_t length;
};

static struct bytes read_back(const char *path)
{
	struct bytes bytes = { malloc(1 << 24), 0 };
	FILE *file = fopen(path, "rb");
	cr_assert_not_null(file);
	cr_assert_not_null(bytes.data);
	bytes.length = fread(bytes.data, 1, (1 << 24) - 1, file);
	bytes.data[bytes.length] = '\0';
	(void)fclose(file);
	(void)unlink(path);
	return bytes;
}

/* The document of these runs; the caller frees its bytes. */
static struct bytes made(const char *name, const char *chart, const struct sl_document_run *reported,
	size_t count, const struct sl_compared *compared)
{
	const struct sl_document *doc = document(name);
	const struct sl_document_options options = { .jobs_max = 1000, .chart = chart };
	char path[] = "/tmp/schedlab-test-XXXXXX";
	const int fd = mkstemp(path);
	struct sl_err err = { 0 };
	struct sl_out *out;
	void *self;
	cr_assert_geq(fd, 0);
	(void)close(fd);
	cr_assert_eq(doc->open(&self, &options, &err), SL_OK, "%s", err.text);
	for (size_t i = 0; i < count; i++)
		cr_assert_eq(doc->add(self, &reported[i], &err), SL_OK, "%s", err.text);
	cr_assert_eq(sl_out_open(&out, path, &err), SL_OK, "%s", err.text);
	cr_assert_eq(doc->write(self, compared, out, &err), SL_OK, "%s", err.text);
	cr_assert_eq(sl_out_commit(out, &err), SL_OK, "%s", err.text);
	doc->close(self);
	return read_back(path);
}

static void expect_in(const char *what, const struct bytes *bytes, const char *text)
{
	cr_expect_not_null(strstr((const char *)bytes->data, text), "%s: no '%s' in\n%s", what, text,
		(const char *)bytes->data);
}

static void expect_not_in(const char *what, const struct bytes *bytes, const char *text)
{
	cr_expect_null(strstr((const char *)bytes->data, text), "%s: there is '%s'", what, text);
}

/* ---- A small decoder of protocol buffers ---------------------------------------------------------- */

struct view {
	const unsigned char *at, *end;
};
struct field {
	unsigned number, wire;
	uint64_t value; /* Of varints and fixed ones. */
	struct view bytes;
};

static uint64_t varint(struct view *view)
{
	uint64_t value = 0;
	for (unsigned shift = 0; shift < 70; shift += 7) {
		cr_assert_lt(view->at, view->end, "a number is cut");
		value |= (uint64_t)(*view->at & 0x7F) << shift;
		if (!(*view->at++ & 0x80))
			return value;
	}
	cr_assert_fail("a number of more than ten bytes");
	return 0;
}

static bool next(struct view *view, struct field *field)
{
	if (view->at == view->end)
		return false;
	const uint64_t tag = varint(view);
	*field = (struct field){ .number = (unsigned)(tag >> 3), .wire = tag & 7 };
	if (field->wire == 0) {
		field->value = varint(view);
		return true;
	}
	cr_assert(field->wire == 1 || field->wire == 2, "wire type %u", field->wire);
	const uint64_t length = field->wire == 1 ? 8 : varint(view);
	cr_assert_leq(length, (uint64_t)(view->end - view->at), "a message is cut");
	field->bytes = (struct view){ view->at, view->at + length };
	for (unsigned i = 0; field->wire == 1 && i < 8; i++)
		field->value |= (uint64_t)view->at[i] << 8 * i;
	view->at += length;
	return true;
}

/* The last field of that number; false: there is none. */
static bool find(struct view view, unsigned number, struct field *found)
{
	struct field field;
	bool there = false;
	while (next(&view, &field)) {
		if (field.number != number)
			continue;
		*found = field;
		there = true;
	}
	return there;
}

enum { TRACKS = 64 };
struct decoded {
	struct track {
		uint64_t uuid;
		bool open, counter;
		uint64_t last; /* Time of its last event. */
		char name[80];
	} track[TRACKS];
	size_t tracks, slices, instants, counts, processes;
	double count_last;
};

static void decode_track(struct decoded *all, struct view view)
{
	struct field field;
	struct track *track = &all->track[all->tracks++];
	cr_assert_lt(all->tracks, TRACKS);
	cr_assert(find(view, 1, &field));
	track->uuid = field.value;
	track->counter = find(view, 8, &field);
	all->processes += find(view, 3, &field);
	if (find(view, 2, &field))
		(void)snprintf(track->name, sizeof(track->name), "%.*s",
			(int)(field.bytes.end - field.bytes.at), (const char *)field.bytes.at);
}

/* Slices of a track follow each other; what is written of them is checked by the caller, by name. */
static void decode_event(struct decoded *all, struct view view, uint64_t at)
{
	struct field type = { 0 };
	struct field uuid = { 0 };
	struct field field = { 0 };
	struct track *track = NULL;
	cr_assert(find(view, 9, &type) && find(view, 11, &uuid));
	for (size_t i = 0; i < all->tracks; i++)
		if (all->track[i].uuid == uuid.value)
			track = &all->track[i];
	cr_assert_not_null(track, "an event on a track that is not there");
	cr_expect_geq(at, track->last, "track %s goes back in time", track->name);
	track->last = at;
	cr_expect_eq(track->counter, type.value == 4, "track %s", track->name);
	if (type.value == 1) {
		cr_expect_not(
			track->open, "slices of %s overlap at %llu", track->name, (unsigned long long)at);
		cr_expect(find(view, 23, &field) && field.bytes.at < field.bytes.end, "a slice without name");
		all->slices++;
	}
	cr_expect(type.value != 2 || track->open, "a slice of %s ends that has not begun", track->name);
	if (type.value == 1 || type.value == 2)
		track->open = type.value == 1;
	all->instants += type.value == 3;
	all->counts += type.value == 4;
	if (find(view, 44, &field))
		memcpy(&all->count_last, &field.value, sizeof(double));
}

static void decode(struct decoded *all, const struct bytes *bytes)
{
	struct view view = { bytes->data, bytes->data + bytes->length };
	struct field packet;
	memset(all, 0, sizeof(*all));
	while (next(&view, &packet)) {
		struct field field = { 0 };
		struct field time = { 0 };
		cr_expect_eq(packet.number, 1);
		(void)find(packet.bytes, 8, &time);
		if (find(packet.bytes, 60, &field))
			decode_track(all, field.bytes);
		if (find(packet.bytes, 11, &field))
			decode_event(all, field.bytes, time.value);
	}
	for (size_t i = 0; i < all->tracks; i++)
		cr_expect_not(all->track[i].open, "a slice of %s does not end", all->track[i].name);
}

static bool has_track(const struct decoded *all, const char *name)
{
	for (size_t i = 0; i < all->tracks; i++)
		if (strcmp(all->track[i].name, name) == 0)
			return true;
	return false;
}

/* ---- Worlds ------------------------------------------------------------------------------------------ */

static const struct sl_usage_point usage[] = { { .at = 0, .cpus_busy = 3, .running = 2, .queued = 1 },
	{ .at = 20 * SL_SECOND, .cpus_busy = 4, .running = 2 }, { .at = 50 * SL_SECOND } };

/* Four cpus: 1 has cpus 0-1 until 20, 2 has cpu 2 until 50, 3 waits for 0, 1 and 3. */
static struct hand *pool(void)
{
	struct hand *hand = hand_new(4);
	hand_add(hand, (struct hand_job){ 0, 0, 20, 2, 50, 1, 0, SL_COMPLETED });
	hand_add(hand, (struct hand_job){ 0, 0, 50, 1, 50, 2, 0, SL_COMPLETED });
	hand_add(hand, (struct hand_job){ 5, 20, 50, 3, 50, 1, 0, SL_COMPLETED });
	hand->result.usage = usage;
	hand->result.usage_count = SL_LEN(usage);
	return hand;
}

static const char hostile[] = "a</script><b onload=\"x\">'&\\_%$#{}|\x01\x7F\xE2\x80\xAE\xFF\xC3\xA4";

/* ---- Perfetto ----------------------------------------------------------------------------------------- */

Test(export, perfetto_of_a_pool)
{
	struct hand *hand = pool();
	const struct sl_document_run reported = { .label = "easy", .result = &hand->result };
	const struct sl_compared compared = { .title = "t" };
	struct bytes bytes = made("perfetto", NULL, &reported, 1, &compared);
	struct decoded all;
	decode(&all, &bytes);
	cr_expect_eq(all.processes, 1);
	cr_expect_eq(all.slices, 3, "%zu slices", all.slices);
	cr_expect(has_track(&all, "cpu 0") && has_track(&all, "cpu 2"));
	cr_expect_not(has_track(&all, "cpu 1"), "a job has one slice, on its first cpu");
	cr_expect_eq(all.count_last, 0.0, "nothing is busy at the end");
	/* cpus 3, 4, 0; running 2, 0; queued 1, 0; cpus queued 0. */
	cr_expect_eq(all.counts, 3 + 2 + 2 + 1, "%zu", all.counts);
	free(bytes.data);
	free(hand);
}

/* Two attempts, the first preempted; and a start before the trace's zero. */
Test(export, perfetto_of_attempts)
{
	static const struct sl_attempt attempt[] = {
		{ .job = 0, .state = SL_PREEMPTED, .start = -5 * SL_SECOND, .end = 10 * SL_SECOND },
		{ .job = 0, .state = SL_COMPLETED, .start = 10 * SL_SECOND, .end = 20 * SL_SECOND },
	};
	struct hand *hand = pool();
	hand->start[0] = -5 * SL_SECOND;
	hand->result.attempts = attempt;
	hand->result.attempt_count = SL_LEN(attempt);
	const struct sl_document_run reported[] = { { .label = "a", .result = &hand->result },
		{ .label = "b", .result = &hand->result } };
	const struct sl_compared compared = { .title = "t" };
	struct bytes bytes = made("perfetto", NULL, reported, 2, &compared);
	struct decoded all;
	decode(&all, &bytes);
	cr_expect_eq(all.processes, 2);
	cr_expect_eq(all.slices, 2 * 4);
	cr_expect_eq(all.instants, 2 * 1);
	cr_expect(has_track(&all, "preemptions"));
	free(bytes.data);
	free(hand);
}

/* Two nodes of 4 cpus; jobs 1 and 2 share the first. */
Test(export, perfetto_of_nodes)
{
	static const struct sl_node_type type = { .name = "n", .amount = { 4, 0 } };
	static const uint32_t node_type[2] = { 0, 0 };
	static const char *const node_name[2] = { "n1", hostile };
	static const struct sl_cluster cluster = { .cpus = 8,
		.node_count = 2,
		.type_count = 1,
		.node_type = node_type,
		.node_name = node_name,
		.type = &type };
	static const struct sl_group group = { .task = { .cpus = 1 }, .tasks = 2 };
	static const struct sl_request request = { .group = &group, .group_count = 1, .cpus = 2 };
	static const uint32_t of[3] = { 0, 0, 0 };
	static const struct sl_node_tasks alloc[] = { { .node = 0, .tasks = 2 }, { .node = 0, .tasks = 2 },
		{ .node = 0, .tasks = 1 }, { .node = 1, .tasks = 1 } };
	static const size_t first[3] = { 0, 1, 2 };
	static const uint32_t count[3] = { 1, 1, 2 };
	static const int32_t nodes[3] = { 1, 1, 2 };
	static const int64_t cpus[3] = { 2, 2, 2 };
	static const int64_t gpus[3] = { 0, 0, 0 };
	struct hand *hand = pool();
	hand->jobs.request = of;
	hand->jobs.requests = &request;
	hand->jobs.request_count = 1;
	hand->result.cluster = &cluster;
	hand->result.place = alloc;
	hand->result.place_first = first;
	hand->result.place_count = count;
	hand->result.nodes_held = nodes;
	hand->result.cpus_held = cpus;
	hand->result.gpus_held = gpus;
	const struct sl_document_run reported = { .label = "easy", .result = &hand->result };
	const struct sl_compared compared = { .title = "t" };
	struct bytes bytes = made("perfetto", NULL, &reported, 1, &compared);
	struct decoded all;
	decode(&all, &bytes);
	cr_expect_eq(all.slices, 4, "one for each piece");
	cr_expect(has_track(&all, "n1") && has_track(&all, "n1 (2)"));
	cr_expect_not(has_track(&all, "n1 (3)"), "the lane of job 1 is free again");
	free(bytes.data);
	for (size_t i = 0; document("svg")->charts[i]; i++) {
		bytes = made("svg", document("svg")->charts[i], &reported, 1, &compared);
		expect_in(document("svg")->charts[i], &bytes, "</svg>\n");
		expect_not_in(document("svg")->charts[i], &bytes, "<b onload");
		free(bytes.data);
	}
	free(hand);
}

/* ---- Charts ---------------------------------------------------------------------------------------------
 */

/* Every chart is whole, says what it shows, and takes names as text. */
Test(export, svg_takes_names_as_text)
{
	struct hand *hand = pool();
	const char *const ids[] = { hostile, NULL, NULL };
	const char *const users[] = { "u", hostile, "w" };
	hand->jobs.id_name = ids;
	hand->jobs.user_name = users;
	hand->jobs.user_count = 3;
	const struct sl_named metric[] = { { "wait.mean", 7500000 }, { "utilization", 670000 } };
	const struct sl_document_run reported[] = { { .label = "easy",
							    .result = &hand->result,
							    .metric = metric,
							    .metric_count = SL_LEN(metric) },
		{ .label = hostile,
			.result = &hand->result,
			.metric = metric,
			.metric_count = SL_LEN(metric) } };
	const struct sl_compared compared = {
		.title = hostile, .metric_info = metric_info, .metric_info_count = SL_LEN(metric_info)
	};
	for (size_t i = 0; document("svg")->charts[i]; i++) {
		const char *chart = document("svg")->charts[i];
		struct bytes bytes = made("svg", chart, reported, 2, &compared);
		struct bytes retry = made("svg", chart, reported, 2, &compared);
		cr_expect(bytes.length == retry.length && memcmp(bytes.data, retry.data, bytes.length) == 0);
		expect_in(chart, &bytes, "role=\"img\" aria-labelledby=\"title desc\"");
		expect_in(chart, &bytes, "mean wait 7.5 s, utilization 67 %.");
		expect_in(chart, &bytes, "a&lt;/script&gt;&lt;b onload=&quot;x&quot;&gt;&#39;&amp;");
		expect_in(chart, &bytes,
			"|\xEF\xBF\xBD\xC3\xA4"); /* Controls and marks are removed, bad bytes marked. */
		expect_not_in(chart, &bytes, "</script>");
		expect_not_in(chart, &bytes, "\x01");
		expect_not_in(chart, &bytes, "nan");
		expect_not_in(chart, &bytes, "inf\"");
		free(bytes.data);
		free(retry.data);
	}
	free(hand);
}

/* Half of the jobs waited 0 s, the others 15 s: the curve steps at both, and ends at the top. */
Test(export, svg_steps_of_a_distribution)
{
	struct hand *hand = hand_new(4);
	hand_add(hand, (struct hand_job){ 0, 0, 20, 2, 50, 1, 0, SL_COMPLETED });
	hand_add(hand, (struct hand_job){ 5, 20, 50, 3, 50, 1, 0, SL_COMPLETED });
	const struct sl_document_run reported = { .label = "easy", .result = &hand->result };
	const struct sl_compared compared = { .title = "t" };
	struct bytes bytes = made("svg", "wait-cdf", &reported, 1, &compared);
	/* The panel: 864 wide from 78 on, 294 high from 82 on; log10 15 = 1.176 is the most. */
	expect_in("zero at its own place, half way up", &bytes, "d=\"M113 376H113V229H942V82H942\"");
	free(bytes.data);
	free(hand);
}

/* Bars beyond what a picture can hold become cells, and the caption says so. */
Test(export, svg_is_bounded)
{
	struct hand *hand = hand_new(2000);
	for (int i = 0; i < RESULT_JOBS; i++)
		hand_add(hand,
			(struct hand_job){ i, i + i % 7, i + 400, 1 + i % 5, 500, i % 50, 0, SL_COMPLETED });
	const struct sl_document_run reported[] = { { .label = "a", .result = &hand->result },
		{ .label = "b", .result = &hand->result } };
	const struct sl_compared compared = { .title = "t" };
	static const char *const chart[] = { "gantt", "heat" };
	for (size_t i = 0; i < SL_LEN(chart); i++) {
		struct bytes bytes = made("svg", chart[i], reported, 2, &compared);
		size_t shapes = 0;
		for (const char *p = (const char *)bytes.data; (p = strstr(p, "<rect")); p++)
			shapes++;
		cr_expect_leq(shapes, 20100, "%s: %zu shapes", chart[i], shapes);
		expect_in(chart[i], &bytes,
			i ? "means over 64 x 128 cells" : "too many; shown is how much was in use");
		free(bytes.data);
	}
	free(hand);
}

/* Of four jobs two wait 0 s, one 10 s, one 1000 s: shares 100 %, 50 %, 25 % of those that waited so long or
 * longer, on two logarithms. */
Test(export, svg_steps_of_a_survival_curve)
{
	struct hand *hand = hand_new(4);
	hand_add(hand, (struct hand_job){ 0, 0, 20, 2, 50, 1, 0, SL_COMPLETED });
	hand_add(hand, (struct hand_job){ 0, 0, 20, 2, 50, 1, 0, SL_COMPLETED });
	hand_add(hand, (struct hand_job){ 0, 10, 50, 3, 50, 1, 0, SL_COMPLETED });
	hand_add(hand, (struct hand_job){ 0, 1000, 1050, 3, 50, 1, 0, SL_COMPLETED });
	const struct sl_document_run reported = { .label = "easy", .result = &hand->result };
	const struct sl_compared compared = { .title = "t" };
	struct bytes bytes = made("svg", "wait-survival", &reported, 1, &compared);
	/* The panel: 864 wide from 78 on, 294 high from 82 on, a decade of shares; zero at 113, three decades
	 * of seconds from 148 on: 10 s at 412.67. 50 % is 0.301 of a decade down. */
	expect_in("in steps", &bytes, "d=\"M78 82H113V82H412.67V170.5H942V259.01\"");
	free(bytes.data);
	free(hand);
}

/* A title that is empty is none: no heading, whole names, the page's colours; a legend that is too wide goes
 * on below. */
Test(export, svg_of_a_paper_has_no_heading)
{
	static const char longer[] = "conservative:fill=shortest,order=wfp3,by=account";
	struct hand *hand = pool();
	const struct sl_document_run reported[] = { { .label = "easy", .result = &hand->result },
		{ .label = longer, .result = &hand->result } };
	struct bytes named = made("svg", "utilization", reported, 2, &(struct sl_compared){ .title = "t" });
	struct bytes bare = made("svg", "wait-cdf", reported, 2, &(struct sl_compared){ .title = "" });
	struct bytes apart = made("svg", "utilization", reported, 2, &(struct sl_compared){ .title = "" });
	expect_in("with a heading", &named, "font-weight=\"bold\">Utilization: t</text>");
	expect_not_in("without", &bare, "font-weight=\"bold\">");
	expect_in("a panel a run", &apart, "by=account: Share of cpus busy</text>");
	expect_in("on the same scale", &apart, ">easy: Share of cpus busy</text>");
	expect_in("whole", &bare, "by=account</text>");
	expect_not_in("cut", &named, "by=account</text>");
	expect_in("the page's colour", &bare, "#0067a5");
	free(named.data);
	free(apart.data);
	free(bare.data);
	free(hand);
}

/* The file's table says where each object is, and names are text: what ends a string of PDF is escaped. */
Test(export, pdf_is_the_same_picture)
{
	struct hand *hand = pool();
	const struct sl_document_run reported = { .label = "a(b)\\c \xC3\xA4", .result = &hand->result };
	const struct sl_compared compared = { .title = "t" };
	struct bytes bytes = made("pdf", "utilization", &reported, 1, &compared);
	const char *text = (const char *)bytes.data;
	cr_expect(strncmp(text, "%PDF-1.4\n", 9) == 0);
	const char *start = strstr(text, "startxref\n");
	cr_assert_not_null(start);
	const size_t table = (size_t)strtoul(start + 10, NULL, 10);
	cr_assert(table < bytes.length && strncmp(text + table, "xref\n0 7\n", 9) == 0);
	const char *row = text + table + 9 + 20; /* Behind the free one. */
	for (unsigned i = 1; i <= 6; i++, row += 20) {
		char want[16];
		(void)snprintf(want, sizeof(want), "%u 0 obj\n", i);
		cr_expect(strncmp(text + strtoul(row, NULL, 10), want, strlen(want)) == 0, "object %u", i);
	}
	const char *stream = strstr(text, "stream\n");
	const char *length = strstr(text, "/Length ");
	cr_assert(stream && length);
	cr_expect(strncmp(stream + 7 + strtoul(length + 8, NULL, 10), "endstream", 9) == 0, "its length");
	expect_in("720 points wide", &bytes, "/MediaBox [0 0 720 ");
	expect_in("the label", &bytes, "(a\\(b\\)\\\\c \xE4) Tj");
	expect_in("a line of the run's colour", &bytes, "0 0.446 0.697 RG");
	expect_not_in("no tag", &bytes, "<line");
	free(bytes.data);
	free(hand);
}

static int64_t asked(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *row;
	cr_assert_eq(
		sqlite3_prepare_v2(db, sql, -1, &row, NULL), SQLITE_OK, "%s: %s", sql, sqlite3_errmsg(db));
	cr_assert_eq(sqlite3_step(row), SQLITE_ROW, "%s", sql);
	const int64_t value = sqlite3_column_int64(row, 0);
	(void)sqlite3_finalize(row);
	return value;
}

/* Two runs in one database: the columns of jobs.csv, a name with a comma and a quote as it is, NULL where
 * nothing happened, numbers as numbers. */
Test(export, sqlite_has_all_runs)
{
	static const char name[] = "a, \"b\"\n17";
	struct hand *hand = hand_new(4);
	const char *const users[] = { "0017", name };
	hand_add(hand, (struct hand_job){ 0, 0, 20, 2, 50, 0, 0, SL_COMPLETED });
	hand_add(hand, (struct hand_job){ 5, 20, 50, 3, 50, 1, 0, SL_COMPLETED });
	hand_add(hand, (struct hand_job){ 6, -1, -1, 3, 50, 1, 0, SL_PENDING });
	static const char *const ids[] = { "1.10", "1.1", NULL };
	hand->jobs.id_name = ids;
	hand->jobs.user_name = users;
	hand->jobs.user_count = 2;
	const struct sl_named metric[] = { { "wait.mean", 7500000 }, { "wait.mean{user=3}", 1000000 } };
	const struct sl_fact fact[] = { { "policy", "easy" } };
	const struct sl_document_run reported[] = { { .label = "easy",
							    .result = &hand->result,
							    .metric = metric,
							    .metric_count = 2,
							    .fact = fact,
							    .fact_count = 1 },
		{ .label = "b", .result = &hand->result, .metric = metric, .metric_count = 1 } };
	const struct sl_difference difference = { "wait.mean", 1, -2500000, 1, 0, 20, "none" };
	const struct sl_compared compared = { .difference = &difference, .difference_count = 1 };
	struct bytes bytes = made("sqlite", NULL, reported, 2, &compared);
	sqlite3 *db;
	cr_assert_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
	cr_assert_eq(sqlite3_deserialize(db, "main", bytes.data, (sqlite3_int64)bytes.length,
			     (sqlite3_int64)bytes.length, SQLITE_DESERIALIZE_READONLY),
		SQLITE_OK);
	static const struct {
		const char *sql;
		int64_t is;
	} cases[] = {
		{ "SELECT count(*) FROM runs", 2 },
		{ "SELECT count(*) FROM jobs WHERE run = 2", 3 },
		{ "SELECT sum(wait) FROM jobs WHERE run = 1", 15 },
		{ "SELECT count(*) FROM jobs WHERE start IS NULL", 2 },
		{ "SELECT count(*) FROM jobs WHERE user = '0017' AND typeof(cpus) = 'integer'", 2 },
		{ "SELECT count(*) FROM jobs WHERE user = 'a, \"b\"' || char(10) || '17'", 4 },
		{ "SELECT value * 10 FROM metrics WHERE run = 1 AND name = 'wait.mean'", 75 },
		{ "SELECT count(*) FROM metrics", 3 },
		{ "SELECT count(*) FROM attempts WHERE job_id = 1", 0 },
		{ "SELECT count(*) FROM facts WHERE run = 1 AND key = 'policy' AND value = 'easy'", 1 },
		{ "SELECT run * 1000 - estimate * 10 FROM differences WHERE low IS NULL", 2025 },
		{ "SELECT count(DISTINCT job_id) FROM jobs WHERE typeof(job_id) = 'text'", 2 },
		{ "SELECT count(*) FROM jobs WHERE typeof(job_id) = 'integer'", 2 },
		{ "SELECT count(*) FROM sqlite_master WHERE type = 'index' AND name = 'jobs_by_user'", 1 },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++)
		cr_expect_eq(asked(db, cases[i].sql), cases[i].is, "%s: %lld", cases[i].sql,
			(long long)asked(db, cases[i].sql));
	(void)sqlite3_close(db);
	free(bytes.data);
	free(hand);
}

Test(export, svg_refuses_what_it_cannot_draw)
{
	static const struct {
		struct sl_document_options options;
		const char *says;
	} bad[] = { { { .chart = "gant" }, "there is no chart 'gant'; did you mean 'gantt'?" },
		{ { .width = 100 }, "a chart of 100 x 0: width and height are from 200 to 20000" },
		{ { .height = 30000 }, "a chart of 0 x 30000: width and height are from 200 to 20000" } };
	for (size_t i = 0; i < SL_LEN(bad); i++) {
		struct sl_err err = { 0 };
		void *self;
		cr_expect_eq(document("svg")->open(&self, &bad[i].options, &err), SL_USAGE);
		cr_expect(strstr(err.text, bad[i].says), "%s", err.text);
		document("svg")->close(self);
	}
}

/* ---- Tables -----------------------------------------------------------------------------------------------
 */

static const struct sl_fact fact[] = { { "trace", "a_b|c.swf" }, { "seed", "1" } };
static const struct sl_fact fact_more[] = { { "trace", "a_b|c.swf" }, { "policy.fill", "yes" } };

static struct bytes table(const char *name)
{
	struct hand *hand = pool();
	static const struct sl_named one[] = { { "wait.mean", 12345678901 }, { "utilization", 670000 } };
	static const struct sl_named two[] = { { "wait.mean", 11111111101 }, { "utilization", 680000 } };
	static const char *const warning[] = { "3 jobs had no limit" };
	const struct sl_document_run reported[] = {
		{ .label = "easy",
			.result = &hand->result,
			.metric = one,
			.metric_count = 2,
			.fact = fact,
			.fact_count = 2,
			.warning = warning,
			.warning_count = 1 },
		{ .label = hostile,
			.result = &hand->result,
			.metric = two,
			.metric_count = 2,
			.fact = fact_more,
			.fact_count = 2,
			.partial = true },
	};
	static const struct sl_difference difference[] = {
		{ "wait.mean", 1, -1234567800, -2000000000, -500000000, 20,
			"paired t over 20 batches_of jobs" },
		{ "utilization", 1, 10000, -2000, 22000, 20, "paired t over 20 batches_of jobs" },
	};
	static const struct sl_certainty certainty[] = {
		{ .known = true,
			.ratio_low = -150000,
			.ratio_high = -50000,
			.covers = 50,
			.ratio_covers = 80,
			.sure = -1 },
		{ .ratio_low = 1 },
	};
	static const struct sl_restated restated[] = { { "utilization", 1, 690000 } };
	const struct sl_compared compared = { .title = "t & u",
		.metric_info = metric_info,
		.metric_info_count = SL_LEN(metric_info),
		.difference = difference,
		.difference_count = SL_LEN(difference),
		.certainty = certainty,
		.restated = restated,
		.restated_count = SL_LEN(restated) };
	const struct bytes bytes = made(name, NULL, reported, 2, &compared);
	free(hand);
	return bytes;
}

/* Four digits or more; signs; better only where the difference is significant, and as it is compared; facts
 * of either run.
 */
Test(export, markdown)
{
	struct bytes bytes = table("markdown");
	expect_in("title", &bytes, "<!-- Written by schedlab. -->\n# t &amp; u\n");
	expect_in("values", &bytes, "| easy | 12346 | 67 |\n");
	expect_in("hostile", &bytes,
		"| a&lt;/script&gt;&lt;b onload=\"x\"&gt;'&amp;\\\\\\_%\\$\\#\\{\\}\\|\xEF\xBF\xBD"
		"\xC3\xA4 (partial) | 11111 | 69 |\n");
	expect_in("difference", &bytes,
		"mean wait (s) | -1235 | [-2000, -500], 50 % | -10 % | [-15, -5] %, 80 % | **better** |\n");
	expect_in("points", &bytes, "utilization (points) | +1 | [-0.2, +2.2] | +1.493 % | none |  |\n");
	expect_in("method", &bytes, "\n- paired t over 20 batches\\_of jobs\n\n## What");
	expect_in("differing facts", &bytes,
		"| seed | 1 |  |\n| policy.fill |  | yes |\n\n| | of all |\n|:--|:--|\n");
	expect_in("facts of all", &bytes, "| trace | a\\_b\\|c.swf |\n\n- easy: 3 jobs had no limit\n");
	free(bytes.data);
}

Test(export, latex)
{
	struct bytes bytes = table("latex");
	expect_in("title", &bytes, "\\caption{t \\& u}");
	expect_in("hostile", &bytes,
		"a\\textless{}/script\\textgreater{}\\textless{}b onload=\\textquotedbl{}x"
		"\\textquotedbl{}\\textgreater{}\\textquotesingle{}\\&\\textbackslash{}\\_\\%\\$\\#\\{\\}"
		"\\textbar{}\xEF\xBF\xBD\xC3\xA4 (partial)");
	expect_in("values", &bytes, "mean wait (s) & $12346$ & $11111$ \\\\\n");
	expect_in("difference", &bytes,
		"mean wait (s) & $-1235$ & $[-2000, -500]$, 50\\,\\% & $-10$\\,\\% & $[-15, -5]$\\,\\%, 80\\,\\% & better \\\\\n");
	expect_in("points", &bytes,
		"utilization (points) & $+1$ & $[-0.2, +2.2]$ & $+1.493$\\,\\% &  &  \\\\\n");
	expect_in("method", &bytes, "Intervals: paired t over 20 batches\\_of jobs. Better");
	free(bytes.data);
}
