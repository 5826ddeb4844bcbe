"""Runs a job of the suite with one client library.

Runs each case and prints what the library showed its user, one JSON line per
case. The suite checks the results.
"""

import importlib
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache


def main():
    job = json.load(sys.stdin)
    library = importlib.import_module(job["program"])

    # Clients are expensive to create and meant to be reused.
    @cache
    def client(base_url, key, headers):
        return library.Client(base_url, key, dict(headers))

    def see(case):
        try:
            headers = tuple((case["headers"] or {}).items())
            seen = getattr(client(case["base_url"], case["key"], headers), case["kind"])(case)
        except Exception as err:
            seen = {"error": library.failure(err)}
        return json.dumps({"case": case["name"], **seen})

    # Most of the time is spent waiting for retries.
    with ThreadPoolExecutor(max_workers=64) as pool:
        for line in pool.map(see, job["cases"]):
            print(line)


main()
