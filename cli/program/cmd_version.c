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
#include "cli/base/render.h"
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

static size_t counted(const void *array)
{
	size_t count = 0;
	while (registry_at(array, count))
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

static int print_json(const struct library *library, size_t libraries, const struct known *known,
	size_t kinds, const char *data, struct sl_err *err)
{
	static const struct json_form lines = { "\n    ", ",\n    ", " ", true };
	char abi[32];
	struct json json;
	const int status = json_start(&json, &json_one_line, err);
	if (status)
		return status;
	(void)snprintf(abi, sizeof(abi), "%d.%d", SL_ABI_MAJOR, SL_ABI_MINOR);
	json_put(&json, datum_text("schedlab", SL_VERSION), datum_text("abi", abi),
		datum_text("compiler", __VERSION__));
	if (library) {
		json_put(&json, datum_line(2), datum_text("build", flags_text()),
			datum_text("data", *data ? data : NULL));
		for (size_t i = 0; i < kinds; i++)
			json_put(&json, datum_count(known[i].name, known[i].count));
		json_line(&json, 2);
		json_nest(&json, "libraries", '{', &lines);
	}
	for (size_t i = 0; i < libraries; i++) {
		json_object(&json, library[i].name, datum_text("compiled", library[i].compiled),
			datum_text("running", library[i].running));
	}
	return json_finish(&json, SL_OK, err);
}

static int version_command(const struct args *args, struct sl_err *err)
{
	const struct sl_plugin *all = &args->registry->known;
	struct library library[LIBRARIES];
	char text[32];
	char data[4300];
	const struct known known[] = {
		{ "presets", counted(all->presets) },
		{ "policies", counted(all->policies) },
		{ "models", counted(all->models) },
		{ "readers", counted(all->readers) },
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
