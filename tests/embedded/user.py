"""A program that uses the embedded store in the directory it is given, and does what it is told, a word a line."""

import os
import subprocess
import sys

from redis import Redis

from service.embedded import EmbeddedStore


def main() -> None:
    with EmbeddedStore.open(sys.argv[1]) as store:
        client = Redis.from_url(store.url)
        say("open")
        while word := sys.stdin.readline().strip():
            if word == "increment":
                say(client.incr("count"))
            elif word == "ensure":
                say(store.ensure())
            elif word == "watch":
                store.watch()
                say("watching")
            elif word == "write":  # for ever, saying what was acknowledged
                while True:
                    say(client.incr("count"))
            elif word == "fork":
                if os.fork():
                    os._exit(0)
                say(os.getpid())
            elif word == "execute":
                child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
                say(child.pid)
                child.returncode = 0  # it is somebody else's now
            elif word == "raise":
                raise RuntimeError("as told")
            elif word == "exit":
                sys.exit(3)


def say(what: object) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
