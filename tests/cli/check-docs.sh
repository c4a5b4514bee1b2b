# What docs/ci.md shows: its jobs are the files that it names; tried as such a job would run them, in a repository whose slurm.conf is
# changed on a branch.
unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null HOME="$PWD"
examples=$ROOT/docs/examples/baseline
for file in github.yml gitlab.yml install-schedlab; do
	awk -v want="$(sed -n '/^# [^S]/{p;q}; /^# Builds/{p;q}; /^# Results/{p;q}' "$examples/$file")" '/^```/ { if (on && index(text, want)) printf "%s", text; on = !on; text = ""; next }
		on { text = text $0 "\n" }' "$ROOT/docs/ci.md" | cmp - "$examples/$file" && echo "$file: as in ci.md"
done
schedlab check "$examples/baseline.json" | tail -n 1

# A pull request, merged: HEAD^1 is what it is merged into.
quietly() { git -c user.name=n -c user.email=n@example.org -c init.defaultBranch=main -c commit.gpgsign=false "$@" >/dev/null 2>&1; }
quietly init . && mkdir ci
cp -r "$ROOT/docs/examples/slurm" etc && mv etc/week.txt ci
schedlab check --init ci/week.txt -c etc -p slurm -o ci/baseline.json -q >/dev/null
eval "$(sed -n '/^   sed -i/,/baseline.json$/p' "$ROOT/docs/ci.md")"
: >ci/accept
printf '#!/bin/sh\necho installed\n' >ci/install-schedlab && chmod +x ci/install-schedlab
quietly add -A && quietly commit -m one
branch() { # branch NAME SED [COMMAND]: a branch with that change, merged into a commit of its own, as the job is given it
	quietly checkout -b "$1" main && sed -i "$2" etc/slurm.conf && eval "${3:-:}" && quietly commit -a -m "$1" &&
		quietly checkout -b "$1-merged" main && quietly merge --no-ff -m merge "$1"
}
steps() { # steps EVENT: the commands of github.yml at that event
	awk -v event="$1" '/^      - / { say(); run = wanted = "" } /^        if:/ { wanted = $0 } / run: / { sub(/^.* run: /, ""); run = $0 } END { say() }
		function say() { if (run != "" && (wanted == "" || index(wanted, event))) print run }' "$examples/github.yml"
}
github() {
	rm -f report.xml summary.md
	steps "$1" | while read -r command; do
		echo "\$ $command"
		CI=true GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=summary.md bash -eo pipefail -c "$command" >said || {
			echo "exit $?"
			break
		}
	done
	grep -c '^::error' said
	grep -e '| all |' -e partition summary.md
	grep -o '<testsuites[^>]*' report.xml
}
gitlab() { # gitlab JOB: its script
	awk -v job="$1:" '/^[^ ]/ { on = $0 == job; script = 0 } /^  script:/ { script = 1; next } /^  [^ ]/ { script = 0 } on && script && NF { sub(/^ *- /, ""); print }' \
		"$examples/gitlab.yml" | while read -r command; do
		echo "\$ $command"
		CI=true CI_MERGE_REQUEST_DIFF_BASE_SHA=$(git rev-parse main) sh -c "$command" >said 2>/dev/null
		echo "exit $?, $(tail -n 1 said)"
	done
}
branch comment 's/^SlurmctldHost/# Moved to the new rack.\n&/'
echo 'A comment:'
github pull_request
echo 'A limit:'
branch limit 's/PartitionName=gpu /PartitionName=gpu MaxTime=12:00:00 /'
github pull_request
gitlab configuration
grep -c partition impact.md
echo 'The same, accepted, with the baseline that follows:'
branch accepted 's/PartitionName=gpu /PartitionName=gpu MaxTime=12:00:00 /' "$(grep '^printf.*accept$' "$ROOT/docs/ci.md")
	$(grep '^schedlab check.*--update' "$ROOT/docs/ci.md")"
github pull_request
gitlab configuration
gitlab baseline
github push
printf '1:\n\tschedlab check ci/baseline.json -q --git HEAD^1\n' >Makefile
make -s 1 >/dev/null 2>&1
echo "make, of exit 1: exit $?"
