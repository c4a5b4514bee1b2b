/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * args.c - one parser for every command's line, and the help made of the same tables.
 *
 * Options and operands come in any order; "--" ends options, "-" is an operand. What is parsed is kept in
 * order, so that repeated options keep theirs.
 */
#include "cli/base/cli.h"

#include <ctype.h>
#include <string.h>

/* Options of every command: main prints the help, log.c handles the others. */
static const struct option_def common[] = {
	{ "quiet", 'q', NULL, true, "no talk on stderr but warnings and errors" },
	{ "verbose", 'v', NULL, true,
		"say more on stderr: what is set, what jobs do; twice: all that happens" },
	{ "log-level", 0, "LEVEL", true, "how much: error, warning, info (default), debug, trace" },
	{ "log-json", 0, NULL, true, "one JSON object a line on stderr in place of text" },
	{ "help", 'h', NULL, false, "show this" },
};

const struct option_def *option_common(size_t i) { return i < SL_LEN(common) ? &common[i] : NULL; }

/* The i-th of a command's options, its own ones before what depends on a word, every command's at the end. */
const struct option_def *option_at(const struct args *args, size_t i)
{
	if (i < args->command->option_count)
		return &args->command->options[i];
	i -= args->command->option_count;
	return i < args->more_count ? &args->more[i] : option_common(i - args->more_count);
}

static const char *option_name_at(const void *list, size_t i)
{
	const struct option_def *def = option_at(list, i);
	return def ? def->name : NULL;
}

const struct option_def *option_long(const struct args *args, const char *name, size_t len)
{
	const struct option_def *def;
	for (size_t i = 0; (def = option_at(args, i)); i++)
		if (strlen(def->name) == len && memcmp(def->name, name, len) == 0)
			return def;
	return NULL;
}

const struct option_def *option_letter(const struct args *args, char letter)
{
	const struct option_def *def;
	for (size_t i = 0; (def = option_at(args, i)); i++)
		if (def->letter == letter)
			return def;
	return NULL;
}

/* What is left of the line. */
struct line {
	char **word;
	size_t left;
};

/* Numbers with what stands between them in ranges: 0.8..1.6:0.1. */
static bool is_range(const char *word) { return *word && strspn(word, "0123456789.,:x") == strlen(word); }

/* value: what followed in the same word, or NULL; then an option with a value consumes the next word, one
 * whose value may be left out ("[RANGE]") only if it looks like one. */
static int option_given(struct args *args, const struct option_def *def, const char *value, struct line *line,
	struct sl_err *err)
{
	if (def->value && *def->value == '[' && !value && !(line->left && is_range(*line->word)))
		value = "";
	if (def->value && !value) {
		if (!line->left)
			return sl_fail(err, SL_USAGE, "option '--%s' needs a value: --%s %s", def->name,
				def->name, def->value);
		value = *line->word++;
		line->left--;
	}
	for (size_t i = 0; i < args->given_count && !def->repeats; i++)
		if (args->given[i].def == def && def->value)
			return sl_fail(
				err, SL_USAGE, "option '--%s' is given twice: give it once", def->name);
	args->given[args->given_count++] = (struct given){ .def = def, .value = value };
	return SL_OK;
}

static int long_given(struct args *args, const char *text, struct line *line, struct sl_err *err)
{
	const char *equals = strchr(text, '=');
	const size_t len = equals ? (size_t)(equals - text) : strlen(text);
	const struct option_def *def = option_long(args, text, len);
	if (!def) {
		char similar[128];
		char name[128];
		(void)snprintf(name, sizeof(name), "%.*s", (int)(len < 100 ? len : 100), text);
		char dashed[64];
		const char *known = nearest(name, option_name_at, args);
		(void)snprintf(dashed, sizeof(dashed), "--%s", known ? known : "");
		return sl_fail(err, SL_USAGE, "unknown option '--%s': %s'schedlab %s --help' shows all", name,
			did_you_mean(similar, known ? dashed : NULL), args->command->name);
	}
	if (equals && !def->value)
		return sl_fail(err, SL_USAGE, "option '--%s' takes no value: write it alone", def->name);
	return option_given(args, def, equals ? equals + 1 : NULL, line, err);
}

