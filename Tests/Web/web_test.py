"""Tests reprise-web with a real browser and a daemon that is killed again and again.

Usage: web_test.py REPRISED REPRISE_WEB [SCREENSHOT_DIRECTORY]
"""

import contextlib
import http.client
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from axe_selenium_python import Axe
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

TIMEOUT = 30
KILLS = int(os.environ.get("REPRISE_WEB_KILLS", "10"))
CHARACTERS = 500
RATE = 20
# Only the tests whose names contain this text are run.
CHOSEN = os.environ.get("REPRISE_WEB_TESTS", "")
# A program that embeds the library. `script/try-examples` builds it.
PANEL = ".build/examples/hosts/debug/OperatorPanel"
JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


class Daemon:
    """A daemon that can be killed and started again with the same state."""

    def __init__(self, program, directory, configuration="config/reprised.yaml"):
        self.socket = os.path.join(directory, "control")
        self.sockets = [self.socket]
        self.arguments = [
            program, "--config", configuration, "--state-directory", os.path.join(directory, "state"),
            "--socket", self.socket,
        ]
        self.log = open(os.path.join(directory, "daemon.log"), "ab")
        self.process = None

    def start(self):
        self.process = subprocess.Popen(self.arguments, stderr=self.log)

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(TIMEOUT)

    def call(self, method, **parameters):
        """Calls a method of the control interface."""
        deadline = time.monotonic() + TIMEOUT
        while True:
            try:
                return self.call_once(method, **parameters)
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def call_once(self, method, **parameters):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self.socket)
            request = {"method": f"org.reprise.Control.{method}", "parameters": parameters}
            connection.sendall(json.dumps(request).encode() + b"\0")
            reply = b""
            while not reply.endswith(b"\0"):
                data = connection.recv(65536)
                if not data:
                    raise ConnectionError("the daemon closed the connection")
                reply += data
            return json.loads(reply[:-1])

    def value(self, application, path, key):
        reply = self.call("Get", application=application, path=path, key=key)
        return reply["parameters"]["value"]


class Cluster:
    """Two hosts of a cluster, of which one runs the application."""

    APPLICATION = "org.reprise.ChildViews"

    def __init__(self, program, directory):
        self.directory = os.path.join(directory, "etcd")
        self.endpoint, peer = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
        self.arguments = [
            "etcd", "--data-dir", self.directory, "--listen-client-urls", self.endpoint, "--advertise-client-urls",
            self.endpoint, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster",
            f"default={peer}"]
        self.hosts = []
        for name in ["one", "two"]:
            place = os.path.join(directory, name)
            os.mkdir(place)
            os.symlink(os.path.abspath("config/storyboards"), os.path.join(place, "storyboards"))
            configuration = os.path.join(place, "reprised.yaml")
            with open(configuration, "w") as file:
                file.write(f"applications: [{{bundleIdentifier: {self.APPLICATION}, storyboards: [ChildViews.yaml]}}]\n"
                           "preservation: {durability: replicated}\n"
                           f'cluster: {{name: test, host: {name}, endpoints: ["{self.endpoint}"], lease: 2s}}\n')
            self.hosts.append(Daemon(program, place, configuration))
        self.sockets = [host.socket for host in self.hosts]
        self.log = open(os.path.join(directory, "etcd.log"), "ab")

    def is_supported(self):
        """Whether the daemon was built with the trait `Etcd`."""
        check = [*self.hosts[0].arguments[:3], "--check"]
        return subprocess.run(check, capture_output=True).returncode == 0

    def start(self):
        self.etcd = subprocess.Popen(self.arguments, stdout=self.log, stderr=self.log)
        for host in self.hosts:
            host.start()

    def stop(self):
        for host in self.hosts:
            host.stop()
        self.etcd.terminate()
        self.etcd.wait(TIMEOUT)

    @property
    def owner(self):
        """The host that runs the application."""
        deadline = time.monotonic() + TIMEOUT
        while True:
            for host in self.hosts:
                with contextlib.suppress(OSError):
                    if "error" not in host.call_once("Tree", application=self.APPLICATION, scene="main"):
                        return host
            if time.monotonic() > deadline:
                raise AssertionError("no host runs the application")
            time.sleep(0.05)

    @property
    def socket(self):
        return self.owner.socket

    def call(self, method, **parameters):
        return self.owner.call(method, **parameters)

    def value(self, application, path, key):
        return self.owner.value(application, path, key)

    def fail_over(self):
        """Kills the host that runs the application, and waits until the other host runs it."""
        before, start = self.owner, time.monotonic()
        before.stop(signal.SIGKILL)
        now = self.owner
        before.start()
        expect(now is before, False, "the killed host runs the application again")
        return f"taken over after {time.monotonic() - start:.1f} s"


