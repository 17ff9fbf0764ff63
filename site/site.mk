# ---- the page ------------------------------------------------------------------------------------
#
#   make site    build/site/: static files for any host, and cando.html, all of it in one file
#
# The engine is the one of the package for JavaScript. Four scripts go over what was copied: badges, tables and calendars as files
# (site_static), what the first view needs (site_preload), what the service worker keeps (site_offline), the one file (site_single).

SITE_ENGINE := cando.js engine.js mould.js operations.js cando.wasm
.PHONY: site
site:
	@$(MAKE) --no-print-directory -s npm > /dev/null
	@rm -rf build/site && mkdir -p build/site
	@cp -r site/. build/site && rm build/site/site.mk
	@mkdir -p build/site/engine && cp $(SITE_ENGINE:%=build/npm/package/%) build/site/engine
	@gzip -9nc build/npm/package/cando.snap > build/site/engine/catalog.bin
	@cp LICENSE build/site/LICENSE.txt && cp NOTICE build/site/NOTICE.txt
	@node scripts/site_static.mjs build/site build/npm/package
	@node scripts/site_preload.mjs build/site build/npm/package
	@node scripts/site_offline.mjs build/site
	@node scripts/site_single.mjs build/site
	@du -sh build/site | cut -f1
