"""Breaks the rule that its argument names, in the fifth step or in the end."""

import json
import os
import sys
import time

rule = sys.argv[1]


def say(line):
    print(line, flush=True)


start = json.loads(sys.stdin.readline())
say('{"pair": [0, 1]}')
for step, line in enumerate(sys.stdin, start=2):
    if step == 5:
        if rule == "late":
            time.sleep(30)
        if rule == "two":
            say('{"pair": [0, 1]}')
        if rule == "json":
            say("oops")
        if rule == "range":
            say(json.dumps({"pair": [0, start["arms"]]}))
        if rule == "exit":
            sys.exit(3)
        if rule == "close":
            os.close(1)
            time.sleep(30)
    if json.loads(line).get("done"):
        say('{"best": 0}')
        if rule == "linger":
            time.sleep(30)
        if rule == "more":
            say('{"best": 1}')
        break
    say('{"pair": [0, 1]}')
