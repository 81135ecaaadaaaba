"""Sends a number of bytes to a host. Without a host, receives them and prints the time of each twentieth part."""

import json
import socket
import sys
import time

PORT = 7007


def main() -> None:
    size = int(sys.argv[1])
    if len(sys.argv) > 2:
        with socket.create_connection((sys.argv[2], PORT), timeout=30) as end:
            end.sendall(bytes(size))
            end.recv(1)
        return
    with socket.create_server(("", PORT)) as server:
        print("listens", flush=True)
        end, _ = server.accept()
        with end:
            received, times = 0, list[float]()
            for part in range(1, 21):
                while received < size * part // 20:
                    received += len(end.recv(1 << 16))
                times.append(time.monotonic())
            print(json.dumps(times))


main()
