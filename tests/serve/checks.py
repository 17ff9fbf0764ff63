"""checks.py - counts what passed and what failed, and prints why."""
import traceback


class Checks:
    def __init__(self):
        self.count, self.failed = {True: 0, False: 0}, []

    def __call__(self, name, function, *arguments):
        try:
            function(*arguments)
            ok = True
        except Exception:
            self.failed.append("%s: %s" % (name, traceback.format_exc(limit=-5)))
            ok = False
        self.count[ok] += 1
        return ok

    def end(self):
        """Prints what failed, and the last line; gives the exit code."""
        for text in self.failed:
            print(text)
        print("%d passed, %d failed" % (self.count[True], self.count[False]))
        return 1 if self.count[False] or not self.count[True] else 0
