# SPDX-License-Identifier: GPL-3.0-or-later
# schedlab: `make help` lists the targets. Set V=1 to see the commands.
#
# What differs between builds (sanitizers, coverage, another compiler) goes into a directory of its own: B=build-x.

VERSION := 0.1.0
CC ?= cc
PKG_CONFIG ?= pkg-config
PREFIX ?= /usr/local
DESTDIR ?=
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man
DATADIR ?= $(PREFIX)/share/schedlab
BASHCOMPDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHCOMPDIR ?= $(PREFIX)/share/zsh/site-functions
FISHCOMPDIR ?= $(PREFIX)/share/fish/vendor_completions.d
B ?= build

WARN := -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes -Wmissing-prototypes \
	-Wold-style-definition -Wpointer-arith -Wcast-align -Wcast-qual -Wundef -Wvla -Wswitch-enum -Wformat=2 \
	-Wwrite-strings -Wnull-dereference -Wdouble-promotion -Wimplicit-fallthrough
# `make` builds soon, `make release` for use: gcc joins all files when it links. (clang would need a linker plug-in.)
JOIN := $(if $(findstring Free Software,$(shell $(CC) --version 2>/dev/null)),-flto=auto)
CFLAGS ?= $(if $(RELEASE),-O3 -g1 $(JOIN),-O2)
LIBS := gsl yaml-0.1 zlib libzstd liblzma libcrypto sqlite3 lua5.4 readline
HOUSE := -std=c11 $(WARN) $(WERROR) -ffp-contract=off -fvisibility=hidden -fPIC -pthread -D_GNU_SOURCE -I. \
	-DSL_VERSION='"$(VERSION)"' -DSL_DATADIR='"$(DATADIR)"' $(shell $(PKG_CONFIG) --cflags $(LIBS) 2>/dev/null)
LDLIBS += $(shell $(PKG_CONFIG) --libs $(LIBS) 2>/dev/null) -lcsv -lm -ldl

