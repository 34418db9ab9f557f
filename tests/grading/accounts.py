"""Run the same thing as root and as an ordinary account. What holds for one needn't hold for the other."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
UID = 61099  # needs no entry in /etc/passwd
# A Python below /root is out of an ordinary account's reach. With mounts of its own, it sees
# that Python and nothing else of that folder.
OPEN = """
umask 022
while [ "$1" != -- ]; do
    mount --rbind "$1" /mnt && mount -t tmpfs -o mode=755 tmpfs "$1" && mkdir -p "$2" &&
        mount --bind "/mnt${2#"$1"}" "$2"
    shift 2
done
shift
exec setpriv --reuid="$0" --regid="$0" --clear-groups "$@"
"""


def closed_folders(places):
    """[closed, needed, ...]: folders that an ordinary account can't enter, each with what it needs from there."""
    found = {}
    for needed in places:
        closed = (folder for folder in reversed(needed.parents) if not folder.stat().st_mode & 0o001)
        for folder in list(closed)[:1]:
            found[str(folder)] = str(needed)
    return [part for pair in found.items() for part in pair]


def words_for(account, *places):
    """The words in front of a command that run it as this account, which needs these folders and gets them."""
    if account == "root" or os.getuid() != 0:
        return []
    for place in places:
        for path in (place, *place.rglob("*")):
            os.chown(path, UID, UID, follow_symlinks=False)
    python = (Path(sys.base_prefix).resolve(), Path(sys.prefix).resolve(), ROOT)
    return ["unshare", "--mount", "/bin/sh", "-c", OPEN, str(UID), *closed_folders((*python, *places)), "--"]


ACCOUNTS = ["root", "ordinary"] if os.getuid() == 0 else ["ordinary"]
