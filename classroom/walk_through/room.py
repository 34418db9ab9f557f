"""Accounts, folders and a hub: made for the walk-through, and removed after it."""

import contextlib
import grp
import pwd
import secrets
import shutil
import subprocess
import tempfile
from pathlib import Path

from hub import Hub
from machine import ROOT, need, run, say

GROUPS = {"student": "sdpa-students", "instructor": "sdpa-instructors"}


class Classroom:
    """Accounts, folders and a hub that are there for the time of a `with` block."""

    def __init__(self, names: list[str], pictures: Path | None):
        self.students, self.instructor, self.pictures = names[:2], names[2], pictures
        self.idle, self.crowd = names[3], names[4:]
        self.passwords = {name: secrets.token_urlsafe(12) for name in names}
        self.accounts, self.groups = {}, []  # what was made, and must go
        self.folder, self.hub = None, None

    def __enter__(self):
        try:
            self.make_folder()
            self.make_accounts()
            self.make_exchange()
            self.hub.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def make_folder(self) -> None:
        """What docs/classroom.md puts into /srv/sdpa-class; here in a folder of its own."""
        self.folder = Path(tempfile.mkdtemp(prefix="sdpa-walk-through-", dir="/srv"))
        self.folder.chmod(0o755)
        (self.folder / "hub").mkdir(mode=0o700)
        self.hub = Hub(self.folder, self.idle)
        shutil.copytree(ROOT / "classroom" / "hub", self.folder / "config")
        for part in ("notebooks", "docs"):
            shutil.copytree(ROOT / part, self.folder / "skel" / part)

    def make_accounts(self) -> None:
        """Unix accounts, each with a home that others cannot look into."""
        for group in GROUPS.values():
            with contextlib.suppress(KeyError):
                grp.getgrnam(group)
                continue
            run("groupadd", group)
            self.groups.append(group)
        for name, password in self.passwords.items():
            group = GROUPS["instructor" if name == self.instructor else "student"]
            home = ("--create-home", "--skel", str(self.folder / "skel"), "-K", "HOME_MODE=0700")
            run("useradd", *home, "--shell", "/bin/bash", "--groups", group, name)
            self.accounts[name] = pwd.getpwnam(name)
            run("chpasswd", text=f"{name}:{password}\n")
        course = self.home(self.instructor) / "course"
        course.mkdir()
        shutil.copytree(ROOT / "solutions", course / "solutions", ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
        shutil.copy(ROOT / "nbgrader_config.py", course)
        run("chown", "-R", f"{self.instructor}:", str(course))
        named = ", ".join([*self.students, self.instructor, self.idle])
        say(f"Accounts {named} and {len(self.crowd)} more are made, homes are closed to others.")

    def make_exchange(self) -> None:
        """nbgrader asks for 777; the sticky bit keeps students from moving what is not theirs."""
        course = self.folder / "exchange" / "sdpa-course"
        run("install", "-d", "-m", "1777", str(course.parent))
        run("install", "-d", "-m", "755", "-o", self.instructor, "-g", self.instructor, str(course))
        run("install", "-d", "-m", "3733", "-o", self.instructor, "-g", self.instructor, str(course / "inbound"))

    def home(self, name: str) -> Path:
        """Of an account."""
        return Path(self.accounts[name].pw_dir)

    def can_read(self, name: str, path: Path) -> bool:
        """May this account read the file, or list the folder?"""
        command = ("ls" if path.is_dir() else "cat", str(path))
        need(path.exists(), f"{path} is not there, so nobody's rights to it can be tried")
        return subprocess.run(["runuser", "-u", name, "--", *command], cwd="/", capture_output=True).returncode == 0

    def processes(self, name: str) -> list:
        """What runs as this account."""
        import psutil

        uid = self.accounts[name].pw_uid
        return [process for process in psutil.process_iter(["uids"]) if process.info["uids"].real == uid]

    def memory(self, name: str) -> int:
        """Bytes; what processes share is divided among them."""
        return sum(process.memory_full_info().pss for process in self.processes(name))

    def __exit__(self, *_):
        """Remove what was made, and nothing else."""
        if self.hub is not None:
            self.hub.stop()
        if self.accounts:
            self.end_processes({account.pw_uid for account in self.accounts.values()})
        for name in self.accounts:
            subprocess.run(["userdel", "--remove", name], capture_output=True)
        for group in self.groups:
            subprocess.run(["groupdel", group], capture_output=True)
        if self.folder is not None:
            if self.pictures and self.hub is not None and self.hub.log.exists():
                shutil.copy(self.hub.log, self.pictures)
            shutil.rmtree(self.folder, ignore_errors=True)

    @staticmethod
    def end_processes(uids: set[int]) -> None:
        """Of accounts that this walk-through made: they had none before."""
        import psutil

        for process in psutil.process_iter(["uids"]):
            with contextlib.suppress(psutil.Error):
                if process.info["uids"] and process.info["uids"].real in uids:
                    process.kill()
                    process.wait(5)
