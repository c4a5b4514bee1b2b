/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select_gres.c - devices and other gres: which of a node are usable, which cores the job then gets, and
 * which devices.
 *
 * Rules (public source of 22.05, gres_sock_list, gres_select_filter and
 * gres_sched, in outline; gres.html, sbatch(1)):
 * - Devices local to every socket belong to none in particular. Others are counted
 *   by socket; under enforce-binding, only on sockets with a free core.
 * - A node with too few for a request by node, or by task, is out. The more of them are local to usable
 *   cores, the earlier the node is chosen.
 * - First only cores of the devices' sockets are used; a second
 *   try, if that fails, may use devices far from the cores.
 * - Of devices requested by node: one on each socket used, then the rest of
 *   those sockets, then any; lowest first. By socket, by task and by job
 *   likewise. Of a job's, every node gets at least one.
 * - Shares (mps, shard) are all of one device, which no job may then be allocated whole.
 */
#include "policies/slurm/select/select_parts.h"

/* ---- What a node has --------------------------------------------------------- */

static int64_t group_free(const struct sel_test *t, uint32_t node, const struct sel_gres_request *r,
	const struct sel_group *group)
{
	if (t->ever || (group->no_consume && !t->s->kept_gres_count))
		return group->count;
	const uint64_t used = group->no_consume ? 0 : t->s->node[node].devices_used[group->name];
	return bits_of(group->devices & ~used & ~sel_kept_devices(t, node, r));
}

static bool socket_has_core(const struct sel_shape *shape, const uint64_t *cores, uint32_t socket)
{
	return bit_count_range(cores, socket * shape->cores, (socket + 1) * shape->cores) > 0;
}

/* Devices, one by one. */
static bool add_devices(const struct sel_test *t, uint32_t node, const struct sel_gres_request *r,
	const uint64_t *cores, struct sel_sock *sock)
{
	const struct sel_shape *shape = shape_of(t->s, node);
	bool match = false;
	sock->topology = sock->sockets_known = true;
	for (uint32_t i = 0; i < shape->group_count; i++) {
		const struct sel_group *group = &shape->group[i];
		if (group->name != r->name || (r->type != UINT32_MAX && r->type != group->type))
			continue;
		const int64_t free = group_free(t, node, r, group);
		if (!free)
			continue;
		if (group->adjacent_all) {
			sock->any += free;
			sock->total += free;
			sock->any_bits |= group->devices;
			match = true;
			continue;
		}
		for (uint32_t s = 0; s < shape->sockets; s++) {
			if (!(group->sockets >> s & 1) ||
				(t->q->enforce_binding && !socket_has_core(shape, cores, s)))
				continue;
			sock->by_socket_bits[s] |= group->devices;
			sock->by_socket[s] += free;
			match = true;
		}
		if (match)
			sock->total += free;
	}
	return match;
}

/* Shares of devices: those of the device that has most left are what one job can have. */
static bool add_shares(
	const struct sel_test *t, uint32_t node, const struct sel_gres_request *r, struct sel_sock *sock)
{
	const struct select *s = t->s;
	const struct sel_shape *shape = shape_of(s, node);
	const uint32_t devices = s->gpu == UINT32_MAX ? 0 : shape->device_count[s->gpu];
	const int64_t each = devices ? shape->gres_count[r->name] / devices : 0;
	for (uint32_t d = 0; d < devices; d++) {
		if (!t->ever && (s->node[node].devices_used[s->gpu] >> d & 1))
			continue;
		const int64_t free = each - (t->ever ? 0 : s->share_used[(size_t)node * SEL_DEVICES + d]);
		if (free > sock->total)
			sock->total = free;
	}
	sock->any = sock->total;
	sock->node_max = sock->total;
	return sock->total > 0;
}

/* Units that are counted and no more. */
static bool add_units(
	const struct sel_test *t, uint32_t node, const struct sel_gres_request *r, struct sel_sock *sock)
{
	const struct sel_shape *shape = shape_of(t->s, node);
	bool consumed = true;
	int64_t count = 0;
	for (uint32_t i = 0; i < shape->group_count; i++)
		if (shape->group[i].name == r->name &&
			(r->type == UINT32_MAX || r->type == shape->group[i].type)) {
			count += shape->group[i].count;
			consumed = consumed && !shape->group[i].no_consume;
		}
	if (!t->ever && consumed)
		count = min64(count, shape->gres_count[r->name] - t->s->node[node].gres_used[r->name]);
	count = sel_kept_units(t, node, r, count);
	sock->total = sock->any = count;
	return count >= max64(max64(r->per_node, r->per_socket), max64(r->per_task, 1));
}

/* Sockets with too few are unusable, what is beyond of no use. */
static void bound_by_socket(const struct sel_test *t, const struct sel_shape *shape,
	const struct sel_gres_request *r, uint64_t *cores, struct sel_sock *sock)
{
	for (uint32_t s = 0; s < shape->sockets; s++) {
		const int64_t have = sock->by_socket[s];
		if (have < r->per_socket) {
			sock->total -= have;
			sock->by_socket[s] = 0;
			if (t->q->enforce_binding)
				bit_clear_range(cores, s * shape->cores, (s + 1) * shape->cores);
		} else {
			sock->total -= have - r->per_socket;
			sock->by_socket[s] = r->per_socket;
		}
	}
}

