# cando: one Makefile, GNU make.
#
#   make            build/cando, build/libcando.a, build/libcando.so, man page, completion
#   make run        install what is missing, build, show what it is for   (ARGS="show openai/gpt-5")
#   make serve      the same for the daemon with its page: http://127.0.0.1:22636/   (ARGS="--store trail.db")
#   make quick      install what is missing, build with gcc, unit tests and cases: a minute or two
#   make test       install what is missing, then every check there is
#   make site       build/site: the page, with the engine in the browser, for any static host
#   make fleet      install what is missing, show three nodes on a cluster of three, on this machine
#   make deb        build/deb/*.deb; deb-test, static and cross-test are beside it: scripts/deb.mk
#   make bench | fuzz | torture | torture-io | lint | cross | coverage | dist | mutants
#   make debug | asan | tsan | clang          the same into build/<variant>/
#   make install    PREFIX=/usr/local DESTDIR= ; make uninstall ; make clean
#
# Sources are found by wildcard: a new file needs no edit here.
#
#   src/<folder>/*.c        the library
#   cli/*.c                 the program
#   stores/*.c              the stores of the audit trail, linked into the program; not in the library
#   stores/fleet/*.c        a fleet on NATS, build/libcando_fleet.so, loaded by the programs
#   mcp/*.c                 the Model Context Protocol, linked into the program and the daemon
#   serve/*.c               the daemon, build/cando-serve, with all of cli/ but main.c
#   tests/unit/test_*.c     one program each, with cmocka; internals are visible
#   tests/prop/test_*.c     the same for property tests (prop_*.c too); any other .c
#                           beside them (the reference resolver) is linked to each
#   tests/torture.c, tests/corrupt.c   one program each
#   bench/bench_*.c         one program each; other .c beside them are helpers
#   fuzz/fuzz_*.c           one libFuzzer target each; seeds in fuzz/corpus/<name>/
#
# The built-in catalog is made by the program itself: cando-boot is the command
# line without a catalog, `cando-boot build` makes build/builtin.snap of catalog/,
# and src/catalog/builtin.S puts these bytes into the library. Without *.toml
# below catalog/, or with CANDO_NO_CATALOG=1, the built-in catalog is empty.
#
# What is said of the wire APIs in catalog/apis/ becomes C before that: build/gen_apis
# writes build/gen/, for all variants alike.

comma := ,
ifeq ($(origin CC),default)
CC = gcc
endif
AR      ?= ar
OBJCOPY ?= objcopy
LD      ?= ld
PREFIX  ?= /usr/local
BINDIR  ?= $(PREFIX)/bin
LIBDIR  ?= $(PREFIX)/lib
INCDIR  ?= $(PREFIX)/include
MANDIR  ?= $(PREFIX)/share/man
COMPDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR  ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
UNITDIR ?= $(PREFIX)/lib/systemd/system
VARIANT ?=
ARGS    ?=
FUZZ_TIME ?= 60
JOBS    ?= $(shell nproc 2>/dev/null || echo 2)

VERSION := $(shell sed -n 's/^\#define CANDO_VERSION "\(.*\)"/\1/p' include/cando.h)
# Before 1.0 a minor version may change the ABI, so the soname carries it: RELEASING.md.
SOVERSION := $(if $(filter 0.%,$(VERSION)),$(basename $(VERSION)),$(firstword $(subst ., ,$(VERSION))))

# ---- variants -------------------------------------------------------------------

# The product: what a mistake can do is bounded, and nothing is writable that need not be.
HARDEN = -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fstack-clash-protection \
         $(if $(filter x86_64% i686%,$(shell $(CC) -dumpmachine 2>/dev/null)),-fcf-protection)
HARDEN_LINK = $(if $(VARIANT),,-Wl,-z,relro,-z,now,-z,noexecstack)

OPT_          = -O2 $(HARDEN)
OPT_clang     = -O1 -gline-tables-only
OPT_debug     = -O0 -g3 -DCANDO_DEBUG_ARENA -DCANDO_INVARIANTS
OPT_tsan      = -O0 -g -fno-omit-frame-pointer -fsanitize=thread -DCANDO_SANITIZED
OPT_coverage  = -O0 -g --coverage -fprofile-update=atomic -DCANDO_DEBUG_ARENA
OPT_mutants   = -O1 -w -fPIC
OPT_mutasan   = -O1 -w -fPIC -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all \
                -DCANDO_INVARIANTS -DCANDO_DEBUG_ARENA -DCANDO_SANITIZED
OPT_aarch64   = -O1 -DCANDO_STATIC
OPT_s390x     = -O1 -DCANDO_STATIC
OPT_static    = -O2 $(HARDEN) -DCANDO_STATIC
OPT_wasm      = --target=wasm32-wasi -O2
CHECKED       = -O1 -gline-tables-only -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all -DCANDO_INVARIANTS -DCANDO_SANITIZED
OPT_asan      = $(CHECKED) -DCANDO_DEBUG_ARENA
OPT_fuzz      = $(CHECKED) -fsanitize=fuzzer-no-link

