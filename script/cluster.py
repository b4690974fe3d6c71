#!/usr/bin/env python3
"""Sets up three hosts and three etcd servers in network namespaces, for the scripts that test a cluster.

Each host and each etcd server has its own network namespace. A bridge in the script's network namespace connects them;
there is no route to the outside. The scripts also run in their own mount and PID namespaces, so no mounts or processes
remain, no matter how a script exits.
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
# Servers that are single-member clusters.
SINGLES = {"e4": "10.78.0.14", "e5": "10.78.0.15"}
LEASE = 5
PREFIX = "/reprise/test/"
TOOLS = {"etcd": "etcd-server", "ip": "iproute2", "nft": "nftables", "unshare": "util-linux"}
CONTAINER = ["unshare", "--mount", "--pid", "--net", "--fork", "--kill-child", "--mount-proc"]


def run(*words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


def wait_until(seconds, condition, pause=0.05):
    """Waits until a condition holds. Returns whether it held before the timeout."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
    return True


def encoded(text):
    return base64.b64encode(text.encode() if isinstance(text, str) else text).decode()


def prefix_end(prefix):
    """End of the range of all keys with a prefix."""
    return encoded(prefix[:-1].encode() + bytes([ord(prefix[-1]) + 1]))


class Unavailable(Exception):
    """etcd did not carry out a request."""


def etcd_request(address, path, timeout=5, token=None, **body):
    """Sends a request to one etcd server through its JSON gateway. Returns the reply."""
    connection = http.client.HTTPConnection(address, 2379, timeout=timeout)
    fields = {"Content-Type": "application/json", **({"Authorization": token} if token else {})}
    try:
        connection.request("POST", path, json.dumps(body), fields)
        response = connection.getresponse()
        reply = json.loads(response.read())
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise Unavailable(error) from error
    finally:
        connection.close()
    if response.status != 200:
        raise Unavailable(reply.get("message") or reply.get("error") or reply)
    return reply


def etcd_request_any(path, timeout=2, **body):
    """Sends a request to the etcd servers in random order until one carries it out. Returns its reply."""
    failure = None
    for address in random.sample(list(MEMBERS.values()), len(MEMBERS)):
        try:
            return etcd_request(address, path, timeout, **body)
        except Unavailable as error:
            failure = error
    raise failure


def watch(address, prefix, since, timeout=10):
    """Watches all keys with a prefix, starting at a revision. Returns a generator of the events after the connection is
    established. The generator raises an exception if nothing arrives before the timeout."""
    connection = http.client.HTTPConnection(address, 2379, timeout=timeout)
    connection.request("POST", "/v3/watch", json.dumps({"create_request": {
        "key": encoded(prefix), "range_end": prefix_end(prefix), "start_revision": since}}))
    response = connection.getresponse()

    def results():
        try:
            while line := response.readline():
                reply = json.loads(line)
                if "result" not in reply:
                    raise OSError(reply)
                yield reply["result"]
        finally:
            connection.close()
        raise OSError("the connection was closed")

    return results()


class Network:
    """The network namespaces and the bridge that connects them."""

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
        """Drops all packets of a host's watches, which are its connections to etcd that sent nothing for two seconds.

        Returns the number of these connections.
        """
        words = ["ip", "netns", "exec", name, "ss", "-tniHO", "state", "established", "dport", "=", ":2379"]
        shown = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout
        found = re.findall(r"(\S+):(\d+)\s+\S+:2379 .*lastsnd:(\d+)", shown)
        ports = [port for _, port, idle in found if int(idle) > 2000]
        for port in ports:
            for side in "sd":
                run("nft", "add", "rule", "bridge", "cuts", "forward",
                    "ip", side + "addr", HOSTS[name], "tcp", side + "port", port, "drop")
        return len(ports)

    def heal(self):
        run("nft", "flush", "chain", "bridge", "cuts", "forward")
        for name in HOSTS:
            run("ip", "-n", name, "link", "set", "eth0", "up")

    def down(self, name):
        run("ip", "-n", name, "link", "set", "eth0", "down")


