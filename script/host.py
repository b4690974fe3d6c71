#!/usr/bin/env python3
"""Runs a daemon in its own directory, and connects clients to its control socket. Used by other scripts."""
import json
import os
import socket
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = ROOT + "/.build/install/reprised"


def message(method, **parameters):
    """Encodes a call. With more=True, the call requests multiple replies."""
    call = {"method": method, "parameters": parameters}
    if parameters.pop("more", False):
        call["more"] = True
    return json.dumps(call).encode() + b"\0"


class Client:
    """A connection to the control socket that makes one call at a time."""

    def __init__(self, path, timeout=60):
        self.socket = socket.socket(socket.AF_UNIX)
        # With a timeout, connect would fail if the backlog of the daemon's socket is full, instead of waiting.
        self.socket.connect(path)
        self.socket.settimeout(timeout)
        self.rest = b""

    def receive(self):
        while b"\0" not in self.rest:
            piece = self.socket.recv(1 << 20)
            if not piece:
                raise EOFError("the connection was closed")
            self.rest += piece
        reply, self.rest = self.rest.split(b"\0", 1)
        return json.loads(reply)

    def call(self, method, **parameters):
        self.socket.sendall(message(method, **parameters))
        return self.receive()


class Daemon:
    """A daemon that has its own directory and runs the applications of a configuration."""

    def __init__(self, program, directory, configuration):
        self.program, self.directory = program, directory
        self.path = directory + "/run/control"
        self.state = directory + "/state"
        self.log = directory + "/log"
        for name in ("run", "state"):
            os.makedirs(f"{directory}/{name}", mode=0o700, exist_ok=True)
        with open(directory + "/reprised.yaml", "w") as file:
            file.write(configuration)
        os.symlink(ROOT + "/config/storyboards", directory + "/storyboards")

    @property
    def command(self):
        """The command line of the daemon."""
        return [self.program, "--config", self.directory + "/reprised.yaml", "--socket", self.path,
                "--state-directory", self.state]

    def start(self, log=None, listener=None, environment=None, prefix=(),
              keeps_notifications=False):
        """Starts the daemon and waits until it is ready.

        log: file descriptor for standard error; the default is the log file.
        listener: listening socket to pass to the daemon, as systemd does for a socket unit.
        environment: additional environment variables.
        prefix: command to start the daemon with, such as unshare.
        keeps_notifications: keep the notification socket open after READY=1.
        """
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        name = self.directory + "/notify"
        if os.path.exists(name):
            os.unlink(name)
        self.notify.bind(name)
        os.chmod(name, 0o666)  # The daemon may run as another user.
        self.notify.settimeout(60)
        command, variables = self.command, {**os.environ, "NOTIFY_SOCKET": name, **(environment or {})}
        passed = ()
        if listener:
            passed = (listener.fileno(),)
            command = [part for part in command if part not in ("--socket", self.path)]
            command = ["bash", "-c", f'export LISTEN_PID=$$; exec "$0" "$@" 3<&{passed[0]}', *command]
            variables |= {"LISTEN_FDS": "1", "LISTEN_FDNAMES": "varlink"}
        with open(self.log, "ab") as file:
            self.process = subprocess.Popen(
                [*prefix, *command], env=variables, stderr=file if log is None else log, pass_fds=passed)
        while b"READY=1" not in self.notify.recv(4096):
            pass
        if not keeps_notifications:
            self.notify.close()

    def resources(self):
        """Number of file descriptors, number of threads, and anonymous memory in MiB."""
        directory = f"/proc/{self.process.pid}"
        with open(directory + "/status") as file:
            memory = [int(line.split()[1]) for line in file if line.startswith("RssAnon:")][0]
        return len(os.listdir(directory + "/fd")), len(os.listdir(directory + "/task")), memory / 1024

    def lines(self):
        """Number of lines in the daemon's log."""
        with open(self.log, "rb") as file:
            return sum(1 for _ in file)