ifneq ($(filter clang fuzz asan,$(VARIANT)),)
override CC = clang
# A hundred programs are linked with all that the sanitizers add: this linker takes half of the time.
# And where it knows the addresses, each of thousands of starts takes a fifth less: the sanitizers
# describe each constant with some. It heeds that for programs only.
LDFLAGS += $(if $(shell command -v ld.lld),-fuse-ld=lld $(if $(filter asan,$(VARIANT)),-Wl$(comma)-no-pie))
endif
# Other machines, with other sizes and the other byte order. What is linked of them, and the
# static one for this machine, are alone: no library of theirs is here (scripts/deb.mk).
CROSS = aarch64 s390x
ALONE = $(CROSS) static
ifeq ($(VARIANT),static)
override CC = musl-gcc
endif
ifneq ($(filter $(CROSS),$(VARIANT)),)
override CC = $(VARIANT)-linux-gnu-gcc
endif
ifeq ($(origin OPT_$(VARIANT)),undefined)
$(error no such variant: $(VARIANT))
endif

B := build$(if $(VARIANT),/$(VARIANT))
GEN := build/gen
HOSTCC ?= $(if $(filter $(ALONE) wasm,$(VARIANT)),gcc,$(CC))
WARN = -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes
# Read once a run, not once a request: these are compiled for size.
COLD := cli/% stores/% mcp/% src/facts/% src/record/% src/base/instant% \
        $(addprefix src/text/,toml% json_error% glob_cover% schema% pattern%) \
        $(addprefix src/catalog/,offered% snapshot_check% requests_check%) \
        $(addprefix src/request/,fields% scan_error% standin% history% ask_cost_ahead% refuse% words% member_rules%) \
        $(addprefix src/decide/,session% diff% claims% match% need_read% retiring% ask_stand_in% mentions% port% query_read%) \
        $(addprefix src/rules/,lint% order% read% compile% decompile% view% policy% why% sources% borrow% inherit%)
