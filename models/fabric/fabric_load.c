/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fabric_load.c - how a link is loaded over time: bytes a second, integrated in whole numbers.
 */
#include "models/fabric/model.h"

void fabric_load_close(struct fabric_load *load, sl_time now)
{
	if (now > load->since) {
		load->sum += (__int128)load->now * (now - load->since);
		if (load->now > load->peak) /* What lasted no time is no peak. */
			load->peak = load->now;
	}
	load->since = now;
}

void fabric_load_move(struct fabric_load *load, sl_time now, int64_t by)
{
	fabric_load_close(load, now);
	load->now += by;
}

void fabric_load_full(struct fabric_load *load, sl_time now, bool full)
{
	if (full)
		load->full_since = now;
	else
		load->full_time += now - load->full_since;
}
