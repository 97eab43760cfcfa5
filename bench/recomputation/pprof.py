"""Reads what a comparison is made of from a run: samples by call path and execution. Knows nothing of Lineheat's code, only of
protocol/profile.proto and protocol/run.proto. Writes generated runs, too."""

import gzip

RUN_FIELD = 7001


def fields(data):
    """(number, value) of each field of a message; an int of a varint, else bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            length, at = varint(data, at)
            value, at = data[at : at + length], at + length
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            value, at = data[at : at + size], at + size
        else:
            raise ValueError(f"wire type {kind}")
        yield key >> 3, value


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def numbers(value):
    """Of a repeated number, packed or not."""
    if isinstance(value, int):
        return [value]
    found, at = [], 0
    while at < len(value):
        one, at = varint(value, at)
        found.append(one)
    return found


def by_number(data, defaults):
    """The last value of each field in `defaults`, by number."""
    found = dict(defaults)
    found.update((number, value) for number, value in fields(data) if number in defaults)
    return found


class Run:
    """`samples`: (frames leaf first, each (module, name, file); execution from 0; samples; value)."""

    def __init__(self, path):
        with gzip.open(path, "rb") as file:
            data = file.read()
        parts = {}
        for number, value in fields(data):
            parts.setdefault(number, []).append(value)
        self.strings = [text.decode("utf-8", "replace") for text in parts[6]]
        self.read_executions(parts)
        self.read_locations(parts)
        self.read_samples(parts)

    def read_executions(self, parts):
        """`executions`: (start, is cut) of those that were sampled, in the order of their labels from 1."""
        run = b"".join(parts.get(RUN_FIELD, []))
        known = by_number(run, {6: 0})
        self.executions = []
        self.leaves_out_cut = False
        for number, value in fields(run):
            if number != 40:
                continue
            one = by_number(value, {1: 0, 7: 0, 8: 0})
            if one[8]:
                self.leaves_out_cut = True
            elif not one[7]:
                self.executions.append(known[6] + one[1] if known[6] else 0)
        if not self.executions:
            self.executions = [known[6]]

    def read_locations(self, parts):
        strings = self.strings
        modules = {}
        for mapping in parts.get(3, []):
            found = by_number(mapping, {1: 0, 5: 0})
            path = strings[found[5]]
            modules[found[1]] = path if path.startswith("[") else path.rsplit("/", 1)[-1]
        functions = {}
        for function in parts.get(5, []):
            found = by_number(function, {1: 0, 2: 0, 3: 0, 4: 0})
            functions[found[1]] = (strings[found[2]] or strings[found[3]], strings[found[4]])
        self.frames = {}
        for location in parts.get(4, []):
            identity, module, lines = 0, "", []
            for number, value in fields(location):
                if number == 1:
                    identity = value
                elif number == 2:
                    module = modules.get(value, "")
                elif number == 4:
                    lines.append(functions[by_number(value, {1: 0})[1]])
            frames = [(module, name, file) for name, file in lines if name]
            if len(frames) < max(len(lines), 1):
                unknown = module if module.startswith("[") else f"[{module}]" if module else "[unknown]"
                frames = frames or [(module, unknown, "")]
            self.frames[identity] = frames

    def read_samples(self, parts):
        strings = self.strings
        types = [by_number(one, {1: 0, 2: 0}) for one in parts[1]]
        kinds = [(strings[one[1]], strings[one[2]]) for one in types]
        count, value_at = kinds.index(("samples", "count")), kinds.index(("cpu", "nanoseconds"))
        self.samples = []
        for sample in parts.get(2, []):
            stack, values, repetition = [], [], None
            for number, value in fields(sample):
                if number == 1:
                    stack += numbers(value)
                elif number == 2:
                    values += numbers(value)
                elif number == 3:
                    label = by_number(value, {1: 0, 2: 0, 3: 0})
                    if strings[label[1]] == "repetition" and label[2] == 0:
                        repetition = label[3]
            execution = 0
            if len(self.executions) > 1 or self.leaves_out_cut:
                execution = (repetition or 0) - 1
                if not 0 <= execution < len(self.executions):
                    continue
            frames = [frame for location in stack for frame in self.frames[location]]
            self.samples.append((frames, execution, values[count], values[value_at]))


def written(path, stacks, period_ns):
    """Writes a run of one execution. `stacks`: (names root first, samples)."""
    strings = {"": 0}
    text = lambda one: strings.setdefault(one, len(strings))
    functions = {}
    body = b""
    for kind, unit in (("samples", "count"), ("cpu", "nanoseconds")):
        body += message(1, number(1, text(kind)) + number(2, text(unit)))
    for names, samples in stacks:
        ids = [functions.setdefault(name, len(functions) + 1) for name in reversed(names)]
        sample = b"".join(number(1, one) for one in ids) + number(2, samples) + number(2, samples * period_ns)
        body += message(2, sample)
    body += message(3, number(1, 1) + number(5, text("/bin/app")) + number(7, 1))
    for name, one in functions.items():
        line = message(4, number(1, one) + number(2, 1))
        body += message(4, number(1, one) + number(2, 1) + number(3, 4096 + 16 * one) + line)
        body += message(5, number(1, one) + number(2, text(name)) + number(3, text(name)))
    for one in strings:
        body += message(6, one.encode())
    with gzip.open(path, "wb") as file:
        file.write(body)


def encoded(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def number(field, value):
    return encoded(field << 3) + encoded(value)


def message(field, content):
    return encoded(field << 3 | 2) + encoded(len(content)) + content
