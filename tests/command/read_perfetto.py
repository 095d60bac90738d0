#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Reads a trace of Perfetto's format as its trace processor does, from the text that
`protoc --decode=perfetto.protos.Trace` makes of it. Prints, sorted, with tabs between:

  slice    process  track  category  name  start  duration  arguments
  flow     name of the slice where it begins  name of the slice where it ends
  counter  process  parent  track  time  value

Fails where something refers to nothing: tracks, interned texts, ends without a beginning.
Usage: read_perfetto.py <TEXT
"""
import collections
import re
import sys


def text_of(quoted):
    """A string of protobuf's text format, as bytes are written there."""
    plain = quoted[1:-1].encode("latin-1").decode("unicode_escape")
    return plain.encode("latin-1").decode("utf-8", "surrogateescape")


def read_message(lines):
    message = collections.defaultdict(list)
    for line in lines:
        line = line.strip()
        if line == "}":
            break
        if line.endswith(" {"):
            message[line[:-2]].append(read_message(lines))
            continue
        name, value = line.split(": ", 1)
        if re.fullmatch(r"\d+", name):
            raise ValueError(f"field {name} is not in perfetto.proto")
        message[name].append(text_of(value) if value.startswith('"') else value)
    return message


def first(message, name, otherwise=None):
    return message[name][0] if message.get(name) else otherwise


class Reader:
    def __init__(self):
        self.tracks = {}
        self.interned = collections.defaultdict(dict)
        self.events = []

    def take(self, packet):
        sequence = first(packet, "trusted_packet_sequence_id")
        if int(first(packet, "sequence_flags", 0)) & 1:
            for key in [key for key in self.interned if key[0] == sequence]:
                del self.interned[key]
            self.interned[sequence, "begun"] = {}
        elif (sequence, "begun") not in self.interned:
            raise ValueError(f"sequence {sequence} has no beginning")
        for data in packet.get("interned_data", []):
            for index, entries in data.items():
                for entry in entries:
                    table = self.interned[sequence, index]
                    number = first(entry, "iid")
                    if number in table:
                        raise ValueError(f"{index} {number} is there twice")
                    table[number] = first(entry, "name") if "name" in entry else first(entry, "str")
        for descriptor in packet.get("track_descriptor", []):
            uuid = first(descriptor, "uuid")
            if uuid in self.tracks:
                raise ValueError(f"track {uuid} is there twice")
            self.tracks[uuid] = descriptor
        for event in packet.get("track_event", []):
            self.events.append((int(first(packet, "timestamp")), self.resolve(sequence, event)))

    def resolve(self, sequence, event):
        """The event with its interned texts, which a later packet must not define."""
        def look_up(index, number):
            return self.interned[sequence, index][number]
        track = first(event, "track_uuid")
        kind = first(event, "type")
        resolved = {"track": track, "type": kind, "sequence": sequence}
        if track not in self.tracks:
            raise ValueError(f"track {track} is not described")
        if kind == "TYPE_SLICE_BEGIN":
            resolved["name"] = look_up("event_names", first(event, "name_iid"))
            resolved["category"] = look_up("event_categories", first(event, "category_iids"))
            resolved["flows"] = event.get("flow_ids", [])
            resolved["ended_flows"] = event.get("terminating_flow_ids", [])
            resolved["arguments"] = " ".join(
                look_up("debug_annotation_names", first(argument, "name_iid")) + "=" +
                (look_up("debug_annotation_string_values", argument["string_value_iid"][0])
                 if "string_value_iid" in argument
                 else first(argument, "uint_value") or first(argument, "string_value"))
                for argument in event.get("debug_annotations", []))
        elif kind == "TYPE_COUNTER":
            resolved["value"] = first(event, "counter_value")
        return resolved

    def process_of(self, uuid):
        """The name of the process that a track is under; of a thread by its process number."""
        descriptor = self.tracks[uuid]
        while "process" not in descriptor:
            if "thread" in descriptor:
                pid = first(first(descriptor, "thread"), "pid")
                owners = [other for other in self.tracks.values() if "process" in other
                          and first(first(other, "process"), "pid") == pid]
                if len(owners) != 1:
                    raise ValueError(f"{len(owners)} processes have the number {pid}")
                descriptor = owners[0]
            else:
                descriptor = self.tracks[first(descriptor, "parent_uuid")]
        return first(descriptor, "name")

    def replay(self):
        """The lines, by a replay of the events in the order of time, as they are in the file."""
        open_slices = collections.defaultdict(list)
        flows = {}
        for time, event in sorted(self.events, key=lambda pair: pair[0]):
            track = event["track"]
            descriptor = self.tracks[track]
            if event["type"] == "TYPE_COUNTER":
                if "counter" not in descriptor:
                    raise ValueError("a counter's value on a track of slices")
                yield ("counter", self.process_of(track),
                       first(self.tracks[first(descriptor, "parent_uuid")], "name"),
                       first(descriptor, "name"), str(time), event["value"])
            elif event["type"] == "TYPE_SLICE_BEGIN":
                open_slices[track].append((time, event))
                for flow in event["flows"]:
                    if flow in flows:
                        raise ValueError(f"flow {flow} begins twice")
                    flows[flow] = event
                for flow in event["ended_flows"]:
                    yield "flow", flows.pop(flow)["name"], event["name"]
            else:
                start, begun = open_slices[track].pop()
                yield ("slice", self.process_of(track), first(descriptor, "name"),
                       begun["category"], begun["name"], str(start), str(time - start),
                       begun["arguments"])
        if any(open_slices.values()):
            raise ValueError("slices have no end")


def main():
    lines = iter(sys.stdin.read().splitlines())
    reader = Reader()
    for line in lines:
        if line != "packet {":
            raise ValueError(f"unexpected: {line}")
        reader.take(read_message(lines))
    for line in sorted(reader.replay()):
        text = "\t".join(line).replace("\n", "\\n") + "\n"
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))


main()
