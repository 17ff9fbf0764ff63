# ---- the nginx module ------------------------------------------------------------------------------
#
#   make nginx     build/nginx/ngx_http_cando_module.so, for Debian's nginx
#   make gateway   shows a request that nginx repairs on its way
#
# nginx-dev has nginx's headers and its configure, which writes the ones that depend on how that
# nginx was built. For any other nginx: ./configure --with-compat --add-dynamic-module=.../nginx

NGINX_DEV := /usr/share/nginx/src
NGINX_TREE := build/nginx/tree
NGINX_DIRS := core event event/modules os/unix http http/modules http/v2
NGINX_SRC := $(sort $(wildcard nginx/*.c))
NGINX_MODULE := $(B)/nginx/ngx_http_cando_module.so
NGINX_FLAGS = -std=gnu17 $(WARN) -Wno-missing-prototypes $(OPT_$(VARIANT)) -fPIC \
              $(CPPFLAGS) $(CFLAGS) -Iinclude $(NGINX_DIRS:%=-isystem $(NGINX_TREE)/src/%) -isystem $(NGINX_TREE)/objs

.PHONY: nginx gateway
nginx:
	@scripts/deps.sh nginx
	@$(MAKE) --no-print-directory -s -j$(JOBS) $(NGINX_MODULE)

gateway: nginx
	@nginx/gateway.sh $(NGINX_MODULE)

$(NGINX_TREE)/objs/ngx_http_cando_module_modules.c: nginx/config
	@rm -rf $(NGINX_TREE) && mkdir -p build/nginx && cp -r $(NGINX_DEV) $(NGINX_TREE)
	$(call say,CONF)cd $(NGINX_TREE) && bash -c '. ./conf_flags && bash ./configure "$${NGX_CONF_FLAGS[@]}" \
	    --add-dynamic-module=$(CURDIR)/nginx' > configure.log 2>&1 || { tail -n 5 configure.log; exit 1; }

# The list of modules has the names of nginx's own, which sanitizers would take for the same objects.
$(NGINX_MODULE): $(NGINX_SRC) nginx/module.h nginx/module.map nginx/nginx.mk $(NGINX_TREE)/objs/ngx_http_cando_module_modules.c \
                 $(B)/libcando.a include/cando.h
	@mkdir -p $(@D)
	@$(CC) $(NGINX_FLAGS) -fno-sanitize=all -c -o $(@D)/list.o $(NGINX_TREE)/objs/ngx_http_cando_module_modules.c
	$(call say,LINK)$(CC) $(NGINX_FLAGS) -shared $(HARDEN_LINK) -Wl,--version-script=nginx/module.map \
	    $(if $(filter asan,$(VARIANT)),-shared-libasan) -o $@ $(NGINX_SRC) $(@D)/list.o $(B)/libcando.a -lz -lm
