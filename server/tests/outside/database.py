"""A PostgreSQL of its own, in a private folder on loopback; gone with the script."""
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time


def programs():
    """The folder with initdb and postgres, or None."""
    found = shutil.which("postgres")
    folders = [pathlib.Path(found).resolve().parent] if found else []
    folders += sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists() and (folder / "postgres").exists()), None)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Database:
    """Started at once. `initdb` refuses root, so that root starts it as another user."""

    def __init__(self):
        self.bin = programs()
        self.folder = tempfile.mkdtemp(prefix="rankduel-postgres-")
        self.port = free_port()
        self.process = None
        self.user = {}
        if os.geteuid() == 0:
            entry = pwd.getpwnam("postgres") if "postgres" in {one.pw_name for one in pwd.getpwall()} else pwd.getpwnam("nobody")
            os.chown(self.folder, entry.pw_uid, entry.pw_gid)
            self.user = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        made = [str(self.bin / "initdb"), "-D", self.folder + "/data", "-U", "rankduel", "-A", "trust", "-E", "UTF8", "--locale=C"]
        subprocess.run(made, check=True, stdout=subprocess.DEVNULL, cwd="/", **self.user)
        self.start()

    def start(self):
        settings = ["listen_addresses=127.0.0.1", f"port={self.port}", f"unix_socket_directories={self.folder}", "max_connections=60"]
        command = [str(self.bin / "postgres"), "-D", self.folder + "/data"]
        for setting in settings:
            command += ["-c", setting]
        log = open(self.folder + "/log", "ab")
        self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd="/", **self.user)
        for _ in range(300):
            if subprocess.run([str(self.bin / "pg_isready"), "-h", "127.0.0.1", "-p", str(self.port), "-q"]).returncode == 0:
                return
            time.sleep(0.1)
        raise SystemExit("PostgreSQL does not start:\n" + open(self.folder + "/log").read())

    def url(self, name="rankduel", port=None):
        return f"postgres://rankduel@127.0.0.1:{port or self.port}/{name}"

    def sql(self, text, name="rankduel"):
        """The rows of a query, as lists of texts."""
        command = [str(self.bin / "psql"), "-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1", self.url(name), "-c", text]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return [line.split("\t") for line in out.splitlines()]

    def make(self, name):
        self.sql(f'CREATE DATABASE "{name}"', "postgres")

    def kill(self):
        """As if its machine lost power: all processes at once, nothing is shut down."""
        pids = [self.process.pid]
        for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == self.process.pid:
                pids.append(int(path.parent.name))
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()

    def close(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