/* A job of few cpus, bound to its devices, goes to the sockets with the most of them. */
static void keep_best_sockets(
	const struct sel_shape *shape, int64_t most, uint64_t *cores, struct sel_sock *sock)
{
	for (;;) {
		uint32_t least = UINT32_MAX;
		int64_t count = 0;
		for (uint32_t s = 0; s < shape->sockets; s++) {
			if (!sock->by_socket[s] || !socket_has_core(shape, cores, s))
				continue;
			count++;
			if (least == UINT32_MAX || sock->by_socket[s] < sock->by_socket[least])
				least = s;
		}
		if (count <= most)
			return;
		bit_clear_range(cores, least * shape->cores, (least + 1) * shape->cores);
		sock->total -= sock->by_socket[least];
		sock->by_socket[least] = 0;
	}
}

/* The sockets without which there are not enough devices: those with most, first. */
static void require_sockets(const struct sel_shape *shape, int64_t missing, const uint64_t *cores,
	const struct sel_sock *sock, uint64_t *required)
{
	uint64_t open = 0;
	for (uint32_t s = 0; s < shape->sockets; s++)
		if (sock->by_socket[s] && socket_has_core(shape, cores, s))
			open |= UINT64_C(1) << s;
	while (missing > 0) {
		uint32_t best = UINT32_MAX;
		for (uint32_t s = 0; s < shape->sockets; s++)
			if ((open >> s & 1) &&
				(best == UINT32_MAX || sock->by_socket[s] > sock->by_socket[best]))
				best = s;
		if (best == UINT32_MAX)
			return;
		*required |= UINT64_C(1) << best;
		open &= ~(UINT64_C(1) << best);
		missing -= sock->by_socket[best];
	}
}

/* Like cpus: --ntasks-per-socket and single cpus say how many sockets of a node are used. */
static int64_t sockets_of(const struct sel_request *q)
{
	const int64_t nodes = max64(q->nodes_min, 1);
	const int64_t cpus = max64(q->cpus_min, q->tasks * q->cpus_per_task);
	if (cpus / nodes <= 1)
		return 1;
	return q->tasks_per_socket ? div_up(q->tasks / nodes, q->tasks_per_socket) : SEL_INFINITE;
}

static bool build_one(struct sel_test *t, uint32_t node, const struct sel_gres_request *r, uint64_t *cores,
	struct sel_sock *sock, uint64_t *required)
{
	const struct sel_shape *shape = shape_of(t->s, node);
	memset(sock, 0, sizeof(*sock));
	if (!shape->gres_count[r->name])
		return false;
	if (shape->shared[r->name])
		return add_shares(t, node, r, sock) &&
		       sock->total >= max64(r->per_node, max64(r->per_task, 1));
	if (!shape->device_count[r->name])
		return add_units(t, node, r, sock);
	if (!add_devices(t, node, r, cores, sock))
		return false;
	if (r->per_socket)
		bound_by_socket(t, shape, r, cores, sock);
	else if (r->per_job && t->q->enforce_binding)
		keep_best_sockets(shape, sockets_of(t->q), cores, sock);
	const int64_t least = max64(r->per_node, r->per_task);
	if (sock->total < least)
		return false;
	require_sockets(shape, least - sock->any, cores, sock, required);
	return true;
}

bool sel_sock_build(struct sel_test *t, uint32_t node, uint64_t *cores, uint64_t *required)
{
	const struct sel_shape *shape = shape_of(t->s, node);
	for (uint32_t g = 0; g < t->q->gres_count; g++)
		if (bit_count_range(cores, 0, shape->core_count) == 0 ||
			!build_one(t, node, &t->q->gres[g], cores, sock_of(t->s, t->q, node, g), required))
			return false;
	return true;
}

/* ---- With these cores, this memory ------------------------------------------- */

static int64_t cpus_per(const struct sel_request *q, const struct sel_gres_request *r)
{
	if (r->cpus_per)
		return r->cpus_per;
	return r->tasks_per ? r->tasks_per * q->cpus_per_task : r->cpus_default;
}

static void select_gres_bound(int64_t *most, int64_t value)
{
	if (value && (*most == 0 || *most > value))
		*most = value;
}

