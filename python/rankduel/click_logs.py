"""The program ``click-logs``: credit click logs in files, decide who won, simulate logs with known truth."""

import sys

from rankduel import _core


def main() -> int:
    """Run ``click-logs`` with the arguments of the process.

    Returns
    -------
    int
        The exit code: 0, 2 for wrong usage, 1 for failures.
    """
    return _core.click_logs(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
