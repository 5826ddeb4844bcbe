"""Runs the cases of one vendor's library against an emulator.

Reads {"program", "url", "key"} and prints a line of JSON for every case. Its field
"wrong" is the traceback of a failed case. A case is a method of the program's Cases.
"""

import importlib
import json
import sys
import traceback


def main():
    job = json.load(sys.stdin)
    cases = importlib.import_module(job["program"]).Cases(job["url"], job["key"])
    for name in sorted(n for n in dir(cases) if n.startswith("test_")):
        wrong = ""
        try:
            getattr(cases, name)()
        except Exception:
            wrong = traceback.format_exc()
        print(json.dumps({"case": name.removeprefix("test_"), "wrong": wrong}))


def fails(kind, call):
    """Returns the exception of exactly this class that the call raises."""
    try:
        call()
    except Exception as err:
        assert type(err) is kind, f"{type(err)} {err}"
        return err
    raise AssertionError(f"no {kind}")


PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

WEATHER = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}

if __name__ == "__main__":
    main()