static bool usable_one(
	const struct sel_test *t, uint32_t node, uint32_t gres, int64_t mem, int64_t cpus, int64_t *adjacent)
{
	const struct sel_request *q = t->q;
	const struct sel_gres_request *r = &q->gres[gres];
	struct sel_sock *sock = sock_of(t->s, q, node, gres);
	const struct sel_shape *shape = shape_of(t->s, node);
	const uint64_t *cores = t->s->map + t->s->node[node].core_at;
	const bool whole = q->whole == SL_EXCLUSIVE_NODE;
	const int64_t sockets = sockets_of(q);
	int64_t least = whole ? sock->total : max64(r->per_node, 1);
	if (r->per_socket)
		least = max64(least, r->per_socket * (sockets < SEL_INFINITE ? sockets : 1));
	if (r->per_task)
		least = max64(least, r->per_task * max64(q->tasks_per_node, q->tasks_per_node ? 1 : 0));
	const int64_t per = cpus_per(q, r);
	if (per) {
		const int64_t most = cpus / per;
		if (!most || r->per_node > most || r->per_task > most || r->per_socket > most)
			return false;
	}
	const int64_t mem_per = r->mem_per ? r->mem_per : r->mem_default;
	const bool by_mem = mem_per && mem < SL_MEM_UNBOUNDED;
	if (by_mem) {
		if (mem_per > mem)
			return false;
		sock->node_max = mem / mem_per;
	}
	int64_t close = sock->total;
	for (uint32_t s = 0; sock->sockets_known && s < shape->sockets; s++) {
		if (socket_has_core(shape, cores, s))
			continue;
		close -= sock->by_socket[s];
		if (q->enforce_binding) {
			sock->total -= sock->by_socket[s];
			sock->by_socket[s] = 0;
		}
	}
	if (!whole) {
		const int64_t before = sock->node_max;
		select_gres_bound(&sock->node_max, r->per_node);
		if (sock->node_max == before)
			select_gres_bound(&sock->node_max, r->per_job);
	}
	if (per && !(r->tasks_per && whole)) {
		const int64_t most = bit_count_range(cores, 0, shape->core_count) * shape->threads / per;
		if (!most)
			return false;
		select_gres_bound(&sock->node_max, most);
	}
	if (by_mem)
		sock->total = min64(sock->total, mem / mem_per);
	if (sock->total < least || (sock->node_max && sock->node_max < least))
		return false;
	if (r->name == t->s->gpu) {
		t->s->avail[node].gpus += sock->total;
		select_gres_bound(&close, sock->node_max);
		*adjacent = min64(*adjacent + max64(close, 0), 0xff);
	}
	return true;
}

bool sel_sock_usable(struct sel_test *t, uint32_t node, int64_t mem, int64_t cpus, int64_t *adjacent)
{
	for (uint32_t g = 0; g < t->q->gres_count; g++)
		if (!usable_one(t, node, g, mem, cpus, adjacent))
			return false;
	return true;
}

/* ---- On which cores ------------------------------------------------------------ */

struct filter {
	struct sel_test *t;
	const struct sel_shape *shape;
	uint64_t *cores;
	int64_t by_socket[SEL_SOCKETS]; /* Cores left. */
	int64_t *cpus;                  /* What they offer. */
	int64_t total;                  /* Cores, at first, less those removed. */
	int64_t left;                   /* Cores of the sockets tested. */
	uint64_t needed;                /* Sockets. */
	int64_t needed_count;
	int64_t step;  /* Tasks are multiples of it. */
	int64_t count; /* Of the gres. */
	int64_t most;
	int64_t per;
	int64_t threads; /* Of a core, that the job uses. */
	bool said;       /* cpus by the gres are the job's own wish, or a default. */
	bool since;      /* The rules of 23.11 and after. */
};

/* Removes a socket's highest core. */
static bool drop_core(struct filter *f, uint32_t socket, int64_t *total)
{
	const uint32_t from = socket * f->shape->cores;
	const uint32_t c = bits_last(f->cores, from, from + f->shape->cores);
	if (c == UINT32_MAX)
		return false;
	bit_clear(f->cores, c);
	f->by_socket[socket]--;
	(*total)--;
	*f->cpus = min64(*f->cpus, *total * f->threads);
	return true;
}

