"""A server with its store behind PgBouncer: refused at the start with one sentence, since each transaction may have another session there.

    python3 server/tests/outside/pooler.py PROGRAM

Exits with 77 where PgBouncer or PostgreSQL is not installed.
"""

from __future__ import annotations

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

from common import SKIPPED, Table, free_port
from database import Database, programs

CONFIG = """
[databases]
* = host=127.0.0.1 port={database} user=rankduel
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = {mode}
{more}
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    given = parser.parse_args()
    pooler = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if pooler is None or programs() is None:
        print("skipped: PgBouncer or PostgreSQL is not installed")
        sys.exit(SKIPPED)
    program = str(pathlib.Path(given.program).resolve())
    table = Table("pool_mode", "ignore_startup_parameters", "what the server says")
    with Database() as database, tempfile.TemporaryDirectory() as temporary:
        database.make("rankduel")
        # PgBouncer refuses to be root.
        pathlib.Path(temporary).chmod(0o755)
        for mode, ignored in (("transaction", ""), ("transaction", "options"), ("statement", "options")):
            port = free_port()
            config = pathlib.Path(temporary) / f"{mode}{ignored}.ini"
            more = f"ignore_startup_parameters = {ignored}" if ignored else ""
            config.write_text(CONFIG.format(database=database.port, port=port, mode=mode, more=more))
            process = subprocess.Popen([pooler, "-q", str(config)], cwd="/", **database.user)
            try:
                time.sleep(0.5)
                served = [program, "serve", "--create", "--no-keys", "--store", database.url(port=port), "--listen", "127.0.0.1:0"]
                told = subprocess.run(served, capture_output=True, text=True, timeout=60)
                said = [line for line in told.stderr.splitlines() if line]
                holds = told.returncode == 1 and len(said) == 1 and "pooler in the mode" in told.stderr and "connect to PostgreSQL itself" in told.stderr
                table.add(holds, mode, ignored, f"exit code {told.returncode}: {' / '.join(said)[-300:]}")
            finally:
                process.kill()
                process.wait()
        table.add(database.sql("SELECT to_regclass('rankduel.meta')") == [[""]], "nothing was made", "", "")
    table.end()


if __name__ == "__main__":
    main()
