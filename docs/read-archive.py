#!/usr/bin/env python3
"""read-archive.py FILE prints what an archive holds as JSON; Archive.md and Values.md tell how.

Needs xxhash (Debian: python3-xxhash). If a file cannot be read, it prints the reason."""
import base64, datetime, decimal, json, math, struct, sys, uuid
try:
    import xxhash
except ModuleNotFoundError:
    sys.exit("read-archive.py: the module xxhash is missing; on Debian, install python3-xxhash")


def need(condition, problem):
    if not condition:
        sys.exit(f"{sys.argv[1]}: {problem}")


class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        self.at += count
        need(self.at <= len(self.data), f"something is cut off at byte {self.at - count}")
        return self.data[self.at - count:self.at]

    def rest(self):
        return self.take(len(self.data) - self.at)

    def numbers(self, format):
        return struct.unpack("<" + format, self.take(struct.calcsize("<" + format)))

    def varint(self):
        byte, = self.numbers("B")
        return byte if byte < 128 else byte & 127 | self.varint() << 7

    def zigzag(self):
        number = self.varint()
        return number >> 1 ^ -(number & 1)

    def text(self):
        return self.take(self.varint()).decode()

    def value(self, path):
        tag, = self.numbers("B")
        match tag:
            case 0 | 1 | 17: return {0: False, 1: True, 17: None}[tag]
            case 2: return self.zigzag()
            case 3: return finite(*self.numbers("d"))
            case 4 | 13: return self.text()
            case 5: return base64.b64encode(self.take(self.varint())).decode()
            case 6: return date(*self.numbers("d"))
            case 7: return str(uuid.UUID(bytes=self.take(16))).upper()
            case 8: return {"lowerBound": self.zigzag(), "upperBound": self.zigzag()}
            case 9: return [self.value(path) for _ in range(self.varint())]
            case 10: return {self.text(): self.value(path) for _ in range(self.varint())}
            case 11: return {"reference": path(self.varint())}
            case 12: return str(self.varint())
            case 14: return [self.zigzag() for _ in range(self.varint())]
            case 15: return {"first": self.zigzag(), "last": self.zigzag()}
            case 16: return codable(self.text())
        need(False, f"it has a value of the unknown type {tag}")


def finite(number):
    return number if math.isfinite(number) else digits(number)


def digits(number):
    """Text that reads back to the same bits."""
    if math.isnan(number):
        bits, = struct.unpack("<Q", struct.pack("<d", number))
        payload, sign = bits & (1 << 51) - 1 & ~(1 << 50), "-" if bits >> 63 else ""
        kind = "nan" if bits >> 51 & 1 else "snan"
        return f"{sign}{kind}" + (f"({payload:#x})" if payload else "")
    if number.is_integer() and abs(number) < 2**63 and str(number) != "-0.0":
        return str(int(number))
    return str(number)


def codable(text):
    """A Codable value. A number that neither 64-bit kind has is its digits as a text."""
    def whole(text):
        is_small = len(text) <= 20 and -2**63 <= int(text) < 2**63
        return int(text) if is_small and text != "-0" else fraction(text)

    def fraction(text):
        number = float(text)
        try:
            is_exact = math.isfinite(number) and decimal.Decimal(text) == decimal.Decimal(repr(number))
        except ArithmeticError:
            is_exact = False
        return number if is_exact else text

    def constant(text):
        raise ValueError(text)
    try:
        return json.loads(text, parse_int=whole, parse_float=fraction, parse_constant=constant)
    except ValueError:
        return text


def date(seconds):
    """A date in the form of RFC 3339 with all digits, or the seconds since 2001 if no calendar has the date."""
    if not -13197600000 <= seconds < 252423993600 or str(seconds) == "-0.0" or "e" in str(seconds):
        return f"{digits(seconds)} seconds after 2001-01-01T00:00:00Z"
    exact = decimal.Decimal(repr(seconds))
    time = datetime.datetime(2001, 1, 1) + datetime.timedelta(seconds=math.floor(exact))
    rest = exact - math.floor(exact)
    return time.isoformat() + (f"{rest:f}"[1:].rstrip("0") if rest else "") + "Z"


def time(microseconds):
    """A time in the form of RFC 3339, or the microseconds since 1970 if no calendar has the time."""
    try:
        time = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=microseconds // 10**6)
        return time.isoformat() + "Z"
    except (OverflowError, ValueError):
        return f"{microseconds} microseconds after 1970-01-01T00:00:00Z"


