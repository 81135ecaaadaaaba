"""Compares the frames that the collector reads from memory with the frames that this Python itself reports."""

import ast
import ctypes
import inspect
import json
import os
import sys
import threading
import types
import typing
import unittest

LIBRARY = os.environ["HOPSCOPE_TEST_LIBRARY"]
HOLDING = ctypes.PyDLL(LIBRARY)  # its functions run with the interpreter's lock
RELEASED = ctypes.CDLL(LIBRARY)  # its functions run without the interpreter's lock
HOLDING.prepare.restype = ctypes.c_char_p
HOLDING.offset_name.restype = ctypes.c_char_p
ROOM = 5000


def read():
    """Returns the caller's frame twice, as (file, name, line): as read from memory, and as Python itself reports it."""
    file, name = ctypes.create_string_buffer(ROOM), ctypes.create_string_buffer(ROOM)
    frame = sys._getframe()
    line, frame_line = RELEASED.innermost_place(file, name, ROOM), frame.f_lineno
    return (os.fsdecode(file.value), name.value.decode(), line), (
        frame.f_code.co_filename,
        frame.f_code.co_qualname,
        frame_line,
    )


def in_file(file, name="called", lines=0):
    """Returns a copy of `read` whose code has another file and function name, and begins `lines` lines later."""
    qualified = f"outer.<locals>.{name}"
    code = read.__code__.replace(co_filename=file, co_name=name, co_qualname=qualified, co_firstlineno=lines + 1)
    return types.FunctionType(code, globals(), name)


class Frames(unittest.TestCase):
    def setUp(self):
        self.assertIsNone(HOLDING.prepare(-1, 0))

    def agree(self, accounts):
        self.assertEqual(*accounts)

    def test_a_frame_is_read_without_the_lock(self):
        self.agree(read())

    def test_lambdas_generators_and_recursion_are_told_apart(self):
        def deeper(n):
            last = [lambda: read()]  # noqa: PLW0108 - the frame of a lambda is under test
            return deeper(n - 1) if n else last[0]()

        self.agree(deeper(50))
        for accounts in (*(read() for _ in range(2)), *[read() for _ in range(2)]):
            self.agree(accounts)
        sorted([1, 2], key=lambda _: self.agree(read()) or 0)

    def test_a_thread_has_its_own_frames(self):
        all_accounts = []
        threads = [threading.Thread(target=lambda: [all_accounts.append(read()) for _ in range(200)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(all_accounts), 800)
        for accounts in all_accounts:
            self.agree(accounts)

    def test_a_class_body_and_a_coroutine_are_read(self):
        test = self

        class Body:
            test.agree(read())

        async def runs():
            test.agree(read())

        with self.assertRaises(StopIteration):
            runs().send(None)

    def test_texts_of_all_widths_are_read(self):
        for file in ("/u/solve.py", "/ü/löse.py", "/λ/Ω.py", "/🐍/💡.py", os.fsdecode(b"/x\xff.py"), "x" * 4000):
            self.agree(in_file(file)())
        self.agree(in_file("/x.py", "größe")())
        self.agree(in_file("/x.py", "λ", 100_000)())

    def test_a_text_that_is_too_long_is_refused(self):
        account, _ = in_file("/" + "x" * (ROOM + 10))()
        self.assertEqual(account[2], -2)

    def test_the_line_of_every_instruction_is_found(self):
        checked = 0
        for module in (ast, ctypes, inspect, json.decoder, threading, typing, unittest.case, sys.modules[__name__]):
            waiting = [compile(inspect.getsource(module), module.__file__, "exec")]
            while waiting:
                code = waiting.pop()
                waiting += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
                for position, (line, *_) in enumerate(code.co_positions()):
                    answer = RELEASED.line_at(
                        code.co_linetable, len(code.co_linetable), code.co_firstlineno, position * 2
                    )
                    self.assertEqual(answer, -1 if line is None else line, (code, position))
                    checked += 1
        self.assertGreater(checked, 20_000)

    def test_a_table_that_breaks_off_gives_no_line_and_no_crash(self):
        table = read.__code__.co_linetable
        for length in range(len(table)):
            copy = (ctypes.c_char * max(length, 1)).from_buffer_copy(table[:length] or b"\0")
            self.assertEqual(RELEASED.line_at(copy, length, 1, 1 << 20), -1)


class WrongOffsets(unittest.TestCase):
    def test_each_offset_that_is_wrong_is_noticed_and_does_no_harm(self):
        number = 0
        while name := HOLDING.offset_name(number):
            for distance in (-16, -8, -4, 4, 8, 16, 64, 4096, 1 << 20):
                if name == b"c_frame" and sys.version_info >= (3, 13):
                    continue  # this release has no such offset
                if name == b"frame_owner":
                    HOLDING.prepare(number, distance)  # no check: the byte there may happen to have the right value
                    continue
                with self.subTest(offset=name, by=distance):
                    self.assertIsNotNone(HOLDING.prepare(number, distance))
            number += 1
        self.assertEqual(number, 14)
        self.assertIsNone(HOLDING.prepare(-1, 0))


if __name__ == "__main__":
    unittest.main()
