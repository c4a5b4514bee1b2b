/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slurm_alloc.c - see slurm_alloc.h. */
#include "tests/conformance/slurm_alloc.h"

#include <stdio.h>
#include <string.h>

/* ---- Recorded allocations -------------------------------------------------------------------- */

struct noting {
	struct slurm_machine *m;
	uint32_t count;
	const char *cpus, *mem, *gres; /* Of the piece, as recorded. */
	size_t cpus_len, mem_len, gres_len;
	bool bad;
};

/* "0-3,7": each number. */
static bool each_number(const char *text, size_t len, uint64_t *bits, int64_t divide)
{
	for (size_t at = 0; at < len;) {
		int64_t from, until;
		size_t digits = strspn(text + at, "0123456789");
		if (!sl_get_i64(text + at, digits, &from))
			return false;
		until = from;
		at += digits;
		if (at < len && text[at] == '-') {
			digits = strspn(text + at + 1, "0123456789");
			if (!sl_get_i64(text + at + 1, digits, &until))
				return false;
			at += 1 + digits;
		}
		for (int64_t i = from; i <= until; i++)
			bits[i / divide / 64] |= UINT64_C(1) << (i / divide % 64);
		at += at < len;
	}
	return true;
}

/* The bracket that closes this one; NULL: none does. */
static const char *closing(const char *open, const char *end)
{
	int depth = 0;
	for (const char *at = open; at < end; at++) {
		depth += (*at == '(') - (*at == ')');
		if (!depth)
			return at;
	}
	return NULL;
}

/* "gpu:tesla:2(IDX:0-1),mps:50(IDX:0(50/100)),tape:1(IDX:N/A)" */
static bool read_gres(struct slurm_machine *m, const char *text, size_t len, struct select_gres *gres)
{
	for (const char *at = text, *end = text + len; at < end;) {
		const size_t name = strcspn(at, ":");
		const char *open = memchr(at, '(', (size_t)(end - at));
		const char *close = open ? closing(open, end) : NULL;
		const size_t len_one =
			strcspn(at, ",") < (size_t)(end - at) ? strcspn(at, ",") : (size_t)(end - at);
		if (open && open > at + len_one)
			open = close = NULL; /* "tape:1" */
		const char *stop = open ? open : at + len_one;
		uint32_t row = 0;
		while (row < select_gres_count(m->select) &&
			(strncmp(select_gres_name(m->select, row), at, name) != 0 ||
				select_gres_name(m->select, row)[name]))
			row++;
		if (open && !close)
			return false;
		const char *colon = stop;
		while (colon > at && colon[-1] != ':')
			colon--;
		int64_t count;
		if (!sl_get_i64(colon, (size_t)(stop - colon), &count))
			return false;
		const size_t indices =
			open && strncmp(open, "(IDX:", 5) == 0 ? strspn(open + 5, "0123456789-,") : 0;
		at = close ? close + 1 : stop;
		at += at < end;
		if (row == select_gres_count(m->select))
			continue; /* Of no account for a placement. */
		gres[row].count += count;
		if (indices && !each_number(open + 5, indices, &gres[row].devices, 1))
			return false;
	}
	return true;
}

static int note_node(void *self, const char *name, size_t len)
{
	struct noting *to = self;
	struct slurm_machine *m = to->m;
	struct select_node_alloc *node_alloc = &m->node_alloc[to->count];
	*node_alloc = (struct select_node_alloc){ .node = UINT32_MAX };
	for (uint32_t n = 0; n < m->cluster->node_count; n++)
		if (strlen(m->cluster->node_name[n]) == len &&
			memcmp(m->cluster->node_name[n], name, len) == 0)
			node_alloc->node = n;
	uint64_t *cores = sl_alloc(m->arena, SL_CORES_MAX / 64, sizeof(*cores));
	struct select_gres *gres = sl_alloc(m->arena, select_gres_count(m->select) + 1, sizeof(*gres));
	if (node_alloc->node == UINT32_MAX || !sl_get_i64(to->mem, to->mem_len, &node_alloc->mem) ||
		!each_number(to->cpus, to->cpus_len, cores,
			select_threads_per_core(m->select, node_alloc->node)) ||
		!read_gres(m, to->gres, to->gres_len, gres))
		to->bad = true;
	node_alloc->cores = cores;
	if (to->gres_len)
		node_alloc->gres = gres;
	to->count++;
	return 0;
}

