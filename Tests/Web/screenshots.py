"""Takes pictures of the page of reprise-web, in light and dark colors.

Usage: screenshots.py REPRISED REPRISE_WEB DIRECTORY
"""

import base64
import contextlib
import os
import signal
import struct
import sys
import tempfile
import zlib

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from web_test import Daemon, Page, Web, add_generation, new_browser

WIDTH = 900
MAXIMUM_BYTES = 60_000


def pixels_of(png):
    """The width, the height and the pixels of a picture that the browser has taken, with three or four bytes each."""
    width, height, _, color = struct.unpack(">IIBB", png[16:26])
    size = {2: 3, 6: 4}[color]
    data, offset = b"", 8
    while offset < len(png):
        length, kind = struct.unpack(">I4s", png[offset:offset + 8])
        if kind == b"IDAT":
            data += png[offset + 8:offset + 8 + length]
        offset += length + 12
    data = zlib.decompress(data)
    rows, row = [], bytearray(width * size)
    for start in range(0, len(data), width * size + 1):
        kind, above = data[start], row
        row = bytearray(data[start + 1:start + 1 + width * size])
        if kind:
            for index in range(len(row)):
                left = row[index - size] if index >= size else 0
                corner = above[index - size] if index >= size else 0
                row[index] = (row[index] + predict(kind, left, above[index], corner)) & 255
        rows.append([bytes(row[index:index + 3]) for index in range(0, len(row), size)])
    return width, height, rows


def predict(kind, left, above, corner):
    """The value from which a filter of PNG subtracts a byte."""
    if kind < 4:
        return (0, left, above, (left + above) // 2)[kind]
    return min((left, above, corner), key=lambda value: abs(left + above - corner - value))


def with_palette(png):
    """The same picture with a palette of at most 256 colors. Rare colors are replaced by similar ones."""
    width, height, rows = pixels_of(png)
    counts = {}
    for row in rows:
        for color in row:
            counts[color] = counts.get(color, 0) + 1
    palette = sorted(counts, key=counts.get, reverse=True)[:256]
    indexes = {color: index for index, color in enumerate(palette)}
    for color in counts:
        if color not in indexes:
            indexes[color] = min(range(len(palette)), key=lambda index: sum(
                (one - two) ** 2 for one, two in zip(color, palette[index])))
    data = b"".join(b"\0" + bytes(indexes[color] for color in row) for row in rows)

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0))
            + chunk(b"PLTE", b"".join(palette)) + chunk(b"IDAT", zlib.compress(data, 9)) + chunk(b"IEND", b""))


class Camera:
    """Takes pictures of one page."""

    def __init__(self, page, directory):
        self.page, self.directory = page, directory

    def take(self, name, height):
        """Takes a picture in light and in dark colors."""
        browser = self.page.browser
        for scheme in ["light", "dark"]:
            browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                "features": [{"name": "prefers-color-scheme", "value": scheme},
                             {"name": "prefers-reduced-motion", "value": "reduce"}]})
            taken = browser.execute_cdp_cmd("Page.captureScreenshot", {
                "clip": {"x": 0, "y": 0, "width": WIDTH, "height": height, "scale": 1}})
            picture = with_palette(base64.b64decode(taken["data"]))
            path = os.path.join(self.directory, f"{name}-{scheme}.png")
            if len(picture) > MAXIMUM_BYTES:
                raise AssertionError(f"{path} has {len(picture)} bytes, and the limit is {MAXIMUM_BYTES}")
            with open(path, "wb") as file:
                file.write(picture)
            print(f"{path}: {len(picture)} bytes")


ITEMS = [("Drill press", "A-1107", "340"), ("Bench grinder", "G-0452", "120"), ("Label printer", "P-2231", "85"),
         ("Oscilloscope", "S-0098", "610")]
APPLICATION = "org.reprise.Homepwner"


NOTES = ["Line 2 is stopped", "Line 2 is stopped: filter", "Line 2 runs again", "Line 2 runs again, filter replaced",
         "Line 3: order a new belt"]


def take_history(page, daemon, camera):
    """The history of a note, with an earlier generation."""
    application = "org.reprise.ChildViews"
    for note in NOTES:
        daemon.call("Type", application=application, path="nav/parent/child1/textField", text=note)
        add_generation(daemon, application)
    page.open_report("history", application)
    for _ in range(2):
        page.follow("Older")
    page.until(lambda: page.browser.find_elements(By.CSS_SELECTOR, "del"), "the differences are shown")
    camera.take("history", 1060)


def take_list(page, daemon, camera):
    """A list that is being edited."""
    page.open(APPLICATION)
    for name, serial, value in ITEMS:
        page.tap("+")
        page.find("[role=dialog]")
        for label, text in [("Name", name), ("Serial", serial), ("Value", value)]:
            page.field(label).send_keys(text)
        page.tap("Done")
        page.until(lambda: not page.browser.find_elements(By.CSS_SELECTOR, "#scene [role=dialog]"), "it is dismissed")
        page.shows(name)
    page.is_saved()
    page.tap("Edit rows")
    page.button("Move down Drill press")
    camera.take("list", 420)
    page.tap("Done")


def take_scene(page, daemon, camera):
    """A form that a user fills in while the daemon is away."""
    page.find(".row").click()
    page.button("Back to Homepwner")
    page.is_saved()
    daemon.stop(signal.SIGKILL)
    page.until(lambda: page.status == "Offline", "the page is offline")
    field = page.field("Name")
    field.send_keys(Keys.END, ", second floor")
    page.until(lambda: page.status.startswith("Offline: "), "the page keeps the change")
    camera.take("scene", 420)
    daemon.start()
    page.is_saved()


def main(reprised, reprise_web, directory):
    os.makedirs(directory, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, contextlib.ExitStack() as stack:
        daemon = Daemon(reprised, scratch)
        daemon.start()
        stack.callback(lambda: daemon.stop())
        web = Web(reprise_web, daemon, scratch)
        link = web.start()
        stack.callback(lambda: web.stop())
        browser = new_browser("--hide-scrollbars")
        stack.callback(browser.quit)
        browser.set_window_size(WIDTH, 1200)
        page = Page(browser, web)
        browser.get(link)
        page.until(lambda: page.status == "Connected", "the link opens the page")
        camera = Camera(page, directory)
        for take in [take_history, take_list, take_scene]:
            take(page, daemon, camera)


if __name__ == "__main__":
    main(*sys.argv[1:])
