// conformance.mjs - the official conformance suite against the daemon: the released one, and the one to come, which
// has the version without a handshake. MCP_URL is the daemon's /mcp.
//
// The suite wants a server that is made for it, with tools and resources of given names. What applies to us:
//
//     as it is      the protocol itself: handshake, ping, lists, headers, statelessness, caching, DNS rebinding
//     renamed       calls and reads whose names are the suite's own: rename.mjs makes them ours
//     not at all    what we do not have: images, audio, embedded resources, binary resources, prompts, logging,
//                   progress, sampling, elicitation, subscriptions, x-mcp-header, tasks, skills, input_required
//
// A check that the suite itself calls not testable here, since a tool of its own is missing, does not count.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { proxy } from "./rename.mjs";

const released = "@modelcontextprotocol/conformance", coming = "conformance-coming";
const plain = ["server-initialize", "ping", "tools-list", "resources-list", "dns-rebinding-protection", "server-sse-multiple-streams"];
const renamed = ["tools-call-simple-text", "tools-call-error", "resources-read-text", "resources-templates-read", "completion-complete"];
const stateless = ["server-stateless", "http-header-validation", "sep-2164-resource-not-found", "caching", "tools-list", "resources-list",
    "dns-rebinding-protection", "server-sse-multiple-streams", "input-required-result-unsupported-methods"];
const absent = new Set(["sep-2549-prompts-list-caching-hints"]); // there are no prompts

async function run(suite, scenario, url, version) {
    const folder = mkdtempSync(join(tmpdir(), "conformance-"));
    const args = [`node_modules/${suite}/dist/index.js`, "server", "--url", url, "--scenario", scenario, "-o", folder];
    if (version) args.push("--spec-version", version);
    const said = await new Promise((done) => execFile(process.execPath, args, { timeout: 60000 }, (e, out, err) => done(out + err)));
    const made = readdirSync(folder, { recursive: true }).filter((f) => f.endsWith("checks.json"));
    const checks = made.flatMap((f) => JSON.parse(readFileSync(join(folder, f), "utf8")));
    rmSync(folder, { recursive: true });
    if (!checks.length) return [{ status: "FAILURE", id: scenario, errorMessage: `nothing was checked: ${said}` }];
    return checks;
}

const { url, server } = await proxy(process.env.MCP_URL);
const jobs = [
    ...plain.map((s) => [released, s, process.env.MCP_URL]),
    ...["2025-11-25", "2025-06-18"].flatMap((v) => ["server-initialize", "tools-list"].map((s) => [coming, s, process.env.MCP_URL, v])),
    ...stateless.map((s) => [coming, s, process.env.MCP_URL, "2026-07-28"]),
    ...renamed.map((s) => [released, s, url]),
    ...renamed.map((s) => [coming, s, url, "2026-07-28"]),
];
let passed = 0, failed = 0;
for (const job of jobs) {
    for (const c of await run(...job)) {
        if (c.status === "SUCCESS") passed++;
        else if (c.status === "FAILURE" && !absent.has(c.id) && !/^Not testable/.test(c.errorMessage ?? "")) {
            failed++;
            console.log(`${job[0]} ${job[3] ?? ""} ${job[1]}: ${c.id}: ${c.errorMessage}`);
        }
    }
}
server.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed || !passed ? 1 : 0);
