/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_version.c - schedlab version: of the program, and with --build what is in it: libraries as they were
 * compiled against and as they are at run time, compiler, how it was built, where its data is, how much it
 * knows by name.
 */
#include <csv.h>
#include <gsl/gsl_version.h>
#include <lua.h>
#include <lzma.h>
#include <openssl/crypto.h>
#include <readline/readline.h>
#include <sqlite3.h>
#include <string.h>
#include <yaml.h>
#include <zlib.h>
#include <zstd.h>

#include "cli/base/cli.h"
#include "sim/base/out.h"

static const struct option_def options[] = {
	{ "build", 0, NULL, false, "also how it was built: libraries, compiler, interface of plug-ins" },
	{ OPTION_JSON },
};

enum { LIBRARIES = 10 };
struct library {
	const char *name, *compiled, *running; /* running NULL: it does not say. */
};

/* text: holds what has to be put together. */
static size_t libraries_list(struct library list[LIBRARIES], char text[32])
{
	(void)snprintf(text, 32, "%d.%d.%d", CSV_MAJOR, CSV_MINOR, CSV_RELEASE);
	const struct library all[LIBRARIES] = {
		{ "gsl", GSL_VERSION, gsl_version },
		{ "libcsv", text, NULL },
		{ "libyaml", NULL, yaml_get_version_string() },
		{ "zlib", ZLIB_VERSION, zlibVersion() },
		{ "zstd", ZSTD_VERSION_STRING, ZSTD_versionString() },
		{ "lzma", LZMA_VERSION_STRING, lzma_version_string() },
		{ "libcrypto", OPENSSL_FULL_VERSION_STR, OpenSSL_version(OPENSSL_FULL_VERSION_STRING) },
		{ "sqlite", SQLITE_VERSION, sqlite3_libversion() },
		{ "lua", LUA_VERSION_MAJOR "." LUA_VERSION_MINOR "." LUA_VERSION_RELEASE, NULL },
		{ "readline", NULL, rl_library_version },
	};
	memcpy(list, all, sizeof(all));
	return LIBRARIES;
}

struct known {
	const char *name;
	size_t count;
};

static size_t counted(const void *const *list)
{
	size_t count = 0;
	while (list[count])
		count++;
	return count;
}

static size_t presets(void)
{
	size_t count = 0;
	while (sl_presets[count].name)
		count++;
	return count;
}

static const char *flags_text(void)
{
#ifdef SL_TINY
	return "tiny nodes and lists, for tests";
#else
	return "invariants always checked";
#endif
}

/* The folder in which the bundled workload lies; "": not found. */
static void data_folder(const struct args *args, char *path, size_t size)
{
	if (!bundled_find(path, size, args->data)) {
		path[0] = '\0';
		return;
	}
	char *slash = strrchr(path, '/');
	if (slash)
		*slash = '\0';
}

static void print_text(const struct library *library, size_t libraries, const struct known *known,
	size_t kinds, const char *data)
{
	printf("plug-in interface %d.%d\ncompiler %s\nbuild: %s\ndata: %s\n", SL_ABI_MAJOR, SL_ABI_MINOR,
		__VERSION__, flags_text(), *data ? data : "not found");
	for (size_t i = 0; i < kinds; i++)
		printf("%s: %zu\n", known[i].name, known[i].count);
	for (size_t i = 0; i < libraries; i++) {
		const struct library *one = &library[i];
		const bool both = one->compiled && one->running && strcmp(one->compiled, one->running) != 0;
		printf("%s %s%s%s%s\n", one->name, one->running ? one->running : one->compiled,
			both ? " (compiled against " : "", both ? one->compiled : "", both ? ")" : "");
	}
}

static void json_member(struct sl_out *out, const char *before, const char *text)
{
	sl_out_text(out, before);
	if (text)
		sl_out_json(out, text);
	else
		sl_out_text(out, "null");
}

static int print_json(const struct library *library, size_t libraries, const struct known *known,
	size_t kinds, const char *data, struct sl_err *err)
{
	struct sl_out *out;
	const int status = sl_out_open(&out, NULL, err);
	if (status)
		return status;
	json_member(out, "{ \"schedlab\": ", SL_VERSION);
	sl_out_printf(out, ", \"abi\": \"%d.%d\"", SL_ABI_MAJOR, SL_ABI_MINOR);
	json_member(out, ", \"compiler\": ", __VERSION__);
	if (library) {
		json_member(out, ",\n  \"build\": ", flags_text());
		json_member(out, ", \"data\": ", *data ? data : NULL);
		for (size_t i = 0; i < kinds; i++)
			sl_out_printf(out, ", \"%s\": %zu", known[i].name, known[i].count);
		sl_out_text(out, ",\n  \"libraries\": {");
	}
	for (size_t i = 0; i < libraries; i++) {
		sl_out_printf(out, "%s\n    \"%s\": {", i ? "," : "", library[i].name);
		json_member(out, " \"compiled\": ", library[i].compiled);
		json_member(out, ", \"running\": ", library[i].running);
		sl_out_text(out, " }");
	}
	sl_out_text(out, library ? " } }\n" : " }\n");
	return sl_out_commit(out, err);
}

static int version_command(const struct args *args, struct sl_err *err)
{
	const struct registry *registry = args->registry;
	struct library library[LIBRARIES];
	char text[32];
	char data[4300];
	const struct known known[] = {
		{ "presets", presets() },
		{ "policies", counted((const void *const *)registry->policies) },
		{ "models", counted((const void *const *)registry->models) },
		{ "readers", counted((const void *const *)registry->readers) },
	};
	const size_t libraries = libraries_list(library, text);
	const bool build = arg_flag(args, "build");
	data_folder(args, data, sizeof(data));
	if (arg_flag(args, "json"))
		return print_json(
			build ? library : NULL, build ? libraries : 0, known, SL_LEN(known), data, err);
	printf("schedlab %s\n", SL_VERSION);
	if (build)
		print_text(library, libraries, known, SL_LEN(known), data);
	return SL_OK;
}

const struct command cmd_version = {
	.name = "version",
	.usage = "version [--build] [--json]",
	.summary = "show the version",
	.options = options,
	.option_count = SL_LEN(options),
	.run = version_command,
};
