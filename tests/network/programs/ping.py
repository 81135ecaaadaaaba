"""Prints the round trips of twelve ICMP echoes to a host, in ms, as JSON. The first one also resolves the host's
address."""

import json
import socket
import struct
import sys
import time


def checksum(data: bytes) -> int:
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    total = (total >> 16) + (total & 0xFFFF)
    return ~(total + (total >> 16)) & 0xFFFF


def main() -> None:
    address = socket.gethostbyname(sys.argv[1])
    times: list[float] = []
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as end:
        end.settimeout(10)
        for number in range(12):
            echo = struct.pack("!BBHHH", 8, 0, 0, 7, number)
            echo = struct.pack("!BBHHH", 8, 0, checksum(echo), 7, number)
            begin = time.perf_counter()
            end.sendto(echo, (address, 0))
            while True:
                reply = end.recv(2000)[20:]
                if reply[0] == 0 and struct.unpack("!H", reply[6:8])[0] == number:
                    break
            times.append((time.perf_counter() - begin) * 1e3)
    print(json.dumps(times))


main()
