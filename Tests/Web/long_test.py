"""Types into the page while programs are killed and connections are cut, and checks that no character is lost.

Usage: long_test.py REPRISED REPRISE_WEB REPRISECTL [KIND=ROUNDS]...

In each round, clients type 500 characters in total at 20 characters a second, while one fault occurs at a random time.
Afterwards, the field, the field of a second page and the daemon must have every character once and in order, even after
another kill of the daemon. Each KIND=ROUNDS runs at the same time as the others, with its own daemon, server and
browser. The kinds are:

  daemon     the daemon is killed, and started after up to three seconds
  server     reprise-web is killed, and started after up to three seconds
  network    the connections between browser and server transfer nothing for ten seconds; then they continue, or end
  clients    two browsers and a terminal type into the same text, and no fault occurs
  takeover   the host that runs the application is killed, and another host of the cluster takes over; requires etcd
"""

import contextlib
import fcntl
import os
import pty
import random
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from web_test import TIMEOUT, Cluster, Daemon, Page, Web, expect, new_browser

APPLICATION = "org.reprise.ChildViews"
PATH = "nav/parent/child1/textField"
CHARACTERS = 500
RATE = 20
CUT = 10
ALPHABET = "abcdefghijklmnopqrstuvwxyz ABCDEF éßñ漢字 0123456789.,-"
DEFAULT = ["daemon=25", "daemon=25", "server=10", "network=5", "clients=10", "takeover=5"]


class Proxy:
    """Forwards connections to a port of this host, until it is told to forward nothing for a time."""

    def __init__(self, port):
        self.port = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = self.listener.getsockname()[1]
        self.forwards = threading.Event()
        self.forwards.set()
        self.connections = []
        self.lock = threading.Lock()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.connect, args=[client], daemon=True).start()

    def connect(self, client):
        self.forwards.wait()
        try:
            server = socket.create_connection(("127.0.0.1", self.port))
        except OSError:
            client.close()
            return
        with self.lock:
            self.connections += [client, server]
        for source, destination in [(client, server), (server, client)]:
            threading.Thread(target=self.forward, args=[source, destination], daemon=True).start()

    def forward(self, source, destination):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                self.forwards.wait()
                destination.sendall(data)
        for end in (source, destination):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def cut(self, seconds, ends_connections):
        """Forwards nothing for a time. Then ends all connections and drops the data that waits, or continues."""
        self.forwards.clear()
        time.sleep(seconds)
        if ends_connections:
            with self.lock:
                for connection in self.connections:
                    # The other end receives a reset, and data that waits is dropped.
                    with contextlib.suppress(OSError):
                        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                        connection.shutdown(socket.SHUT_RDWR)
                self.connections.clear()
        self.forwards.set()


