#!/usr/bin/env python3
"""Lets programs and libraries that were built with a newer glibc start with glibc 2.34.

    packaging/lower_glibc.py FILE...

Debian 12's libraries need glibc 2.35 or 2.36 for few functions. hypot and hypotf exist in every glibc in an older
version, which differs only in how it sets errno. arc4random and arc4random_buf come from libarc4random.so of the
archive (release.sh). So we rename the version that the file asks for in .gnu.version_r. A file that needs another
function of a newer glibc is refused, and not changed.
"""

import struct
import subprocess
import sys

KNOWN = {"hypot", "hypotf", "arc4random", "arc4random_buf"}
OLD = b"GLIBC_2.2.5"
NEWEST = (2, 34)


def is_newer(version):
    prefix, _, number = version.partition("_")
    return prefix == "GLIBC" and tuple(map(int, number.split("."))) > NEWEST


def hash_of(name):  # ELF's hash of symbol names
    value = 0
    for byte in name:
        value = (value << 4) + byte
        high = value & 0xF0000000
        value = (value ^ high >> 24) & ~high if high else value
    return value


def newer_symbols(file):
    """The functions that `file` needs of a newer glibc."""
    table = subprocess.run(["objdump", "-T", file], capture_output=True, text=True, check=True).stdout
    words = (line.split() for line in table.splitlines() if "*UND*" in line)
    return {line[-1] for line in words if is_newer(line[-2].strip("()"))}


def section(data, wanted):
    """The bounds of a section of a 64-bit little-endian ELF file, by its type."""
    table, = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    for i in range(count):
        _, kind, _, _, offset, length, link = struct.unpack_from("<IIQQQQI", data, table + i * size)
        if kind == wanted:
            strings, = struct.unpack_from("<Q", data, table + link * size + 0x18)
            return offset, length, strings
    return None


def lower(file):
    symbols = newer_symbols(file)
    if symbols - KNOWN:
        sys.exit(f"lower_glibc: {file} needs {', '.join(sorted(symbols - KNOWN))} of a glibc newer than 2.34")
    if not symbols:
        return
    with open(file, "r+b") as stream:
        data = bytearray(stream.read())
        verneed = 0x6FFFFFFE
        need, _, strings = section(data, verneed)
        old = data.index(b"\0" + OLD + b"\0", strings) + 1 - strings
        while True:
            _, count, _, first, following = struct.unpack_from("<HHIII", data, need)
            entry = need + first
            for _ in range(count):
                _, _, _, name, step = struct.unpack_from("<IHHII", data, entry)
                end = data.index(b"\0", strings + name)
                if is_newer(data[strings + name:end].decode()):
                    struct.pack_into("<I", data, entry, hash_of(OLD))
                    struct.pack_into("<I", data, entry + 8, old)
                entry += step
            if following == 0:
                break
            need += following
        stream.seek(0)
        stream.write(data)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: lower_glibc.py FILE...")
    for one in sys.argv[1:]:
        lower(one)
