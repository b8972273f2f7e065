"""``python -m screenplug`` (``py -m screenplug`` on Windows)."""

from screenplug.cli import main

if __name__ == "__main__":
    main()