class Archive:
    def __init__(self, file):
        self.names, self.objects, self.saved, self.closed = {}, {}, {}, False
        magic, version, length, mark, _, synced, count = file.numbers("8sIIQQQH")
        need(magic == b"\x8aRPRS\r\n\x1a" and version == 1, "it is no archive of format version 1")
        self.bundle, file.at, chain, self.sequence, records = file.take(count).decode(), 0, 0, None, []
        chain = self.check(file, length, chain)
        used = len(file.data.rstrip(b"\0"))  # Zeros after the last record are reserved space.
        while file.at < used:
            start = file.at
            length, type, flags, _, sequence = file.numbers("IBBHQ")
            file.at = start
            body = Bytes(file.data[start + 16:start + length - 8])
            chain = self.check(file, length, chain)
            need(self.sequence in (None, sequence - 1) and flags < 2, f"byte {start} begins no record")
            self.sequence, end = sequence, flags and body.numbers("QQIq")
            records.append((type, body))
            if end or type == 6:
                need(not end or end[0] == mark, f"the end of a pass is wrong at byte {start}")
                for record in records:
                    self.apply(*record)
                if end and type != 5:
                    self.saved[end[2]] = end[3]
                self.closed, records, synced = type == 5, [], max(synced, end[1] if end else 0)
        need(not records and synced <= self.sequence, "its end is missing")
        self.closed = self.closed and file.at == len(file.data)

    def check(self, file, length, seed):
        need(length >= 24, f"byte {file.at} begins no record")
        start, covered = file.at, file.take(length - 8)
        sum, = file.numbers("Q")
        need(sum == (xxhash.xxh3_64_intdigest(covered, seed) or 1), f"the checksum at byte {start} is wrong")
        return sum

    def apply(self, type, body):
        if type == 1:
            number, = body.numbers("I")
            self.names[number] = body.rest().decode()
        elif type in (2, 7):
            number, *header = body.numbers("6I")
            _, _, count, out_of_line = body.numbers("BBHH")
            new = {"header": header, "id": body.take(count).decode()}
            old = self.objects.get(number, {"out_of_line": {}})
            if type == 2:
                new["out_of_line"] = {key: old["out_of_line"].get(key) for key in body.numbers(f"{out_of_line}I")}
                new["values"] = body.rest()
            self.objects[number] = old | new
        elif type == 3:
            gone = set(body.numbers("I"))
            while gone:
                for number in gone:
                    self.objects.pop(number, None)
                gone = {number for number in self.objects if self.objects[number]["header"][0] in gone}
        elif type == 8:
            number, key = body.numbers("II")
            self.objects[number]["out_of_line"][key] = body.rest()
        elif type == 9:
            number, start, removed = body.numbers("III")
            values = self.objects[number]["values"]
            self.objects[number]["values"] = values[:start] + body.rest() + values[start + removed:]

    def way(self, number):
        """The scene's number, and the identifiers from there down to the object."""
        parent = self.objects[number]["header"][0]
        if not parent:
            return number, []
        scene, above = self.way(parent)
        return scene, above + [self.objects[number]["id"]]

    def path(self, number):
        return "/".join(self.way(number)[1]) if number in self.objects else None

    def told(self, number):
        object, values = self.objects[number], {}
        for span in map(Bytes, [object["values"], *object["out_of_line"].values()]):
            while span.at < len(span.data):
                key = span.varint()
                values[self.names.get(key, f"#{key}")] = span.value(self.path)
        words = ("class", "restorationClass", "storyboard", "storyboardIdentifier")
        tokens = {word: self.names[token] for word, token in zip(words, object["header"][1:]) if token}
        return {**tokens, "values": values}

    def scene(self, number):
        below = sorted((way[1], n) for n in self.objects for way in [self.way(n)] if way[0] == number != n)
        saved = {"lastPass": time(self.saved[number])} if number in self.saved else {}
        objects = [{"path": "/".join(way), **self.told(n)} for way, n in below]
        return {"name": self.objects[number]["id"], **saved, **self.told(number), "objects": objects}


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: read-archive.py FILE")
    try:
        with open(sys.argv[1], "rb") as file:
            archive = Archive(Bytes(file.read()))
        scenes = [archive.scene(n) for n, object in archive.objects.items() if not object["header"][0]]
    except OSError as error:
        sys.exit(f"{sys.argv[1]}: {error.strerror}")
    except (LookupError, ValueError, TypeError, OverflowError, MemoryError, RecursionError, struct.error) as error:
        sys.exit(f"{sys.argv[1]}: the checksums are right, but the contents are not valid: {error!r}")
    print(json.dumps({"bundleIdentifier": archive.bundle, "closed": archive.closed, "scenes": scenes}))


main()