def free_port():
    """A port of this host that no program uses."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Web:
    """The server of the page."""

    def __init__(self, program, daemon, directory):
        self.program = program
        self.port = free_port()
        # Host name and port with which the browser addresses the server.
        self.host = f"127.0.0.1:{self.port}"
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=directory)
        self.environment.pop("STATE_DIRECTORY", None)
        self.arguments = ["serve", "--port", str(self.port),
                          *(part for path in daemon.sockets for part in ("--socket", path))]
        self.log = open(os.path.join(directory, "web.log"), "ab")
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            [self.program, *self.arguments], stdout=subprocess.PIPE, stderr=self.log, env=self.environment, text=True)
        link = self.process.stdout.readline().strip()
        deadline = time.monotonic() + TIMEOUT
        while True:
            try:
                with socket.create_connection(("127.0.0.1", self.port)):
                    return link
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(TIMEOUT)

    def run(self, *arguments):
        """Runs a command of the program."""
        return subprocess.run(
            [self.program, *arguments, "--port", str(self.port)], env=self.environment, capture_output=True, text=True)

    def new_link(self, *options):
        result = self.run("login", *options)
        expect(result.stderr, "", "the command prints no error")
        return result.stdout.strip()

    def sessions(self, kind="session"):
        """The identifiers of the sessions or links, with their roles."""
        lines = [line.split() for line in self.run("sessions").stdout.splitlines()]
        return {line[0]: line[2] for line in lines if line[1] == kind}

    def logged_in(self, *options):
        """The cookie of a new session."""
        secret = json.dumps(self.new_link(*options).split("#")[1]).encode()
        status, headers = self.request("POST", "/login", secret, Origin=f"http://127.0.0.1:{self.port}", **JSON)
        expect(status, 204, "login")
        return {"Cookie": headers["Set-Cookie"].split(";")[0]}

    def request(self, method, path, body=None, **headers):
        """Sends a request with exactly these headers, and returns the status and the headers of the response."""
        status, headers, _ = self.response(method, path, body, **headers)
        return status, headers

    def response(self, method, path, body=None, **headers):
        """Sends a request with exactly these headers, and returns the status, the headers and the body of the response."""
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        headers.setdefault("Host", f"127.0.0.1:{self.port}")
        for name, value in headers.items():
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, response.headers, text


class Page:
    """The page in the browser."""

    def __init__(self, browser, web):
        self.browser = browser
        self.web = web

    def until(self, condition, what):
        try:
            wait = WebDriverWait(
                self.browser, TIMEOUT, poll_frequency=0.05, ignored_exceptions=[StaleElementReferenceException])
            return wait.until(lambda _: condition())
        except Exception as error:
            raise AssertionError(f"{what}: status {self.status!r}, page:\n{self.text}") from error

    @property
    def status(self):
        return "".join(node.text for node in self.browser.find_elements(By.ID, "status"))

    @property
    def text(self):
        return self.browser.find_element(By.CSS_SELECTOR, "main").text

    def open_report(self, kind, application):
        """Opens a page that the server renders, from the page of a scene."""
        self.open(application)
        self.browser.find_element(By.CSS_SELECTOR, f"header button[formaction='/{kind}']").click()
        self.until(lambda: self.browser.find_elements(By.CSS_SELECTOR, "body.report"), f"the page {kind} is shown")

    def follow(self, text):
        """Clicks a link or a button of a page that the server renders."""
        # The page of the previous click may still be shown, so its elements can become stale at any time.
        def is_clicked():
            nodes = self.browser.find_elements(By.CSS_SELECTOR, "main a, main button, header a")
            node = next((node for node in nodes if node.text == text), None)
            if node:
                node.click()
            return node is not None
        self.until(is_clicked, f"{text!r} is clicked")

    def open(self, application):
        self.browser.get(f"http://{self.web.host}/?application={application}&scene=main")
        self.until(lambda: self.status == "Connected", f"{application} is shown")

    def find(self, selector):
        def found():
            nodes = self.browser.find_elements(By.CSS_SELECTOR, f"#scene {selector}")
            return nodes[0] if nodes else None
        return self.until(found, f"{selector} exists")

    def button(self, text):
        def found():
            for node in self.browser.find_elements(By.CSS_SELECTOR, "#scene button"):
                if text in (node.text, node.get_attribute("aria-label")):
                    return node
            return None
        return self.until(found, f"the button {text!r} exists")

    def field(self, label):
        def found():
            for node in self.browser.find_elements(By.CSS_SELECTOR, "#scene label.field"):
                if node.find_element(By.TAG_NAME, "span").text == label:
                    return node.find_element(By.CSS_SELECTOR, "input, textarea")
            return None
        return self.until(found, f"the field {label!r} exists")

    def tap(self, text):
        self.button(text).click()

    def shows(self, text):
        self.until(lambda: text in self.text, f"the page shows {text!r}")

    def says(self, text):
        self.until(lambda: text in self.browser.find_element(By.ID, "message").text, f"the page says {text!r}")

    def sends_nothing(self):
        self.until(lambda: self.browser.execute_script("return !sending && !queue.length"), "every operation is sent")

    def is_saved(self):
        self.until(lambda: self.status in ("Written", "Durable", "Replicated"), "everything is saved")

    def answer(self, text):
        self.until(lambda: self.browser.find_element(By.ID, "question").is_displayed(), "a question is asked")
        for node in self.browser.find_elements(By.CSS_SELECTOR, "#question button"):
            if node.text == text:
                node.click()
                return
        raise AssertionError(f"the question has no answer {text!r}")


def new_browser(*arguments):
    """Starts a browser with additional arguments."""
    options = webdriver.ChromeOptions()
    for argument in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=900,800", *arguments]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


def expect(actual, expected, what):
    if actual != expected:
        raise AssertionError(f"{what}: expected {expected!r}, got {actual!r}")


# Tests


def foreign_requests_are_refused(web, page, daemon):
    own = f"http://127.0.0.1:{web.port}"
    tap = b'{"path":"nav","operation":{"client":"a","number":1}}'
    login = json.dumps(web.new_link().split("#")[1]).encode()
    for host in ["evil.example", f"evil.example:{web.port}", "127.0.0.1", f"127.0.0.1.evil.example:{web.port}"]:
        expect(web.request("GET", "/", Host=host)[0], 403, f"GET / for the host {host}")
        expect(web.request("POST", "/login", login, Host=host, Origin=f"http://{host}", **JSON)[0], 403,
               f"login for the host {host}")
    for origin in ["http://evil.example", "null", "http://127.0.0.1", f"https://127.0.0.1:{web.port}"]:
        expect(web.request("POST", "/login", login, Origin=origin, **JSON)[0], 403, f"login from {origin}")
    expect(web.request("POST", "/login", login, **JSON)[0], 403, "login without an origin")
    expect(web.request("POST", "/login", login, Origin=own, Content_Type="text/plain")[0], 403, "login by a form")
    expect(web.request("POST", "/login", b'"' + b"0" * 64 + b'"', Origin=own, **JSON)[0], 403, "a guessed link")
    expect(web.request("GET", "/login")[0] in (404, 405), True, "login by GET")
    for method, path, body in [("GET", "/scenes", None), ("GET", "/events?client=a", None),
                               ("POST", "/operations/Tap", tap), ("GET", "/history", None),
                               ("GET", "/inspector", None), ("POST", "/rollback", b"confirmed=yes")]:
        headers = {"Origin": own, **(FORM if path == "/rollback" else JSON)} if method == "POST" else {}
        expect(web.request(method, path, body, **headers)[0], 401, f"{path} without a session")
        expect(web.request(method, path, body, Cookie=f"reprise-{web.port}={'0' * 64}", **headers)[0], 401,
               f"{path} with a forged session")
    status, headers = web.request("POST", "/login", login, Origin=own, **JSON)
    expect(status, 204, "login")
    cookie = headers["Set-Cookie"]
    expect("HttpOnly" in cookie and "SameSite=Strict" in cookie, True, f"the cookie is restricted: {cookie}")
    expect(web.request("POST", "/login", login, Origin=own, **JSON)[0], 403, "a second login with the same link")
    member = {"Cookie": cookie.split(";")[0]}
    expect(web.request("GET", "/scenes", **member)[0], 200, "the list of scenes")
    expect(web.request("GET", "/scenes", Sec_Fetch_Site="cross-site", **member)[0], 403, "GET by another site")
    expect(web.request("POST", "/operations/Tap", tap, Origin="http://evil.example", **member, **JSON)[0], 403,
           "an operation from another origin")
    expect(web.request("GET", "/operations/Tap", **member)[0] in (404, 405), True, "an operation by GET")
    for name in ["Quit", "Rollback", "DebugExit", "Call"]:
        expect(web.request("POST", f"/operations/{name}", tap, Origin=own, **member, **JSON)[0], 400,
               f"the method {name}")
    expect(web.request("POST", "/operations/Tap", b'{"path":"nav"}', Origin=own, **member, **JSON)[0], 400,
           "an operation without a number")
    expect(web.request("POST", "/operations/Tap", b"x" * 300_000, Origin=own, **member, **JSON)[0], 413,
           "a large operation")
    rollback = "/rollback?application=org.reprise.ChildViews&scene=main&generation=1"
    for headers in [FORM, {**FORM, "Origin": "http://evil.example"}, {**FORM, "Origin": "null"}, {**JSON, "Origin": own},
                    {"Content-Type": "text/plain", "Origin": own},
                    {**FORM, "Origin": own, "Sec-Fetch-Site": "cross-site"}]:
        expect(web.request("POST", rollback, b"confirmed=yes", **member, **headers)[0], 403, f"a rollback with {headers}")
    expect(web.request("GET", rollback + "&confirmed=yes", **member)[0] in (404, 405), True, "a rollback by GET")
    for path, status in [("/history?application=none", 409), ("/history?scene=none", 409), ("/history?generation=x", 409),
                         ("/history?scene=%FF", 400), ("/inspector?path=none", 200), ("/inspector?first=-1", 200),
                         ("/inspector?first=99999999999999999999", 200)]:
        result, headers, text = web.response("GET", path, **member)
        expect((result, headers["Content-Type"]), (status, "text/html; charset=utf-8"), path)
        expect("<h1>" in text and "</html>" in text, True, f"{path} is a page")
    expect(web.request("POST", "/rollback", b"x" * 2000, Origin=own, **member, **FORM)[0], 413, "a large form")
    web.run("sessions", "revoke", cookie.split("=")[1][:16])
    expect(web.request("GET", "/scenes", **member)[0], 401, "the list of scenes after the session was revoked")
    expect(int(web.request("GET", "/page.js")[1]["Content-Length"]) < 20_000, True, "the script is small")
    policy = web.request("GET", "/")[1]["Content-Security-Policy"]
    expect("default-src 'none'" in policy and "unsafe" not in policy, True, f"the policy is strict: {policy}")


def requests_of_a_proxy_are_accepted(web, page, daemon):
    host, origin = "panel.example.org", "https://panel.example.org"
    with tempfile.TemporaryDirectory() as directory, contextlib.ExitStack() as stack:
        proxied = Web(web.program, daemon, directory)
        proxied.arguments += ["--origin", origin]
        links = [proxied.start(), proxied.new_link()]
        stack.callback(proxied.stop)
        for link in links:
            expect(link.startswith(f"{origin}/#"), True, f"the link {link} begins with the origin")
        login = json.dumps(link.split("#")[1]).encode()
        for other in ["http://panel.example.org", "https://evil.example", f"http://127.0.0.1:{proxied.port}"]:
            expect(proxied.request("POST", "/login", login, Host=host, Origin=other, **JSON)[0], 403, f"login from {other}")
        for other in ["evil.example", "panel.example.org:443", "example.org"]:
            expect(proxied.request("GET", "/", Host=other)[0], 403, f"GET / for the host {other}")
        status, headers = proxied.request("POST", "/login", login, Host=host, Origin=origin, **JSON)
        expect(status, 204, "login through the proxy")
        cookie, *attributes = headers["Set-Cookie"].split("; ")
        expect((cookie.startswith("__Host-"), "Secure" in attributes), (True, True), "the cookie is sent only over HTTPS")
        expect(proxied.request("GET", "/scenes", Host=host, Cookie=cookie)[0], 200, "the scenes through the proxy")
        expect(proxied.request("GET", "/scenes", Host=host, Cookie=cookie.removeprefix("__Host-"))[0], 401,
               "a cookie that another host of the domain could have set")
        expect(proxied.request("GET", "/scenes", Cookie=cookie)[0], 401, "the session without the proxy")
        expect(proxied.request("GET", "/scenes", **proxied.logged_in())[0], 200, "a session of this host")
        connection = http.client.HTTPConnection("127.0.0.1", proxied.port, timeout=TIMEOUT)
        stack.callback(connection.close)
        connection.request("GET", "/events?client=a", headers={"Host": host, "Cookie": cookie})
        stream = connection.getresponse()
        headers = [stream.headers[name] for name in ("X-Accel-Buffering", "Cache-Control")]
        expect(headers, ["no", "no-store"], "the headers of the stream")
        expect(any(line == b"event: alive\n" for line in stream), True, "an event is sent although nothing changes")


def text_cannot_become_a_tag(web, page, daemon):
    application, path = "org.reprise.ChildViews", "nav/parent/child1/textField"
    hostile = "<script>alert(1)</script><img src=x onerror=alert(1)>'\"&"
    daemon.call("Type", application=application, path=path, text=hostile)
    add_generation(daemon, application)
    daemon.call("Type", application=application, path=path, text=hostile + "!")
    member = web.logged_in()
    for address in ["/history?", f"/inspector?path={path}", "/history?generation=%3Cscript%3E", "/inspector?path=%3Cscript%3E",
                    "/history?scene=%22%3E%3Cscript%3E", "/history?application=%3Cscript%3E"]:
        text = web.response("GET", address, **member)[2].lower()
        expect("<script" in text or "<img" in text, False, f"{address} contains a tag of the scene")
        expect("&lt;script" in text, True, f"{address} contains the text")


def no_character_is_lost(web, page, daemon):
    page.open("org.reprise.ChildViews")
    field = page.field("textField")
    alphabet = "abcdefghijklmnopqrstuvwxyz éß 0123456789"
    text = "".join(random.choice(alphabet) for _ in range(CHARACTERS))
    page.browser.execute_script("performance.clearResourceTimings(); performance.setResourceTimingBufferSize(5000)")
    finished = threading.Event()
    kills = 0

    def kill_again_and_again():
        nonlocal kills
        while kills < KILLS and not finished.is_set():
            finished.wait(random.uniform(0.5, 1.5) * CHARACTERS / RATE / (KILLS + 1) - 0.2)
            daemon.stop(signal.SIGKILL)
            kills += 1
            finished.wait(0.2)
            daemon.start()

    thread = threading.Thread(target=kill_again_and_again)
    thread.start()
    start = time.monotonic()
    for index, character in enumerate(text):
        time.sleep(max(0, start + index / RATE - time.monotonic()))
        field.send_keys(character)
    finished.set()
    thread.join()
    page.until(lambda: daemon.value("org.reprise.ChildViews", "nav/parent/child1/textField", "text") == text,
               f"the daemon has every character once after {kills} kills: {text!r}")
    page.is_saved()
    expect(field.get_attribute("value"), text, "the field has every character once")
    daemon.stop(signal.SIGKILL)
    daemon.start()
    expect(daemon.value("org.reprise.ChildViews", "nav/parent/child1/textField", "text"), text, "the saved text")
    times = sorted(page.browser.execute_script("""
        return performance.getEntriesByType("resource")
          .filter((entry) => entry.name.includes("/operations/") && entry.responseStatus === 200)
          .map((entry) => entry.duration)"""))
    print(f"  {CHARACTERS} characters, {kills} kills, {len(times)} edits; from an edit to its confirmation: "
          f"median {times[len(times) // 2]:.1f} ms, 99 % within {times[len(times) * 99 // 100]:.1f} ms")


def server_can_be_killed(web, page, daemon):
    page.open("org.reprise.ChildViews")
    page.until(lambda: page.browser.find_elements(By.CSS_SELECTOR, "#scene input[type=radio]"), "segments")
    page.browser.find_elements(By.CSS_SELECTOR, "#scene input[type=radio]")[1].click()
    page.is_saved()
    page.until(lambda: not page.field("textField").get_attribute("value"), "the second field is shown")
    field = page.field("textField")
    text = "0123456789" * 10
    for index, character in enumerate(text):
        field.send_keys(character)
        time.sleep(1 / RATE)
        if index in (20, 60):
            web.stop(signal.SIGKILL)
        if index in (35, 75):
            web.start()
    page.is_saved()
    expect(daemon.value("org.reprise.ChildViews", "nav/parent/child2/textField", "text"), text, "the text")
    expect(field.get_attribute("value"), text, "the field")


def server_stops_in_order(web, page, daemon):
    show_second_field(daemon)
    page.open("org.reprise.ChildViews")
    page.browser.execute_script("window.isSamePage = true")
    web.stop(signal.SIGTERM)
    expect(web.process.returncode, 0, "the exit status")
    page.until(lambda: page.status == "Offline", "the page notices that the server has stopped")
    daemon.call("Type", application="org.reprise.ChildViews", path="nav/parent/child2/textField", text="missed")
    web.start()
    page.until(lambda: page.status == "Connected", "the page connects again")
    page.until(lambda: page.field("textField").get_attribute("value") == "missed", "the page shows the missed change")
    expect(page.browser.execute_script("return window.isSamePage"), True, "the page was not loaded again")


def two_clients_edit_one_text(web, page, daemon):
    page.open("org.reprise.ChildViews")
    field = page.field("textField")
    path = "nav/parent/child2/textField"
    daemon.call("Type", application="org.reprise.ChildViews", path=path, text="|")
    page.until(lambda: field.get_attribute("value") == "|", "the page shows the text of the other client")
    for number in range(40):
        field.send_keys(Keys.END, "b")
        daemon.call("Type", application="org.reprise.ChildViews", path=path, select={"lowerBound": 0, "upperBound": 0})
        daemon.call("EditText", application="org.reprise.ChildViews", path=path, text="a")
    page.is_saved()
    value = daemon.value("org.reprise.ChildViews", path, "text")
    expect((value.count("a"), value.count("b"), value.count("|"), len(value)), (40, 40, 1, 81), f"{value!r}")
    page.until(lambda: field.get_attribute("value") == value, "the page shows the same text")


def refused_edit_is_not_repeated(web, page, daemon):
    page.open("org.reprise.ChildViews")
    field = page.field("textField")
    page.browser.execute_script("""
        const send = fetch;
        window.attempts = 0;
        window.fetch = (path, options) => {
          if (!path.startsWith("/operations/") || window.attempts < 0) return send(path, options);
          window.attempts++;
          return Promise.resolve(new Response(null, { status: 413 }));
        }""")
    field.send_keys(Keys.END, "x")
    page.says("The server refused the operation.")
    time.sleep(0.5)
    expect(page.browser.execute_script("return attempts"), 1, "the number of attempts")
    page.browser.execute_script("attempts = -1")
    field.send_keys("y")
    page.is_saved()
    expect(daemon.value("org.reprise.ChildViews", "nav/parent/child2/textField", "text")[-2:], "xy", "the next edit")


def displayed_text_is_not_changed(web, page, daemon):
    application, path = "org.reprise.ChildViews", "nav/parent/child2/textField"

    def is_unchanged(text):
        page.until(lambda: page.field("textField").get_attribute("readOnly") == "true", f"{text!r} cannot be edited")
        page.sends_nothing()
        expect(daemon.value(application, path, "text"), text, "the text")

    for text in ["a\r\nb", "a\nb"]:
        daemon.call("Type", application=application, path=path, text="")
        page.open(application)
        daemon.call("Type", application=application, path=path, text=text)
        is_unchanged(text)
    daemon.call("Type", application=application, path=path, text="a\r\nb")
    page.open(application)
    is_unchanged("a\r\nb")
    daemon.call("Type", application=application, path=path, text="c")
    page.until(lambda: page.field("textField").get_attribute("readOnly") is None, "a text without line breaks can be edited")
    page.field("textField").send_keys(Keys.END, "d")
    page.is_saved()
    expect(daemon.value(application, path, "text"), "cd", "the edited text")


def forgotten_number_repeats_no_character(web, page, daemon):
    application, path = "org.reprise.ChildViews", "nav/parent/child2/textField"
    daemon.call("Type", application=application, path=path, text="a")
    page.open(application)
    field = page.field("textField")
    page.browser.execute_script("""
        const send = fetch;
        window.fetch = (path, options) => {
          if (window.held || !path.startsWith("/operations/")) return send(path, options);
          window.held = options.body;
          return new Promise((_, reject) => { window.lose = reject; });
        }""")
    field.send_keys(Keys.END, "b")
    body = page.until(lambda: page.browser.execute_script("return window.held"), "an edit is sent")
    web.stop(signal.SIGKILL)
    # The daemon performs the edit, and the reply is lost. Then other clients operate the scene.
    daemon.call("ReplaceText", **json.loads(body))
    for number in range(64):
        daemon.call("Type", application=application, path=path, text="ab",
                    operation={"client": f"other-{number}", "number": 1})
    web.start()
    page.browser.execute_script("window.lose(new Error())")
    page.until(lambda: page.browser.execute_script("return isCurrent"), "the page connects again")
    page.sends_nothing()
    expect(field.get_attribute("value"), "ab", "the field")
    expect(daemon.value(application, path, "text"), "ab", "the text")


def operations_keep_their_order(web, page, daemon):
    application, path = "org.reprise.ChildViews", "nav/parent/child2/textField"
    daemon.call("Type", application=application, path=path, text="")
    page.open(application)
    page.browser.execute_script("""
        const send = fetch;
        window.sent = [];
        window.fetch = async (path, options) => {
          const response = await send(path, options);
          if (path.startsWith("/operations/") && response.ok) window.sent.push([path.slice(12), JSON.parse(options.body).text]);
          return response;
        }""")
    field = page.field("textField")
    web.stop(signal.SIGKILL)
    page.until(lambda: page.status == "Offline", "the page is offline")
    field.send_keys("hi")
    page.browser.execute_script("""
        const radio = [...elements.values()].find(({ role, selected }) => role === "radio" && selected);
        enqueue("Select", { path: radio.path, indexes: [radio.index] });""")
    field.send_keys("next")
    web.start()
    page.is_saved()
    texts = [text if method == "ReplaceText" else f" {method} "
             for method, text in page.browser.execute_script("return window.sent")]
    expect("".join(texts), "hi Select next", "the operations")
    expect(daemon.value(application, path, "text"), "hinext", "the text")


def row_that_has_moved_is_not_operated(web, page, daemon):
    application = "org.reprise.StateRestore"
    page.open(application)
    rows = [element for element in daemon.call("Describe", application=application)["parameters"]["elements"]
            if element["role"] == "row"]
    path, label = rows[0]["path"], rows[0]["label"]
    web.stop(signal.SIGKILL)
    page.until(lambda: page.status == "Offline", "the page is offline")
    page.find(".row").click()

    def exchange_rows():
        for method, parameters in [("Edit", {"on": True}), ("Move", {"from": 0, "to": 1}), ("Edit", {"on": False})]:
            reply = daemon.call(method, application=application, path=path, **parameters)
            expect(reply.get("error"), None, f"{method} succeeds")

    exchange_rows()
    web.start()
    page.says(f"“{label}” has moved or changed.")
    page.sends_nothing()
    expect(page.browser.find_elements(By.CSS_SELECTOR, "#scene [role=dialog]"), [], "the other row is not opened")
    exchange_rows()


def row_is_dragged_by_the_pointer(web, page, daemon):
    application = "org.reprise.StateRestore"
    page.open(application)
    page.tap("Edit")

    def labels():
        return [row.text for row in page.browser.find_elements(By.CSS_SELECTOR, "#scene .row span:first-child")]

    def drag(source, *targets, leaves=False):
        """Drags a row over other rows, and then possibly out of the list."""
        handles = page.browser.find_elements(By.CSS_SELECTOR, "#scene .handle")
        rows = page.browser.find_elements(By.CSS_SELECTOR, "#scene .row")
        actions = ActionChains(page.browser, duration=50).click_and_hold(handles[source])
        for target in [rows[index] for index in targets] + [page.browser.find_element(By.ID, "status")] * leaves:
            actions.move_to_element(target)
        actions.perform()
        marked = page.browser.find_elements(By.CSS_SELECTOR, "#scene .place")
        expect(len(marked), 0 if leaves else 1, "the number of marked rows")
        ActionChains(page.browser).release().perform()
        expect(page.browser.find_elements(By.CSS_SELECTOR, "#scene .place"), [], "no row is marked")

    page.until(lambda: page.find(".handle").is_displayed(), "the rows can be dragged")
    before = labels()
    drag(0, 1, 2)
    page.until(lambda: labels()[:4] == [before[1], before[2], before[0], before[3]], f"the row is moved down: {labels()}")
    drag(2, 1, 0)
    page.until(lambda: labels() == before, f"the row is moved up: {labels()}")
    # A row that is not dropped on a row does not move.
    drag(0, 1, leaves=True)
    drag(1, 0, 1)
    page.sends_nothing()
    expect(labels(), before, "the order of the rows")
    page.tap("Done")
    page.until(lambda: not page.find(".handle").is_displayed(), "the rows cannot be dragged")


def three_clients_edit_one_text(web, page, daemon):
    """Two other clients insert text before and after the caret of the page while the page is offline."""
    application, path = "org.reprise.ChildViews", "nav/parent/child2/textField"
    show_second_field(daemon)
    daemon.call("Type", application=application, path=path, text="left middle right")
    page.open(application)
    field = page.field("textField")
    field.send_keys(Keys.HOME)
    for _ in "left mid":
        field.send_keys(Keys.ARROW_RIGHT)
    web.stop(signal.SIGKILL)
    page.until(lambda: page.status == "Offline", "the page is offline")
    field.send_keys("1")
    daemon.call("Type", application=application, path=path, text="a left middle right b 😀")
    web.start()
    page.is_saved()
    expect(field.get_attribute("value"), "a left mid1dle right b 😀", "the merged text")
    field.send_keys("2")
    page.is_saved()
    expect(daemon.value(application, path, "text"), "a left mid12dle right b 😀", "the text after the next key")


def terminal_keeps_its_caret(web, page, daemon):
    application, path = "org.reprise.ChildViews", "nav/parent/child2/textField"
    show_second_field(daemon)
    daemon.call("Type", application=application, path=path, text="<>", select={"lowerBound": 2, "upperBound": 2})
    page.open(application)
    field = page.field("textField")
    field.send_keys(Keys.HOME)
    for number in range(10):
        field.send_keys("b")
        daemon.call("EditText", application=application, path=path, text=str(number))
    page.is_saved()
    page.until(lambda: daemon.value(application, path, "text") == "bbbbbbbbbb<>0123456789",
               "both clients type at their own carets: " + daemon.value(application, path, "text"))


def another_host_takes_over(web, page, daemon):
    if not shutil.which("etcd"):
        print("  not tested, because etcd is not installed")
        return
    with tempfile.TemporaryDirectory() as directory, contextlib.ExitStack() as stack:
        cluster = Cluster(daemon.arguments[0], directory)
        if not cluster.is_supported():
            print("  not tested, because reprised was built without the trait Etcd")
            return
        stack.callback(lambda: cluster.stop())
        cluster.start()
        application, path = cluster.APPLICATION, "nav/parent/child1/textField"
        cluster.call("Type", application=application, path=path, text="")
        server = Web(web.program, cluster, directory)
        link = server.start()
        stack.callback(lambda: server.stop())
        page.browser.get(link)
        other = Page(page.browser, server)
        stack.callback(lambda: page.browser.get("about:blank"))
        other.until(lambda: other.status == "Connected", "the link opens the page")
        field = other.field("textField")
        field.send_keys("before, ")
        other.is_saved()
        threading.Thread(target=cluster.fail_over).start()
        for character in "during the takeover, ":
            field.send_keys(character)
            time.sleep(1 / RATE)
        # The page may still show the status from before the host was killed.
        text = "before, during the takeover, "
        other.until(lambda: cluster.value(application, path, "text") == text, "the text after the takeover")
        other.is_saved()
        field.send_keys("after")
        other.until(lambda: cluster.value(application, path, "text") == text + "after", "the text of the new owner")
        expect(field.get_attribute("value"), text + "after", "the field")
        other.until(lambda: not page.browser.find_element(By.ID, "message").is_displayed(), "no message is shown")
        for kind in ["history", "inspector"]:
            other.open_report(kind, application)
            expect(page.browser.find_element(By.TAG_NAME, "h1").text.lower(), kind, "the heading")


def sixth_page_does_not_stop_the_others(web, page, daemon):
    browser, first = page.browser, page.browser.current_window_handle
    page.open("org.reprise.ChildViews")
    for _ in range(4):
        browser.switch_to.new_window("tab")
        page.open("org.reprise.ChildViews")
    browser.switch_to.new_window("tab")
    browser.get(f"http://127.0.0.1:{web.port}/?application=org.reprise.ChildViews&scene=main")
    page.says("Too many pages are open.")
    browser.switch_to.window(first)
    page.field("textField").send_keys("6")
    page.is_saved()
    for handle in browser.window_handles:
        if handle != first:
            browser.switch_to.window(handle)
            browser.close()
    browser.switch_to.window(first)


def scene_name_can_contain_a_space(web, page, daemon):
    application = "org.reprise.ChildViews"
    reply = daemon.call("Open", application=application, name="a b+c")
    expect(reply.get("error"), None, "the scene is opened")
    page.browser.get(f"http://127.0.0.1:{web.port}/?application={application}&scene=a%20b%2Bc")
    page.until(lambda: page.status == "Connected", "the scene is shown")
    page.until(lambda: page.browser.title.startswith("a b+c"), "the title is the scene's name")
    daemon.call("Close", application=application, name="a b+c")


def commands_explain_their_errors(web, page, daemon):
    for arguments, text in [
            (["login", "--for", "30s"], "write a time from 1m to 720h"),
            (["login", "--for", "721h"], "write a time from 1m to 720h"),
            (["login", "--for", "soon"], "write a time from 1m to 720h"),
            (["sessions", "revoke"], "specify identifiers or --all"),
            (["sessions", "revoke", "--all", "0123456789abcdef"], "specify identifiers or --all"),
            (["sessions", "revoke", "0123456789abcdef"], "No session or link has the identifier 0123456789abcdef"),
            (["serve"], f"Port {web.port} is in use by another program")]:
        result = web.run(*arguments)
        expect(result.returncode != 0 and text in result.stderr, True, f"{arguments} says {text!r}: {result.stderr}")
    for port in ["0", "65536", "-1", "x"]:
        result = subprocess.run([web.program, "login", f"--port={port}"], env=web.environment, capture_output=True, text=True)
        expect(result.returncode != 0 and "port" in result.stderr and not result.stdout, True,
               f"the port {port} is refused: {result.stderr}")


def observer_can_only_observe(web, page, daemon):
    application, path = "org.reprise.ChildViews", "nav/parent/child2/textField"
    observing = page.browser.find_element(By.ID, "observing")
    expect(observing.is_displayed(), False, "the notice is shown to a user")
    first = page.browser.current_window_handle
    show_second_field(daemon)
    page.open(application)
    # A link in another tab changes what the open page permits.
    page.browser.switch_to.new_window("tab")
    page.browser.get(web.new_link("--observe", "--for", "1h"))
    page.until(lambda: page.status == "Connected", "the observer's link opens the page")
    page.browser.close()
    page.browser.switch_to.window(first)

    def is_inoperable():
        return page.browser.find_element(By.ID, "observing").is_displayed() and page.browser.execute_script("""
            return [...document.querySelectorAll("#scene button, #scene input, #scene textarea")]
              .every((control) => control.disabled || control.readOnly)""")

    expect(list(web.sessions().values()), ["observer"], "the roles of the sessions")
    page.until(is_inoperable, "the open page cannot be operated")
    expect("You can observe but not change." in page.browser.find_element(By.TAG_NAME, "header").text, True, "the notice")
    for name in ["StateRestore", "Homepwner", "Scrapbook", "ChildViews"]:
        page.open(f"org.reprise.{name}")
        page.until(is_inoperable, f"{name} cannot be operated")
    daemon.call("Type", application=application, path=path, text="observed")
    field = page.field("textField")
    page.until(lambda: field.get_attribute("value") == "observed", "the page shows a change")
    field.send_keys("x")
    page.browser.execute_script("enqueue('Type', { path: arguments[0], text: 'x' })", path)
    status, message = page.browser.execute_async_script("""
        const done = arguments[arguments.length - 1];
        post("/operations/Type", { ...target, path: arguments[0], text: "x", operation: { client, number: 1 } })
          .then(([status, answer]) => done([status, answer.message]))""", path)
    expect((status, message), (403, "You can observe but not change."), "the reply to an operation")
    expect(daemon.value(application, path, "text"), "observed", "the text")
    axe = Axe(page.browser)
    axe.inject()
    expect([rule["id"] for rule in axe.run()["violations"]], [], "axe accepts an observer's page")

    page.browser.get(web.new_link())
    page.until(lambda: page.status == "Connected", "a user's link opens the page")
    expect(list(web.sessions().values()), ["user"], "the new session replaces the session of the observer")
    page.open(application)
    expect(page.browser.find_element(By.ID, "observing").is_displayed(), False, "the notice is shown to a user")
    page.field("textField").send_keys(Keys.END, "!")
    page.is_saved()
    expect(daemon.value(application, path, "text"), "observed!", "the text that a user has edited")


def session_ends_while_a_page_is_open(web, page, daemon):
    application, path = "org.reprise.ChildViews", "nav/parent/child2/textField"
    page.open(application)
    web.new_link()
    expect(set(web.sessions("link").values()), {"user"}, "the unused links")
    identifier, = web.sessions()
    result = web.run("sessions", "revoke", identifier)
    expect((result.returncode, result.stdout, result.stderr), (0, "", ""), "the session is revoked")
    try:
        # The daemon sends no event.
        page.until(lambda: page.status.startswith("Signed out"), "the page is signed out")
        daemon.call("Type", application=application, path=path, text="secret")
        page.browser.get(web.new_link())
        page.until(lambda: page.status == "Connected", "a new link opens the page")
        page.open(application)
        result = web.run("sessions", "revoke", "--all")
        daemon.call("Type", application=application, path=path, text="another secret")
        page.until(lambda: page.status.startswith("Signed out"), "the page is signed out")
        expect(page.field("textField").get_attribute("value"), "secret", "the page receives no change")
        expect(web.run("sessions").stdout, "", "no sessions and links are listed")
    finally:
        page.browser.get(web.new_link())
        page.until(lambda: page.status == "Connected", "a new link opens the page")


def show_second_field(daemon):
    reply = daemon.call("Select", application="org.reprise.ChildViews", path="nav/parent/segmentedControl", indexes=[1])
    expect(reply.get("error"), None, "Select succeeds")


def add_generation(daemon, application):
    """Adds the saved state to the history, and returns the name of the generation."""
    for method in ["Quit", "Launch"]:
        reply = daemon.call(method, application=application)
        expect(reply.get("error"), None, f"{method} succeeds")
    return daemon.call("History", application=application)["parameters"]["generations"][-1]["name"]


def history_rolls_a_scene_back(web, page, daemon):
    application, path = "org.reprise.ChildViews", "nav/parent/child2/textField"
    show_second_field(daemon)
    daemon.call("Type", application=application, path=path, text="as it was")
    generation = add_generation(daemon, application)
    page.open(application)
    field = page.field("textField")
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys("as it is")
    page.is_saved()
    page.open_report("history", application)
    expect(page.browser.find_element(By.TAG_NAME, "h1").text, "History", "the heading")
    page.shows(f"Generation {generation}")
    snapshot = page.browser.find_element(By.TAG_NAME, "pre")
    expect("as it was" in snapshot.text, True, f"the snapshot has the earlier text:\n{snapshot.text}")
    expect("as it was" in " ".join(node.text for node in snapshot.find_elements(By.TAG_NAME, "mark")), True,
           "the changed line is marked")
    values = [page.browser.find_element(By.CSS_SELECTOR, f"li {name}").text for name in ("del", "ins")]
    expect(values, ["as it was", "as it is"], "the difference")
    button = f"Roll back to generation {generation}…"
    page.follow(button)
    page.shows("Model data does not change.")
    page.follow("Cancel")
    page.shows("Differences from the present state")
    expect(daemon.value(application, path, "text"), "as it is", "the text before the rollback")
    page.follow(button)
    page.follow("Roll back")
    page.until(lambda: page.status == "Connected", "the scene is shown")
    expect(daemon.value(application, path, "text"), "as it was", "the text after the rollback")
    page.until(lambda: page.field("textField").get_attribute("value") == "as it was", "the page shows the earlier text")
    with open(web.log.name) as log:
        text = log.read()
    for action in ["requested to roll back", "rolled back"]:
        entries = [f"Session {session} {action} scene main of {application} to generation {generation}"
                   for session in web.sessions()]
        expect(any(entry in text for entry in entries), True, f"the log names the session that {action} the scene")
    # The state before the rollback is a generation, too.
    page.open_report("history", application)
    page.shows("as it is")
    page.follow("Older")
    page.shows(f"Generation {generation}")
    page.follow("Newer")
    page.follow("Scene")
    page.until(lambda: page.status == "Connected", "the link leads back to the scene")


def history_has_a_slider(web, page, daemon):
    application, path = "org.reprise.ChildViews", "nav/parent/child2/textField"
    show_second_field(daemon)
    for text in ["first state", "second state"]:
        daemon.call("Type", application=application, path=path, text=text)
        newest = add_generation(daemon, application)
    page.open_report("history", application)
    count = len(daemon.call("History", application=application)["parameters"]["generations"])
    slider = page.browser.find_element(By.CSS_SELECTOR, "input[type=range]")
    expect([slider.get_attribute(name) for name in ("min", "max", "value")], ["1", str(count), str(count)], "the slider")
    slider.send_keys(Keys.ARROW_LEFT)
    page.follow("Show")
    page.until(lambda: page.browser.find_element(By.ID, "selected").text != f"Generation {newest}", "another generation is shown")
    slider = page.browser.find_element(By.CSS_SELECTOR, "input[type=range]")
    expect(slider.get_attribute("value"), str(count - 1), "the position of the slider")
    expect("first state" in page.browser.find_element(By.TAG_NAME, "pre").text, True, "the snapshot has the earlier text")
    member = web.logged_in()
    for position in ["0", "x", "999999999999999999999", "-1", ""]:
        expect(web.request("GET", f"/history?application={application}&position={position}", **member)[0], 200, position)


def inspector_explains_objects(web, page, daemon):
    application, path = "org.reprise.ChildViews", "nav/parent/child2/textField"
    daemon.call("Type", application=application, path=path, text="inspected <b>")
    page.open_report("inspector", application)
    page.shows("objects were restored.")
    for name in ["nav", "parent", "child2"]:
        page.follow(name)
        page.until(lambda: page.browser.find_element(By.CSS_SELECTOR, "h2").text.endswith(name), f"{name} is selected")
    link, = page.browser.find_elements(By.CSS_SELECTOR, "a[aria-current=true] ~ ul a[href*='child2%2FtextField&'], "
                                                        "a[aria-current=true] ~ ul a[href$='child2%2FtextField']")
    link.click()
    page.until(lambda: page.browser.find_element(By.CSS_SELECTOR, "h2").text == path, "the field is selected")
    page.shows(f"{path} is a TextField, and is preserved.")
    values = dict(zip(*([node.text for node in page.browser.find_elements(By.TAG_NAME, name)] for name in ("dt", "dd"))))
    expect(values["text"], "inspected <b>", f"the text among the values {values}")
    # A scene that is not open is not launched.
    daemon.call("Open", application=application, name="closed")
    daemon.call("Close", application=application, name="closed")
    page.browser.get(f"http://127.0.0.1:{web.port}/inspector?application={application}&scene=closed")
    page.shows("The scene closed is not open")
    scenes = daemon.call("List")["parameters"]["applications"][0]["scenes"]
    expect({scene["name"]: scene["phase"] for scene in scenes}["closed"], "saved", "the scene is not launched")


def observer_cannot_roll_back(web, page, daemon):
    application, own = "org.reprise.ChildViews", f"http://127.0.0.1:{web.port}"
    generation = add_generation(daemon, application)
    observer = web.logged_in("--observe")
    before = daemon.call("History", application=application)["parameters"]["generations"]
    status, _, text = web.response("GET", f"/history?application={application}", **observer)
    expect((status, 'method="post"' in text, "Generation" in text), (200, False, True), "the history of an observer")
    expect("Only users see the differences" in text, True, "an observer sees no differences")
    expect(web.request("GET", f"/inspector?application={application}", **observer)[0], 200, "the inspector of an observer")
    for body in [b"", b"confirmed=yes"]:
        status, _, text = web.response(
            "POST", f"/rollback?application={application}&scene=main&generation={generation}", body, Origin=own, **observer,
            **FORM)
        expect((status, "You can observe but not change" in text), (403, True), "a rollback by an observer")
    after = daemon.call("History", application=application)["parameters"]["generations"]
    expect(after, before, "the history after a rollback by an observer")


def page_shows_who_else_is_here(web, page, daemon):
    page.open("org.reprise.ChildViews")
    presence = page.browser.find_element(By.ID, "presence")
    page.until(lambda: presence.text == "", "nobody else is here")
    streams = []

    def follow(cookie):
        connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=TIMEOUT)
        connection.request("GET", "/events?application=org.reprise.ChildViews&scene=main&client=other", headers=cookie)
        streams.append((connection, connection.getresponse()))

    observer = web.logged_in("--observe")
    follow(observer)
    page.until(lambda: presence.text == "Also here: 1 observer", "an observer is here")
    follow(observer)
    follow(web.logged_in())
    page.until(lambda: presence.text == "Also here: 1 user, 1 observer", "a user is here")
    for connection, response in streams:
        response.close()
        connection.close()
    page.until(lambda: presence.text == "", "the others have left")
    follow(observer)
    page.until(lambda: presence.text == "Also here: 1 observer", "the observer is here again")
    web.stop()
    page.until(lambda: presence.text == "", "a page that is offline does not show who else is here")
    web.start()
    page.until(lambda: page.status == "Connected", "the page connects again")


def client_that_reads_nothing_is_disconnected(web, page, daemon):
    application, path = "org.reprise.ChildViews", "nav/parent/child2/textField"
    show_second_field(daemon)
    page.browser.get("about:blank")
    cookie = web.logged_in()["Cookie"]
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect(("127.0.0.1", web.port))
    port = client.getsockname()[1]
    client.sendall(f"GET /events?application={application}&scene=main&client=a HTTP/1.1\r\nHost: 127.0.0.1:{web.port}\r\n"
                   f"Cookie: {cookie}\r\n\r\n".encode())

    def memory():
        with open(f"/proc/{web.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))

    def is_connected():
        """Whether the server has the connection open (proc(5), state 01)."""
        with open("/proc/net/tcp") as file:
            rows = [line.split() for line in file]
        return any(row[1].endswith(f":{web.port:04X}") and row[2].endswith(f":{port:04X}") and row[3] == "01" for row in rows)

    start = time.monotonic()
    before = highest = memory()
    expect(is_connected(), True, "the stream is open")
    changes = 0
    while is_connected() and time.monotonic() - start < 3 * TIMEOUT:
        for number in range(50):
            daemon.call("Type", application=application, path=path, text=f"{changes}" + "x" * 60_000)
            changes += 1
        highest = max(highest, memory())
        time.sleep(1)
    print(f"  disconnected after {time.monotonic() - start:.0f} s and {changes} changes; "
          f"memory {before} KiB before, at most {highest} KiB")
    expect(is_connected(), False, "the server has closed the connection")
    expect(highest - before < 12_000, True, "the memory is limited")
    client.close()
    daemon.call("Type", application=application, path=path, text="")


def applications_can_be_operated(web, page, daemon):
    page.open("org.reprise.StateRestore")
    page.tap("Item 3")
    page.find("[role=dialog]")
    page.field("Title").send_keys(" changed")
    page.is_saved()
    page.browser.back()
    page.answer("Cancel")
    page.tap("Save")
    page.shows("Item 3 changed")
    page.tap("Edit")
    page.tap("Move down Item 1")
    page.until(lambda: [row.text for row in page.browser.find_elements(By.CSS_SELECTOR, "#scene .row")][:2]
               == ["Item 2", "Item 1"], "the rows have changed places")
    page.tap("Delete Item 4")
    page.answer("Delete")
    page.until(lambda: "Item 4" not in page.text, "the row is deleted")
    page.tap("Undo delete")
    page.shows("Item 4")
    page.tap("Done")
    page.button("Edit")

    page.open("org.reprise.Homepwner")
    page.tap("+")
    page.find("[role=dialog]")
    page.field("Name").send_keys("<b>Bicycle</b>")
    page.field("Value").send_keys("much")
    page.is_saved()
    page.tap("Close")
    page.answer("Cancel")
    value = page.field("Value")
    value.send_keys(Keys.CONTROL, "a")
    value.send_keys("250")
    page.tap("Done")
    page.shows("<b>Bicycle</b>")
    page.until(lambda: not page.browser.find_elements(By.CSS_SELECTOR, "#scene [role=dialog]"), "it is dismissed")
    page.find(".row").click()
    page.button("Back to Homepwner")
    page.is_saved()
    page.browser.back()
    page.button("+")

    page.open("org.reprise.Scrapbook")
    page.tap("Zoom in")
    page.is_saved()
    page.tap("Web")
    page.find("article")
    page.tap("Notes")
    page.until(lambda: page.browser.find_elements(By.CSS_SELECTOR, "#scene textarea"), "the notes are shown")
    page.browser.find_elements(By.CSS_SELECTOR, "#scene textarea")[0].send_keys("One\nTwo")
    page.is_saved()


def page_is_accessible(web, page, daemon):
    browser = page.browser

    def check(what):
        axe = Axe(browser)
        axe.inject()
        violations = axe.run()["violations"]
        expect([(rule["id"], rule["nodes"][0]["html"]) for rule in violations], [], f"axe accepts {what}")
        browser.set_window_size(336, 700)
        expect(browser.execute_script(
            "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"), True,
            f"{what} fits a narrow window")
        browser.set_window_size(900, 800)

    add_generation(daemon, "org.reprise.ChildViews")
    for scheme in ["light", "dark"]:
        browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        for application in ["ChildViews", "StateRestore", "Homepwner", "Scrapbook"]:
            page.open(f"org.reprise.{application}")
            check(f"{application}, {scheme}")
        for tab in ["Picture", "Web", "Notes"]:
            page.tap(tab)
            page.until(lambda: page.button(tab).get_attribute("aria-selected") == "true", f"{tab} is selected")
            check(f"the tab {tab}, {scheme}")
        page.open("org.reprise.StateRestore")
        page.tap("Edit")
        page.button("Done")
        check(f"a list in edit mode, {scheme}")
        page.tap("Done")
        page.button("Edit")
        page.find(".row").click()
        page.find("[role=dialog]")
        check(f"a dialog, {scheme}")
        page.tap("Close")
        page.find(".row")
        page.open_report("history", "org.reprise.ChildViews")
        check(f"the history, {scheme}")
        page.follow(browser.find_element(By.CSS_SELECTOR, "main form[method=post] button").text)
        page.shows("Model data does not change.")
        check(f"the question before a rollback, {scheme}")
        page.open_report("inspector", "org.reprise.StateRestore")
        browser.find_element(By.CSS_SELECTOR, ".tree li li a").click()
        page.until(lambda: browser.find_elements(By.TAG_NAME, "dl"), "an object is explained")
        check(f"the inspector, {scheme}")
        browser.get(f"http://127.0.0.1:{web.port}/history?scene=none")
        check(f"an error, {scheme}")


def panel_of_a_program_can_be_operated(web, page, daemon):
    if not os.path.exists(PANEL):
        return print(f"  not tested, because there is no {PANEL}: script/try-examples builds it")
    application = "org.example.OperatorPanel"
    with tempfile.TemporaryDirectory() as directory, contextlib.ExitStack() as stack:
        panel = Daemon(PANEL, directory)
        panel.arguments = [PANEL, "--state-directory", os.path.join(directory, "state"), "--socket", panel.socket]
        panel.start()
        stack.callback(lambda: panel.stop())
        server = Web(web.program, panel, directory)
        link = server.start()
        stack.callback(lambda: server.stop())
        page.browser.get(link)
        page.until(lambda: page.status == "Connected", "the panel is shown")
        gauge = page.find("p.text")
        first = gauge.text
        page.until(lambda: gauge.text != first, "the gauge shows the next reading")
        page.field("Temperature limit").send_keys(Keys.ARROW_LEFT)
        page.is_saved()
        page.until(lambda: panel.value(application, "tabs/panel/temperature", "value") < 80, "the limit is changed")
        page.until(lambda: panel.value(application, "tabs/alarms/table", "numberOfElements") > 0, "an alarm is raised")
        page.tap("Reset peak")
        page.field("Remark").send_keys("valve 3")
        page.is_saved()
        panel.stop(signal.SIGKILL)
        page.field("Remark").send_keys(" is slow")
        page.until(lambda: page.status == "Offline: this page keeps your changes", "the page keeps the remark")
        panel.start()
        page.is_saved()
        expect(panel.value(application, "tabs/panel/remark", "text"), "valve 3 is slow", "the remark")
        page.tap("Alarms")
        oldest = page.find("li:last-child .row")
        expect("NEW" in oldest.text, True, f"the oldest alarm is new: {oldest.text}")
        page.browser.execute_script("arguments[0].click()", oldest)
        page.until(lambda: "seen" in page.find("li:last-child .row").text, "the oldest alarm is acknowledged")
        page.browser.get("about:blank")


TESTS = [
    foreign_requests_are_refused, requests_of_a_proxy_are_accepted,
    no_character_is_lost, server_can_be_killed, server_stops_in_order, two_clients_edit_one_text,
    refused_edit_is_not_repeated, displayed_text_is_not_changed, forgotten_number_repeats_no_character, operations_keep_their_order,
    row_that_has_moved_is_not_operated, row_is_dragged_by_the_pointer, three_clients_edit_one_text, terminal_keeps_its_caret,
    another_host_takes_over, sixth_page_does_not_stop_the_others, scene_name_can_contain_a_space,
    commands_explain_their_errors, observer_can_only_observe, session_ends_while_a_page_is_open,
    text_cannot_become_a_tag, history_rolls_a_scene_back, history_has_a_slider, inspector_explains_objects, observer_cannot_roll_back,
    page_shows_who_else_is_here, client_that_reads_nothing_is_disconnected, applications_can_be_operated, page_is_accessible,
    panel_of_a_program_can_be_operated,
]


def main(reprised, reprise_web, screenshots=None):
    passed = failures = 0
    with tempfile.TemporaryDirectory() as directory, contextlib.ExitStack() as stack:
        daemon = Daemon(reprised, directory)
        daemon.start()
        stack.callback(lambda: daemon.stop())
        web = Web(reprise_web, daemon, directory)
        link = web.start()
        stack.callback(lambda: web.stop())
        browser = new_browser()
        stack.callback(browser.quit)
        page = Page(browser, web)
        browser.get(link)
        page.until(lambda: page.status == "Connected", "the link opens the page")
        for test in TESTS:
            if CHOSEN not in test.__name__:
                continue
            name = test.__name__.replace("_", " ")
            try:
                test(web, page, daemon)
                passed += 1
                print(f"passed: {name}", flush=True)
            except Exception as error:  # Every failure is reported, and the other tests still run.
                failures += 1
                print(f"error: {name}: {error}", flush=True)
                for entry in browser.get_log("browser"):
                    if entry["source"] != "network":
                        print(f"  browser: {entry['message']}")
                if daemon.process.poll() is not None:
                    daemon.start()
                if web.process.poll() is not None:
                    web.start()
            if screenshots:
                browser.save_screenshot(os.path.join(screenshots, f"{test.__name__}.png"))
    print(f"{passed} passed, {failures} failed")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
