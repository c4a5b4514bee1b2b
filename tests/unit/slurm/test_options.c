/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_options.c - options of sbatch, srun and salloc: each option, its spellings, words and quotes.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/world/heard.h"
#include "traces/slurm/options.h"

/* 2024-03-05T10:00:00 */
#define NOW (INT64_C(1709632800) * SL_SECOND)

static int say(struct heard *h, const char *line)
{
	static struct sl_job_desc desc[SLURM_COMPONENTS_MAX];
	static char capacity[4000];
	struct slurm_said said;
	memset(h, 0, sizeof(*h));
	cr_assert(slurm_options_size(strlen(line)) <= sizeof(capacity));
	const int status = slurm_options(
		&(struct slurm_line){ line, strlen(line), NOW, capacity }, desc, &said, &h->err);
	if (status)
		return status;
	for (size_t i = 0; i < said.desc_count; i++) {
		heard_put(h, "[");
		heard_desc(h, &desc[i]);
		heard_put(h, "]");
	}
	heard_more(h, &said.more);
	if (said.time_limit == SL_NEVER)
		heard_put(h, " t=never");
	else if (said.time_limit != SL_NONE)
		heard_put(h, " t=%g", (double)said.time_limit / 1e6);
	if (said.array)
		heard_put(h, " a=%s", said.array);
	if (said.account)
		heard_put(h, " A=%s", said.account);
	if (said.script)
		heard_put(h, " script=%s", said.script);
	if (said.hidden)
		heard_put(h, " hidden");
	for (uint32_t i = 0; i < SLURM_DROPPED_MAX; i++)
		if (said.dropped >> i & 1)
			heard_put(h, " dropped=%s", slurm_dropped_name(i));
	if (said.unknown)
		heard_put(h, " unknown=%u(%.*s)", said.unknown, (int)said.position_len, said.first);
	if (said.unread)
		heard_put(h, " unread=%u(%.*s)", said.unread, (int)said.position_len, said.first);
	return SL_OK;
}

static void expect(const char *line, const char *want)
{
	static struct heard h;
	cr_assert_eq(say(&h, line), SL_OK, "%s: %s", line, h.err.text);
	cr_expect_str_eq(h.text, want, "%s\nsays %s\nwant %s", line, h.text, want);
}

Test(options, sizes)
{
	expect("srun -N 2 -n8 hostname", "[ N2 n8] script=hostname");
	expect("srun --nodes=2-4 --ntasks 8 x", "[ N2-4 n8] script=x");
	expect("srun -N2- x", "[ N2-0] script=x");
	expect("srun -N 1,3,5-7:2 x", "[ N1-7 sizes=1,3,5-7:2] script=x");
	expect("srun -N 1k x", "[ N1024] script=x");
	expect("srun --ntasks-per-node=4 --ntasks-per-socket=2 --ntasks-per-core=1 --ntasks-per-gpu=3 x",
		"[ n/N4 n/S2 n/core1 n/gpu3] script=x");
	expect("srun -c4 --cpus-per-gpu=8 --mincpus=16 x", "[ c4 c/gpu8 mincpus16] script=x");
	expect("srun -B 2:8:1 x", "[ S2 C8 T1] script=x");
	expect("srun -B *:8 x", "[ C8] script=x");
	expect("srun --sockets-per-node=2 --cores-per-socket=16 --threads-per-core=2 x",
		"[ S2 C16 T2] script=x");
}

Test(options, memory)
{
	expect("srun --mem=4G x", "[ mem4096] script=x");
	expect("srun --mem 500 x", "[ mem500] script=x");
	expect("srun --mem=0 x", "[ mem0] script=x");
	expect("srun --mem-per-cpu=1500M --mem-per-gpu=1T --tmp=1G x",
		"[ mem/c1500 mem/gpu1048576 tmp1024] script=x");
	expect("srun --mem=lots -n2 x", "[ n2] script=x unread=1(--mem)");
}

