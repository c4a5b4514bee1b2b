/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_completion.c - schedlab completion: the script with which a shell asks the program itself.
 *
 * The words of a line go to `schedlab __complete` (complete.c). Shells differ in what a word is: bash splits
 * at '=' and ':' (COMP_WORDBREAKS), so its words are rejoined from the line, and what stands before the last
 * such mark is removed from what is offered (Bash Reference Manual, 8.6 Programmable Completion).
 */
#include "cli/base/cli.h"

#include <string.h>

static const char bash[] =
	"# Bash completion of schedlab: the program itself knows what fits; where it offers nothing, files do.\n"
	"# shellcheck shell=bash\n"
	"_schedlab() {\n"
	"\tlocal line=${COMP_LINE:0:COMP_POINT} words word last head offered mark\n"
	"\tread -ra words <<<\"$line\"\n"
	"\tcase $line in *[[:blank:]]) words+=(\"\") ;; esac\n"
	"\tlast=${words[-1]#[\\\"\\']}\n"
	"\thead=\n"
	"\tif [ \"$last\" = \"${words[-1]}\" ]; then # A quoted word is one word.\n"
	"\t\tfor mark in = :; do\n"
	"\t\t\tcase $COMP_WORDBREAKS$last in\n"
	"\t\t\t*\"$mark\"*\"$mark\"*) word=${last%\"${last##*\"$mark\"}\"}; [ ${#word} -le ${#head} ] || head=$word ;;\n"
	"\t\t\tesac\n"
	"\t\tdone\n"
	"\tfi\n"
	"\twords[-1]=$last\n"
	"\tCOMPREPLY=()\n"
	"\twhile IFS= read -r offered; do\n"
	"\t\toffered=${offered%%$'\\t'*}\n"
	"\t\tcase $offered in *[=:,.[]) compopt -o nospace 2>/dev/null ;; esac\n"
	"\t\tCOMPREPLY+=(\"${offered#\"$head\"}\")\n"
	"\tdone < <(\"${COMP_WORDS[0]}\" __complete \"${words[@]:1}\" 2>/dev/null)\n"
	"}\n"
	"complete -o default -F _schedlab schedlab\n";

static const char zsh[] =
	"#compdef schedlab\n"
	"# Zsh completion of schedlab: the program itself knows what fits; where it offers nothing, files do.\n"
	"_schedlab() {\n"
	"\tlocal offered word about\n"
	"\tlocal -a closed open\n"
	"\tfor offered in \"${(@f)$(\"${words[1]}\" __complete \"${(@Q)words[2,CURRENT-1]}\" \"${(Q)PREFIX}\" 2>/dev/null)}\"; do\n"
	"\t\t[[ -n $offered ]] || continue\n"
	"\t\tword=${offered%%$'\\t'*}\n"
	"\t\tabout=${offered#$word}\n"
	"\t\tabout=${about#$'\\t'}\n"
	"\t\tcase $word in\n"
	"\t\t*[=:,.\\[]) open+=(\"${word//:/\\\\:}${about:+:$about}\") ;;\n"
	"\t\t*) closed+=(\"${word//:/\\\\:}${about:+:$about}\") ;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"\tif (( ! $#open && ! $#closed )); then\n"
	"\t\tif [[ $PREFIX == --*=* ]]; then compset -P 1 '*='; fi\n"
	"\t\t_files\n"
	"\t\treturn\n"
	"\tfi\n"
	"\t(( $#closed )) && _describe 'schedlab' closed\n"
	"\t(( $#open )) && _describe 'schedlab' open -S ''\n"
	"}\n"
	"if [ \"$funcstack[1]\" = _schedlab ]; then _schedlab \"$@\"; else compdef _schedlab schedlab; fi\n";

static const char fish[] =
	"# Fish completion of schedlab: the program itself knows what fits; where it offers nothing, files do.\n"
	"function __schedlab_complete\n"
	"\tset -l words (commandline -opc)\n"
	"\tset -l last (commandline -ct)\n"
	"\tset -l offered ($words[1] __complete $words[2..-1] \"$last\" 2>/dev/null)\n"
	"\tif set -q offered[1]\n"
	"\t\tprintf '%s\\n' $offered\n"
	"\telse\n"
	"\t\t__fish_complete_path \"$last\"\n"
	"\tend\n"
	"end\n"
	"complete -c schedlab -f -a '(__schedlab_complete)'\n";

static int completion_command(const struct args *args, struct sl_err *err)
{
	static const struct {
		const char *shell, *script;
	} scripts[] = {
		{ "bash", bash },
		{ "zsh", zsh },
		{ "fish", fish },
	};
	for (size_t i = 0; i < SL_LEN(scripts); i++)
		if (strcmp(args->word[0], scripts[i].shell) == 0) {
			(void)fputs(scripts[i].script, stdout);
			return SL_OK;
		}
	return sl_fail(
		err, SL_USAGE, "no completion for '%.60s': there is bash, zsh and fish", args->word[0]);
}

const struct command cmd_completion = {
	.name = "completion",
	.usage = "completion bash|zsh|fish",
	.summary = "print the script that completes lines in a shell",
	.detail = "'make install' puts the scripts where the shells look for them.\n"
		  "\n"
		  "examples:\n"
		  "  source <(schedlab completion bash)\n"
		  "  schedlab completion zsh >~/.zfunc/_schedlab\n"
		  "  schedlab completion fish >~/.config/fish/completions/schedlab.fish\n",
	.words_min = 1,
	.words_max = 1,
	.run = completion_command,
};
