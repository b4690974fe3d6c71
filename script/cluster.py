#!/usr/bin/env python3
"""Three hosts and three etcds in network namespaces, for the scripts beside it that try a cluster.

Each host and each etcd has a network namespace of its own; the script's has the bridge, and nothing leads out of it.
Everything is in namespaces for mounts and processes, too: however it ends, nothing is left.
"""
import base64
import ctypes
import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from host import ROOT, Client

CONTROL = "org.reprise.Control."
SCRIPT = os.path.abspath(sys.argv[0])
NAME = "script/" + os.path.basename(SCRIPT)
HOSTS = {"a": "10.78.0.21", "b": "10.78.0.22", "c": "10.78.0.23"}
MEMBERS = {"e1": "10.78.0.11", "e2": "10.78.0.12", "e3": "10.78.0.13"}
# Servers that are clusters of their own.
SINGLES = {"e4": "10.78.0.14", "e5": "10.78.0.15"}
LEASE = 5
PREFIX = "/reprise/test/"
TOOLS = {"etcd": "etcd-server", "ip": "iproute2", "nft": "nftables", "unshare": "util-linux"}
CONTAINER = ["unshare", "--mount", "--pid", "--net", "--fork", "--kill-child", "--mount-proc"]


def run(*words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


def within(seconds, condition, pause=0.05):
    """Whether something becomes true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
    return True


def encoded(text):
    return base64.b64encode(text.encode() if isinstance(text, str) else text).decode()


def end_of(prefix):
    """The end of the range of all keys that begin so."""
    return encoded(prefix[:-1].encode() + bytes([ord(prefix[-1]) + 1]))


class Unavailable(Exception):
    """etcd did not do what it was asked for."""


def ask(address, path, timeout=5, token=None, **body):
    """Asks one etcd through its JSON gateway."""
    connection = http.client.HTTPConnection(address, 2379, timeout=timeout)
    fields = {"Content-Type": "application/json", **({"Authorization": token} if token else {})}
    try:
        connection.request("POST", path, json.dumps(body), fields)
        response = connection.getresponse()
        answer = json.loads(response.read())
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise Unavailable(error) from error
    finally:
        connection.close()
    if response.status != 200:
        raise Unavailable(answer.get("message") or answer.get("error") or answer)
    return answer


def ask_any(path, timeout=2, **body):
    """Asks one etcd after the other."""
    failure = None
    for address in random.sample(list(MEMBERS.values()), len(MEMBERS)):
        try:
            return ask(address, path, timeout, **body)
        except Unavailable as error:
            failure = error
    raise failure


def watch(address, prefix, since, timeout=10):
    """Follows all keys that begin so from a revision on, and returns when it is connected: the answers as they come.
    It fails if none comes for a time."""
    connection = http.client.HTTPConnection(address, 2379, timeout=timeout)
    connection.request("POST", "/v3/watch", json.dumps({"create_request": {
        "key": encoded(prefix), "range_end": end_of(prefix), "start_revision": since}}))
    response = connection.getresponse()

    def answers():
        try:
            while line := response.readline():
                answer = json.loads(line)
                if "result" not in answer:
                    raise OSError(answer)
                yield answer["result"]
        finally:
            connection.close()
        raise OSError("the connection was closed")

    return answers()


class Network:
    """A bridge, and behind it the namespaces."""

    def __init__(self):
        # A mount on the shared /run/netns would disappear when another run removes that directory.
        run("mount", "-t", "tmpfs", "none", "/run")
        os.mkdir("/run/netns")
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "bridge", "type", "bridge")
        run("ip", "addr", "add", "10.78.0.1/24", "dev", "bridge")
        run("ip", "link", "set", "bridge", "up")
        for name, address in {**HOSTS, **MEMBERS, **SINGLES}.items():
            run("ip", "netns", "add", name)
            run("ip", "link", "add", "port-" + name, "type", "veth", "peer", "name", "eth0", "netns", name)
            run("ip", "link", "set", "port-" + name, "master", "bridge", "up")
            run("ip", "-n", name, "addr", "add", address + "/24", "dev", "eth0")
            run("ip", "-n", name, "link", "set", "eth0", "up")
            run("ip", "-n", name, "link", "set", "lo", "up")
        run("nft", "add", "table", "bridge", "cuts")
        run("nft", "add", "chain", "bridge", "cuts", "forward", "{ type filter hook forward priority 0; }")

    def cut(self, name, *directions):
        for direction in directions:
            match = {"out": "iifname", "in": "oifname"}[direction]
            run("nft", "add", "rule", "bridge", "cuts", "forward", match, "port-" + name, "drop")

    def silence(self, name):
        """Drops all packets of a host's connections to etcd that have sent nothing for two seconds: its watches."""
        words = ["ip", "netns", "exec", name, "ss", "-tniHO", "state", "established", "dport", "=", ":2379"]
        shown = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout
        found = re.findall(r"(\S+):(\d+)\s+\S+:2379 .*lastsnd:(\d+)", shown)
        ports = [port for _, port, idle in found if int(idle) > 2000]
        for port in ports:
            for side in "sd":
                run("nft", "add", "rule", "bridge", "cuts", "forward",
                    "ip", side + "addr", HOSTS[name], "tcp", side + "port", port, "drop")
        return len(ports)

    def mend(self):
        run("nft", "flush", "chain", "bridge", "cuts", "forward")
        for name in HOSTS:
            run("ip", "-n", name, "link", "set", "eth0", "up")

    def down(self, name):
        run("ip", "-n", name, "link", "set", "eth0", "down")


class Member:
    """An etcd; `options` are what it is given beside its addresses."""

    def __init__(self, name, folder, options=()):
        self.name, self.folder, self.options = name, f"{folder}/{name}", options
        self.address = {**MEMBERS, **SINGLES}[name]
        self.process = None

    def start(self):
        client = f"http://{self.address}:2379"
        with open(self.folder + ".log", "ab") as log:
            self.process = subprocess.Popen(
                ["ip", "netns", "exec", self.name, "etcd", "--data-dir", self.folder, "--listen-client-urls", client,
                 "--advertise-client-urls", client, *self.peer_options(), *self.options, "--logger", "zap"],
                stdout=log, stderr=log)

    def peer_options(self):
        """Options for the connections between the servers of one cluster."""
        if self.name in SINGLES:
            # The default peer URL gives all of these clusters the same cluster ID and member ID.
            return []
        peer = f"http://{self.address}:2380"
        return ["--name", self.name, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
                "--initial-cluster", ",".join(f"{name}=http://{address}:2380" for name, address in MEMBERS.items())]

    def kill(self):
        self.process.kill()
        self.process.wait()

    def suspend(self):
        """Stops all threads of the server, until SIGCONT."""
        self.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED)

    def back_up(self):
        """Copies the data directory of a suspended server."""
        shutil.rmtree(self.folder + ".backup", ignore_errors=True)
        run("cp", "-a", "--sparse=always", self.folder, self.folder + ".backup")

    def restore(self):
        """Replaces the data directory of a killed server with the backup."""
        shutil.rmtree(self.folder)
        os.rename(self.folder + ".backup", self.folder)

    def status(self):
        return ask(self.address, "/v3/maintenance/status", timeout=2)

    def leads(self):
        status = self.status()
        return status["leader"] == status["header"]["member_id"]

    def is_well(self):
        try:
            # Only who has a leader can answer this.
            ask(self.address, "/v3/kv/range", timeout=2, key=encoded("/"))
            return int(self.status().get("leader", 0)) != 0
        except Unavailable:
            return False


