# cando matrix: text, Markdown and a page.

rules() { cat >a.toml <<'T'
schema = "cando/rules@1"
[[providers]]
id = "acme"
kind = "first-party"
[[providers]]
id = "robots"
kind = "backend"
[[models]]
provider = "acme"
id = "big"
set = { tool_calling = "native", reasoning = { restricted = "no <b>tools</b>" }, batch = "emulated" }
[[models]]
provider = "acme"
id = "small"
set = { tool_calling = "unsupported" }
[[models]]
provider = "robots"
id = "r2"
set = { tool_bash = "native" }
T
}
matrix() { rules; run "$cando" matrix --rules a.toml "$@"; }

test_matrix_text() {
    matrix acme/big acme/small; exits 0; err_empty
    out_matches '^tool_calling +● native +○ no$'; out_matches '^reasoning +◔ restricted +· unknown$'; out_matches '^batch +◐ emulated'
    out_lacks json_mode; out_has "● native   ◐ emulated   ◔ restricted   ○ no   · unknown"
}
# Too many to stand beside each other: a line a model, its capabilities upright above.
test_matrix_of_few_columns() {
    rules; for i in 1 2 3 4 5 6 7 8 9; do printf '[[models]]\nprovider = "acme"\nid = "m-%d"\nset = { tool_calling = "native", batch = "unsupported" }\n' $i; done >>a.toml
    run "$cando" matrix --rules a.toml --provider acme; exits 0; err_empty
    out_matches "^acme/big +● native +· unknown +◔ restricted +◐ emulated$"; out_matches '^acme/small +○ no +○ no +· unknown +· unknown$'; out_matches '^acme/m-9 +● native +· unknown +· unknown +○ no$'
    out_has "● native   ◐ emulated   ◔ restricted   ○ no   · unknown"
}
test_matrix_columns() { matrix --can reasoning,json_mode acme/big; exits 0; out_matches '^json_mode +· unknown$'; out_lacks tool_calling; }
test_matrix_patterns_and_filters() {
    matrix 'acme/*'; exits 0; out_has acme/small; matrix --provider acme; exits 0; out_has acme/big; out_lacks r2
    matrix 'zzz*'; exits 1; out_empty
}
test_matrix_providers() { matrix --providers; exits 0; out_matches '^tool_calling +50%$'; out_matches '^reasoning +100%$'; out_lacks robots; }
test_matrix_backends() { matrix --backends; exits 0; out_has robots/r2; out_matches '^tool_bash +● native$'; out_lacks acme; }
test_matrix_markdown() { matrix --markdown acme/big; exits 0; out_has '| model | tool\_calling |'; out_has '| acme/big | native | restricted | emulated |'; }
test_matrix_html() {
    matrix --html --provider acme; exits 0; err_empty
    python3 - <<'P' || fail "not as wanted"
import html.parser
class H(html.parser.HTMLParser):
    open_, rows, bad = [], 0, []
    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "input"): self.open_.append(tag)
        self.rows += tag == "tr"
        for k, v in attrs:
            if k in ("src", "href"): self.bad.append(v)
    def handle_endtag(self, tag):
        while self.open_ and self.open_.pop() != tag: pass
h = H(); text = open("out", encoding="utf-8").read(); h.feed(text)
assert h.rows == 3 and not h.bad and not h.open_, (h.rows, h.bad, h.open_)
assert "http" not in text and "<b>tools" not in text and "no &lt;b&gt;tools&lt;/b&gt;" in text
assert 'class="y"' in text and 'class="r"' in text and "prefers-color-scheme:dark" in text
P
}
test_matrix_mistakes() {
    matrix; exits 2; err_has "which models?"; matrix --can tool_caling acme/big; exits 2; err_has "did you mean tool_calling?"
    matrix --can context_window acme/big; exits 2; err_has "no capability"; matrix big; exits 2; err_has "acme/big"
}
test_matrix_builtin_backends() { run "$cando" matrix --backends; exits 0; out_has backend/claude; out_has backend/codex; }

test_fits_the_screen() {
    command -v script >/dev/null || return 0
    on() { script -qec "stty cols 80 rows 24; '$cando' matrix $1" /dev/null >out 2>&1 </dev/null; tr -d '\r' <out >o2; mv o2 out; }
    export TERM=dumb
    on "openai/gpt-5 anthropic/claude-opus-4-5 google/gemini-2.5-pro mistral/mistral-large-latest"
    out_matches '^ 3  google/gemini-2.5-pro$'; out_matches '^tool_calling +.  .  .  .$'
    on "openai/gpt-5 anthropic/claude-opus-4-5"; out_matches '^tool_calling +. native +. native$'
    on "--provider anthropic --can tool_calling,batch"; out_matches '^model +tool_calling +batch$'
    for what in "--providers" "--provider openai" "--backends"; do on "$what"; [ "$(wc -L <out)" -le 80 ] || fail "$what is wider than the screen"; done
}
# Many columns have a letter each, explained before the table; what has ended is left out, and that is told.
test_matrix_letters() {
    run "$cando" matrix --provider openai; exits 0; out_matches '^openai/gpt-4o +(● |○ |· )+'; out_matches '^ +a b c d e'; out_matches '^a tool_calling +b parallel_tool_calls'
    out_lacks "openai/gpt-4-32k"; err_matches '^[0-9]+ retired models left out; --retired shows them'
    run "$cando" matrix --provider openai --retired; exits 0; out_has "openai/gpt-4-32k"; err_lacks "left out"
    run "$cando" matrix openai/gpt-4-32k; exits 0; out_has "openai/gpt-4-32k"
}
