/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plugin.h - the plug-in interface: everything that a policy, reader, model, metric or report may use of the
 * engine. Built-in plug-ins include this and nothing else.
 *
 * Time is whole microseconds. Rows of the job table are typed handles. What is
 * lent as a const pointer is lent for the call. A function that can fail returns 0 or a negative status (enum
 * sl_status) and says why, once, in `err`.
 */
#ifndef SL_PLUGIN_H
#define SL_PLUGIN_H

#include "plugin/base.h"
#include "plugin/cluster.h"
#include "plugin/containers.h"
#include "plugin/deprecated.h"
#include "plugin/document.h"
#include "plugin/job.h"
#include "plugin/json.h"
#include "plugin/kube.h"
#include "plugin/lexer.h"
#include "plugin/model.h"
#include "plugin/pass.h"
#include "plugin/place.h"
#include "plugin/policy.h"
#include "plugin/reasons.h"
#include "plugin/registry.h"
#include "plugin/request.h"
#include "plugin/result.h"
#include "plugin/schema.h"
#include "plugin/script.h"
#include "plugin/trace.h"
#include "plugin/value.h"
#include "plugin/yaml.h"

#endif