class Host:
    """A host with its daemon."""

    def __init__(self, name, folder, program):
        self.name, self.program, self.folder = name, program, f"{folder}/{name}"
        self.path = self.folder + "/run/control"
        self.process = None
        for part in ("run", "state"):
            os.makedirs(f"{self.folder}/{part}", mode=0o700)
        os.symlink(ROOT + "/config/storyboards", self.folder + "/storyboards")

    def configure(self, text):
        with open(self.folder + "/reprised.yaml", "w") as file:
            file.write(text)

    def start(self, limit=60, **environment):
        """Starts the daemon, and waits until it is ready; returns the socket that it tells that on, and more later."""
        notify, name = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM), self.folder + "/notify"
        if os.path.exists(name):
            os.unlink(name)
        notify.bind(name)
        notify.settimeout(1)
        with open(self.folder + "/log", "ab") as log:
            self.process = subprocess.Popen(
                ["ip", "netns", "exec", self.name, self.program, "--config", self.folder + "/reprised.yaml",
                 "--socket", self.path, "--state-directory", self.folder + "/state"],
                env={**os.environ, "NOTIFY_SOCKET": name, **environment}, stdout=log, stderr=log)
        deadline = time.monotonic() + limit
        while True:
            try:
                if b"READY=1" in notify.recv(4096):
                    break
            except TimeoutError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    with open(self.folder + "/log", errors="replace") as log:
                        last = "".join(log.readlines()[-3:])
                    raise SystemExit(f"{NAME}: the daemon of {self.name} is not ready: {last}") from None
        return notify

    def kill(self):
        self.process.kill()
        self.process.wait()

    def call(self, method, timeout=5, **parameters):
        client = Client(self.path, timeout)
        try:
            return client.call(CONTROL + method, **parameters)
        finally:
            client.socket.close()

    def is_well(self):
        try:
            return self.process.poll() is None and "error" not in self.call("Status", timeout=2)
        except (OSError, EOFError, ValueError):
            return False