ROOMS := policies traces models reports
CORE := $(wildcard sim/*/*.c $(foreach room,$(ROOMS),$(room)/*.c $(room)/*/*.c $(room)/*/*/*.c))
CLI := $(wildcard cli/*/*.c)
UNIT := $(wildcard tests/world/*.c tests/unit/*/*.c tests/prop/*.c)
CONFORMANCE := $(wildcard tests/conformance/*.c)
FUZZ := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
CORE_O := $(CORE:%.c=$B/o/%.o) $B/o/page_sources.o
CLI_O := $(CLI:%.c=$B/o/%.o)
UNIT_O := $(UNIT:%.c=$B/o/%.o)
CONFORMANCE_O := $(CONFORMANCE:%.c=$B/o/%.o)

Q := $(if $(V),,@)
say = $(if $(V)$(findstring s,$(firstword -$(MAKEFLAGS))),,@printf '  %-7s %s\n' '$1' '$2';)

all: needs $B/schedlab $B/libschedlab.so ## the program and the library, in build/

release: ## the same for use, joined at link time, in build-release/
	$Q$(MAKE) B=$B-release RELEASE=1 all

# Said once, and before the compiler says it a hundred times.
needs:
	@$(PKG_CONFIG) --exists $(LIBS) 2>/dev/null || { echo "some of these are missing: $(LIBS); run scripts/setup" >&2; exit 1; }

# Libraries that come in a tarball are found from where the program is (of theirs too: no RUNPATH).
$B/schedlab: $(CORE_O) $(CLI_O)
	$(call say,LD,$@)
	$Q$(CC) $(CFLAGS) -pthread -rdynamic -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/../lib/schedlab' $(LDFLAGS) $(PROGRAM_LINK) -o $@ $^ $(LDLIBS)

$B/libschedlab.so: $(CORE_O)
	$(call say,LD,$@)
	$Q$(CC) $(CFLAGS) -shared -pthread -Wl,-soname,libschedlab.so -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/schedlab' $(LDFLAGS) -o $@ $^ $(LDLIBS)

$B/test-unit: $(CORE_O) $(filter-out $B/o/cli/program/main.o,$(CLI_O)) $(UNIT_O)
	$(call say,LD,$@)
	$Q$(CC) $(CFLAGS) -pthread $(LDFLAGS) $(PROGRAM_LINK) -o $@ $^ $(LDLIBS) -lcriterion

$B/conformance: $(CORE_O) $(CONFORMANCE_O) $B/o/tests/world/json_tree.o
	$(call say,LD,$@)
	$Q$(CC) $(CFLAGS) -pthread $(LDFLAGS) -o $@ $^ $(LDLIBS)

$B/bench-place: $(CORE_O) $B/o/scripts/bench_place.o $B/o/tests/world/select_world.o
	$(call say,LD,$@)
	$Q$(CC) $(CFLAGS) -pthread $(LDFLAGS) -o $@ $^ $(LDLIBS)

# The same program, with a clock around each backfill pass.
$B/bench-backfill: $(CORE_O) $(CLI_O) $B/o/scripts/bench_backfill.o
	$(call say,LD,$@)
	$Q$(CC) $(CFLAGS) -pthread -rdynamic -Wl,--wrap=ctl_bf_pass $(LDFLAGS) -o $@ $^ $(LDLIBS)

$B/bench-sweep: $(CORE_O) $(filter-out $B/o/cli/program/main.o,$(CLI_O)) $B/o/scripts/bench_sweep.o
	$(call say,LD,$@)
	$Q$(CC) $(CFLAGS) -pthread $(LDFLAGS) -o $@ $^ $(LDLIBS)

$B/bench-many: $(CORE_O) $B/o/scripts/bench_many.o
	$(call say,LD,$@)
	$Q$(CC) $(CFLAGS) -pthread $(LDFLAGS) -o $@ $^ $(LDLIBS)

$B/bench-tune $B/bench-signs: $B/bench-%: $(CORE_O) $B/o/scripts/bench_%.o
	$(call say,LD,$@)
	$Q$(CC) $(CFLAGS) -pthread $(LDFLAGS) -o $@ $^ $(LDLIBS)

# Plain programs that speed is compared with: they share nothing with ours.
$B/fgd_plain $B/floor: $B/%: $B/o/scripts/%.o
	$(call say,LD,$@)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm

# Three dozen programs of all that there is: gold links them in a third of the time.
GOLD := $(if $(shell command -v ld.gold 2>/dev/null),-fuse-ld=gold)
$B/replay-%: $(CORE_O) $B/o/tests/fuzz/fuzz_%.o $B/o/tests/fuzz/replay.o
	$(call say,LD,$@)
	$Q$(CC) $(CFLAGS) $(GOLD) -pthread $(LDFLAGS) -o $@ $^ $(LDLIBS)

$B/fuzz-%: $(CORE_O) $B/o/tests/fuzz/fuzz_%.o
	$(call say,LD,$@)
	$Q$(CC) $(CFLAGS) -fsanitize=fuzzer -pthread $(LDFLAGS) -o $@ $^ $(LDLIBS)

# What it reads is the program's, not the library's.
$B/replay-selector $B/fuzz-selector $B/replay-sweep $B/fuzz-sweep $B/replay-step $B/fuzz-step $B/replay-lab $B/fuzz-lab $B/replay-session $B/fuzz-session $B/replay-bundle $B/fuzz-bundle $B/replay-tune $B/fuzz-tune $B/replay-tune_place $B/fuzz-tune_place: $(filter-out $B/o/cli/program/main.o,$(CLI_O))

# Each is made once, and not before each file.
FOLDERS := $(sort $(dir $(CORE_O) $(CLI_O) $(UNIT_O) $(CONFORMANCE_O) $B/o/tests/fuzz/ $B/o/scripts/))
$(FOLDERS):
	$Q mkdir -p $@

# Tests need not be fast: what they test is as it is built for use. Under sanitizers a unit test takes less time than
# its program takes to start, a process a test: so without what that has to relocate (make san).
$B/o/tests/%.o: tests/%.c | $(FOLDERS)
	$(call say,CC,$<)
	$Q$(CC) $(HOUSE) $(CPPFLAGS) $(CFLAGS) $(if $(filter file,$(origin CFLAGS)),-O1) $(if $(filter tests/unit/%,$<),$(UNIT_OPTIMIZE)) \
		-MMD -MP -c -o $@ $<

# What no run's time depends on.
COLD := $(patsubst %.c,$B/o/%.o,$(filter-out cli/compare/%,$(CLI)) $(wildcard reports/page/*.c reports/export/*.c))
$(COLD): OPTIMIZE := $(if $(filter file,$(origin CFLAGS)),$(if $(RELEASE),,-O1),$(COLD_OPTIMIZE))

$B/o/%.o: %.c | $(FOLDERS)
	$(call say,CC,$<)
	$Q$(CC) $(HOUSE) $(CPPFLAGS) $(CFLAGS) $(OPTIMIZE) -MMD -MP -c -o $@ $<

# What a report page is made of, as bytes in the program: arrays, of which one joins the scripts in src/ORDER.
# cohorts.js is in pages of runs that have cohorts or projects alone.
PAGE := reports/page
PAGE_STYLE := $(PAGE)/vendor/uPlot.min.css $(PAGE)/src/page.css
PAGE_UPLOT := $(PAGE)/vendor/uPlot.iife.min.js
PAGE_COHORTS := $(PAGE)/src/cohorts.js
PAGE_SCRIPT := $(shell sed 's|^|$(PAGE)/src/|' $(PAGE)/src/ORDER)
page_source = { echo 'static const unsigned char $1[] = {'; cat $2 | od -An -v -tu1 | sed 's/\([0-9]\)\( \|$$\)/\1,\2/g'; echo '};'; \
	echo 'const struct page_source page_$1 = { $1, sizeof($1) };'; }

$B/page_sources.c: $(PAGE)/src/page.html $(PAGE)/src/ORDER $(PAGE_STYLE) $(PAGE_UPLOT) $(PAGE_SCRIPT) $(PAGE_COHORTS)
	$(call say,EMBED,$@)
	$Q mkdir -p $(@D)
	$Q{ echo '#include "reports/page/page.h"'; $(call page_source,html,$(PAGE)/src/page.html); \
		$(call page_source,style,$(PAGE_STYLE)); $(call page_source,uplot,$(PAGE_UPLOT)); \
		$(call page_source,script,$(PAGE_SCRIPT)); \
		$(call page_source,cohorts,$(PAGE_COHORTS)); } >$@

$B/o/page_sources.o: $B/page_sources.c
	$Q mkdir -p $(@D)
	$Q$(CC) $(HOUSE) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

-include $(shell find $B/o -name '*.d' 2>/dev/null)

# ---- Tests. Each ends in a line "N passed, N failed".

test: test-unit test-cli test-golden test-fuzz test-plugin ## all tests; make test T='evq/*' runs only those unit tests

ifneq ($(T),)
test: test-unit
test-cli test-golden test-fuzz test-plugin:;
else
test-cli: $B/schedlab ## the command line, script by script
	$Q tests/cli/run $B

test-golden: $B/schedlab ## whole runs, byte by byte
	$Q tests/golden/run $B
	$Q $B/schedlab check tests/golden/baseline.json --quiet --twice

test-web: $B/schedlab ## the report page, in Chromium
	$Q tests/web/run $B

test-docs: $B/schedlab $B/libschedlab.so ## every command that README.md, docs/ and the man pages show (python3)
	$Q tests/docs/run $B

docs-accept: $B/schedlab $B/libschedlab.so ## write what these commands print now; review the difference
	$Q tests/docs/run --accept $B

test-fuzz: $(FUZZ:%=$B/replay-%) ## the fuzzers' corpora, replayed
	$Q tests/fuzz/run $B

test-plugin: all ## plug-ins and programs from outside the tree
	$Q CC='$(CC)' CFLAGS='$(CFLAGS)' tests/plugin/run $B
endif

test-unit: $B/test-unit ## unit and property tests
	$Q tests/unit/suite $B '$(T)'

golden-accept: $B/schedlab ## write what the golden runs give now; review the difference
	$Q tests/golden/run --accept $B

golden-update: $B/schedlab ## move the baseline of our own results, of the metrics in ACCEPT=; review the difference, and say why in CHANGELOG.md
	$Q $B/schedlab check tests/golden/baseline.json --update $(addprefix --accept ,$(ACCEPT)) --quiet

conformance: $B/conformance ## build/conformance, which runs recorded cases of other schedulers

check: all test ## style and all tests
	$Q scripts/tidy

full: ## everything: scripts/check, instructions, the analyzer, then ten minutes of fuzzing for each reader (clang)
	$Q scripts/check
	$Q SL_EFFORT=full $(MAKE) test-unit
	$Q $B/conformance slurm --forced --least=98.5 tests/golden/slurm-mixes
	$Q scripts/bench --instructions $B
	$Q scripts/tidy --full
	$Q$(MAKE) fuzz-smoke FUZZ_SECONDS=600

# Most tests take less time than their program takes to start. What is undefined traps, and AddressSanitizer tells where
# (what it was is in that line): the texts that would be told are a hundred thousand variables that each start registers.
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fsanitize-undefined-trap-on-error -fno-omit-frame-pointer
SANITIZE_LINK := -no-pie $(if $(JOIN),$(if $(filter /%,$(shell $(CC) -print-file-name=libasan.a)),-static-libasan -static-libubsan))
san: ## all tests under AddressSanitizer and UndefinedBehaviorSanitizer, with nodes and lists as small as they go
	$Q ASAN_OPTIONS=handle_sigill=1$${ASAN_OPTIONS:+:$$ASAN_OPTIONS} $(MAKE) B=$B-san CPPFLAGS=-DSL_TINY CFLAGS='-O1 -g1 $(SANITIZE)' \
		COLD_OPTIMIZE=-O0 UNIT_OPTIMIZE='-O0 -fno-sanitize=undefined' PROGRAM_LINK='$(SANITIZE_LINK)' test

FUZZ_SECONDS ?= 60
fuzz-smoke: ## a minute (FUZZ_SECONDS=60) of fuzzing for each reader (clang)
	$Q$(MAKE) B=$B-fuzz CC=clang CFLAGS='-O1 -g -fsanitize=fuzzer-no-link,address,undefined' $(FUZZ:%=$B-fuzz/fuzz-%)
	$Q for name in $(FUZZ); do mkdir -p $B-fuzz/corpus-$$name && $B-fuzz/fuzz-$$name -max_total_time=$(FUZZ_SECONDS) \
		$B-fuzz/corpus-$$name tests/fuzz/$$name || exit 1; done

cover: ## branches that the tests never take, by file
	$Q$(MAKE) B=$B-cover CFLAGS='-O0 -g --coverage' test
	$Q gcovr --root . --object-directory $B-cover --filter '(cli|sim|policies|traces|models|reports)/' --branches

A ?= ../before/build
same: $B/schedlab ## does this build do the same as the one in A=, to the byte (python3)
	$Q scripts/same $(A) $B

house: ## how the tree is built: sizes, circles, names, copies (python3)
	$Q scripts/house

bench: release ## speed and memory of the release, as multiples of the floor
	$Q scripts/bench $B-release

bench-instructions: $B/schedlab ## instructions of thirty runs, beside those on record (valgrind)
	$Q scripts/bench --instructions $B

bench-lua: $B/schedlab ## what scripts in Lua cost, beside the built-in rules
	$Q scripts/bench-scripted $B

bench-web: $B/schedlab ## size, load and redraw times of the report page at 10 000, 100 000 and 1 000 000 jobs
	$Q tests/web/bench $B

# ---- Installing.

PAGES1 := $(wildcard docs/man/*.1)
PAGES5 := $(wildcard docs/man/*.5)
PAGES7 := $(wildcard docs/man/*.7)

install: release ## the release, under PREFIX (default /usr/local) and DESTDIR
	$Q$(MAKE) -s FROM=$B-release install-files

# What is built in FROM, as it is.
FROM ?= $B
install-files:
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(INCLUDEDIR)/schedlab/plugin \
		$(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(MANDIR)/man5 $(DESTDIR)$(MANDIR)/man7 \
		$(DESTDIR)$(DATADIR)/traces/slurm-record $(DESTDIR)$(DATADIR)/traces/dgx $(DESTDIR)$(DATADIR)/examples/policy $(DESTDIR)$(DATADIR)/examples/model \
		$(DESTDIR)$(DATADIR)/examples/reader $(DESTDIR)$(DATADIR)/examples/metric $(DESTDIR)$(DATADIR)/examples/report $(DESTDIR)$(DATADIR)/examples/python $(DESTDIR)$(DATADIR)/examples/decider \
		$(DESTDIR)$(DATADIR)/python $(DESTDIR)$(BASHCOMPDIR)
	install -m 755 $(FROM)/schedlab $(DESTDIR)$(BINDIR)/schedlab
	install -m 644 $(FROM)/libschedlab.so $(DESTDIR)$(LIBDIR)/libschedlab.so
	install -m 644 sim/plugin.h sim/schedlab.h $(DESTDIR)$(INCLUDEDIR)/schedlab
	install -m 644 $(wildcard sim/plugin/*.h) $(DESTDIR)$(INCLUDEDIR)/schedlab/plugin
	install -m 644 $(PAGES1) $(DESTDIR)$(MANDIR)/man1
	install -m 644 $(PAGES5) $(DESTDIR)$(MANDIR)/man5
	install -m 644 $(PAGES7) $(DESTDIR)$(MANDIR)/man7
	install -m 644 $(wildcard traces/bundled/*.*) $(DESTDIR)$(DATADIR)/traces
	install -m 644 $(wildcard traces/bundled/slurm-record/*) $(DESTDIR)$(DATADIR)/traces/slurm-record
	install -m 644 $(wildcard traces/bundled/dgx/*) $(DESTDIR)$(DATADIR)/traces/dgx
	install -m 644 $(wildcard docs/examples/policy/*) $(DESTDIR)$(DATADIR)/examples/policy
	install -m 644 $(wildcard docs/examples/model/*) $(DESTDIR)$(DATADIR)/examples/model
	install -m 644 $(wildcard docs/examples/reader/*) $(DESTDIR)$(DATADIR)/examples/reader
	install -m 644 $(wildcard docs/examples/metric/*) $(DESTDIR)$(DATADIR)/examples/metric
	install -m 644 $(wildcard docs/examples/report/*) $(DESTDIR)$(DATADIR)/examples/report
	install -m 644 $(wildcard docs/examples/python/*) $(DESTDIR)$(DATADIR)/examples/python
	install -m 644 $(wildcard docs/examples/decider/*.py) $(DESTDIR)$(DATADIR)/examples/decider
	for lab in $(notdir $(wildcard docs/labs/[0-9]*)); do install -d $(DESTDIR)$(DATADIR)/labs/$$lab && \
		install -m 644 docs/labs/$$lab/* $(DESTDIR)$(DATADIR)/labs/$$lab || exit 6; done
	install -m 644 python/schedlab.py $(DESTDIR)$(DATADIR)/python
	install -d $(DESTDIR)$(BASHCOMPDIR) $(DESTDIR)$(ZSHCOMPDIR) $(DESTDIR)$(FISHCOMPDIR)
	$(FROM)/schedlab completion bash >$(DESTDIR)$(BASHCOMPDIR)/schedlab
	$(FROM)/schedlab completion zsh >$(DESTDIR)$(ZSHCOMPDIR)/_schedlab
	$(FROM)/schedlab completion fish >$(DESTDIR)$(FISHCOMPDIR)/schedlab.fish
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' \
		-e 's|@VERSION@|$(VERSION)|' schedlab.pc.in >$(DESTDIR)$(LIBDIR)/pkgconfig/schedlab.pc

uninstall: ## what install put there
	rm -f $(DESTDIR)$(BINDIR)/schedlab $(DESTDIR)$(LIBDIR)/libschedlab.so \
		$(DESTDIR)$(LIBDIR)/pkgconfig/schedlab.pc $(DESTDIR)$(BASHCOMPDIR)/schedlab \
		$(DESTDIR)$(ZSHCOMPDIR)/_schedlab $(DESTDIR)$(FISHCOMPDIR)/schedlab.fish \
		$(PAGES1:docs/man/%=$(DESTDIR)$(MANDIR)/man1/%) $(PAGES5:docs/man/%=$(DESTDIR)$(MANDIR)/man5/%) \
		$(PAGES7:docs/man/%=$(DESTDIR)$(MANDIR)/man7/%)
	rm -rf $(DESTDIR)$(INCLUDEDIR)/schedlab $(DESTDIR)$(DATADIR)

SOURCE_DATE_EPOCH ?= 0
dist: ## a tarball of the tree, the same bytes from the same tree
	mkdir -p $B
	git ls-files -z | tar --null -T - --sort=name --mtime=@$(SOURCE_DATE_EPOCH) --owner=0 --group=0 \
		--numeric-owner --transform 's,^,schedlab-$(VERSION)/,' -cJf $B/schedlab-$(VERSION).tar.xz

dist-binary: release ## a tarball of the release and its libraries: it runs from any folder, without root
	@scripts/tarball $B-release $(VERSION) $(SOURCE_DATE_EPOCH)

clean: ## remove what was built
	$Q rm -rf $B $B-*

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

.PHONY: all release needs test test-unit test-cli test-golden test-fuzz test-plugin test-web test-docs docs-accept golden-accept golden-update conformance check same house \
	full san fuzz-smoke cover bench bench-instructions bench-lua bench-web install install-files uninstall dist dist-binary clean help
.DELETE_ON_ERROR:
.SECONDARY:
