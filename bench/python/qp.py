#!/usr/bin/env python3
"""Quadratic programs by sinew and by DAQP (pip install daqp numpy): the same optimum, and times.

    bench/python/qp.py LIBSINEW.so [--count N] [--random-seed N]

Agreement: --count random programs of 1 to 40 variables with bounds and up to 60 rows; the largest
difference of x, relative to max(1, |x|), and how often DAQP reports none. Times: programs as
bench_core's qp/cold and qp/warm have them, each solved several times, least time of each; median
over the programs. DAQP's are its own setup_time and solve_time, without the calls from Python.
"""
# ruff: noqa: B023 -- functions of a loop are called in the turn that makes them

import argparse
import ctypes
import time

import daqp
import numpy

POINTER = ctypes.c_void_p


class Vectors(ctypes.Structure):
    _fields_ = [
        (name, POINTER) for name in ("g", "lower", "upper", "row_lower", "row_upper", "rank")
    ]


class Report(ctypes.Structure):
    _fields_ = [
        ("active", POINTER),
        ("multiplier", POINTER),
        ("yielded", POINTER),
        ("yielded_count", ctypes.c_int),
        ("changes", ctypes.c_int),
        ("solves", ctypes.c_int),
        ("finished", ctypes.c_bool),
    ]


def address(array):
    return array.ctypes.data_as(POINTER) if array.size else None


class Program:
    def __init__(self, library, H, A):
        self.library, self.H, self.A, self.program = library, H, A, POINTER()
        self.check(library.sinew_qp_create(len(H), len(A), None, ctypes.byref(self.program), None))
        self.set_matrices()

    @staticmethod
    def check(result):
        if result != 0:
            raise RuntimeError(f"sinew refuses the program: {result}")

    def set_matrices(self):
        self.check(
            self.library.sinew_qp_set_matrices(self.program, address(self.H), address(self.A), None)
        )

    def reset(self):
        self.library.sinew_qp_reset(self.program)

    def solve(self, g, lower, upper):
        n = len(g)
        x, report = numpy.zeros(n), Report()
        ends = [numpy.ascontiguousarray(a) for a in (lower[:n], upper[:n], lower[n:], upper[n:])]
        vectors = Vectors(address(g), *[address(a) for a in ends], None)
        self.check(
            self.library.sinew_qp_solve(
                self.program, ctypes.byref(vectors), address(x), ctypes.byref(report), None
            )
        )
        return x, report

    def close(self):
        self.library.sinew_qp_destroy(self.program)


def make(random, n, rows, strength, least):
    M = random.uniform(-1.0, 1.0, (n, n))
    H = 3.0 / n * M.T @ M + least * numpy.eye(n)
    A = random.uniform(-1.0, 1.0, (rows, n))
    size = numpy.concatenate([numpy.ones(n), 5.0 * numpy.ones(rows)])
    lower, upper = -size * random.uniform(0.0, 1.0, n + rows), size * random.uniform(0, 1, n + rows)
    return H, A, strength * random.uniform(-1.0, 1.0, n), lower, upper


def by_daqp(H, A, g, lower, upper):
    return daqp.solve(H, -g, A, upper, lower, numpy.zeros(len(lower), dtype=numpy.int32))


def compare(library, random, count):
    worst, none, unfinished = 0.0, 0, 0
    for _ in range(count):
        n, rows = int(random.integers(1, 41)), int(random.integers(0, 61))
        H, A, g, lower, upper = make(
            random, n, rows, 10.0 ** random.uniform(-1.0, 1.5), 10.0 ** random.uniform(-6.0, 0.0)
        )
        program = Program(library, H, A)
        x, report = program.solve(g, lower, upper)
        program.close()
        expected, _, flag, _ = by_daqp(H, A, g, lower, upper)
        none += flag != 1
        unfinished += not report.finished or report.yielded_count > 0
        worst = max(worst, numpy.abs(x - expected).max() / max(1.0, numpy.abs(x).max()))
    print(
        f"{count} programs: largest difference {worst:.1e}, none by DAQP {none}, by sinew "
        f"{unfinished}"
    )


def measure(library, random, n, rows, repeats=30, count=200):
    figures = []
    for _ in range(count):
        H, A, g, lower, upper = make(random, n, rows, 0.5, 0.1)
        other = g * (1.0 + 0.02 * random.uniform(-1.0, 1.0, n))
        program = Program(library, H, A)
        x = numpy.zeros(n)
        parts = [numpy.ascontiguousarray(a) for a in (lower[:n], upper[:n], lower[n:], upper[n:])]
        pointers = [address(a) for a in parts]
        one = Vectors(address(g), *pointers, None)
        two = Vectors(address(other), *pointers, None)
        solve, out = library.sinew_qp_solve, address(x)
        _, report = program.solve(g, lower, upper)

        def cold():
            library.sinew_qp_reset(program.program)
            library.sinew_qp_set_matrices(program.program, address(H), address(A), None)
            solve(program.program, ctypes.byref(one), out, None, None)

        def cold_calls():  # what Python adds
            library.sinew_qp_destroy(None)
            library.sinew_result_string(ctypes.c_int(0), address(H), address(A), None)
            library.sinew_result_string(ctypes.c_int(0), ctypes.byref(one), out, None, None)

        def least(call, before=lambda: None):
            best = 1e9
            for _ in range(repeats):
                before()
                begin = time.perf_counter()
                call()
                best = min(best, time.perf_counter() - begin)
            return 1e6 * best

        warm = least(
            lambda: solve(program.program, ctypes.byref(two), out, None, None),
            lambda: solve(program.program, ctypes.byref(one), out, None, None),
        )
        empty = least(
            lambda: library.sinew_result_string(ctypes.c_int(0), ctypes.byref(one), out, None, None)
        )
        runs = [by_daqp(H, A, g, lower, upper)[3] for _ in range(repeats)]
        figures.append(
            (
                numpy.count_nonzero(
                    numpy.ctypeslib.as_array(
                        ctypes.cast(report.active, ctypes.POINTER(ctypes.c_byte)), (n + rows,)
                    )
                ),
                least(cold) - least(cold_calls),
                warm - empty,
                1e6 * min(r["setup_time"] for r in runs),
                1e6 * min(r["solve_time"] for r in runs),
            )
        )
        program.close()
    active, cold, warm, setup, daqp_solve = numpy.median(numpy.array(figures), axis=0)
    print(
        f"{n} variables, {n} bounds, {rows} rows, {active:.0f} active: sinew cold {cold:.2f} us, "
        f"warm {warm:.2f} us; DAQP setup {setup:.2f} us, solve {daqp_solve:.2f} us"
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("library")
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--random-seed", type=int, default=1)
    options = parser.parse_args()
    library = ctypes.CDLL(options.library)
    random = numpy.random.default_rng(options.random_seed)
    compare(library, random, options.count)
    measure(library, random, 35, 60)
    measure(library, random, 7, 0)


if __name__ == "__main__":
    main()