class Terminal:
    """`reprisectl attach` in a pseudoterminal, with the focus on the text field."""

    def __init__(self, program, daemon):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.process = subprocess.Popen(
            [program, "--socket", daemon.socket, "attach"], stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
            env={**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"})
        os.close(slave)
        self.screen = b""
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        with contextlib.suppress(OSError):
            while data := os.read(self.master, 65536):
                self.screen = (self.screen + data)[-100_000:]

    def type(self, text):
        os.write(self.master, text.encode())

    def close(self):
        self.process.terminate()
        self.process.wait(TIMEOUT)
        os.close(self.master)


class World:
    """A daemon, a server and two pages in a browser."""

    def __init__(self, programs, kind, directory, stack):
        reprised, reprise_web, self.reprisectl = programs
        self.kind = kind
        if kind == "takeover":
            self.daemon = Cluster(reprised, directory)
        else:
            self.daemon = Daemon(reprised, directory)
        self.daemon.start()
        stack.callback(lambda: self.daemon.stop())
        self.web = Web(reprise_web, self.daemon, directory)
        self.proxy = Proxy(self.web.port)
        link = self.web.start()
        stack.callback(lambda: self.web.stop())
        self.pages = []
        for number in range(2 if kind == "clients" else 1):
            if kind == "network":
                # The server requires its own host name and port.
                rules = f"--host-resolver-rules=MAP localhost:{self.web.port} 127.0.0.1:{self.proxy.address}"
                browser = new_browser(rules)
                self.web.host = f"localhost:{self.web.port}"
            else:
                browser = new_browser()
            stack.callback(browser.quit)
            page = Page(browser, self.web)
            browser.get(self.web.new_link() if number else link.replace(f"127.0.0.1:{self.web.port}", self.web.host))
            page.until(lambda: page.status == "Connected", "the link opens the page")
            browser.switch_to.new_window("tab")
            page.open(APPLICATION)
            browser.switch_to.window(browser.window_handles[0])
            page.open(APPLICATION)
            self.pages.append(page)
        if kind == "clients":
            self.terminal = Terminal(self.reprisectl, self.daemon)
            stack.callback(self.terminal.close)
            # The terminal has the focus on the first control, which is the text field.
            self.pages[0].until(lambda: b"textField" in self.terminal.screen or b"F1" in self.terminal.screen,
                                "the terminal shows the scene")

    def value(self):
        """The text according to the daemon."""
        return self.daemon.value(APPLICATION, PATH, "text")

    def clear(self):
        self.daemon.call("Type", application=APPLICATION, path=PATH, text="")
        for page in self.pages:
            field = page.field("textField")
            page.until(lambda: field.get_attribute("value") == "", "the field is empty")

    def fault(self, random):
        """Injects a fault, and waits until it is over. Returns a description."""
        if self.kind == "network":
            ends = random.random() < 0.5
            self.proxy.cut(CUT, ends)
            return "ended connections" if ends else "connections continued"
        if self.kind == "takeover":
            return self.daemon.fail_over()
        program = {"daemon": self.daemon, "server": self.web}[self.kind]
        pause = random.uniform(0, 3)
        program.stop(signal.SIGKILL)
        time.sleep(pause)
        program.start()
        return f"away for {pause:.1f} s"

    def check(self, is_right, what):
        """Checks the text of the daemon and of all pages. Returns the text."""
        page = self.pages[0]
        page.until(lambda: is_right(self.value()), f"{what}: the daemon has {self.value()!r}")
        for page in self.pages:
            page.sends_nothing()
            page.is_saved()
        value = self.value()
        expect(is_right(value), True, f"{what}: the daemon has {value!r} after all changes")
        for page in self.pages:
            for handle in reversed(page.browser.window_handles):
                page.browser.switch_to.window(handle)
                page.until(lambda: page.field("textField").get_attribute("value") == value,
                           f"{what}: the page has {page.field('textField').get_attribute('value')!r}, not {value!r}")
        shown = subprocess.run([self.reprisectl, "--socket", self.daemon.socket, "get", PATH, "text"], capture_output=True,
                               text=True, check=True).stdout
        expect(shown.removesuffix("\n"), value, f"{what}: the output of reprisectl")
        return value


class Typist(threading.Thread):
    """Types a text at a constant rate, into the focused field of a page or into a terminal."""

    def __init__(self, text, rate, client):
        super().__init__()
        self.text, self.rate, self.client = text, rate, client
        self.failure = None
        self.duration = 0
        # Time in seconds that the browser needs for one key.
        self.key_time = 0.01
        self.start()

    def run(self):
        start = time.monotonic()
        try:
            for index in range(0, len(self.text), RATE):
                time.sleep(max(0, start + index / self.rate - time.monotonic()))
                self.type(self.text[index:index + RATE], start + index / self.rate)
        except Exception as error:
            self.failure = error
        self.duration = time.monotonic() - start

    def type(self, text, start):
        """Types a part of the text."""
        if isinstance(self.client, Terminal):
            for index, character in enumerate(text):
                time.sleep(max(0, start + index / self.rate - time.monotonic()))
                self.client.type(character)
            return
        # The browser itself waits between the keys, because a command for each key would take too long.
        begin = time.monotonic()
        pause = max(0.001, (start + len(text) / self.rate - begin) / len(text) - self.key_time)
        actions = ActionChains(self.client.browser, duration=0)
        for character in text:
            actions.send_keys(character).pause(pause)
        actions.perform()
        self.key_time = (time.monotonic() - begin) / len(text) - pause

    def finish(self):
        self.join()
        if self.failure:
            raise self.failure


def text_of(random, alphabet, count):
    # A text without spaces at the ends can be compared with the output of a command.
    return "".join(random.choice(alphabet) for _ in range(count))


def type_with_fault(world, random):
    """One client types while a fault occurs."""
    world.clear()
    text = text_of(random, ALPHABET, CHARACTERS)
    world.pages[0].field("textField").click()
    typist = Typist(text, RATE, world.pages[0])
    time.sleep(random.uniform(0.5, 0.9 * CHARACTERS / RATE))
    moment = time.monotonic()
    description = world.fault(random)
    typist.finish()
    world.check(lambda value: value == text, f"typed {text!r}, {description}")
    if world.kind != "takeover":
        world.daemon.stop(signal.SIGKILL)
        world.daemon.start()
        expect(world.value(), text, "the saved text")
        world.pages[0].until(lambda: world.pages[0].browser.execute_script("return isCurrent"), "the page connects again")
    return f"{description}, typed in {typist.duration:.1f} s"


def type_together(world, random):
    """Two browsers and a terminal type into one text."""
    world.clear()
    caret = random.randrange(3)
    world.daemon.call("Type", application=APPLICATION, path=PATH, text="<>", select={"lowerBound": caret, "upperBound": caret})
    fields = [page.field("textField") for page in world.pages]
    for page, field in zip(world.pages, fields):
        page.until(lambda: field.get_attribute("value") == "<>", "the field has the text")
        field.click()
        field.send_keys(random.choice([Keys.HOME, Keys.END]))
        if random.random() < 0.5:
            field.send_keys(random.choice([Keys.ARROW_LEFT, Keys.ARROW_RIGHT]))
    alphabets = ["abcdefghijkl", "mnopqrstuvwxyz", "0123456789"]
    count = CHARACTERS // len(alphabets)
    texts = [text_of(random, alphabet, count) for alphabet in alphabets]
    typists = [Typist(text, RATE * random.uniform(0.5, 1), client)
               for text, client in zip(texts, [*world.pages, world.terminal])]
    for typist in typists:
        typist.finish()

    def is_right(value):
        parts = ["".join(character for character in value if character in alphabet) for alphabet in alphabets + ["<>"]]
        return parts == texts + ["<>"] and len(value) == sum(map(len, texts)) + 2

    value = world.check(is_right, f"typed {texts}")
    changes = sum(1 for one, two in zip(value, value[1:])
                  if [one in alphabet for alphabet in alphabets] != [two in alphabet for alphabet in alphabets])
    return f"{changes} changes between clients, typed in {max(typist.duration for typist in typists):.1f} s"


def run(programs, kind, rounds, seed):
    """Runs the rounds of one kind. Returns whether all were successful."""
    generator = random.Random(seed)
    failures = 0
    print(f"{kind}: {rounds} rounds with the seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as directory, contextlib.ExitStack() as stack:
        world = World(programs, kind, directory, stack)
        for number in range(1, rounds + 1):
            try:
                result = (type_together if kind == "clients" else type_with_fault)(world, generator)
                print(f"{kind} {number}: {result}", flush=True)
            except Exception as error:
                failures += 1
                print(f"error: {kind} {number} with the seed {seed}: {error}", flush=True)
                if kept := os.environ.get("REPRISE_WEB_KEEP"):
                    shutil.copytree(directory, f"{kept}/{kind}-{seed}-{number}", ignore=shutil.ignore_patterns("control"))
    print(f"{kind}: {rounds} rounds, {rounds * CHARACTERS} characters, {failures} failures", flush=True)
    return failures == 0


def main(*arguments):
    programs, chosen = arguments[:3], list(arguments[3:]) or DEFAULT
    if len(chosen) == 1:
        kind, rounds, *seed = chosen[0].replace("@", "=").split("=")
        return not run(programs, kind, int(rounds), int(seed[0]) if seed else random.randrange(10 ** 9))
    if not shutil.which("etcd"):
        print("takeover: not tested, because etcd is not installed")
        chosen = [part for part in chosen if not part.startswith("takeover")]
    processes = [subprocess.Popen([sys.executable, __file__, *programs, part]) for part in chosen]
    return any([process.wait() for process in processes])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