/* "n[2-3] cpu=3 mem=100 gpu:1(IDX:0);n4 cpu=2-3 mem=100" into m->piece, by node. How many; 0: it is none. */
uint32_t slurm_alloc_read(struct slurm_machine *m, const char *text)
{
	struct noting to = { .m = m };
	struct sl_err err = { 0 };
	for (const char *at = text; *at;) {
		const size_t len = strcspn(at, ";");
		const char *end = at + len, *cpu = strstr(at, " cpu="), *mem = strstr(at, " mem=");
		if (!cpu || cpu > end)
			return 0;
		to.cpus = cpu + 5;
		to.cpus_len = strcspn(to.cpus, " ;");
		to.mem = mem && mem < end ? mem + 5 : "0";
		to.mem_len = strspn(to.mem, "0123456789");
		const char *behind = mem && mem < end ? mem + 5 : to.cpus;
		behind += strcspn(behind, " ;");
		to.gres = behind + (*behind == ' ');
		to.gres_len = to.gres < end ? (size_t)(end - to.gres) : 0;
		if (sl_hosts_each(at, (size_t)(cpu - at), NULL, &err, note_node, &to) != 0 || to.bad)
			return 0;
		at = end + (*end == ';');
	}
	for (uint32_t i = 1; i < to.count; i++)
		for (uint32_t j = i; j > 0 && m->node_alloc[j - 1].node > m->node_alloc[j].node; j--) {
			const struct select_node_alloc swap = m->node_alloc[j];
			m->node_alloc[j] = m->node_alloc[j - 1];
			m->node_alloc[j - 1] = swap;
		}
	return to.count;
}

/* ---- Texts ------------------------------------------------------------------------------------- */

static size_t put_bits(char *text, size_t capacity, const uint64_t *bits, uint32_t count, int64_t times)
{
	size_t at = 0;
	bool first = true;
	for (uint32_t i = 0; i < count; i++) {
		if (!(bits[i / 64] >> (i % 64) & 1))
			continue;
		uint32_t last = i;
		while (last + 1 < count && (bits[(last + 1) / 64] >> ((last + 1) % 64) & 1))
			last++;
		const int64_t from = i * times, until = (last + 1) * times - 1;
		at += (size_t)snprintf(text + at, capacity - at, from == until ? "%s%lld" : "%s%lld-%lld",
			first ? "" : ",", (long long)from, (long long)until);
		first = false;
		i = last;
	}
	return at;
}

void slurm_alloc_put(const struct slurm_machine *m, const struct select_node_alloc *node_alloc,
	uint32_t count, char *text, size_t capacity)
{
	size_t at = 0;
	text[0] = '\0';
	for (uint32_t i = 0; i < count && at + 200 < capacity; i++) {
		const struct select_node_alloc *p = &node_alloc[i];
		const struct sl_node_type *type = &m->cluster->type[m->cluster->node_type[p->node]];
		at += (size_t)snprintf(
			text + at, capacity - at, "%s%s cpu=", i ? ";" : "", m->cluster->node_name[p->node]);
		const int64_t threads = select_threads_per_core(m->select, p->node);
		at += put_bits(
			text + at, capacity - at, p->cores, (uint32_t)(type->amount[0] / threads), threads);
		at += (size_t)snprintf(text + at, capacity - at, " mem=%lld", (long long)p->mem);
		for (uint32_t g = 0; p->gres && g < select_gres_count(m->select); g++) {
			if (!p->gres[g].count)
				continue;
			at += (size_t)snprintf(text + at, capacity - at,
				" %s:%lld(IDX:", select_gres_name(m->select, g), (long long)p->gres[g].count);
			at += put_bits(text + at, capacity - at, &p->gres[g].devices, 64, 1);
			at += (size_t)snprintf(text + at, capacity - at, ")");
		}
	}
}

bool slurm_alloc_same(const struct slurm_machine *m, const struct select_node_alloc *a, uint32_t a_count,
	const struct select_node_alloc *b, uint32_t b_count)
{
	if (a_count != b_count)
		return false;
	for (uint32_t i = 0; i < a_count; i++) {
		const int64_t cpus = m->cluster->type[m->cluster->node_type[a[i].node]].amount[0];
		if (a[i].node != b[i].node || a[i].mem != b[i].mem ||
			memcmp(a[i].cores, b[i].cores,
				(size_t)(cpus / select_threads_per_core(m->select, a[i].node) + 63) / 64 * 8))
			return false;
		for (uint32_t g = 0; g < select_gres_count(m->select); g++) {
			const struct select_gres none = { 0 }, *left = a[i].gres ? &a[i].gres[g] : &none;
			const struct select_gres *right = b[i].gres ? &b[i].gres[g] : &none;
			if (left->count != right->count || left->devices != right->devices)
				return false;
		}
	}
	return true;
}
