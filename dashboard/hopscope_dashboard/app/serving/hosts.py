"""Names and addresses of hosts, brought into one form so that they can be compared."""

import ipaddress
import re
import socket
from typing import Final

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
"""This machine's own names, which no name server can claim."""

_HOST: Final = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{0,5})?", re.ASCII | re.IGNORECASE)
_NAME: Final = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*", re.ASCII)


def host_name(text: str) -> str | None:
    """Give the host of `NAME`, `NAME:PORT` or `[ADDRESS]:PORT` in the form in which hosts are compared; None if `text`
    is not a host.

    Ignores case and a dot at the end of a name.
    """
    bare = address(text)
    if bare is not None:
        return bare
    match = _HOST.fullmatch(text)
    if match is None:
        return None
    host = match[1].lower()
    if host.startswith("["):
        return address(host[1:-1])
    name = host.removesuffix(".")
    return address(name) or (name if _NAME.fullmatch(name) else None)


def address(text: str) -> str | None:
    """Give an IP address in its standard form; None if `text` is not an address. An IPv4-mapped IPv6 address becomes
    its IPv4 address."""
    try:
        parsed_address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return str(getattr(parsed_address, "ipv4_mapped", None) or parsed_address)


def names_of(host: str) -> set[str]:
    """Give the names under which a server bound to `host` is reached: `host` itself, or the machine's names if the
    server listens on all addresses."""
    bound = address(host or "0.0.0.0")
    if bound is None or not ipaddress.ip_address(bound).is_unspecified:
        return {host}
    return {name for name in (socket.gethostname(), socket.getfqdn()) if host_name(name)}