Test(options, devices)
{
	expect("srun --gres=gpu:a100:2,mps:50 -G 4 --gpus-per-node=a100:2 x",
		"[ gres=gpu:a100:2,mps:50 gpus=4 gpus/N=a100:2] script=x");
	expect("srun --gpus-per-socket=1 --gpus-per-task=2 --gres-flags=enforce-binding x",
		"[ gpus/S=1 gpus/n=2 gflags=enforce-binding] script=x");
	expect("srun -L matlab:2 --reservation=maint x", "[ L=matlab:2 res=maint] script=x");
}

Test(options, nodes_by_name)
{
	expect("srun -C 'haswell&big' -w n[1-3] -x n2 --contiguous --switches=2@1:00:00 -m block:cyclic x",
		"[ switches2@3600 C=haswell&big w=n[1-3] x=n2 m=block:cyclic contiguous] script=x");
	expect("srun --switches=1 x", "[ switches1] script=x");
	expect("srun --switches=1@10 x", "[ switches1@600] script=x"); /* Bare numbers are minutes. */
}

Test(options, sharing)
{
	expect("srun --exclusive x", "[ exclusive1] script=x");
	expect("srun --exclusive=user x", "[ exclusive2] script=x");
	expect("srun --exclusive=mcs x", "[ exclusive3] script=x");
	expect("srun -sO --spread-job --use-min-nodes --hint=nomultithread x",
		"[ oversubscribe overcommit spread minnodes nomt] script=x");
}

/* What may move a start and is not followed is told apart from what cannot. */
Test(options, dropped)
{
	expect("sbatch -S 2 --reboot --segment=4 --core-spec=1 job.sh",
		"[ segment4] script=job.sh hidden dropped=core-spec dropped=reboot");
	/* Options of 26.05 have to be written out, as earlier logs abbreviate others. */
	expect("sbatch --resources=power:2 --mem-update=5@60 job.sh",
		"[] script=job.sh hidden dropped=resources dropped=mem-update");
	expect("sbatch --reso=power:2 job.sh", "[] script=job.sh hidden unknown=1(--reso)");
	expect("sbatch --exclusive=topo --comment=x job.sh", "[ exclusive4] script=job.sh hidden");
	expect("sbatch --extra=rack=1 job.sh", "[ extra=rack=1] script=job.sh hidden");
	expect("srun --mpi=pmix -l x", "[] script=x");
	cr_expect_null(slurm_dropped_name(SLURM_DROPPED_MAX));
	for (uint32_t i = 0; i < SLURM_DROPPED_MAX; i++)
		cr_expect_not_null(slurm_dropped_name(i));
}

Test(options, lists_of_sizes)
{
	expect("srun -N 1,4,8 x", "[ N1-8 sizes=1,4,8] script=x");
	expect("srun --nodes=2-8:2,16 x", "[ N2-16 sizes=2-8:2,16] script=x");
	expect("srun -N 2-8 x", "[ N2-8] script=x");
	expect("srun --prefer=a -C b x", "[ prefer=a C=b] script=x");
}

/* Cpus and GPUs of a task are what the other options say; the rest is gres of a task. */
Test(options, tres_per_task)
{
	expect("srun -n2 --tres-per-task=cpu=4,gres/gpu:a100=1 x", "[ n2 c4 gpus/n=a100:1] script=x");
	expect("srun --tres-per-task=cpu:2,gres:gpu:2,gres:mps:50 x",
		"[ c2 gpus/n=2 gres/n=mps:50] script=x");
	expect("srun --tres-per-task=gres/gpu=2,gres/mps=50,gres/shard=1 x",
		"[ gpus/n=2 gres/n=mps:50,shard:1] script=x");
	expect("srun --tres-per-task=license/lic=1 x", "[] script=x unread=1(--tres-per-task)");
}