/* Sockets by free cores, most first, lowest number on a tie. */
static void order_sockets(const struct filter *f, uint32_t *order)
{
	for (uint32_t i = 0; i < f->shape->sockets; i++) {
		uint32_t at = i;
		for (; at > 0 && f->by_socket[order[at - 1]] < f->by_socket[i]; at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
}

static void look_at_sockets(
	struct filter *f, const struct sel_gres_request *r, struct sel_sock *sock, int64_t cores_min)
{
	struct sel_test *t = f->t;
	const bool adjacent = t->q->enforce_binding || t->first_pass;
	uint32_t order[SEL_SOCKETS];
	bool enough = false;
	order_sockets(f, order);
	f->count = sock->any;
	f->left = 0;
	for (uint32_t j = 0; j < f->shape->sockets; j++) {
		const uint32_t s = order[j];
		int64_t here = sock->by_socket[s];
		if (adjacent && f->per)
			here = min64(here, f->by_socket[s] * f->threads / f->per);
		const int64_t with_any = sock->any + here;
		if (r->per_socket > with_any || with_any == 0) {
			if (r->per_socket > with_any || t->q->enforce_binding) {
				sock->total -= sock->by_socket[s];
				sock->by_socket[s] = 0;
			}
			while (t->first_pass && f->total > cores_min && drop_core(f, s, &f->total))
				;
		}
		f->left += f->by_socket[s];
		if (adjacent && f->by_socket[s] == 0)
			continue;
		f->count += here;
		if ((!enough && here) || sock->any) {
			f->needed |= UINT64_C(1) << s;
			f->needed_count++;
		}
		if ((f->most && f->count >= f->most) || (r->per_node && f->count >= r->per_node))
			enough = true;
	}
}

/* Off sockets that are not needed, then evenly off those that are, until so many cores are left. */
static void drop_cores(struct filter *f, int64_t cores)
{
	const struct sel_test *t = f->t;
	if (!t->q->enforce_binding && !t->first_pass && f->needed_count != f->shape->sockets)
		for (uint32_t s = 0; s < f->shape->sockets; s++)
			while (!(f->needed >> s & 1) && f->left > cores && drop_core(f, s, &f->left))
				;
	while (f->needed_count && f->left > cores) {
		uint32_t full = UINT32_MAX;
		for (uint32_t s = 0; s < f->shape->sockets; s++)
			if ((f->needed >> s & 1) && f->by_socket[s] &&
				(full == UINT32_MAX || f->by_socket[full] < f->by_socket[s]))
				full = s;
		if (full == UINT32_MAX)
			return;
		(void)drop_core(f, full, &f->left);
	}
}

/* From 23.11 on no more of a gres counts than so many tasks can have; a request by the node goes before. */
static void count_by_tasks(struct filter *f, const struct sel_gres_request *r, int64_t tasks)
{
	if (!f->since || r->per_node)
		return;
	if (r->per_task)
		f->count = min64(f->count, tasks * r->per_task);
	else if (r->tasks_per)
		f->count = min64(f->count, tasks / r->tasks_per);
}

/* How many cores so many tasks want; fewer tasks if there are not so many. */
static int64_t cores_of_tasks(
	struct filter *f, const struct sel_gres_request *r, int64_t tasks_min, int64_t *tasks_max)
{
	const struct sel_request *q = f->t->q;
	const int64_t threads =
		q->threads_per_core ? min64(f->shape->threads, q->threads_per_core) : f->shape->threads;
	int64_t per_task = q->cpus_per_task;
	if (q->tasks_per_core == 1)
		per_task = div_up(per_task, threads) * threads;
	int64_t cores = div_up(*tasks_max * per_task, threads);
	while (*tasks_max >= tasks_min && cores > f->left) {
		cores = div_up(--*tasks_max * per_task, threads);
		count_by_tasks(f, r, *tasks_max);
	}
	if (f->per) {
		const int64_t units = r->per_node     ? r->per_node
				      : r->per_socket ? r->per_socket * f->needed_count
				      : r->per_task   ? r->per_task * *tasks_max
				      : f->count      ? f->count
						      : 1;
		const int64_t of_units = div_up(units * f->per, f->threads);
		cores = max64(cores, of_units);
		if (f->since)
			*tasks_max = min64(*tasks_max, of_units);
	}
	return q->enforce_binding ? max64(cores, f->needed_count) : cores;
}

/* On the first pass, of a job's tasks and devices (_estimate_cpus_per_gres of 23.02 and after): as many cpus
 * to each device, where they can be shared out evenly. 0: they cannot. */
static int64_t cpus_shared(const struct sel_request *q, const struct sel_gres_request *r)
{
	if (!q->tasks || !r->per_job)
		return 0;
	if (q->tasks >= r->per_job && q->tasks % r->per_job == 0)
		return q->tasks / r->per_job * q->cpus_per_task;
	if (r->per_job % q->tasks)
		return 0;
	const int64_t per_task = r->per_job / q->tasks;
	return q->cpus_per_task % per_task ? 0 : q->cpus_per_task / per_task;
}

/* How many cpus one of the gres comes with. */
static int64_t cpus_each(const struct sel_test *t, const struct sel_gres_request *r, bool *said)
{
	const struct sel_request *q = t->q;
	*said = *said || r->cpus_per || (!r->tasks_per && r->cpus_default);
	const int64_t per = cpus_per(q, r);
	if (!per && t->first_pass && t->s->version >= SEL_23_02)
		return cpus_shared(q, r);
	return per;
}

/* How many of a job's a node may have at most; 0: not bounded. From 23.11 on others keep one each. */
static int64_t most_of_node(const struct filter *f, const struct sel_gres_request *r, int64_t node_max)
{
	const struct sel_test *t = f->t;
	const int64_t had = t->gres_total[r - t->q->gres];
	int64_t left = r->per_job > had ? r->per_job - had : 0;
	if (f->since && left)
		left -= max64(t->nodes_left, 1) - 1;
	else if (f->since && r->per_job)
		left = r->per_node
			       ? r->per_node
			       : max64(max64(r->per_socket * max64(t->q->sockets_per_node, 1), r->per_task),
					 1);
	return node_max && left > 0 ? min64(node_max, left) : node_max;
}

/* No more tasks than the gres have cpus for, or is of them. */
static void tasks_of_gres(
	struct filter *f, const struct sel_gres_request *r, int64_t tasks_min, int64_t *tasks_max)
{
	const struct sel_request *q = f->t->q;
	if (f->since && f->per) {
		const int64_t cpus = f->per * f->count;
		*tasks_max = cpus < tasks_min * q->cpus_per_task || cpus < q->node_cpus_min
				     ? tasks_min
				     : min64(*tasks_max, cpus / q->cpus_per_task);
	}
	if (r->per_task)
		*tasks_max = min64(*tasks_max, f->count / r->per_task);
	if (r->tasks_per && f->since && !r->per_node)
		f->count = min64(f->count, *tasks_max / r->tasks_per);
	if (r->tasks_per)
		*tasks_max = min64(*tasks_max,
			(f->since ? min64(f->count, *tasks_max / r->tasks_per) : f->count) * r->tasks_per);
	if (f->since && r->per_task && !r->per_node)
		f->count = min64(f->count, *tasks_max * r->per_task);
}

/* False: nothing can run here. */
static bool filter_one(struct filter *f, const struct sel_gres_request *r, struct sel_sock *sock,
	int64_t *tasks_min, int64_t *tasks_max, int64_t *cores_min)
{
	struct sel_test *t = f->t;
	const struct sel_request *q = t->q;
	f->most = most_of_node(f, r, sock->node_max);
	if (f->most && (r->per_node > f->most || r->per_socket * max64(q->sockets_per_node, 1) > f->most))
		return false;
	if (r->per_node && r->per_task) {
		const int64_t tasks = r->per_node / r->per_task;
		if (!tasks || tasks > *tasks_max || tasks < *tasks_min)
			return false;
		*tasks_max = min64(*tasks_max, tasks);
	}
	look_at_sockets(f, r, sock, div_up(max64(*tasks_min, 1) * q->cpus_per_task, f->threads));
	if (f->per) {
		f->most = f->most ? min64(*f->cpus / f->per, f->most) : *f->cpus / f->per;
		f->count = min64(f->count, f->most);
	}
	if (f->since && f->most)
		f->count = min64(f->count, f->most);
	if (f->since && r->per_node)
		f->count = min64(f->count, r->per_node);
	if (!f->count || r->per_node > f->count || r->per_task > f->count)
		return false;
	tasks_of_gres(f, r, *tasks_min, tasks_max);
	*tasks_min = *tasks_min / f->step * f->step;
	*tasks_max = *tasks_max / f->step * f->step;
	if (!*tasks_max)
		return false;
	if (f->needed_count != f->shape->sockets && (q->enforce_binding || t->first_pass))
		for (uint32_t s = 0; s < f->shape->sockets; s++)
			while (!(f->needed >> s & 1) && drop_core(f, s, &f->left))
				;
	if (*tasks_max >= SEL_INFINITE) {
		if (f->per)
			sock->total = min64(*f->cpus / f->per, sock->total);
		return true;
	}
	const int64_t cores = cores_of_tasks(f, r, *tasks_min, tasks_max);
	if (cores > f->left ||
		(q->enforce_binding && cores * sel_cpus_per_core(t->s, q, f->shape) > *f->cpus))
		return false;
	if (!t->s->cr_socket)
		drop_cores(f, cores);
	if (f->per) {
		sock->total = min64(*f->cpus / f->per, sock->total);
		if (r->per_node > sock->total || r->per_task > sock->total)
			return false;
	}
	if (f->since)
		sock->total = min64(f->count, sock->total);
	if (q->enforce_binding || (f->since && f->said))
		*cores_min = min64(*cores_min, cores);
	return true;
}

void sel_sock_cores(struct sel_test *t, uint32_t node, int64_t *cpus, int64_t *tasks_min, int64_t *tasks_max,
	int64_t *cores_min)
{
	const struct sel_request *q = t->q;
	struct filter f = {
		.t = t, .shape = shape_of(t->s, node), .cores = map_of(t->s, node), .cpus = cpus
	};
	f.step = max64(*tasks_min, 1);
	f.since = t->s->version >= SEL_23_11;
	f.threads = f.since && q->threads_per_core ? min64(f.shape->threads, q->threads_per_core)
						   : f.shape->threads;
	*cores_min = SEL_INFINITE;
	for (uint32_t s = 0; s < f.shape->sockets; s++) {
		f.by_socket[s] = bit_count_range(f.cores, s * f.shape->cores, (s + 1) * f.shape->cores);
		f.total += f.by_socket[s];
	}
	for (uint32_t g = 0; g < q->gres_count && *tasks_max; g++) {
		struct sel_sock *sock = sock_of(t->s, q, node, g);
		if (t->first_pass && !sock->total_before)
			sock->total_before = sock->total;
		else
			sock->total = sock->total_before;
		f.per = cpus_each(t, &q->gres[g], &f.said);
		f.needed_count = 0;
		if (!filter_one(&f, &q->gres[g], sock, tasks_min, tasks_max, cores_min))
			*tasks_max = 0;
	}
	if (!*tasks_max || *cores_min >= SEL_INFINITE)
		*cores_min = 0;
	if (!f.said && (q->cpus_per_task > 1 || !t->s->one_task_per_core) && *tasks_max < SEL_INFINITE)
		*cpus = min64(
			*cpus, max64(*tasks_max * q->cpus_per_task, f.since ? *cores_min * f.threads : 0));
}

/* ---- Over nodes ------------------------------------------------------------------ */

bool sel_gres_per_job(const struct sel_request *q)
{
	for (uint32_t g = 0; g < q->gres_count; g++)
		if (q->gres[g].per_job)
			return true;
	return false;
}

bool sel_gres_enough(const struct sel_test *t)
{
	for (uint32_t g = 0; g < t->q->gres_count; g++)
		if (t->q->gres[g].per_job > t->gres_total[g])
			return false;
	return true;
}

/* What a node adds of a job's: from 24.05 on no more than is still missing, but one at least, or those of the
 * tasks that it gets. */
static int64_t of_node(const struct sel_test *t, const struct sel_gres_request *r, int64_t count)
{
	const int64_t missing = r->per_job - t->gres_total[r - t->q->gres];
	if (t->s->version < SEL_24_05)
		return count;
	const int64_t least = r->per_task || r->tasks_per ? count : max64(r->per_node, 1);
	return max64(missing > 0 ? min64(missing, count) : count, least);
}

void sel_gres_add(struct sel_test *t, uint32_t node, int64_t *cpus, int64_t cpus_min)
{
	int64_t by_gres = 0;
	if (!*cpus)
		return;
	for (uint32_t g = 0; g < t->q->gres_count; g++) {
		const struct sel_gres_request *r = &t->q->gres[g];
		if (!r->per_job)
			continue;
		struct sel_sock *sock = sock_of(t->s, t->q, node, g);
		int64_t count = sock->total;
		if (r->cpus_per) {
			count = min64(count, *cpus / r->cpus_per);
			by_gres = max64(by_gres, count * r->cpus_per);
		}
		count = of_node(t, r, count);
		if (t->s->version >= SEL_24_05)
			sock->total = count;
		t->gres_total[g] += count;
	}
	if (by_gres && (t->s->version < SEL_24_05 || (by_gres < *cpus && by_gres > cpus_min)))
		*cpus = by_gres;
}

void sel_gres_trim(struct sel_test *t, uint32_t node, int64_t *tasks)
{
	struct sel_avail *a = &t->s->avail[node];
	if (*tasks >= a->tasks_most) {
		*tasks = a->tasks_most;
		return;
	}
	for (uint32_t g = 0; g < t->q->gres_count; g++) {
		const struct sel_gres_request *r = &t->q->gres[g];
		struct sel_sock *sock = sock_of(t->s, t->q, node, g);
		if (r->per_node || (!r->per_task && !r->tasks_per))
			continue;
		const int64_t count = r->per_task ? *tasks * r->per_task : *tasks / r->tasks_per;
		if (!r->per_task)
			*tasks = count * r->tasks_per;
		sock->total = min64(sock->total, count);
	}
	a->tasks_most = *tasks;
}

int64_t sel_tasks_by_gres(const struct select *s, const struct sel_request *q, uint32_t node)
{
	int64_t most = SEL_INFINITE;
	for (uint32_t g = 0; g < q->gres_count; g++)
		if (q->gres[g].per_task)
			most = min64(most, sock_of(s, q, node, g)->total / q->gres[g].per_task);
	return most;
}

/* ---- Which devices ---------------------------------------------------------------- */

struct picking {
	const struct sel_test *t;
	const struct sel_sock *sock;
	const struct select_node_alloc *node_alloc;
	struct select_gres *to;
	uint64_t taken, sockets_used;
	uint32_t sockets;
};

/* So many more of these devices, lowest first. */
static int64_t pick(struct picking *p, uint64_t from, int64_t count)
{
	int64_t got = 0;
	for (uint64_t left = from & ~p->taken & ~p->to->devices; left && got < count; left &= left - 1) {
		p->to->devices |= left & -left;
		got++;
	}
	p->to->count += got;
	return got;
}

/* of those local to no socket in particular (-1), or to this one. */
static uint64_t bits_at(const struct picking *p, int64_t socket)
{
	return socket < 0 ? p->sock->any_bits : p->sock->by_socket_bits[socket];
}

static bool on_used(const struct picking *p, int64_t socket)
{
	return socket < 0 || (p->sockets_used >> socket & 1);
}

/* From 24.05 on: of each socket as its part of the job's cores is, then of any, then of those sockets, then
 * of others. How many. */
static int64_t pick_by_cores(struct picking *p, int64_t count, bool others)
{
	const struct sel_shape *shape = shape_of(p->t->s, p->node_alloc->node);
	const uint64_t *cores = p->node_alloc->cores;
	const float each = (float)count / (float)max64(bits_count(cores, shape->words), 1);
	int64_t got = 0;
	for (uint32_t s = 0; s < p->sockets && got < count; s++) {
		const int64_t here = bit_count_range(cores, s * shape->cores, (s + 1) * shape->cores);
		got += pick(p, bits_at(p, s), min64(count - got, (int64_t)((float)here * each)));
	}
	got += pick(p, p->sock->any_bits, count - got);
	for (int64_t s = 0; s < p->sockets && got < count; s++)
		if (on_used(p, s))
			got += pick(p, bits_at(p, s), count - got);
	for (int64_t s = 0; s < p->sockets && got < count && others && !p->t->q->enforce_binding; s++)
		if (!on_used(p, s))
			got += pick(p, bits_at(p, s), count - got);
	return got;
}

static void pick_for_node(struct picking *p, int64_t count)
{
	if (p->t->s->version >= SEL_24_05) {
		(void)pick_by_cores(p, count, true);
		return;
	}
	for (int64_t s = -1; s < p->sockets && count > 0; s++)
		if (on_used(p, s))
			count -= pick(p, bits_at(p, s), 1);
	for (int64_t s = -1; s < p->sockets && count > 0; s++)
		if (on_used(p, s))
			count -= pick(p, bits_at(p, s), count);
	for (int64_t s = 0; s < p->sockets && count > 0; s++)
		if (!on_used(p, s))
			count -= pick(p, bits_at(p, s), count);
}

static void pick_for_sockets(struct picking *p, int64_t count)
{
	for (int64_t s = 0; s < p->sockets; s++) {
		if (!on_used(p, s))
			continue;
		const int64_t got = pick(p, bits_at(p, s), count);
		(void)pick(p, p->sock->any_bits, count - got);
	}
}

/* Tasks on each socket, by the allocated cores; -1: of no socket. */
static void pick_for_tasks(struct picking *p, const struct sel_gres_request *r)
{
	const struct sel_request *q = p->t->q;
	const struct sel_shape *shape = shape_of(p->t->s, p->node_alloc->node);
	int64_t tasks = 0, got = pick(p, p->sock->any_bits, 0);
	const int64_t per_core =
		max64(q->tasks_per_core ? q->tasks_per_core : shape->threads / q->cpus_per_task, 1);
	const int64_t cores_each = q->tasks_per_core ? 1 : max64(q->cpus_per_task / shape->threads, 1);
	for (uint32_t s = 0; s < shape->sockets && tasks < p->node_alloc->tasks; s++) {
		const int64_t cores =
			bit_count_range(p->node_alloc->cores, s * shape->cores, (s + 1) * shape->cores);
		tasks = min64(tasks + div_up(cores, cores_each) * per_core, p->node_alloc->tasks);
		if (s == 0)
			got += pick(p, p->sock->any_bits, tasks * r->per_task - got);
		got += pick(p, p->sock->by_socket_bits[s], tasks * r->per_task - got);
	}
	const int64_t goal = p->node_alloc->tasks * r->per_task;
	for (int64_t s = -1; s < p->sockets && got < goal; s++)
		got += pick(p, bits_at(p, s), goal - got);
}

/* Of devices that differ in nothing, as gres.conf has it, slurmctld only counts. */
static bool only_counts(const struct sel_shape *shape, uint32_t name)
{
	bool counts = !shape->device_types[name];
	for (uint32_t i = 0; i < shape->group_count; i++)
		counts = counts && (shape->group[i].name != name || shape->group[i].adjacent_all);
	return counts;
}

static int64_t pick_for_job(
	struct picking *p, const struct sel_gres_request *r, int64_t done, int64_t nodes_left)
{
	const struct sel_shape *shape = shape_of(p->t->s, p->node_alloc->node);
	int64_t most = r->per_job - done - (nodes_left - 1), got = 0;
	if (p->t->s->version >= SEL_24_05 && only_counts(shape, r->name))
		return pick(p, p->sock->any_bits, most);
	const int64_t per = r->cpus_per ? r->cpus_per : r->tasks_per * p->t->q->cpus_per_task;
	if (per)
		most = min64(most,
			bit_count_range(p->node_alloc->cores, 0, shape->core_count) * shape->threads / per);
	if (p->t->s->version >= SEL_24_05) {
		got = pick_by_cores(p, max64(min64(most, p->sock->total), 1), false);
		return got ? got : pick_by_cores(p, 1, true);
	}
	for (int64_t s = -1; s < p->sockets && got < most; s++)
		if (on_used(p, s))
			got += pick(p, bits_at(p, s), most - got);
	for (int64_t s = 0; s < p->sockets && !got; s++)
		if (!on_used(p, s))
			got += pick(p, bits_at(p, s), 1);
	return got;
}

/* GPUs that are local to that socket and not to all; -1: to all. */
static uint64_t gpus_at(const struct picking *p, int64_t socket)
{
	const struct sel_shape *shape = shape_of(p->t->s, p->node_alloc->node);
	uint64_t devices = 0;
	for (uint32_t i = 0; i < shape->group_count; i++) {
		const struct sel_group *group = &shape->group[i];
		if (group->name == p->t->s->gpu &&
			(socket < 0 ? group->adjacent_all
				    : !group->adjacent_all && (group->sockets >> socket & 1)))
			devices |= group->devices;
	}
	return devices;
}

/* Shares left of a device; none of one that a job has whole. */
static int64_t shares_left(const struct picking *p, const struct sel_gres_request *r, uint32_t device)
{
	const struct select *s = p->t->s;
	const struct sel_shape *shape = shape_of(s, p->node_alloc->node);
	const int64_t each = shape->gres_count[r->name] / shape->device_count[s->gpu];
	if (p->t->ever)
		return each;
	if (s->node[p->node_alloc->node].devices_used[s->gpu] >> device & 1)
		return 0;
	return each - s->share_used[(size_t)p->node_alloc->node * SEL_DEVICES + device];
}

/* Of these devices the first that has enough left; with LL_SHARED_GRES the one that has most. */
static bool pick_share_of(
	struct picking *p, const struct sel_gres_request *r, uint64_t devices, int64_t count)
{
	int64_t most = count - 1;
	for (; devices; devices &= devices - 1) {
		const uint32_t d = (uint32_t)__builtin_ctzll(devices);
		const int64_t left = shares_left(p, r, d);
		if (left <= most)
			continue;
		most = p->t->s->spread_shares ? left : SEL_INFINITE;
		p->to->devices = UINT64_C(1) << d;
		p->to->count = count;
	}
	return p->to->count > 0;
}

/* All of one device: of a socket that is used, of none in particular, of another socket
 * (_pick_shared_gres()).
 */
static void pick_share(struct picking *p, const struct sel_gres_request *r)
{
	const int64_t count = r->per_node ? r->per_node : r->per_task * p->node_alloc->tasks;
	for (int64_t s = 0; s < p->sockets; s++)
		if (on_used(p, s) && pick_share_of(p, r, gpus_at(p, s), count))
			return;
	if (pick_share_of(p, r, gpus_at(p, -1), count))
		return;
	for (int64_t s = 0; s < p->sockets && !p->t->q->enforce_binding; s++)
		if (!on_used(p, s) && pick_share_of(p, r, gpus_at(p, s), count))
			return;
}

static void begin_picking(struct picking *p, const struct sel_test *t, uint32_t g,
	const struct select_node_alloc *node_alloc, struct select_gres *to)
{
	const struct sel_shape *shape = shape_of(t->s, node_alloc->node);
	const uint32_t name = t->q->gres[g].name;
	*p = (struct picking){ .t = t, .node_alloc = node_alloc, .to = to, .sockets = shape->sockets };
	p->sock = sock_of(t->s, t->q, node_alloc->node, g);
	p->taken = t->ever ? 0 : t->s->node[node_alloc->node].devices_used[name];
	for (uint32_t i = 0; i < shape->group_count; i++)
		if (shape->group[i].name == name && shape->group[i].no_consume)
			p->taken &= ~shape->group[i].devices;
	p->taken |= sel_kept_devices(t, node_alloc->node, &t->q->gres[g]);
	for (uint32_t s = 0; s < shape->sockets; s++)
		if (socket_has_core(shape, node_alloc->cores, s))
			p->sockets_used |= UINT64_C(1) << s;
}

static void pick_one(const struct sel_test *t, uint32_t g, const struct select_node_alloc *node_alloc,
	struct select_gres *to, int64_t *done, int64_t nodes_left)
{
	const struct sel_gres_request *r = &t->q->gres[g];
	struct picking p;
	begin_picking(&p, t, g, node_alloc, to);
	if (shape_of(t->s, node_alloc->node)->shared[r->name]) {
		pick_share(&p, r);
	} else if (!p.sock->topology) {
		to->count += r->per_node     ? r->per_node
			     : r->per_socket ? r->per_socket * bits_of(p.sockets_used)
			     : r->per_task   ? r->per_task * node_alloc->tasks
					     : min64(p.sock->total, r->per_job - *done - (nodes_left - 1));
		*done += r->per_job ? to->count : 0;
	} else if (r->per_node) {
		pick_for_node(&p, r->per_node);
	} else if (r->per_socket) {
		pick_for_sockets(&p, r->per_socket);
	} else if (r->per_task) {
		pick_for_tasks(&p, r);
	} else if (r->per_job) {
		*done += pick_for_job(&p, r, *done, nodes_left);
	}
}

/* gres: by node allocation and name, empty. */
bool sel_gres_pick(struct sel_test *t, struct select_alloc *alloc, struct select_gres *gres)
{
	const uint32_t names = t->s->gres_name_count;
	for (uint32_t g = 0; g < t->q->gres_count; g++) {
		const struct sel_gres_request *r = &t->q->gres[g];
		int64_t done = 0;
		for (uint32_t i = 0; i < alloc->node_count; i++)
			pick_one(t, g, &alloc->node_alloc[i], &gres[(size_t)i * names + r->name], &done,
				(int64_t)alloc->node_count - i);
		/* What is missing of a job's comes from anywhere on its nodes. */
		for (uint32_t i = 0; i < alloc->node_count && done < r->per_job; i++) {
			struct picking p;
			begin_picking(&p, t, g, &alloc->node_alloc[i], &gres[(size_t)i * names + r->name]);
			for (int64_t s = -1; s < p.sockets && done < r->per_job; s++)
				done += pick(&p, bits_at(&p, s), r->per_job - done);
		}
		if (done < r->per_job)
			return false;
	}
	return true;
}
