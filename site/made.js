// made.js - what is known when the site is built: `make site` writes it anew (scripts/site_static.mjs, scripts/site_offline.mjs).
//
//     catalog   version, sizes and sources with their days, as `cando version --json` prints them
//     files     badges, tables and calendars exist as files beside the page
//     build     a hash of all files that the page consists of; "" where they are not kept for later (offline.js)

export const catalog = null;
export const files = false;
export const build = "";
