/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fgd_plain.c - the experiment of the FGD paper (Weng et al., USENIX ATC'23) as a plain program: arrays, a
 * loop over all nodes for each pod, and nothing of schedlab. It is what schedlab's placements are compared
 * with, pod by pod, and what its speed is measured against; so it is written to be read, not to be fast or
 * slow.
 *
 * usage: fgd_plain [OPTION]... NODES.csv PODS.csv          (openb lists of Alibaba's cluster-trace-gpu-v2023)
 *   --policy Random|DotProd|GpuClustering|GpuPacking|BestFit|FGD
 *   --ties name|index|random|shuffle   which of equal nodes: the first by name, in the file, any, or the
 * first in an order drawn once a run (what the paper's simulator does)
 *   --seed N        --fill RATIO (default 1.3)
 *   --go            random numbers of Go's math/rand, drawn as the paper's simulator draws them: with the
 * paper's seeds (42 to 51) the order of pods and of nodes is the published runs' own
 *   --order FILE    pods in this order, a name a line ("NAME" or "NAME-tuned-N"), in place of a random one
 *   --exact         differences of fragmentation rounded, so that equal ones are equal whatever the order of
 * their sums, and GPU models as a set, however they are listed: what schedlab does
 *   --placements    prints pod,node,devices in place of the table
 *   --write PREFIX  writes PREFIX-pods.csv, the workload in its order, and PREFIX-nodes.csv, nodes in that of
 * ties
 *
 * Rules: pods come one by one and stay; one that fits nowhere is dropped. A share lies on one device, whole
 * GPUs take wholly free ones. The table is of the mean over all pods whose arrival brings what was asked, in
 * percent of all GPUs, to k when rounded (halves to even): allocated GPUs, and fragmented ones (of all, of
 * the free).
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	NODES_MAX = 20000,
	PODS_MAX = 400000,
	GPUS_MAX = 8,
	MODELS_MAX = 32,
	NAME = 48,
	TYPES_MAX = 4096,
	PERCENT_MAX = 1000
};
enum { MILLI = 1000, CPU_MAX = 128000, GPU_MAX = 8000 }; /* The largest node, in thousandths. */

struct node {
	char name[NAME], text[128];
	int64_t cpu, mem; /* Free. */
	int gpus, free[GPUS_MAX];
	int model;
	unsigned crowd; /* Bit n: holds a pod of n whole GPUs; bit 0: of a share. */
	int rank;       /* Among equals, the least goes first. */
	double frag;    /* F of its present state. */
};

struct pod {
	char name[NAME], text[160];
	int64_t cpu, mem;
	int gpus, milli; /* milli of each. */
	unsigned models; /* Bit m: that model will do. */
	int type;
};

/* A kind of pod, and how often it comes. */
struct type {
	int64_t cpu;
	int gpus, milli;
	unsigned models;
	char spec[64];
	double share;
};

static struct node node[NODES_MAX];
static struct pod pod[PODS_MAX];
static int node_count, pod_count, base_count; /* base_count: pods of the file. */
static int order[PODS_MAX], order_count;      /* What comes, as indices of pod[]. */
static char model_name[MODELS_MAX][24];
static int model_count;
static struct type type[TYPES_MAX];
static int type_count, typical_count;
static int64_t gpu_total;
static char node_header[256], pod_header[256];

static const char *policy = "FGD", *ties = "name", *order_path, *write_prefix;
static double fill = 1.3;
static bool go_numbers, placements, exact;
static uint64_t seed = 42;

static void die(const char *what, const char *of)
{
	fprintf(stderr, "fgd_plain: %s: %s\n", what, of);
	exit(2); /* NOLINT(concurrency-mt-unsafe): there is one thread. */
}

/* ---- Random numbers: our own, or Go's. ---- */

static uint64_t own_state;
static uint64_t own_next(void) /* splitmix64 */
{
	uint64_t z = own_state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Go's math/rand: x[n] = x[n-607] + x[n-273] mod 2^64 (Mitchell and Reeds), newest first from `feed` down.
 * The seed is mixed with the state of that same generator, seeded with 1 otherwise, after 7.8e12 numbers.
 * That is found here by a power of x modulo x^607 - x^334 - 1, in place of the table in Go's source. */
enum { LAGS = 607, TAP = 273 };
static uint64_t go_state[LAGS];
static int go_tap, go_feed;

static int32_t lehmer(int32_t x) { return (int32_t)((int64_t)x * 48271 % INT32_MAX); }

static void go_words(uint64_t *word, int32_t x, int shift)
{
	for (int i = 0; i < 20; i++)
		x = lehmer(x);
	for (int i = 0; i < LAGS; i++) {
		uint64_t u = (uint64_t)(x = lehmer(x)) << 2 * shift;
		u ^= (uint64_t)(x = lehmer(x)) << shift;
		word[i] = u ^ (uint64_t)(x = lehmer(x));
	}
}

/* a = a * b modulo x^607 - x^334 - 1: a number is the sum of the one 607 before it and the one 273 before it.
 */
static void poly_times(uint64_t *a, const uint64_t *b)
{
	static uint64_t product[2 * LAGS];
	memset(product, 0, sizeof(product));
	for (int i = 0; i < LAGS; i++)
		for (int j = 0; j < LAGS; j++)
			product[i + j] += a[i] * b[j];
	for (int i = 2 * LAGS - 2; i >= LAGS; i--) {
		product[i - LAGS] += product[i];
		product[i - TAP] += product[i];
	}
	memcpy(a, product, LAGS * sizeof(*a));
}

/* The state of the plain generator after so many numbers, as its array stands then. */
static void go_jump(uint64_t *word, uint64_t steps)
{
	/* Sequence s: the array read in the order in which it is overwritten, feed downwards, is s[0..606];
	 * number i drawn is s[607 + i] = s[i] + s[334 + i]. */
	static uint64_t s[2 * LAGS], power[LAGS], square[LAGS];
	for (int i = 0; i < LAGS; i++)
		s[i] = word[(LAGS - TAP - 1 - i + LAGS) % LAGS];
	for (int i = 0; i < LAGS; i++)
		s[LAGS + i] = s[i] + s[LAGS - TAP + i];
	memset(power, 0, sizeof(power));
	memset(square, 0, sizeof(square));
	power[0] = 1;
	square[1] = 1;
	for (uint64_t left = steps; left; left >>= 1) {
		if (left & 1)
			poly_times(power, square);
		poly_times(square, square);
	}
	for (int i = 0; i < LAGS; i++) {
		uint64_t sum = 0; /* s[steps + i] */
		for (int j = 0; j < LAGS; j++)
			sum += power[j] * s[i + j];
		word[(int)(((int64_t)LAGS - TAP - 1 - i - (int64_t)(steps % LAGS)) % LAGS + LAGS) % LAGS] =
			sum;
	}
}

static void go_seed(uint64_t number)
{
	static uint64_t cooked[LAGS];
	go_words(cooked, 1, 10);
	go_jump(cooked, UINT64_C(7800000000000));
	const int32_t x = (int32_t)(number % INT32_MAX);
	go_words(go_state, x ? x : 89482311, 20);
	for (int i = 0; i < LAGS; i++)
		go_state[i] ^= cooked[i];
	go_tap = 0;
	go_feed = LAGS - TAP;
}

static uint64_t go_next(void) /* 63 bits */
{
	go_tap = (go_tap + LAGS - 1) % LAGS;
	go_feed = (go_feed + LAGS - 1) % LAGS;
	go_state[go_feed] += go_state[go_tap];
	return go_state[go_feed] & INT64_MAX;
}

/* Uniform below bound, as Go's Intn. */
static uint32_t below(uint32_t bound)
{
	if (!go_numbers)
		return (uint32_t)(own_next() % bound);
	if ((bound & (bound - 1)) == 0)
		return (uint32_t)(go_next() >> 32) & (bound - 1);
	const uint32_t most = INT32_MAX - (UINT32_C(1) << 31) % bound;
	uint32_t value = 0;
	do
		value = (uint32_t)(go_next() >> 32);
	while (value > most);
	return value % bound;
}

/* The same, as Go's Shuffle draws it. */
static uint32_t below_shuffling(uint32_t bound)
{
	if (!go_numbers)
		return below(bound);
	uint64_t product = (go_next() >> 31) * bound;
	if ((uint32_t)product < bound) {
		const uint32_t least = (UINT32_MAX - bound + 1) % bound;
		while ((uint32_t)product < least)
			product = (go_next() >> 31) * bound;
	}
	return (uint32_t)(product >> 32);
}

/* ---- Reading. ---- */

static int fields(char *line, char **field, int most)
{
	int count = 0;
	line[strcspn(line, "\r\n")] = '\0';
	for (char *p = line; p && count < most; count++) {
		field[count] = p;
		p = strchr(p, ',');
		if (p)
			*p++ = '\0';
	}
	return count;
}

static int model_of(const char *name, size_t len)
{
	for (int i = 0; i < model_count; i++)
		if (strlen(model_name[i]) == len && !memcmp(model_name[i], name, len))
			return i;
	if (model_count == MODELS_MAX || len >= sizeof(model_name[0]))
		die("too many GPU models, or a long one", name);
	memcpy(model_name[model_count], name, len);
	return model_count++;
}

static unsigned models_of(const char *spec)
{
	unsigned set = 0;
	for (const char *p = spec; *p;) {
		const size_t len = strcspn(p, "|");
		if (len)
			set |= 1u << model_of(p, len);
		p += len + (p[len] == '|');
	}
	return set ? set : ~0u;
}

static int by_type(const void *a, const void *b) /* Most frequent first; then the largest. */
{
	const struct type *x = a, *y = b;
	if (x->share != y->share)
		return x->share < y->share ? 1 : -1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? 1 : -1;
	if (x->milli != y->milli)
		return y->milli - x->milli;
	if (x->gpus != y->gpus)
		return y->gpus - x->gpus;
	return strcmp(y->spec, x->spec);
}

static void count_type(const struct pod *of, const char *spec)
{
	int i = 0;
	while (i < type_count &&
		!(type[i].cpu == of->cpu && type[i].gpus == of->gpus && type[i].milli == of->milli &&
			(exact ? type[i].models == of->models : !strcmp(type[i].spec, spec))))
		i++;
	if (i == TYPES_MAX || strlen(spec) >= sizeof(type[i].spec))
		die("too many kinds of pods", of->name);
	if (i == type_count) {
		type[i] = (struct type){ of->cpu, of->gpus, of->milli, of->models, "", 0 };
		memcpy(type[i].spec, spec, strlen(spec) + 1);
		type_count++;
	}
	type[i].share++;
}

/* The kinds that make up 95 % of the pods: what is fragmented is so for them. */
static void choose_typical(void)
{
	qsort(type, (size_t)type_count, sizeof(*type), by_type);
	double pods = 0;
	while (pods < 95.0 * base_count / 100)
		pods += type[typical_count++].share;
	for (int i = 0; i < typical_count; i++)
		type[i].share = type[i].share / base_count / (pods / base_count);
}

static FILE *open_csv(const char *path, char *header, int size)
{
	FILE *file = fopen(path, "r");
	if (!file || !fgets(header, size, file))
		die("cannot read", path);
	return file;
}

static void read_nodes(const char *path)
{
	char line[512], *field[8];
	FILE *file = open_csv(path, node_header, sizeof(node_header));
	while (fgets(line, sizeof(line), file)) {
		struct node *n = &node[node_count];
		if (node_count == NODES_MAX || strlen(line) >= sizeof(n->text))
			die("too many nodes, or a long line", path);
		memcpy(n->text, line, strlen(line) + 1);
		if (fields(line, field, 8) < 5 || strlen(field[0]) >= NAME)
			die("not sn,cpu_milli,memory_mib,gpu,model", path);
		memcpy(n->name, field[0], strlen(field[0]) + 1);
		n->cpu = strtoll(field[1], NULL, 10);
		n->mem = strtoll(field[2], NULL, 10);
		n->gpus = (int)strtol(field[3], NULL, 10);
		if (n->gpus < 0 || n->gpus > GPUS_MAX)
			die("a node has at most 8 GPUs", n->name);
		n->model = *field[4] ? model_of(field[4], strlen(field[4])) : -1;
		for (int i = 0; i < n->gpus; i++)
			n->free[i] = MILLI;
		gpu_total += (int64_t)n->gpus * MILLI;
		node_count++;
	}
	fclose(file);
}

static void read_pods(const char *path)
{
	char line[512], *field[16];
	FILE *file = open_csv(path, pod_header, sizeof(pod_header));
	while (fgets(line, sizeof(line), file)) {
		struct pod *p = &pod[pod_count];
		if (pod_count == PODS_MAX || strlen(line) >= sizeof(p->text))
			die("too many pods, or a long line", path);
		memcpy(p->text, line, strlen(line) + 1);
		const int count = fields(line, field, 16);
		if (count < 5 || strlen(field[0]) >= NAME - 16)
			die("not name,cpu_milli,memory_mib,num_gpu,gpu_milli[,gpu_spec...]", path);
		memcpy(p->name, field[0], strlen(field[0]) + 1);
		p->cpu = strtoll(field[1], NULL, 10);
		p->mem = strtoll(field[2], NULL, 10);
		p->gpus = (int)strtol(field[3], NULL, 10);
		p->milli = p->gpus ? (int)strtol(field[4], NULL, 10) : 0;
		const char *spec = p->gpus && count > 5 ? field[5] : "";
		p->models = models_of(spec);
		count_type(p, spec);
		pod_count++;
	}
	base_count = pod_count;
	fclose(file);
}

/* ---- The order of pods, and of nodes. ---- */

static int by_pod_name(const void *a, const void *b)
{
	return strcmp(pod[*(const int *)a].name, pod[*(const int *)b].name);
}

static int64_t asks(int which) { return (int64_t)pod[which].gpus * pod[which].milli; }

/* All pods in random order, then drawn again until what is asked reaches the ratio; or removed until it is
 * not more. The test that ends drawing adds what a pod asks of one GPU, however many it asks: so it is in the
 * paper's simulator. */
static void make_order(void)
{
	static int sorted[PODS_MAX];
	int64_t asked = 0;
	const double most = fill * (double)gpu_total;
	for (int i = 0; i < base_count; i++)
		sorted[i] = i;
	qsort(sorted, (size_t)base_count, sizeof(*sorted), by_pod_name);
	for (int i = 0; i < base_count; i++) {
		order[i] = sorted[i];
		asked += asks(i);
	}
	order_count = base_count;
	if (go_numbers)
		go_next(); /* The paper's simulator shows one, for a start. */
	for (int i = base_count - 1; i > 0; i--) {
		const int j = (int)below_shuffling((uint32_t)i + 1), other = order[i];
		order[i] = order[j];
		order[j] = other;
	}
	if ((double)asked > most) {
		while ((double)asked > most && order_count) {
			const int i = (int)below((uint32_t)order_count);
			asked -= asks(order[i]);
			memmove(&order[i], &order[i + 1], (size_t)(order_count - i - 1) * sizeof(*order));
			order_count--;
		}
	} else if ((double)asked < most) {
		for (;;) {
			const int from = sorted[below((uint32_t)base_count)];
			if ((double)(asked + pod[from].milli) > most || pod_count == PODS_MAX)
				break;
			pod[pod_count] = pod[from];
			char name[NAME];
			memcpy(name, pod[from].name, NAME);
			snprintf(pod[pod_count].name, NAME, "%.30s-tuned-%d", name, pod_count - base_count);
			asked += asks(from);
			order[order_count++] = pod_count++;
		}
	}
}

static void read_order(const char *path)
{
	static int sorted[PODS_MAX];
	char line[256];
	FILE *file = fopen(path, "r");
	if (!file)
		die("cannot read", path);
	for (int i = 0; i < base_count; i++)
		sorted[i] = i;
	qsort(sorted, (size_t)base_count, sizeof(*sorted), by_pod_name);
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\r\n")] = '\0';
		const char *suffix = strstr(line, "-tuned-");
		const size_t len = suffix ? (size_t)(suffix - line) : strlen(line);
		int low = 0, high = base_count;
		while (low < high) {
			const int middle = (low + high) / 2;
			const int order_of = strncmp(pod[sorted[middle]].name, line, len);
			if (order_of < 0)
				low = middle + 1;
			else
				high = middle;
		}
		if (low == base_count || strncmp(pod[sorted[low]].name, line, len) != 0 ||
			strlen(line) >= NAME || pod[sorted[low]].name[len] || pod_count == PODS_MAX)
			die("no such pod", line);
		pod[pod_count] = pod[sorted[low]];
		memcpy(pod[pod_count].name, line, strlen(line) + 1);
		order[order_count++] = pod_count++;
	}
	fclose(file);
}

static int by_node_name(const void *a, const void *b)
{
	return strcmp(node[*(const int *)a].name, node[*(const int *)b].name);
}

static void make_ranks(void)
{
	static int sorted[NODES_MAX], drawn[NODES_MAX];
	for (int i = 0; i < node_count; i++)
		sorted[i] = node[i].rank = i;
	if (!strcmp(ties, "index") || !strcmp(ties, "random"))
		return;
	qsort(sorted, (size_t)node_count, sizeof(*sorted), by_node_name);
	/* Between the pods and the nodes ten numbers go elsewhere in the paper's simulator (its Kubernetes
	 * client starts then). How many was found by comparing one run with the published one; all others
	 * follow. */
	for (int i = 0; i < 10 && go_numbers; i++)
		go_next();
	for (int i = 0; i < node_count && !strcmp(ties, "shuffle"); i++) {
		const int j = (int)below((uint32_t)i + 1);
		drawn[i] = drawn[j];
		drawn[j] = i;
	}
	for (int i = 0; i < node_count; i++)
		node[sorted[i]].rank = strcmp(ties, "shuffle") != 0 ? i : drawn[i];
}

/* ---- Fragmentation: what is free on a node and of no use to a kind of pod, in the mean over the kinds. ----
 */

static bool model_fits(const struct node *n, unsigned models)
{
	return models == ~0u || (n->model >= 0 && models >> n->model & 1);
}

static double fragmentation(const struct node *n)
{
	enum { LACK_BOTH, LACK_GPU, LACK_CPU, NO_GPU_CPU, NO_GPU, NO_ACCESS, CASES };
	double sum[CASES] = {
		0
	}; /* Summed by case first, as the paper's simulator does: sums are not exact. */
	int64_t left = 0;
	for (int i = 0; i < n->gpus; i++)
		left += n->free[i];
	for (int t = 0; t < typical_count; t++) {
		const struct type *of = &type[t];
		const bool cpu = n->cpu >= of->cpu;
		int places = 0;
		int64_t small = 0;
		for (int i = 0; i < n->gpus; i++) {
			places += n->free[i] >= of->milli;
			small += n->free[i] < of->milli ? n->free[i] : 0;
		}
		if (of->milli == 0)
			sum[cpu ? NO_GPU : NO_GPU_CPU] += of->share * (double)left;
		else if (!model_fits(n, of->models))
			sum[NO_ACCESS] += of->share * (double)left;
		else if (places >= of->gpus && cpu)
			sum[LACK_GPU] += of->share * (double)small;
		else if (places >= of->gpus)
			sum[LACK_CPU] += of->share * (double)left;
		else
			sum[cpu ? LACK_GPU : LACK_BOTH] += of->share * (double)left;
	}
	return sum[LACK_BOTH] + sum[LACK_GPU] + sum[LACK_CPU] + sum[NO_GPU] + sum[NO_GPU_CPU] +
	       sum[NO_ACCESS];
}

/* ---- Placing. ---- */

static int free_whole(const struct node *n)
{
	int count = 0;
	for (int i = 0; i < n->gpus; i++)
		count += n->free[i] == MILLI;
	return count;
}

static int64_t free_gpus(const struct node *n)
{
	int64_t sum = 0;
	for (int i = 0; i < n->gpus; i++)
		sum += n->free[i];
	return sum;
}

static bool fits(const struct node *n, const struct pod *p)
{
	if (n->cpu < p->cpu || n->mem < p->mem)
		return false;
	if (p->gpus == 0)
		return true;
	if (!model_fits(n, p->models))
		return false;
	int places = 0;
	for (int i = 0; i < n->gpus; i++)
		places += n->free[i] >= p->milli;
	return places >= p->gpus;
}

static void take(struct node *n, const struct pod *p, int device)
{
	n->cpu -= p->cpu;
	n->mem -= p->mem;
	int left = p->gpus;
	if (device >= 0) {
		n->free[device] -= p->milli;
		left = 0;
	}
	for (int i = 0; i < n->gpus && left; i++)
		if (n->free[i] == MILLI) {
			n->free[i] = 0;
			left--;
		}
}

static bool is_share(const struct pod *p) { return p->gpus == 1 && p->milli < MILLI; }

/* Scores of 0 to 100: the highest wins. */

static int score_fgd(const struct node *n, const struct pod *p, int *device)
{
	int best = -1;
	*device = -1;
	for (int i = 0; i < (is_share(p) ? n->gpus : 1); i++) {
		if (is_share(p) && n->free[i] < p->milli)
			continue;
		struct node after = *n;
		take(&after, p, is_share(p) ? i : -1);
		const double less = n->frag - fragmentation(&after);
		const double gain = (exact ? round(less * 1e6) / 1e6 : less) / 1000;
		const int score = (int)(1.0 / (1.0 + exp(-gain)) * 100);
		if (score > best) {
			best = score;
			*device = is_share(p) ? i : -1;
		}
	}
	return best;
}

static int score_best_fit(const struct node *n, const struct pod *p)
{
	double left = (double)(n->cpu - p->cpu) / CPU_MAX * 0.5;
	left += (double)(free_gpus(n) - (int64_t)p->gpus * p->milli) / GPU_MAX * 0.5;
	return (int)((1.0 - left) * 100);
}

static int score_dot_product(const struct node *n, const struct pod *p)
{
	double dot = (double)n->cpu / CPU_MAX * ((double)p->cpu / CPU_MAX);
	dot += (double)free_gpus(n) / GPU_MAX * ((double)((int64_t)p->gpus * p->milli) / GPU_MAX);
	return (int)(100 * (1 - dot / 2));
}

static unsigned crowd_of(const struct pod *p) { return is_share(p) ? 1u : 1u << p->gpus; }

static int score_clustering(const struct node *n, const struct pod *p)
{
	if (p->gpus == 0)
		return 0;
	const int packed = (int)(25 * (GPU_MAX - free_gpus(n)) / GPU_MAX);
	if (n->crowd & crowd_of(p))
		return packed + (n->crowd == crowd_of(p) ? 75 : 50);
	return packed + (n->crowd ? 0 : 25);
}

static int least_free(const struct node *n, int milli, unsigned but)
{
	int least = -1;
	for (int i = 0; i < n->gpus; i++)
		if (!(but >> i & 1) && n->free[i] >= milli && (least < 0 || n->free[i] < n->free[least]))
			least = i;
	return least;
}

static int score_packing(const struct node *n, const struct pod *p)
{
	if (p->gpus == 0)
		return 0;
	const int whole = free_whole(n);
	if (whole == n->gpus)
		return 33 - whole > whole ? 33 - whole : whole;
	unsigned used = 0;
	int opened = 0, left = 0;
	for (int k = 0; k < p->gpus; k++) {
		const int i = least_free(n, p->milli, used);
		used |= 1u << i;
		opened += n->free[i] == MILLI;
		left += n->free[i] * 100 / MILLI;
	}
	if (opened)
		return 50 - opened > 33 ? 50 - opened : 33;
	return 100 - left / 10 > 50 ? 100 - left / 10 : 50;
}

static int score(const struct node *n, const struct pod *p, int *device)
{
	*device = is_share(p) ? least_free(n, p->milli, 0) : -1;
	switch (policy[0]) {
	case 'F':
		return score_fgd(n, p, device);
	case 'B':
		return score_best_fit(n, p);
	case 'D':
		return score_dot_product(n, p);
	case 'R':
		return 0;
	default:
		return policy[3] == 'C' ? score_clustering(n, p) : score_packing(n, p);
	}
}

static int random_device(const struct node *n, const struct pod *p)
{
	int chosen = -1;
	uint32_t seen = 0;
	for (int i = 0; i < n->gpus; i++)
		if (n->free[i] >= p->milli && below(++seen) == 0)
			chosen = i;
	return chosen;
}

/* The node for the pod, -1: none. */
static int place(const struct pod *p, int *device)
{
	const bool any = policy[0] == 'R' || !strcmp(ties, "random");
	int chosen = -1, best = -1, here = -1;
	uint32_t equal = 0;
	for (int i = 0; i < node_count; i++) {
		if (!fits(&node[i], p))
			continue;
		const int value = score(&node[i], p, &here);
		if (value > best)
			equal = 0;
		if (value < best)
			continue;
		equal++;
		if (equal == 1 || (any ? below(equal) == 0 : node[i].rank < node[chosen].rank)) {
			chosen = i;
			*device = here;
		}
		best = value;
	}
	if (chosen >= 0 && policy[0] == 'R' && is_share(p))
		*device = random_device(&node[chosen], p);
	return chosen;
}

/* ---- The run, and what is told of it. ---- */

static double sum_allocated[PERCENT_MAX + 2], sum_frag[PERCENT_MAX + 2], sum_ratio[PERCENT_MAX + 2];
static int events[PERCENT_MAX + 2];

static void report_placement(const struct pod *p, int where, const struct node *before)
{
	printf("%s,%s,", p->name, where < 0 ? "" : node[where].name);
	const char *between = "";
	for (int i = 0; where >= 0 && i < before->gpus; i++)
		if (before->free[i] != node[where].free[i]) {
			printf("%s%d", between, i);
			between = "-";
		}
	printf("\n");
}

static void count_event(int64_t arrived, int64_t used, double frag)
{
	const double percent = rint((double)arrived * 100 / (double)gpu_total);
	const int k = percent > PERCENT_MAX ? PERCENT_MAX : (int)percent;
	events[k]++;
	sum_allocated[k] += (double)used * 100 / (double)gpu_total;
	sum_frag[k] += frag * 100 / (double)gpu_total;
	sum_ratio[k] += used < gpu_total ? frag * 100 / (double)(gpu_total - used) : 0;
}

static void run(void)
{
	int64_t arrived = 0, used = 0;
	double frag = 0;
	for (int i = 0; i < node_count; i++)
		frag += node[i].frag = fragmentation(&node[i]);
	for (int k = 0; k < order_count; k++) {
		const struct pod *p = &pod[order[k]];
		int device = -1;
		const int where = place(p, &device);
		const struct node before = node[where < 0 ? 0 : where];
		arrived += asks(order[k]);
		if (where >= 0) {
			struct node *n = &node[where];
			take(n, p, device);
			n->crowd |= p->gpus ? crowd_of(p) : 0;
			n->frag = fragmentation(n);
			frag += n->frag - before.frag;
			used += asks(order[k]);
		}
		if (placements)
			report_placement(p, where, &before);
		count_event(arrived, used, frag);
	}
}

static void report_table(void)
{
	printf("requested_percent,allocated_percent,fragmented_percent,fragmented_ratio\n");
	for (int k = 0; k < PERCENT_MAX; k++) {
		/* As the paper's tables do, a percentage that was passed over is that of its neighbours. */
		const int from = events[k] || !k ? k : k - 1, until = events[k] ? k : k + 1;
		double allocated = 0, fragmented = 0, ratio = 0;
		int count = 0;
		for (int i = from; i <= until; i++) {
			count += events[i];
			allocated += sum_allocated[i];
			fragmented += sum_frag[i];
			ratio += sum_ratio[i];
		}
		if (count && k <= (int)rint(fill * 100))
			printf("%d,%.4f,%.4f,%.4f\n", k, allocated / count, fragmented / count,
				ratio / count);
	}
}

static FILE *open_beside(const char *prefix, const char *what)
{
	char path[1024];
	snprintf(path, sizeof(path), "%s-%s.csv", prefix, what);
	FILE *file = fopen(path, "w");
	if (!file)
		die("cannot write", path);
	return file;
}

static void write_lists(const char *prefix)
{
	FILE *file = open_beside(prefix, "pods");
	fprintf(file, "%s", pod_header);
	for (int i = 0; i < order_count; i++)
		fprintf(file, "%s%s", pod[order[i]].name, strchr(pod[order[i]].text, ','));
	fclose(file);
	file = open_beside(prefix, "nodes");
	fprintf(file, "%s", node_header);
	static int of_rank[NODES_MAX];
	for (int i = 0; i < node_count; i++)
		of_rank[node[i].rank] = i;
	for (int i = 0; i < node_count; i++)
		fprintf(file, "%s", node[of_rank[i]].text);
	fclose(file);
}

static bool option(int *i, int argc, char **argv)
{
	const char *name = argv[*i];
	if (!strcmp(name, "--go"))
		return go_numbers = true;
	if (!strcmp(name, "--exact"))
		return exact = true;
	if (!strcmp(name, "--placements"))
		return placements = true;
	if (strncmp(name, "--", 2) != 0)
		return false;
	if (++*i == argc)
		die("an option lacks its value", name);
	char *value = argv[*i];
	if (!strcmp(name, "--policy"))
		policy = value;
	else if (!strcmp(name, "--ties"))
		ties = value;
	else if (!strcmp(name, "--seed"))
		seed = strtoull(value, NULL, 10);
	else if (!strcmp(name, "--fill"))
		fill = strtod(value, NULL);
	else if (!strcmp(name, "--order"))
		order_path = value;
	else if (!strcmp(name, "--write"))
		write_prefix = value;
	else
		die("no such option", name);
	return true;
}

int main(int argc, char **argv)
{
	const char *path[2] = { NULL, NULL };
	int paths = 0;
	for (int i = 1; i < argc; i++)
		if (!option(&i, argc, argv) && paths < 2)
			path[paths++] = argv[i];
	if (paths < 2)
		die("usage", "fgd_plain [OPTION]... NODES.csv PODS.csv");
	static const char *const known[] = { "Random", "DotProd", "GpuClustering", "GpuPacking", "BestFit",
		"FGD" };
	bool found = false;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		found = found || !strcmp(policy, known[i]);
	if (!found)
		die("no such policy", policy);
	read_nodes(path[0]);
	read_pods(path[1]);
	choose_typical();
	own_state = seed;
	if (go_numbers)
		go_seed(seed);
	if (order_path)
		read_order(order_path);
	else
		make_order();
	make_ranks();
	if (write_prefix)
		write_lists(write_prefix);
	run();
	if (!placements)
		report_table();
	return 0;
}