def check_tools(tools, files=()):
    """Ends with a sentence if something is missing: programs and files, each with its package."""
    if os.getuid() != 0:
        sys.exit(f"{NAME}: network namespaces need root.")
    missing = [package for tool, package in tools.items() if not shutil.which(tool)]
    missing += [package for file, package in files if not os.path.exists(file)]
    if missing:
        sys.exit(f"{NAME}: something is missing; run: apt-get install {' '.join(missing)}")


def inside(folder, body, keep, files):
    """In the namespaces, as their first process: does something, and copies files from the folder to another one,
    each with its name there."""
    status = 1
    try:
        status = body()
    finally:
        if keep:
            os.makedirs(keep, exist_ok=True)
            for name, copy in files.items():
                if os.path.exists(f"{folder}/{name}"):
                    shutil.copy(f"{folder}/{name}", f"{keep}/{copy}")
            print(f"The logs are in {keep}", flush=True)
    # Threads that still wait for something, and all processes, end with this one.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def sweep(folder, descriptor):
    """Takes the folder away when all that use it have ended, whatever ended them."""
    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nothing, standard)
    while os.read(descriptor, 1):
        pass
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def outside(words):
    """Calls the script anew in namespaces of its own, with `--inside` and a folder before the words, and takes away
    what is left."""
    folder = tempfile.mkdtemp(prefix="reprise-cluster-")
    reading, writing = os.pipe()
    sweeper = os.fork()
    if sweeper == 0:
        os.close(writing)
        sweep(folder, reading)
    os.close(reading)
    libc = ctypes.CDLL(None)
    # PR_SET_PDEATHSIG: also if this process is killed nothing goes on.
    process = subprocess.Popen([*CONTAINER, sys.executable, SCRIPT, "--inside", folder, *words], pass_fds=[writing],
                               preexec_fn=lambda: libc.prctl(1, signal.SIGKILL))

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # With it all ends that is in the namespaces.
        signal.signal(number, lambda *_: process.kill())
    status = process.wait()
    os.close(writing)
    os.waitpid(sweeper, 0)
    sys.exit(status if status >= 0 else f"{NAME}: it was ended.")
