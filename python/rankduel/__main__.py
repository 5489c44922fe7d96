"""The command line: ``rankduel`` and ``python -m rankduel`` print what the program of cargo prints."""

import sys

from rankduel import _core, program


def main() -> int:
    """Run the command line with the arguments of the process.

    Returns
    -------
    int
        The exit code: 0, 2 for wrong usage, 1 for failures.
    """
    program.announce()
    return _core.main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
