"""Where the program ``rankduel`` is: jobs that `submit` writes call it by its path, since nodes know no virtual environment."""

import shutil
import sys
import sysconfig
from pathlib import Path

from rankduel import _core


def announce() -> None:
    """Tell the compiled part the absolute path of the program, if there is one."""
    name = "rankduel.exe" if sys.platform == "win32" else "rankduel"
    beside = [Path(sysconfig.get_path("scripts")) / name, Path(sys.executable).parent / name]
    called = Path(sys.argv[0]) if sys.argv and Path(sys.argv[0]).name == name else None
    on_path = shutil.which(name)
    for program in [called, *beside, None if on_path is None else Path(on_path)]:
        if program is not None and program.is_file():
            _core.set_program_path(program.absolute())
            return