/* -qp easy, -peasy */
static int letters_given(struct args *args, const char *text, struct line *line, struct sl_err *err)
{
	for (; *text; text++) {
		const struct option_def *def = option_letter(args, *text);
		if (!def)
			return sl_fail(err, SL_USAGE, "unknown option '-%c': 'schedlab %s --help' shows all",
				*text, args->command->name);
		const char *rest = def->value && text[1] ? text + 1 : NULL;
		const int status = option_given(args, def, rest, line, err);
		if (status || def->value)
			return status;
	}
	return SL_OK;
}

void args_more(struct args *args, char **argv, size_t argc)
{
	for (size_t i = 0; args->command->more && i < argc && !args->more; i++)
		args->more = args->command->more(argv[i], &args->more_count, args);
}

/* Before anything else is looked at: a plug-in may bring options of its own (a generator's parameters), and
 * stand behind them. */
static int plugins_first(struct args *args, char **argv, size_t argc, struct sl_err *err)
{
	static const char name[] = "plugin";
	static const size_t len = sizeof(name) - 1;
	if (!option_long(args, name, len))
		return SL_OK;
	for (size_t i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *text = argv[i];
		if (strncmp(text, "--", 2) != 0 || strncmp(text + 2, name, len) != 0)
			continue;
		const char *path = NULL;
		if (text[2 + len] == '=')
			path = text + 2 + len + 1;
		else if (!text[2 + len] && i + 1 < argc)
			path = argv[++i];
		int status = path && !args->of_file ? trust_say_path(&args->registry->trust, path,
							      args->registry->arena, err)
						    : SL_OK;
		if (path && !status)
			status = registry_add(args->registry, path, err);
		if (status)
			return status;
	}
	return SL_OK;
}

/* What the user says himself is executed: settings wherever they stand, policies, and, with --trust, all. */
static int args_say(struct args *args, struct sl_err *err)
{
	struct trust *trust = &args->registry->trust;
	int status = SL_OK;
	trust->all = trust->all || arg_flag(args, "trust");
	for (size_t i = 0; i < args->given_count && !status; i++) {
		const struct given *given = &args->given[i];
		if (!given->value)
			continue;
		status = trust_say_setting(trust, given->value, args->registry->arena, err);
		if (!status && strcmp(given->def->name, "policy") == 0)
			status = trust_say_policy(args->registry, given->value, err);
	}
	return status;
}

/* Policies that are named by the path of their plug-in. */
static int plugins_of_policies(struct args *args, struct sl_err *err)
{
	const char *policy;
	for (size_t i = 0; (policy = arg_at(args, "policy", i)); i++) {
		const int status = registry_add_policy(args->registry, policy, err);
		if (status)
			return status;
	}
	return SL_OK;
}

int args_parse(struct args *args, char **argv, size_t argc, struct sl_err *err)
{
	const struct command *command = args->command;
	struct sl_arena *arena = args->arena;
	const int loaded = plugins_first(args, argv, argc, err);
	if (loaded)
		return loaded;
	size_t letters = 0;
	for (size_t i = 0; i < argc; i++)
		letters += strlen(argv[i]) + 1;
	args->given = sl_alloc(arena, letters, sizeof(*args->given));
	args->word = sl_alloc(arena, argc, sizeof(*args->word));
	if (!args->given || !args->word)
		return sl_fail_memory(err);
	args_more(args, argv, argc);

	struct line line = { argv, argc };
	bool options = true;
	while (line.left) {
		char *text = *line.word++;
		line.left--;
		int status = SL_OK;
		if (options && strcmp(text, "--") == 0)
			options = false;
		else if (options && strncmp(text, "--", 2) == 0)
			status = long_given(args, text + 2, &line, err);
		else if (options && text[0] == '-' && text[1])
			status = letters_given(args, text + 1, &line, err);
		else
			args->word[args->word_count++] = text;
		if (status)
			return status;
	}
	if (arg_flag(args, "help"))
		return SL_OK;
	/* An error is one line. */
	const int usage = command->usage ? (int)strcspn(command->usage, "\n") : 0;
	if (args->word_count < command->words_min)
		return sl_fail(err, SL_USAGE, "%s: an operand is missing: schedlab %.*s", command->name,
			usage, command->usage);
	if (args->word_count > command->words_max)
		return sl_fail(err, SL_USAGE, "%s: unexpected '%s': schedlab %.*s", command->name,
			args->word[command->words_max], usage, command->usage);
	const int said = args->of_file ? SL_OK : args_say(args, err);
	return said ? said : plugins_of_policies(args, err);
}