class Member:
    """An etcd server. `options` are its command-line options other than the addresses."""

    def __init__(self, name, directory, options=()):
        self.name, self.directory, self.options = name, f"{directory}/{name}", options
        self.address = {**MEMBERS, **SINGLES}[name]
        self.process = None

    def start(self):
        client = f"http://{self.address}:2379"
        with open(self.directory + ".log", "ab") as log:
            self.process = subprocess.Popen(
                ["ip", "netns", "exec", self.name, "etcd", "--data-dir", self.directory, "--listen-client-urls", client,
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
        shutil.rmtree(self.directory + ".backup", ignore_errors=True)
        run("cp", "-a", "--sparse=always", self.directory, self.directory + ".backup")

    def restore(self):
        """Replaces the data directory of a killed server with the backup."""
        shutil.rmtree(self.directory)
        os.rename(self.directory + ".backup", self.directory)

    def status(self):
        return etcd_request(self.address, "/v3/maintenance/status", timeout=2)

    def leads(self):
        status = self.status()
        return status["leader"] == status["header"]["member_id"]

    def is_healthy(self):
        try:
            # A server without a leader cannot answer this request.
            etcd_request(self.address, "/v3/kv/range", timeout=2, key=encoded("/"))
            return int(self.status().get("leader", 0)) != 0
        except Unavailable:
            return False


class Host:
    """A host with its daemon."""

    def __init__(self, name, directory, program):
        self.name, self.program, self.directory = name, program, f"{directory}/{name}"
        self.path = self.directory + "/run/control"
        self.process = None
        for part in ("run", "state"):
            os.makedirs(f"{self.directory}/{part}", mode=0o700)
        os.symlink(ROOT + "/config/storyboards", self.directory + "/storyboards")

    def configure(self, text):
        with open(self.directory + "/reprised.yaml", "w") as file:
            file.write(text)

    def start(self, limit=60, **environment):
        """Starts the daemon and waits until it is ready. Returns the notification socket, which receives more messages
        later."""
        notify, name = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM), self.directory + "/notify"
        if os.path.exists(name):
            os.unlink(name)
        notify.bind(name)
        notify.settimeout(1)
        with open(self.directory + "/log", "ab") as log:
            self.process = subprocess.Popen(
                ["ip", "netns", "exec", self.name, self.program, "--config", self.directory + "/reprised.yaml",
                 "--socket", self.path, "--state-directory", self.directory + "/state"],
                env={**os.environ, "NOTIFY_SOCKET": name, **environment}, stdout=log, stderr=log)
        deadline = time.monotonic() + limit
        while True:
            try:
                if b"READY=1" in notify.recv(4096):
                    break
            except TimeoutError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    with open(self.directory + "/log", errors="replace") as log:
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

    def is_healthy(self):
        try:
            return self.process.poll() is None and "error" not in self.call("Status", timeout=2)
        except (OSError, EOFError, ValueError):
            return False


def check_tools(tools, files=()):
    """Exits with an error message if the user is not root, or if programs or files are missing.

    tools, files: required programs and files, each with the package that contains it.
    """
    if os.getuid() != 0:
        sys.exit(f"{NAME}: root is required to create network namespaces")
    missing = [package for tool, package in tools.items() if not shutil.which(tool)]
    missing += [package for file, package in files if not os.path.exists(file)]
    if missing:
        sys.exit(f"{NAME}: required packages are missing; run: apt-get install {' '.join(missing)}")


def run_inside(directory, body, keep, files):
    """Runs a function in the namespaces, as their first process, and exits with the status that it returns.

    keep: directory to copy files to at the end, or `None`.
    files: names of these files in `directory`, each with its name in `keep`.
    """
    status = 1
    try:
        status = body()
    finally:
        if keep:
            os.makedirs(keep, exist_ok=True)
            for name, copy in files.items():
                if os.path.exists(f"{directory}/{name}"):
                    shutil.copy(f"{directory}/{name}", f"{keep}/{copy}")
            print(f"The logs are in {keep}", flush=True)
    # All other processes in the namespaces, and threads that are still waiting, end with this process.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def clean_up(directory, descriptor):
    """Removes the directory after all processes that use it have exited, for whatever reason."""
    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nothing, standard)
    while os.read(descriptor, 1):
        pass
    shutil.rmtree(directory, ignore_errors=True)
    os._exit(0)


def run_in_namespaces(words):
    """Runs the script again in new namespaces, with `--inside` and a temporary directory before its arguments. Removes
    the directory afterward, and exits with the script's exit status."""
    directory = tempfile.mkdtemp(prefix="reprise-cluster-")
    reading, writing = os.pipe()
    cleaner = os.fork()
    if cleaner == 0:
        os.close(writing)
        clean_up(directory, reading)
    os.close(reading)
    libc = ctypes.CDLL(None)
    # PR_SET_PDEATHSIG: even if this process is killed, nothing continues to run.
    process = subprocess.Popen([*CONTAINER, sys.executable, SCRIPT, "--inside", directory, *words], pass_fds=[writing],
                               preexec_fn=lambda: libc.prctl(1, signal.SIGKILL))

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # This ends all processes in the namespaces.
        signal.signal(number, lambda *_: process.kill())
    status = process.wait()
    os.close(writing)
    os.waitpid(cleaner, 0)
    sys.exit(status if status >= 0 else f"{NAME}: interrupted")