Test(options, of_the_job)
{
	expect("sbatch -t 30 -J my -q high -A acc -p a,b job.sh",
		"[ p=a,b] name=my qos=high t=1800 A=acc script=job.sh hidden");
	expect("sbatch --time=1-12 --time-min=2:00:00 --nice job.sh",
		"[] timemin=7200 nice=100 t=129600 script=job.sh hidden");
	expect("sbatch -t UNLIMITED --nice=-5 --requeue -H job.sh",
		"[] nice=-5 requeue=1 held t=never script=job.sh hidden");
	expect("sbatch -d afterok:12?afterany:13 --no-requeue --array=0-15%4 job.sh",
		"[] dep=afterok:12?afterany:13%4 requeue=0 a=0-15%4 script=job.sh hidden");
	expect("sbatch --kill-on-invalid-dep=yes job.sh", "[] killdep=1 script=job.sh hidden");
	expect("sbatch --kill-on-invalid-dep no job.sh", "[] killdep=0 script=job.sh hidden");
	expect("sbatch -n1 --wrap='sleep 5' ", "[ n1] script=");
	expect("sbatch --chdir=/x -o out -e err --mail-type=END -M c1 -D /y job.sh -n 5",
		"[] script=job.sh hidden");
}

/* Relative times count from the submission, on a Tuesday at ten. */
Test(options, begin)
{
	expect("srun -b 2024-03-06T08:00:00 x", "[] begin=1709712000 script=x");
	expect("srun -b now+1hour x", "[] begin=1709636400 script=x");
	expect("srun -b now+90 x", "[] begin=1709632890 script=x");
	expect("srun -b 16:00 x", "[] begin=1709654400 script=x");
	expect("srun -b 4:00pm x", "[] begin=1709654400 script=x");
	expect("srun -b 09:00 x", "[] begin=1709715600 script=x"); /* Tomorrow. */
	expect("srun -b tomorrow x", "[] begin=1709683200 script=x");
	expect("srun -b noon --deadline=2024-03-07 x", "[] begin=1709640000 deadline=1709769600 script=x");
	expect("srun -b someday x", "[] script=x unread=1(-b)");
}

Test(options, words)
{
	expect("/usr/bin/srun  -J 'two words' -C \"a|b\" x", "[ C=a|b] name=two words script=x");
	expect("srun -J it\\'s -n 2 x", "[ n2] name=it's script=x");
	expect("srun -J don't -n 2 x",
		"[ n2] name=don't script=x"); /* A quote that nobody closes is a letter. */
	expect("srun -n 2 -- -n 4", "[ n2]");
	expect("srun --ntasks-per-n=2 --cpus-per-t=3 x",
		"[ n/N2 c3] script=x"); /* Beginnings that one has. */
	expect("srun --nt=2 x", "[] script=x unknown=1(--nt)");
}

Test(options, unknown)
{
	expect("srun --frobnicate=7 -n 2 -9 x", "[ n2] script=x unknown=2(--frobnicate)");
	expect("srun -n two x", "[] script=x unread=1(-n)");
	expect("srun -n", "[] unread=1(-n)");
	expect("srun -N 2-x -n 3 y", "[ n3] script=y unread=1(-N)");
}

Test(options, components)
{
	expect("sbatch -n1 --mem=1G : -n 8 --gpus-per-node=1 job.sh",
		"[ n1 mem1024][ n8 mem1024 gpus/N=1] script=job.sh hidden");
	expect("srun -n1 -t 5 a.out : -n2 b.out : -n3 c.out", "[ n1][ n2][ n3] t=300 script=a.out");
}

/* What slurm_opt.c does not reset goes on from component to component; accounts, QOS and limits of further
 * ones are their own, of the first the job's. */
Test(options, components_go_on)
{
	expect("sbatch -A a -q low -t 5 -x n1 --reservation=r --prefer=f -p p -C big -L m : -A b -p q : -q high -t 2 "
	       "--time-min=1 x.sh",
		"[ p=p prefer=f C=big x=n1 L=m res=r][ p=q prefer=f x=n1 res=r A=b]"
		"[ prefer=f x=n1 res=r A=b q=high t=120 tmin=60] qos=low t=300 A=a script=x.sh hidden");
}

Test(options, no_line)
{
	static struct heard h;
	cr_expect_eq(say(&h, "python train.py"), SL_INPUT);
	cr_expect_str_eq(h.err.text, "'python' is not sbatch, srun or salloc");
	cr_expect_eq(say(&h, "  "), SL_INPUT);
}