int args_before(const struct args *args, char **argv, size_t argc, struct sl_err *err)
{
	static const struct command none = { .name = "help", .words_max = 0 };
	struct args line = *args;
	line.command = &none;
	char **word = sl_alloc(args->arena, argc + 1, sizeof(*word));
	size_t count = 0;
	if (!word)
		return sl_fail_memory(err);
	for (size_t i = 0; i < argc; i++)
		if (strncmp(argv[i], "--data=", 7) != 0)
			word[count++] = argv[i];
	const int status = count ? args_parse(&line, word, count, err) : SL_OK;
	const int logged = status ? SL_OK : log_from_args(&line, err);
	return status ? status : logged;
}

static const struct given *given_last(const struct args *args, const char *name)
{
	for (size_t i = args->given_count; i-- > 0;)
		if (strcmp(args->given[i].def->name, name) == 0)
			return &args->given[i];
	return NULL;
}

const char *arg(const struct args *args, const char *name)
{
	const struct given *given = given_last(args, name);
	return given ? given->value : NULL;
}

bool arg_flag(const struct args *args, const char *name) { return given_last(args, name) != NULL; }

const char *arg_at(const struct args *args, const char *name, size_t i)
{
	for (size_t at = 0; at < args->given_count; at++)
		if (strcmp(args->given[at].def->name, name) == 0 && i-- == 0)
			return args->given[at].value;
	return NULL;
}

/* NOLINTNEXTLINE(readability-function-size): an option, its bounds, and where it goes. */
int arg_u64(const struct args *args, const char *name, uint64_t fallback, uint64_t min, uint64_t max,
	uint64_t *value, struct sl_err *err)
{
	const char *text = arg(args, name);
	int64_t number;
	*value = fallback;
	if (!text)
		return SL_OK;
	if (!sl_get_i64(text, strlen(text), &number) || number < 0 || (uint64_t)number < min ||
		(uint64_t)number > max)
		return sl_fail(err, SL_USAGE,
			"option '--%s' must be a whole number from %llu to %llu, not '%s'", name,
			(unsigned long long)min, (unsigned long long)max, text);
	*value = (uint64_t)number;
	return SL_OK;
}

/* ---- Help ---------------------------------------------------------------------------- */

/* Several lines of help stay below each other. */
static void option_help(const struct option_def *def, int width)
{
	char left[64];
	const int used = def->letter ? snprintf(left, sizeof(left), "  -%c, --%s", def->letter, def->name)
				     : snprintf(left, sizeof(left), "      --%s", def->name);
	if (def->value)
		(void)snprintf(left + used, sizeof(left) - (size_t)used, " %s", def->value);
	const char *help = def->help;
	for (const char *name = left; *help; name = "") {
		const size_t len = strcspn(help, "\n");
		printf("%-*s  %.*s\n", width, name, (int)len, help);
		help += len + (help[len] == '\n');
	}
}

void args_help(const struct args *given)
{
	const struct command *command = given->command;
	struct args args = { .command = command, .arena = given->arena, .registry = given->registry };
	if (command->more)
		args.more = command->more(NULL, &args.more_count, &args);
	printf("usage: schedlab %s\n\n%c%s.\n", command->usage, toupper((unsigned char)command->summary[0]),
		command->summary + 1);
	if (command->detail)
		printf("\n%s", command->detail);
	int width = 0;
	const struct option_def *def;
	for (size_t i = 0; (def = option_at(&args, i)); i++) {
		const size_t used = 8 + strlen(def->name) + (def->value ? strlen(def->value) + 1 : 0);
		if (def->help && (int)used > width && used < 40)
			width = (int)used;
	}
	printf("\noptions:\n");
	for (size_t i = 0; (def = option_at(&args, i)); i++)
		if (def->help)
			option_help(def, width);
}