# What the sanitizers watch but what takes no time when it runs is not optimised for them: it compiles four times as fast,
# and nothing is gone before they see it. What takes time is what a catalog is made and read with, the scanner, signatures
# and the reference resolver; of the unit tests, which are not optimised for the product either, a few.
UNIT_QUICK := $(filter-out $(addprefix tests/unit/,test_glob.c test_scan.c test_toml.c),$(wildcard tests/unit/test_*.c))
UNHURRIED := $(filter-out cli/ed25519.c,$(wildcard cli/*.c)) serve/% stores/% mcp/% bench/% fuzz/% $(UNIT_QUICK) \
             src/facts/% src/record/% src/op/% \
             $(filter-out $(addprefix src/request/,scan%.c watch%.c named%.c crowd%.c target%.c text_chars.c),$(wildcard src/request/*.c)) \
             $(filter-out $(addprefix src/decide/,verdicts.c query.c offer.c negotiate.c),$(wildcard src/decide/*.c)) \
             $(filter-out src/rules/lint_index.c,$(wildcard src/rules/lint*.c)) \
             $(addprefix src/rules/,read_request.c policy.c view_harn.c)
# The scanner's loop is one of jumps: what gcc moves out of one way through it, each other way has to keep in a register.
LEAN := -fno-tree-pre -fno-gcse -fno-split-wide-types
SCANNER = $(shell $(CC) -Werror $(LEAN) -E -xc /dev/null >/dev/null 2>&1 && echo $(LEAN))
FLAGS = -std=c17 $(WARN) $(OPT_$(VARIANT)) $(CPPFLAGS) $(CFLAGS) -Iinclude -Isrc -I$(GEN)
DEPFLAGS = -MMD -MP

# `make V=1` shows the commands themselves.
ifneq ($(V),)
say =
else
say = @printf '  %-5s %s\n' $(1) $@;
endif
ifneq ($(findstring s,$(firstword -$(MAKEFLAGS))),)
say = @
endif

# ---- what there is ----------------------------------------------------------------

SRC      := $(sort $(wildcard src/*/*.c))
CLI      := $(sort $(wildcard cli/*.c))
SERVE    := $(sort $(wildcard serve/*.c))
STORES   := $(sort $(wildcard stores/*.c))
FLEET    := $(sort $(wildcard stores/fleet/*.c))
MCP      := $(sort $(wildcard mcp/*.c))
CATALOG  := $(if $(CANDO_NO_CATALOG),,$(shell find catalog -name '*.toml' 2>/dev/null | LC_ALL=C sort))
UNIT     := $(sort $(wildcard tests/unit/test_*.c))
PROP     := $(sort $(wildcard tests/prop/test_*.c tests/prop/prop_*.c))
SINGLE   := $(sort $(wildcard tests/torture.c tests/corrupt.c))
BENCH    := $(sort $(wildcard bench/bench_*.c))
FUZZ     := $(sort $(wildcard fuzz/fuzz_*.c))
PROP_AID  := $(filter-out $(PROP),$(wildcard tests/prop/*.c))
BENCH_AID := $(filter-out $(BENCH),$(wildcard bench/*.c))

objs = $(patsubst %.c,$(B)/obj/%.o,$(1))
progs = $(patsubst %.c,$(B)/%,$(1))

SRC_OBJ := $(call objs,$(SRC)) $(B)/obj/gen/apis.o
BASE_OBJ := $(call objs,$(filter src/base/%,$(SRC)))
MCP_OBJ := $(call objs,$(MCP))
CLI_OBJ := $(call objs,$(CLI)) $(MCP_OBJ)
STORES_OBJ := $(call objs,$(STORES))
SERVE_OBJ := $(call objs,$(SERVE))
# Without libmicrohttpd there is no daemon, and all else is there.
SERVE_BIN := $(if $(wildcard serve/main.c),$(shell echo '\#include <microhttpd.h>' | $(CC) -E -x c - >/dev/null 2>&1 && echo $(B)/cando-serve))
# Without libnats there is no fleet, and all else is there.
FLEET_OBJ := $(call objs,$(FLEET))
FLEET_LIB := $(if $(FLEET),$(shell echo '\#include <nats/nats.h>' | $(CC) -E -x c - >/dev/null 2>&1 && echo $(B)/libcando_fleet.so))
SERVE_UNITS := $(addprefix $(B)/,cando.service cando.socket)
STORE_LIBS := -lsqlite3
CLI_LIBS := $(STORE_LIBS) -lz
PROP_AID_OBJ := $(call objs,$(PROP_AID))
BENCH_AID_OBJ := $(call objs,$(BENCH_AID))
BUILTIN := $(if $(CATALOG),builtin,builtin_empty)

UNIT_BIN   := $(call progs,$(UNIT))
PROP_BIN   := $(call progs,$(PROP))
SINGLE_BIN := $(call progs,$(SINGLE))
BENCH_BIN  := $(call progs,$(BENCH))
FUZZ_BIN   := $(call progs,$(FUZZ))

SONAME   := libcando.so.$(SOVERSION)
SOFILE   := libcando.so.$(VERSION)
SCDOC    := $(shell command -v scdoc 2>/dev/null)
MANPAGE  := $(if $(SCDOC),$(B)/cando.1)
COMPLETIONS := $(B)/cando.bash $(B)/cando.zsh $(B)/cando.fish

# ---- the product --------------------------------------------------------------------

.PHONY: all
all: $(B)/cando $(if $(SERVE_BIN),$(SERVE_BIN) $(SERVE_UNITS),no-daemon) $(or $(FLEET_LIB),no-fleet) $(B)/libcando.a $(B)/libcando.so $(B)/libcando_store.a $(B)/libcando_store.so $(B)/cando.pc \
     $(B)/cando-store.pc $(COMPLETIONS) $(MANPAGE)

.PHONY: no-daemon no-fleet
no-fleet:
	@echo "  the fleet is left out: there is no libnats (Debian: libnats-dev)" >&2
no-daemon:
	@echo "  the daemon is left out: there is no libmicrohttpd (Debian: libmicrohttpd-dev)" >&2

# The library is compiled once, position-independent and with hidden names.
# The archive for the tests: every object, internals can be linked to.
$(B)/libcando_int.a: $(SRC_OBJ) $(B)/obj/src/catalog/$(BUILTIN).o
	@rm -f $@
	$(call say,AR)$(AR) rcs $@ $^

# The archive for users is one object in which only cando_* is left to see, so
# that names such as str_eq cannot meet those of the program it is linked into.
$(B)/obj/libcando.o: $(SRC_OBJ) $(B)/obj/src/catalog/$(BUILTIN).o
$(B)/obj/libcando_boot.o: $(SRC_OBJ) $(B)/obj/src/catalog/builtin_empty.o
$(B)/obj/libcando.o $(B)/obj/libcando_boot.o $(B)/obj/libcando_small.o:
	$(call say,LD)$(LD) -r -o $@.tmp $^
	@$(OBJCOPY) --localize-hidden $@.tmp $@
	@rm -f $@.tmp
$(B)/libcando.a: $(B)/obj/libcando.o
	@rm -f $@
	$(call say,AR)$(AR) rcs $@ $^

$(B)/$(SOFILE): $(SRC_OBJ) $(B)/obj/src/catalog/$(BUILTIN).o scripts/cando.map
	$(call say,LINK)$(CC) $(FLAGS) $(LDFLAGS) $(HARDEN_LINK) -shared -Wl,-soname,$(SONAME) -Wl,-z,defs \
	    -Wl,--version-script=scripts/cando.map -o $@ $(filter %.o,$^) -lm
$(B)/libcando.so: $(B)/$(SOFILE)
	@ln -sf $(SOFILE) $(B)/$(SONAME)
	@ln -sf $(SONAME) $@

# The store of the trail is a library of its own, since it needs SQLite; like the program it has
# src/base inside, where nobody sees it.
STORE_SONAME := libcando_store.so.$(SOVERSION)
STORE_SOFILE := libcando_store.so.$(VERSION)
$(B)/obj/libcando_store.o: $(STORES_OBJ) $(B)/obj/base.o
	$(call say,LD)$(LD) -r -o $@.tmp $^
	@$(OBJCOPY) -w --keep-global-symbol='cando_store_*' $@.tmp $@
	@rm -f $@.tmp
$(B)/libcando_store.a: $(B)/obj/libcando_store.o
	@rm -f $@
	$(call say,AR)$(AR) rcs $@ $^
$(B)/$(STORE_SOFILE): $(B)/obj/libcando_store.o $(B)/libcando.so
	$(call say,LINK)$(CC) $(FLAGS) $(LDFLAGS) $(HARDEN_LINK) -shared -Wl,-soname,$(STORE_SONAME) -Wl,-z,defs \
	    -Wl,--version-script=scripts/cando.map -o $@ $< -L$(B) -lcando $(STORE_LIBS)
$(B)/libcando_store.so: $(B)/$(STORE_SOFILE)
	@ln -sf $(STORE_SOFILE) $(B)/$(STORE_SONAME)
	@ln -sf $(STORE_SONAME) $@

# A door sees the public library and src/base, here too: base comes beside it,
# without what it has of the public functions.
$(B)/obj/base.o: $(BASE_OBJ)
	$(call say,LD)$(LD) -r -o $@.tmp $^
	@$(OBJCOPY) -w --localize-symbol='cando_*' $@.tmp $@
	@rm -f $@.tmp
# The product carries no symbols; the variants do.
# Its relocations are packed, and it has no tables for unwinding, where the linker can do so.
PACK := -Wl,-z,pack-relative-relocs -Wl,-T,scripts/no_unwind.ld
PACKED := $(shell echo 'int main(void){return 0;}' | $(CC) -x c - $(PACK) -o /dev/null 2>/dev/null && echo $(PACK))
$(B)/cando: LDFLAGS += $(if $(VARIANT),,-s $(PACKED) $(HARDEN_LINK) -pie)
$(B)/cando: $(CLI_OBJ) $(STORES_OBJ) $(if $(filter mutants mutasan,$(VARIANT)),$(B)/libcando_int.so,\
            $(B)/obj/base.o $(B)/obj/libcando.o) | scripts/no_unwind.ld
	$(call say,LINK)$(CC) $(FLAGS) $(LDFLAGS) -o $@ $^ $(CLI_LIBS) -lm

# The daemon stands apart: it needs libmicrohttpd, and has the page in it, if that can be built.
PAGE_FROM := $(if $(wildcard serve/page.c),$(shell find site -type f 2>/dev/null))
PAGE_CAN := $(shell command -v wasm-ld >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 && ls -d /usr/include/wasm32-wasi 2>/dev/null)
build/pack_page: scripts/pack_page.c serve/page.h $(filter src/base/%,$(SRC))
	@mkdir -p $(@D)
	$(call say,CC)$(HOSTCC) -std=c17 $(WARN) -O1 -Iinclude -Isrc -I. -o $@.$$$$ scripts/pack_page.c $(filter src/base/%,$(SRC)) -lz -lm && mv $@.$$$$ $@
build/page.bin: build/pack_page $(PAGE_FROM) | build/cando
	@if $(if $(PAGE_CAN),$(MAKE) --no-print-directory -s site >build/site.log 2>&1,false); then build/pack_page build/site $@ && \
	    (cd build/site && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum) > build/page.sums; \
	else echo "  the page is left out of the daemon: scripts/deps.sh npm installs what builds it" >&2; : > $@; touch -d @0 $@; \
	    rm -f build/obj/serve/page_data.o; fi
# Variants take the page if it is there.
PAGE_BIN := $(if $(VARIANT),$(wildcard build/page.bin),build/page.bin)
$(B)/obj/serve/page_data.o: serve/page_data.S $(PAGE_BIN) $(B)/.flags
	@mkdir -p $(@D)
	$(call say,AS)$(CC) $(FLAGS) $(if $(PAGE_BIN),-DCANDO_PAGE='"$(PAGE_BIN)"') -c -o $@ $<

$(B)/cando-serve: $(SERVE_OBJ) $(B)/obj/serve/page_data.o $(filter-out %/cli/main.o,$(CLI_OBJ)) $(STORES_OBJ) \
                  $(B)/obj/base.o $(B)/obj/libcando.o | scripts/no_unwind.ld
	$(call say,LINK)$(CC) $(FLAGS) $(LDFLAGS) $(if $(VARIANT),,-s $(PACKED) $(HARDEN_LINK) -pie) -o $@ $^ \
	    -lmicrohttpd $(CLI_LIBS) -lm -pthread

# What the fleet's library takes from the program that loads it: the programs show these names.
FLEET_NEEDS := cando_store_open cando_chain_follow cando_event_decode cando_event_kind_name \
               cando_room_new cando_room_clear cando_room_free cando_catalog_open_copy cando_catalog_release
FLEET_SHOWN := $(addprefix -Wl$(comma)--export-dynamic-symbol=,$(FLEET_NEEDS))
$(B)/cando $(B)/cando-serve: LDFLAGS += $(FLEET_SHOWN)
$(B)/libcando_fleet.so: $(FLEET_OBJ) $(B)/obj/base.o stores/fleet/fleet.map
	$(call say,LINK)$(CC) $(FLAGS) $(LDFLAGS) $(if $(VARIANT),,-s $(HARDEN_LINK)) -shared \
	    -Wl,--version-script=stores/fleet/fleet.map -o $@ $(filter %.o,$^) -lnats $(STORE_LIBS) -lz -pthread

# ---- the built-in catalog --------------------------------------------------------------

$(B)/cando-boot: $(CLI_OBJ) $(STORES_OBJ) $(B)/obj/base.o $(B)/obj/libcando_boot.o
	$(call say,LINK)$(CC) $(FLAGS) $(LDFLAGS) -o $@ $^ $(CLI_LIBS) -lm

# The same sources give the same bytes, so variants that need no program take those of the plain build.
ifneq ($(filter tsan fuzz mutants mutasan $(ALONE),$(VARIANT)),)
build/builtin.snap: FORCE
	@$(MAKE) --no-print-directory -s VARIANT= $@
$(B)/builtin.snap: build/builtin.snap
	@cp $< $@
else
$(B)/builtin.snap: $(B)/cando-boot $(CATALOG) $(B)/.catalog
	$(call say,BUILD)$(B)/cando-boot build --quiet -o $@ catalog
endif

$(B)/obj/src/catalog/builtin.o: src/catalog/builtin.S $(B)/builtin.snap $(B)/.flags
	@mkdir -p $(@D)
	$(call say,AS)$(CC) $(FLAGS) -DCANDO_BUILTIN_SNAP='"$(B)/builtin.snap"' -c -o $@ $<

$(B)/obj/src/catalog/builtin_empty.o: src/catalog/builtin.S $(B)/.flags
	@mkdir -p $(@D)
	$(call say,AS)$(CC) $(FLAGS) -c -o $@ $<

# The program with a catalog of a few lines, for tests that start it often.
$(B)/small.snap: $(B)/cando-boot tests/small.toml
	@$(B)/cando-boot build --quiet -o $@ tests/small.toml
$(B)/obj/src/catalog/builtin_small.o: src/catalog/builtin.S $(B)/small.snap $(B)/.flags
	@$(CC) $(FLAGS) -DCANDO_BUILTIN_SNAP='"$(B)/small.snap"' -c -o $@ $<
$(B)/obj/libcando_small.o: $(SRC_OBJ) $(B)/obj/src/catalog/builtin_small.o
$(B)/cando-small: $(CLI_OBJ) $(STORES_OBJ) $(B)/obj/base.o $(B)/obj/libcando_small.o
	$(call say,LINK)$(CC) $(FLAGS) $(LDFLAGS) -o $@ $^ $(CLI_LIBS) -lm

# ---- the wire APIs -----------------------------------------------------------------------

# Two variants may be built at once: what they share is put into place whole.
GEN_APIS_SRC := scripts/gen_apis.c $(sort $(wildcard src/base/*.c src/text/toml*.c))
build/gen_apis: $(GEN_APIS_SRC) $(wildcard src/base/*.h src/base/*.def src/text/toml*.h) src/catalog/api.def
	@mkdir -p $(@D)
	$(call say,CC)$(HOSTCC) -std=c17 $(WARN) -O1 -Iinclude -Isrc -o $@.$$$$ $(GEN_APIS_SRC) -lm && mv $@.$$$$ $@
$(GEN)/apis.c: build/gen_apis catalog/apis $(sort $(wildcard catalog/apis/*.toml)) catalog/refusals.toml catalog/nika.toml catalog/prices.toml catalog/secrets.toml
	@mkdir -p $(@D)
	$(call say,GEN)build/gen_apis $(GEN) $(filter %.toml,$^)
$(GEN)/api_words.h: $(GEN)/apis.c # written beside it, and only when it is another
	@:
$(B)/obj/gen/apis.o: $(GEN)/apis.c $(GEN)/api_words.h $(B)/.flags
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(FLAGS) $(DEPFLAGS) $(EXTRA_src) -c -o $@ $<

# ---- objects --------------------------------------------------------------------------------

$(B)/obj/%.o: %.c $(B)/.flags | $(GEN)/api_words.h
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(FLAGS) $(if $(VARIANT),,$(if $(filter $(COLD),$<),-Os)) $(DEPFLAGS) \
	    $(if $(VARIANT),,$(if $(filter $(UNIT_QUICK),$<),-O0 -U_FORTIFY_SOURCE)) \
	    $(if $(filter src/request/scan.c,$<),$(SCANNER)) \
	    $(if $(filter asan,$(VARIANT)),$(if $(filter $(UNHURRIED),$<),-O0)) \
	    $(EXTRA_$(firstword $(subst /, ,$<))) -c -o $@ $<

EXTRA_cli   = -I. $(if $(VARIANT),,-Os -fPIE)
EXTRA_mcp   = -I. $(if $(VARIANT),,-Os -fPIE)
EXTRA_serve = -I. -Icli $(if $(VARIANT),,-fPIE)
EXTRA_stores = -I. -fPIC -DCANDO_SHARED
EXTRA_src   = -fPIC $(if $(filter mutants mutasan,$(VARIANT)),,-fvisibility=hidden) -DCANDO_SHARED
EXTRA_tests = -I. -Itests -Itests/prop
EXTRA_bench = -Ibench -Itests/prop
EXTRA_fuzz  = -I. -Ifuzz -fsanitize=fuzzer-no-link

# Another compiler or other flags: build again.
.PHONY: FORCE
$(B)/.flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(FLAGS)' | cmp -s - $@ || echo '$(CC) $(FLAGS)' > $@

# A file that is gone changes the catalog, too.
$(B)/.catalog: FORCE
	@mkdir -p $(@D)
	@echo '$(CATALOG)' | cmp -s - $@ || echo '$(CATALOG)' > $@

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)

# ---- papers -----------------------------------------------------------------------------------

$(B)/cando.1.scd: $(B)/cando
	@$(B)/cando help --man > $@.tmp && mv $@.tmp $@
$(B)/cando.1: $(B)/cando.1.scd
	$(call say,MAN)scdoc < $< > $@.tmp && mv $@.tmp $@
$(COMPLETIONS): $(B)/cando.%: $(B)/cando
	@$(B)/cando help --$* > $@.tmp && mv $@.tmp $@
$(SERVE_UNITS): $(B)/%: serve/%.in FORCE
	@mkdir -p $(@D)
	@sed -e 's|@BINDIR@|$(BINDIR)|' $< > $@
$(B)/cando.pc $(B)/cando-store.pc: $(B)/%.pc: scripts/%.pc.in FORCE
	@mkdir -p $(@D)
	@sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@INCDIR@|$(INCDIR)|' -e 's|@VERSION@|$(VERSION)|' $< > $@

# ---- programs for tests ----------------------------------------------------------------------------

$(B)/libstores_int.a: $(STORES_OBJ)
	@rm -f $@
	$(call say,AR)$(AR) rcs $@ $^

$(B)/libmcp_int.a: $(MCP_OBJ)
	@rm -f $@
	$(call say,AR)$(AR) rcs $@ $^

# What the tests are linked with. Of the mutants' variant it is shared, so that a change in one
# file is compiled and linked once, not once for each program.
INNER := $(B)/libcando_int.$(if $(filter mutants mutasan,$(VARIANT)),so,a)
$(B)/libcando_int.so: $(SRC_OBJ) $(B)/obj/src/catalog/$(BUILTIN).o
	$(call say,LINK)$(CC) $(FLAGS) -shared -Wl,-Bsymbolic,-soname,$(@F) -o $@ $^ -lm
ifneq ($(filter mutants mutasan,$(VARIANT)),)
LDFLAGS += -Wl,-rpath,'$$ORIGIN:$$ORIGIN/..:$$ORIGIN/../..'
endif

$(B)/toml-test: $(B)/obj/tests/toml_decoder.o $(INNER)
	$(call say,LINK)$(CC) $(FLAGS) $(LDFLAGS) -o $@ $^ -lm

# What of the command line is tested from inside.
$(B)/tests/unit/test_signed $(B)/fuzz/fuzz_signed: $(call objs,$(addprefix cli/,dynamic.c ed25519.c signed.c trust.c))

$(UNIT_BIN): $(B)/tests/unit/%: $(B)/obj/tests/unit/%.o $(B)/libstores_int.a $(B)/libmcp_int.a $(INNER)
	@mkdir -p $(@D)
	$(call say,LINK)$(CC) $(FLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter-out %.o,$^) -Wl,--as-needed $(STORE_LIBS) -lcmocka -lm -pthread

# AVX-512 as functions, whatever the processor has: registers of 64 bytes are passed in memory.
$(B)/tests/unit/test_scan: $(B)/obj/tests/unit/scan_emulated.o
$(B)/obj/tests/unit/scan_emulated.o: EXTRA_tests += -Wno-psabi

# What a node decides needs neither libnats nor SQLite.
$(B)/tests/unit/test_node $(B)/tests/fleet/simulate: $(B)/obj/stores/fleet/node.o
$(B)/tests/fleet/simulate: $(B)/obj/tests/fleet/simulate.o
	@mkdir -p $(@D)
	$(call say,LINK)$(CC) $(FLAGS) $(LDFLAGS) -o $@ $^ -lm

$(PROP_BIN): $(B)/tests/prop/%: $(B)/obj/tests/prop/%.o $(PROP_AID_OBJ) $(INNER)
	@mkdir -p $(@D)
	$(call say,LINK)$(CC) $(FLAGS) $(LDFLAGS) -o $@ $^ -lcmocka -lm -pthread

$(SINGLE_BIN): $(B)/tests/%: $(B)/obj/tests/%.o $(INNER)
	@mkdir -p $(@D)
	$(call say,LINK)$(CC) $(FLAGS) $(LDFLAGS) -o $@ $^ -lm -pthread

$(BENCH_BIN): $(B)/bench/%: $(B)/obj/bench/%.o $(BENCH_AID_OBJ) $(PROP_AID_OBJ) $(B)/libcando_int.a
	@mkdir -p $(@D)
	$(call say,LINK)$(CC) $(FLAGS) $(LDFLAGS) -o $@ $^ $(BENCH_LIBS) -lm -pthread

# What preflight is measured against is C++ and stays in bench/.
$(B)/bench/bench_preflight: $(B)/obj/bench/simdjson_shim.o
$(B)/bench/bench_preflight: BENCH_LIBS = -lsimdjson -ljansson -lstdc++
$(B)/bench/bench_cost $(B)/bench/bench_door: BENCH_LIBS = -ljansson
$(B)/obj/bench/%.o: bench/%.cpp $(B)/.flags
	@mkdir -p $(@D)
	$(call say,CXX)$(CXX) -std=c++17 -O3 -g -c -o $@ $<

$(B)/fuzz/fuzz_http: $(call objs,$(addprefix serve/,strict.c json.c pack.c))
$(B)/fuzz/fuzz_http: FUZZ_LIBS = -lz
$(FUZZ_BIN): $(B)/fuzz/%: $(B)/obj/fuzz/%.o $(B)/libmcp_int.a $(B)/libcando_int.a
	@mkdir -p $(@D)
	$(call say,LINK)$(CC) $(FLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter-out %.o,$^) $(FUZZ_LIBS) -lm

.PHONY: unit-programs test-programs bench-programs fuzz-programs objects library-objects
unit-programs: $(UNIT_BIN) $(PROP_BIN)
test-programs: $(B)/cando $(SERVE_BIN) $(FLEET_LIB) $(B)/tests/fleet/simulate $(if $(filter-out coverage,$(VARIANT)),,$(B)/cando-small) unit-programs $(SINGLE_BIN) $(if $(wildcard tests/toml_decoder.c),$(B)/toml-test)
bench-programs: $(BENCH_BIN) $(B)/cando $(SERVE_BIN)
fuzz-programs: $(FUZZ_BIN)
objects: $(SRC_OBJ) $(CLI_OBJ) $(STORES_OBJ) $(if $(FLEET_LIB),$(FLEET_OBJ)) $(if $(SERVE_BIN),$(SERVE_OBJ)) $(call objs,$(UNIT) $(PROP) $(PROP_AID) $(SINGLE) $(BENCH) $(BENCH_AID) $(wildcard tests/toml_decoder.c))

library-objects: $(SRC_OBJ) $(B)/obj/src/catalog/builtin_empty.o

include bindings/bindings.mk
include site/site.mk
include nginx/nginx.mk
include scripts/deb.mk

# ---- what people type ---------------------------------------------------------------------------------

.PHONY: run serve quick test bench fuzz torture torture-io lint cross coverage debug asan tsan clang install uninstall clean docs dist mutants

run:
	@scripts/deps.sh run
	@$(MAKE) --no-print-directory -s -j$(JOBS) $(B)/cando
	@$(if $(ARGS),$(B)/cando $(ARGS),scripts/demo.sh $(B)/cando)

serve:
	@scripts/deps.sh serve
	@$(MAKE) --no-print-directory -s -j$(JOBS) $(B)/cando build/cando-serve
	@$(B)/cando serve $(ARGS)

.PHONY: fleet
fleet:
	@scripts/deps.sh fleet
	@$(MAKE) --no-print-directory -s -j$(JOBS) $(B)/cando $(B)/cando-serve $(B)/libcando_fleet.so $(B)/builtin.snap
	@scripts/fleet.py $(B) $(ARGS)

# The archives of a release, their checksums and what is in them, into build/dist: the same bytes
# for the same commit.
dist: all
	@scripts/dist.py build/dist $(VERSION) "$(MAKE)"

# Changes the meaning of a line, N times, and says which changes no fast test notices.
N    ?= 60
SEED ?=
mutants: all
	@set -e; for v in mutants mutasan; do \
	    $(MAKE) --no-print-directory -s -j$(JOBS) VARIANT=$$v build/$$v/cando unit-programs build/$$v/tests/torture build/$$v/toml-test; done
	@scripts/mutants.py $(N) $(SEED)

# What to run while writing; `make test` is for before a commit.
quick:
	@scripts/deps.sh quick
	@$(MAKE) --no-print-directory -s -j$(JOBS) $(B)/cando unit-programs
	@JOBS="$(JOBS)" tests/run_units.sh $(B)
	@JOBS="$(JOBS)" tests/run_cases.py $(B)/cando tests/cases

test:
	@scripts/deps.sh test
	@MAKE="$(MAKE)" JOBS="$(JOBS)" tests/run.sh

bench:
	@scripts/deps.sh bench
	@$(MAKE) --no-print-directory -s -j$(JOBS) bench-programs
	@$(MAKE) --no-print-directory -s -j$(JOBS) npm python nginx > /dev/null
	@rm -f build/bench.jsonl
	@set -e; for b in $(BENCH_BIN); do $$b build/bench.jsonl; done
	@bench/packages.sh build/bench.jsonl
	@$(if $(SERVE_BIN),bench/bench_serve.py build/bench.jsonl)
	@bench/nginx.sh build/nginx/ngx_http_cando_module.so >> build/bench.jsonl
	@tests/site/ready.sh && node bench/bench_site.mjs build/bench.jsonl

fuzz:
	@scripts/deps.sh fuzz
	@$(MAKE) --no-print-directory -s -j$(JOBS) VARIANT=fuzz fuzz-programs
	@tests/run_fuzz.sh build/fuzz/fuzz -max_total_time=$(FUZZ_TIME)

torture:
	@$(MAKE) --no-print-directory -s -j$(JOBS) VARIANT=asan test-programs
	@set -e; for t in $(SINGLE:%.c=build/asan/%); do $$t; done

# The same with a disk that fails, and with a loss of power.
torture-io: $(B)/cando $(B)/cando-small
	@tests/torture_io.py $(B)/cando

# clang-tidy and cppcheck must be silent; the formatter only advises, since
# tables and drawings in comments are laid out by hand.
lint: $(GEN)/api_words.h
	@scripts/deps.sh lint
	@scripts/lint.sh

# The library's objects for each machine of CROSS: no warning, and nothing that only one machine has.
cross:
	@scripts/deps.sh cross
	@set -e; for v in $(CROSS); do $(MAKE) --no-print-directory -s -j$(JOBS) VARIANT=$$v library-objects; done

coverage:
	@scripts/deps.sh coverage
	@$(MAKE) --no-print-directory -s -j$(JOBS) VARIANT=coverage test-programs
	@JOBS="$(JOBS)" scripts/coverage.sh build/coverage

debug asan tsan clang:
	@$(MAKE) --no-print-directory -j$(JOBS) VARIANT=$@ test-programs

# Writes the generated pages and the outputs of all examples anew.
docs: $(B)/cando
	scripts/gen_docs.py
	scripts/ops_tables.py $(B)/cando --write
	scripts/bindings.py $(B)/cando readme bindings/js
	scripts/examples.py $(B)/cando --write
	scripts/picture.py $(B)/cando --write

install: all
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(INCDIR) $(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(COMPDIR) \
	    $(DESTDIR)$(ZSHDIR) $(DESTDIR)$(FISHDIR)
	install -m 755 $(B)/cando $(DESTDIR)$(BINDIR)/cando
	$(if $(SERVE_BIN),install -m 755 $(SERVE_BIN) $(DESTDIR)$(BINDIR)/cando-serve,@echo "no libmicrohttpd: the daemon is left out" >&2)
	$(if $(FLEET_LIB),install -d $(DESTDIR)$(LIBDIR)/cando)
	$(if $(FLEET_LIB),install -m 755 $(FLEET_LIB) $(DESTDIR)$(LIBDIR)/cando/libcando_fleet.so)
	$(if $(SERVE_BIN),install -d $(DESTDIR)$(UNITDIR))
	$(if $(SERVE_BIN),install -m 644 $(SERVE_UNITS) $(DESTDIR)$(UNITDIR))
	install -m 644 $(B)/libcando.a $(DESTDIR)$(LIBDIR)/libcando.a
	install -m 755 $(B)/$(SOFILE) $(DESTDIR)$(LIBDIR)/$(SOFILE)
	ln -sf $(SOFILE) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libcando.so
	install -m 644 $(B)/libcando_store.a $(DESTDIR)$(LIBDIR)/libcando_store.a
	install -m 755 $(B)/$(STORE_SOFILE) $(DESTDIR)$(LIBDIR)/$(STORE_SOFILE)
	ln -sf $(STORE_SOFILE) $(DESTDIR)$(LIBDIR)/$(STORE_SONAME)
	ln -sf $(STORE_SONAME) $(DESTDIR)$(LIBDIR)/libcando_store.so
	install -m 644 include/cando.h include/cando_store.h $(DESTDIR)$(INCDIR)
	install -m 644 $(B)/cando.pc $(B)/cando-store.pc $(DESTDIR)$(LIBDIR)/pkgconfig
	install -m 644 $(B)/cando.bash $(DESTDIR)$(COMPDIR)/cando
	install -m 644 $(B)/cando.zsh $(DESTDIR)$(ZSHDIR)/_cando
	install -m 644 $(B)/cando.fish $(DESTDIR)$(FISHDIR)/cando.fish
	$(if $(MANPAGE),install -m 644 $(MANPAGE) $(DESTDIR)$(MANDIR)/man1/cando.1,@echo "no scdoc: the man page is left out" >&2)

uninstall:
	rm -f $(DESTDIR)$(LIBDIR)/cando/libcando_fleet.so
	-@rmdir $(DESTDIR)$(LIBDIR)/cando 2>/dev/null || true
	rm -f $(DESTDIR)$(BINDIR)/cando-serve $(addprefix $(DESTDIR)$(UNITDIR)/,$(notdir $(SERVE_UNITS)))
	rm -f $(DESTDIR)$(BINDIR)/cando $(DESTDIR)$(LIBDIR)/libcando.a $(DESTDIR)$(LIBDIR)/$(SOFILE) $(DESTDIR)$(LIBDIR)/$(SONAME) \
	    $(DESTDIR)$(LIBDIR)/libcando.so $(DESTDIR)$(INCDIR)/cando.h $(DESTDIR)$(LIBDIR)/pkgconfig/cando.pc \
	    $(addprefix $(DESTDIR)$(LIBDIR)/,libcando_store.a $(STORE_SOFILE) $(STORE_SONAME) libcando_store.so pkgconfig/cando-store.pc) \
	    $(DESTDIR)$(INCDIR)/cando_store.h \
	    $(DESTDIR)$(COMPDIR)/cando $(DESTDIR)$(ZSHDIR)/_cando $(DESTDIR)$(FISHDIR)/cando.fish $(DESTDIR)$(MANDIR)/man1/cando.1

clean:
	rm -rf build

# What the catalog knows and how well it guesses; fails where a limit is passed.
.PHONY: catalog-report
catalog-report: $(B)/cando
	@scripts/catalog_report.py $(B)/cando > build/catalog-report.md
	@cp build/catalog-report.md docs/catalog-report.md
