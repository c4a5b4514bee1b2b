# SPDX-License-Identifier: GPL-3.0-or-later
# schedlab: `make help` lists the targets. Set V=1 to see the commands.

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
B ?= build

WARN := -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes -Wmissing-prototypes \
	-Wold-style-definition -Wpointer-arith -Wcast-align -Wcast-qual -Wundef -Wvla -Wswitch-enum -Wformat=2 \
	-Wwrite-strings -Wnull-dereference -Wdouble-promotion -Wimplicit-fallthrough
CFLAGS ?= -O2 -g
LIBS := gsl libcjson zlib libzstd liblzma libcrypto
HOUSE := -std=c11 $(WARN) $(WERROR) -ffp-contract=off -fvisibility=hidden -fPIC -pthread -D_GNU_SOURCE -I. \
	-DSL_VERSION='"$(VERSION)"' $(shell $(PKG_CONFIG) --cflags $(LIBS))
LDLIBS += $(shell $(PKG_CONFIG) --libs $(LIBS)) -lm -ldl

CORE := $(wildcard sim/*.c) $(wildcard policies/*.c traces/*.c models/*.c reports/*.c)
CLI := $(wildcard sim/cli/*.c)
CORE_O := $(CORE:%.c=$B/o/%.o)
CLI_O := $(CLI:%.c=$B/o/%.o)

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' '$1' '$2';)

all: $B/schedlab $B/libschedlab.so ## build/schedlab and build/libschedlab.so

$B/schedlab: $(CORE_O) $(CLI_O)
	$(call say,LD,$@)
	$Q$(CC) $(CFLAGS) -pthread -rdynamic $(LDFLAGS) -o $@ $^ $(LDLIBS)

$B/libschedlab.so: $(CORE_O)
	$(call say,LD,$@)
	$Q$(CC) $(CFLAGS) -shared -pthread $(LDFLAGS) -o $@ $^ $(LDLIBS)

$B/o/%.o: %.c
	$(call say,CC,$<)
	$Q mkdir -p $(@D)
	$Q$(CC) $(HOUSE) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

-include $(shell find $B/o -name '*.d' 2>/dev/null)

clean: ## remove what was built
	$Q rm -rf $B

.PHONY: all clean
.DELETE_ON_ERROR:
