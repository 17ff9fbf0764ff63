"""test_python.py - the package for Python as its users meet it."""
import ast
import json
import os
import pickle
import threading
import unittest

import cando

REQUEST = {"model": "o3", "temperature": 0.1, "messages": [{"role": "user", "content": "grüße \U0001F600"}]}
OVERLAY = """schema = "cando/rules@1"
[[models]]
provider = "acme"
id = "acme-1"
set = { context_window = 4242 }
"""


class Package(unittest.TestCase):
    def setUp(self):
        cando.set_today("2026-10-01")

    def test_functions(self):
        self.assertEqual(cando.resolve("openai/gpt-5")["identity"], "exact")
        self.assertEqual(cando.resolve(target={"provider": "openai", "model": "gpt-5"}), cando.resolve("openai/gpt-5"))
        self.assertIn("why", cando.resolve("openai/gpt-5", why=True))
        self.assertEqual(cando.call({"op": "explain", "code": "io"}), cando.explain("io"))
        self.assertEqual(cando.call('{"op":"explain","code":"io"}'), cando.explain(code="io"))
        self.assertEqual(cando.import_(sources=[], files=False)["models"], 0)

    def test_forms_of_a_request(self):
        text = json.dumps(REQUEST)
        forms = [REQUEST, text, "  " + text, text.encode(), bytearray(text.encode()), memoryview(text.encode())]
        found = [[f["path"] for f in cando.preflight(request=r, target="openai/o3")["findings"]] for r in forms]
        self.assertIn("/temperature", found[0])
        self.assertTrue(all(f == found[0] for f in found))

    def test_text_stays_text(self):
        self.assertEqual(cando.redact(value="{not json")["value"], "{not json")

    def test_errors(self):
        with self.assertRaises(cando.CandoError) as caught:
            cando.resolve()
        self.assertEqual((caught.exception.code, caught.exception.at), ("missing-argument", "/target"))
        with self.assertRaises(cando.CandoError) as caught:
            cando.call({"op": "reslove"})
        self.assertEqual(caught.exception.code, "unknown-op")
        self.assertIn("resolve", caught.exception.hint)
        for bad in (lambda: cando.raw(7), lambda: cando.resolve("a", "b"), lambda: cando.diff("a")):
            self.assertRaises(TypeError, bad)

    def test_errors_cross_processes(self):
        with self.assertRaises(cando.CandoError) as caught:
            cando.preflight(target="openai/gpt-5", request={}, fixx=True)
        copied = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual(vars(copied), vars(caught.exception))
        self.assertEqual((str(copied), copied.hint), ("'preflight' has no 'fixx'", "did you mean 'fix'?"))

    def test_odd_values(self):
        half = {"model": "o3", "messages": [{"role": "user", "content": "\ud800"}]}
        raw = json.dumps(half, ensure_ascii=False)
        for request in (half, raw, json.dumps(half)):
            with self.assertRaisesRegex(cando.CandoError, "lone surrogate") as caught:
                cando.preflight(request=request, target="openai/o3")
            self.assertEqual(caught.exception.code, "json-syntax")
        for question in ({"op": "\ud800"}, {"op": "resolve", "\ud800": 1}):
            self.assertRaises(cando.CandoError, cando.call, question)
        circle = {}
        circle["circle"] = circle
        for bad in (float("nan"), float("inf"), circle):
            self.assertRaises(ValueError, cando.cost, target="openai/gpt-4o", usage={"input_tokens": bad})
        self.assertEqual(cando.Engine(overlay=None).resolve("openai/gpt-5")["identity"], "exact")

    def test_overlay(self):
        mine = cando.Engine(overlay=[OVERLAY])
        self.assertEqual(mine.resolve("acme/acme-1")["fields"]["context_window"], 4242)
        self.assertEqual(cando.resolve("acme/acme-1")["identity"], "default")
        self.assertRaises(cando.CandoError, cando.Engine, overlay="no toml")
        self.assertRaises(cando.CandoError, cando.Engine, catalog=b"nothing")

    def test_today(self):
        self.assertEqual(cando.retiring()["day"], "2026-10-01")
        self.assertRaises(cando.CandoError, cando.set_today, "tomorrow")

    def test_types(self):
        folder = os.path.dirname(cando.__file__)
        with open(os.path.join(folder, "__init__.pyi"), encoding="utf-8") as f:
            typed = {n.name for n in ast.parse(f.read()).body if isinstance(n, ast.FunctionDef)}
        from cando import _types, operations
        self.assertIn("    target (needed): ", cando.resolve.__doc__)
        for op in operations.OPERATIONS:
            self.assertIn("import_" if op == "import" else op, typed)
            name = "".join(part.capitalize() for part in op.split("_"))
            method = getattr(cando, "import_" if op == "import" else op)
            self.assertIn(name + "Answer", method.__doc__)
            self.assertTrue(hasattr(_types, name + "Question") and hasattr(_types, name + "Answer"), op)

    def test_threads(self):
        wanted, wrong = cando.resolve("openai/gpt-5"), []

        def ask():
            for _ in range(200):
                if cando.resolve("openai/gpt-5") != wanted:
                    wrong.append(1)

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def test_memory(self):
        def resident():
            with open("/proc/self/statm", encoding="ascii") as f:
                return int(f.read().split()[1]) * 4096

        def ask(n):
            for _ in range(n):
                cando.preflight(request=REQUEST, target="openai/o3")
            return resident()

        before = ask(5_000)
        self.assertLess(ask(20_000) - before, 2_000_000)


if __name__ == "__main__":
    unittest.main()
