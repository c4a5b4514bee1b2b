/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mig.c - how GPUs of NVIDIA are divided by MIG: profiles, the eighths of memory that each takes, and where
 * it may begin.
 *
 * The places are those that `nvidia-smi mig -lgipp` lists, the same on all models of seven compute slices:
 * seven of one slice from 0 to 6 (the last eighth goes with a larger one only), and larger ones at even or
 * fourth places. Profiles with media extensions (1g.5gb+me) lie as those without, but on a device only once:
 * they are not told apart, and not listed.
 */
#include "models/nodes/node_models.h"

enum { AT_0 = 0x01, AT_0_4 = 0x11, AT_0_2_4 = 0x15, AT_0_2_4_6 = 0x55, AT_0_TO_6 = 0x7F };

/* The names of one model's profiles, by the memory of an eighth, of two, four and all. */
#define PROFILES(eighth, two, four, all)                                                                  \
	{                                                                                                 \
		{ "1g." eighth, 1, AT_0_TO_6 }, { "1g." two, 2, AT_0_2_4_6 }, { "2g." two, 2, AT_0_2_4 }, \
			{ "3g." four, 4, AT_0_4 }, { "4g." four, 4, AT_0 },                               \
			{ "7g." all, SL_MIG_SLICES, AT_0 },                                               \
	}

static const struct sl_mig_profile profiles_40[] = PROFILES("5gb", "10gb", "20gb", "40gb");
static const struct sl_mig_profile profiles_80[] = PROFILES("10gb", "20gb", "40gb", "80gb");
static const struct sl_mig_profile profiles_94[] = PROFILES("12gb", "24gb", "47gb", "94gb");

const struct sl_mig_model mig_a100_40gb = {
	.abi = SL_ABI_OF(struct sl_mig_model),
	.name = "a100-40gb",
	.source =
		"NVIDIA Multi-Instance GPU User Guide: A100 MIG profiles; placements: its example of nvidia-smi mig -lgipp",
	.mem = 40 * GIB,
	.profile = profiles_40,
	.profile_count = SL_LEN(profiles_40),
};

const struct sl_mig_model mig_a100_80gb = {
	.abi = SL_ABI_OF(struct sl_mig_model),
	.name = "a100-80gb",
	.source =
		"NVIDIA Multi-Instance GPU User Guide: A100 MIG profiles, names by memory; placements as a100-40gb",
	.mem = 80 * GIB,
	.profile = profiles_80,
	.profile_count = SL_LEN(profiles_80),
};

const struct sl_mig_model mig_h100_80gb = {
	.abi = SL_ABI_OF(struct sl_mig_model),
	.name = "h100-80gb",
	.source =
		"NVIDIA Multi-Instance GPU User Guide: H100 MIG profiles; placements as nvidia-smi mig -lgipp lists them of H100 NVL",
	.mem = 80 * GIB,
	.profile = profiles_80,
	.profile_count = SL_LEN(profiles_80),
};

const struct sl_mig_model mig_h100_94gb = {
	.abi = SL_ABI_OF(struct sl_mig_model),
	.name = "h100-94gb",
	.source =
		"NVIDIA Multi-Instance GPU User Guide: H100 NVL; placements as nvidia-smi mig -lgipp lists them there",
	.mem = 94 * GIB,
	.profile = profiles_94,
	.profile_count = SL_LEN(profiles_94),
};
