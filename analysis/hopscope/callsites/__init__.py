"""Resolves a call site (a module and an offset) to the function and the source line of the call.

`binaries` looks an offset up in a program or library, if it is the build that ran; `functions` makes linker names
readable; `resolution` combines both and says how each answer was found.
"""

from hopscope.callsites.resolution import Place, resolve

__all__ = ["Place", "resolve"]
