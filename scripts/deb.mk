# ---- packages of Debian, and programs for other machines ---------------------------------------------
#
#   make deb          build/deb/*.deb, which lintian finds no error in
#   make deb-test     the same, installed, used, upgraded, removed and purged in a clean chroot
#   make static       build/static/cando: one file that runs on any Linux, without SQLite and the network
#   make cross-test   the program for aarch64 and s390x, all cases, under qemu

.PHONY: deb deb-test static cross-test
deb:
	@scripts/deps.sh deb
	@$(MAKE) --no-print-directory -s -j$(JOBS) all build/nginx/ngx_http_cando_module.so
	@tests/deb/run.sh build/deb

deb-test: deb
	@scripts/deps.sh deb-test
	@tests/deb/chroot.sh build/deb

# ---- the program alone -----------------------------------------------------------------------------

ifneq ($(filter $(ALONE),$(VARIANT)),)
EXTRA_cli = -I. -Ibindings/alone -Os
EXTRA_mcp = -I.
EXTRA_bindings = -Ibindings/alone
$(B)/cando-static: $(CLI_OBJ) $(SRC_OBJ) $(B)/obj/src/catalog/builtin.o $(call objs,bindings/alone/alone.c)
	$(call say,LINK)$(CC) $(FLAGS) -static -s -o $@ $^ -lm
endif

static:
	@scripts/deps.sh static
	@$(MAKE) --no-print-directory -s -j$(JOBS) VARIANT=static build/static/cando-static
	@mv build/static/cando-static build/static/cando
	@ls -l build/static/cando

cross-test:
	@scripts/deps.sh cross-test
	@set -e; for v in $(CROSS); do $(MAKE) --no-print-directory -s -j$(JOBS) VARIANT=$$v build/$$v/cando-static; done
	@set -e; for v in $(CROSS); do tests/emulated.sh $$v build/$$v/cando-static; done
