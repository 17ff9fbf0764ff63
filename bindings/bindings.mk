# ---- other languages -----------------------------------------------------------------------
#
#   make wasm    build/wasm/cando.wasm, the same without vectors and with the command line, and the catalog
#   make npm     build/npm/cando-VERSION.tgz, for JavaScript
#   make python  build/python/cando-VERSION-*.whl
#
# The engine is compiled from the same sources as everywhere. What most calls run through is
# compiled once more for the packages, for speed: a folder of them is a step of the pipeline.
FAST_SRC := $(filter-out src/base/file.c,$(filter src/base/% src/text/% src/catalog/% src/request/% src/op/%,$(SRC)))

ifeq ($(VARIANT),wasm)
override CC = clang
EXTRA_src = -fvisibility=hidden
EXTRA_bindings = -I. -fvisibility=hidden -Wno-missing-prototypes
WASM_SRC := $(filter-out src/base/file.c,$(SRC))
WASM_FAST := $(filter $(FAST_SRC),$(WASM_SRC)) bindings/wasm/engine.c
WASM_OBJ := $(call objs,$(filter-out $(FAST_SRC),$(WASM_SRC)) bindings/no_files.c) \
            $(B)/obj/gen/apis.o
WASM_LINK = $(CC) $(OPT_wasm) -mexec-model=reactor -Wl,--stack-first,-z,stack-size=1048576,--strip-all

# With vectors of 128 bits, and optimised as one piece.
VECTOR = -O3 -flto -msimd128
$(B)/vector/%.o: %.c $(B)/.flags | $(GEN)/api_words.h
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(FLAGS) $(DEPFLAGS) $(EXTRA_$(firstword $(subst /, ,$<))) $(VECTOR) -c -o $@ $<

$(B)/cando.wasm: $(WASM_OBJ) $(WASM_FAST:%.c=$(B)/vector/%.o)
	$(call say,LINK)$(WASM_LINK) $(VECTOR) -o $@ $^

# The one without vectors is the command line as well, a WASI program: what is in it twice would be
# the most of it. bindings/wasm/posix.c has what WASI lacks.
POSIX = -Os -Ibindings/wasm/posix -include posix.h -D_GNU_SOURCE= -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_GETPID
WASM_WRAP = --wrap=stat,--wrap=lstat,--wrap=open,--wrap=file_read,--wrap=file_list
POSIX_SRC := bindings/wasm/posix.c src/base/file.c
EXTRA_cli = -I. $(POSIX)
$(B)/obj/bindings/wasm/posix.o: EXTRA_bindings += $(POSIX)
$(B)/obj/src/base/file.o: EXTRA_src += $(POSIX) -Dfile_read=system_file_read -Dfile_list=system_file_list
$(B)/cando-plain.wasm: $(WASM_OBJ) $(WASM_FAST:%.c=$(B)/obj/%.o) $(call objs,$(CLI) $(MCP) $(POSIX_SRC))
	$(call say,LINK)$(WASM_LINK) -Wl,$(WASM_WRAP) -o $@ $^ \
	    -lwasi-emulated-getpid -lwasi-emulated-signal
-include $(shell find $(B)/vector -name '*.d' 2>/dev/null)
else

# The addon for Node: the library's objects without files and without a catalog. Node itself brings
# what Node-API declares. The day of asking is each thread's: addon.c.
EXTRA_bindings = -I. -fPIC -fvisibility=hidden -isystem "$(shell scripts/node_headers.sh)"
ADDON_OBJ := $(filter-out $(B)/obj/src/base/file.o $(FAST_SRC:%.c=$(B)/obj/%.o),$(SRC_OBJ)) \
             $(FAST_SRC:%.c=$(B)/fast/%.o) $(B)/obj/src/catalog/builtin_empty.o \
             $(call objs,bindings/js/addon.c bindings/no_files.c)
# Warnings are those of the other compilation: -O3 sees paths that there are not.
$(B)/fast/%.o: %.c $(B)/.flags | $(GEN)/api_words.h
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(FLAGS) $(DEPFLAGS) $(EXTRA_src) -O3 -w -c -o $@ $<
-include $(shell find $(B)/fast -name '*.d' 2>/dev/null)

$(B)/cando.node: $(ADDON_OBJ) bindings/js/addon.map
	$(call say,LINK)$(CC) $(FLAGS) $(LDFLAGS) $(HARDEN_LINK) -shared -s -Wl,--version-script=bindings/js/addon.map \
	    -Wl,--wrap=day_today,--wrap=day_set_today -o $@ $(ADDON_OBJ) -lm -pthread
endif

.PHONY: wasm
wasm:
	@scripts/deps.sh wasm
	@$(MAKE) --no-print-directory -s -j$(JOBS) build/builtin.snap
	@$(MAKE) --no-print-directory -s -j$(JOBS) VARIANT=wasm build/wasm/cando.wasm build/wasm/cando-plain.wasm
	@cp build/builtin.snap build/wasm/cando.snap

# The package is laid out in build/npm/package, where the tests use it as well. The addon is for the
# machine that builds it; without Node's headers there is none, and WebAssembly serves.
.PHONY: npm
npm: wasm
	@scripts/deps.sh npm
	@$(MAKE) --no-print-directory -s -j$(JOBS) build/cando
	@rm -rf build/npm && mkdir -p build/npm/package
	@cp bindings/js/*.js bindings/js/*.d.ts bindings/js/package.json bindings/js/README.md LICENSE NOTICE build/wasm/cando.wasm \
	    build/wasm/cando-plain.wasm build/wasm/cando.snap build/npm/package
	@sed -i 's/"version": "[^"]*"/"version": "$(VERSION)"/' build/npm/package/package.json
	@scripts/bindings.py build/cando js build/npm/package
	@if scripts/node_headers.sh > /dev/null; then \
	    $(MAKE) --no-print-directory -s -j$(JOBS) build/cando.node && \
	    at=build/npm/package/prebuilds/$$(node -p 'process.platform + "-" + process.arch') && \
	    mkdir -p "$$at" && cp build/cando.node "$$at"; \
	else echo "no headers of Node: the package has no addon" >&2; fi
	@cd build/npm && npm pack --silent --offline ./package > /dev/null
	@ls build/npm/cando-$(VERSION).tgz

# A wheel that serves every Python from 3.8 on.
PYTHON ?= /usr/bin/python3
.PHONY: python
python:
	@scripts/deps.sh python
	@$(MAKE) --no-print-directory -s -j$(JOBS) build/cando build/libcando.a
	@rm -rf build/python && mkdir -p build/python
	@cp -r bindings/python build/python/source && cp LICENSE NOTICE build/python/source
	@scripts/bindings.py build/cando python build/python/source/cando
	@cd build/python/source && CANDO_ROOT="$(CURDIR)" CANDO_VERSION=$(VERSION) \
	    $(PYTHON) -m build --no-isolation --wheel --outdir .. . > ../build.log 2>&1 || { tail -20 ../build.log; exit 1; }
	@ls build/python/*.whl
