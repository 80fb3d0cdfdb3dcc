"""`ordain`, and `python -m ordain`: the command line, which can be stopped from its first moment on."""

import sys

from ordain._stop import Stop


def main() -> None:
    """Run the command that was typed."""
    stop = Stop()
    try:
        stop.listen()
        from ordain.cli import main as run  # loads for a moment, in which a key may be pressed

        run(stop=stop)
    except SystemExit as ended:
        stop.leave(ended.code)
    except (KeyboardInterrupt, Exception) as wrong:
        if stop.came is None and not isinstance(wrong, KeyboardInterrupt):
            raise
        print("ordain: stopped.", file=sys.stderr)  # also where a class that was being made took it for its fault
        stop.leave(130)


if __name__ == "__main__":
    main()
