/* SPDX-License-Identifier: GPL-3.0-or-later */
/* meta.c - see meta.h. */
#include "traces/slurm/meta.h"

/* Up to data_parser v0.0.39 the object of Slurm itself had a capital. */
const char *slurm_release_of(const struct sl_doc *doc, const struct sl_doc_node *meta)
{
	static const char *const paths[] = { "slurm.release", "Slurm.release" };
	const char *release = NULL;
	for (size_t i = 0; i < SL_LEN(paths) && !release; i++)
		release = sl_doc_string(doc, sl_doc_at(doc, meta, paths[i]));
	return release;
}
