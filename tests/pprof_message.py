# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a message Profile of profile.proto, by the description of the wire format and no library."""


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """Number and value of each field: an integer, or bytes."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 2:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
            if len(value) != length:
                raise ValueError("a field is longer than the message")
        else:
            raise ValueError(f"wire type {tag & 7}")
        yield tag >> 3, value


def integers(packed):
    values, at = [], 0
    while at < len(packed):
        value, at = varint(packed, at)
        values.append(value)
    return values


def message(data, names):
    """Values by name, each a list."""
    found = {name: [] for name in names.values()}
    for number, value in fields(data):
        found[names[number]].append(value)
    return found


class Profile:
    """types: (type, unit) of each value; samples: (stack, its values), a stack being (function, file) from the first on."""

    def __init__(self, data):
        whole = message(data, {1: "types", 2: "samples", 3: "mappings", 4: "locations", 5: "functions", 6: "texts", 9: "time", 10: "duration",
                               11: "period_type", 12: "period"})
        for name in ("time", "duration", "period_type", "period"):
            if len(whole[name]) > 1:
                raise ValueError(f"{name} is there {len(whole[name])} times")  # pprof refuses it
        self.texts = [text.decode() for text in whole["texts"]]
        if self.texts[0] != "" or len(set(self.texts)) != len(self.texts):
            raise ValueError(f"texts: {self.texts[:5]}")
        self.types = [self._type(data) for data in whole["types"]]
        self.period_type = self._type(whole["period_type"][-1]) if whole["period_type"] else None
        self.time, self.duration, self.period = (whole[name][-1] if whole[name] else None for name in ("time", "duration", "period"))
        self.mappings = self._by_id(whole["mappings"], {1: "id", 5: "file", 7: "has_functions"})
        self.functions = self._by_id(whole["functions"], {1: "id", 2: "name", 3: "system_name"})
        self.locations = self._by_id(whole["locations"], {1: "id", 2: "mapping", 4: "line"})
        self.samples = [self._sample(data) for data in whole["samples"]]

    def _type(self, data):
        found = message(data, {1: "type", 2: "unit"})
        return self.texts[found["type"][0]], self.texts[found["unit"][0]]

    @staticmethod
    def _by_id(list_of_data, names):
        found = {}
        for data in list_of_data:
            one = message(data, names)
            if one["id"][0] in found or one["id"][0] == 0:
                raise ValueError(f"id {one['id'][0]}")
            found[one["id"][0]] = one
        return found

    def _place(self, number):
        location = self.locations[number]
        line = message(location["line"][0], {1: "function", 2: "number"})
        file = self.mappings[location["mapping"][0]]["file"][0] if location["mapping"] else 0
        return self.texts[self.functions[line["function"][0]]["name"][0]], self.texts[file]

    def _sample(self, data):
        found = message(data, {1: "locations", 2: "values"})
        values = integers(found["values"][0])
        if len(values) != len(self.types):
            raise ValueError(f"{len(values)} values")
        return tuple(self._place(number) for number in reversed(integers(found["locations"][0]))), values

    def stacks(self):
        """Samples by stack, as folded stacks are written."""
        found = {}
        for stack, values in self.samples:
            name = ";".join(function for function, _ in stack)
            found[name] = found.get(name, 0) + values[0]
        return found


def folded(text):
    """Samples by stack, of folded stacks."""
    found = {}
    for line in text.splitlines():
        stack, samples = line.rsplit(" ", 1)
        found[stack] = found.get(stack, 0) + int(samples)
    return found
