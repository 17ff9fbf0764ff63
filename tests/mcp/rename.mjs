// rename.mjs - a proxy between the conformance suite and the daemon. The suite calls tools and resources of a server
// that is made for it, by their names; here they become ours. Nothing else of a message is changed, and of a reply
// nothing at all.
import http from "node:http";

const tools = {
    test_simple_text: ["can_it", { target: "openai/gpt-4o" }],
    test_error_handling: ["can_it", {}],
};
const uris = {
    "test://static-text": "cando://fields",
    "test://template/123/data": "cando://model/openai/gpt-4o-123",
};

function rename(message) {
    const p = message.params ?? {};
    if (tools[p.name]) [p.name, p.arguments] = tools[p.name];
    if (uris[p.uri]) p.uri = uris[p.uri];
    if (p.ref?.name === "test_prompt_with_arguments") {
        p.ref = { type: "ref/resource", uri: "cando://model/{provider}/{+model}" };
        p.argument.name = "model";
    }
    return message;
}

export function proxy(url) {
    const to = new URL(url);
    const server = http.createServer({ keepAliveTimeout: 0 }, async (q, a) => {
        let body = "";
        for await (const piece of q) body += piece;
        const headers = { ...q.headers, host: to.host };
        if (body) {
            const message = rename(JSON.parse(body));
            const name = message.params?.name ?? message.params?.uri;
            if (headers["mcp-name"] && name) headers["mcp-name"] = name;
            body = JSON.stringify(message);
            headers["content-length"] = Buffer.byteLength(body);
        }
        const on = http.request(to, { method: q.method, headers }, (r) => {
            a.writeHead(r.statusCode, r.headers);
            r.pipe(a);
        });
        on.end(body);
    });
    return new Promise((done) => server.listen(0, "127.0.0.1", () => done({ url: `http://127.0.0.1:${server.address().port}/mcp`, server })));
}
