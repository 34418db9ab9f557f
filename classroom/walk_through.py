"""Walk through a class on this machine, for real: /opt/sdpa-class/bin/python classroom/walk_through.py

Makes two students and an instructor, starts the hub on 127.0.0.1, and lets them do what a class does in a browser:
release, fetch, solve, hand in, collect, grade, read, give back. Every step is checked. At the end everything that it
made is removed again, also when a step fails. Needs root, because a hub starts servers as other users.
"""

import argparse
import contextlib
import csv
import grp
import importlib.metadata
import importlib.util
import json
import os
import pwd
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
PROBLEM_SET = "ps03"
GROUPS = {"student": "sdpa-students", "instructor": "sdpa-instructors"}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 120_000  # milliseconds for anything in the browser: the machine may be busy

# What many students write first. It is right for small scores, so it earns the 3 points of the first check.
WRONG = """def softmax(scores):
    exps = np.exp(scores)
    return exps / exps.sum(axis=-1, keepdims=True)
"""
HINT = "exp(1000) is infinite in floating point"
BY_CODE = {"right": 13.0, "wrong": 3.0}  # points of ps03 that code gives to the two
READ = {"shift-proof": 3.0, "entropy-reading": 4.0}  # points that the instructor gives for the written answers


class Problem(Exception):
    """A step failed, or cannot be tried here; the message is one sentence."""


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--screenshots", type=Path, metavar="FOLDER", help="keep pictures and the hub's log here")
    parser.add_argument(
        "--names",
        default="student1,student2,instructor",
        help="the accounts to make: two students and the instructor (default: %(default)s)",
    )
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that accounts are removed then, too
    try:
        names = options.names.split(",")
        browser_path = check_machine(names)
        if options.screenshots:
            options.screenshots.mkdir(parents=True, exist_ok=True)
        with Classroom(names, options.screenshots) as classroom:
            walk(classroom, browser_path)
    except Problem as problem:
        print(f"walk-through: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("walk-through: stopped; what it had made is removed", file=sys.stderr)
        return 130
    say("All steps held. The accounts and folders of this walk-through are removed.")
    return 0


def check_machine(names: list[str]) -> str:
    """Refuse in one sentence if something is missing; gives the browser's path."""
    need(os.name == "posix" and sys.platform == "linux", "a hub with Unix accounts needs Linux")
    need(os.getuid() == 0, "run this as root: the hub starts a server as each of its students")
    for module in ("jupyterhub", "nbgrader", "playwright", "psutil", "sdpa_course"):
        found = importlib.util.find_spec(module) is not None
        need(found, f"{module} is not installed in {sys.prefix}; docs/classroom.md has the pip command")
    for command, package in (("bwrap", "apt-get install bubblewrap"), ("node", "apt-get install nodejs npm")):
        need(shutil.which(command), f"{command} was not found: {package}")
    proxy = "npm install -g configurable-http-proxy"
    need(shutil.which("configurable-http-proxy"), f"configurable-http-proxy was not found: {proxy}")
    browser = os.environ.get("CHROME") or next(filter(shutil.which, BROWSERS), None)
    need(browser and shutil.which(browser), "no Chrome or Chromium was found: apt-get install chromium")
    loose = "JupyterLab's debugger opens a port that asks other accounts for no password"
    need(not importlib.util.find_spec("debugpy"), f"{loose}: {BIN}/pip uninstall debugpy")
    need(len(set(names)) == 3 and all(re.fullmatch("[a-z][a-z0-9-]*", n) for n in names), "--names takes three names")
    taken = sorted(set(names) & {account.pw_name for account in pwd.getpwall()})
    need(not taken, f"there is an account {', '.join(taken)} already, and it is left alone; choose others with --names")
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env", "HOME=/nonexistent", sys.executable]
    probe = subprocess.run([*nobody, "-c", "import sdpa_course.homework"], cwd="/", capture_output=True)
    need(not probe.returncode, f"students cannot use {sys.prefix}; make it with Debian's /usr/bin/python3 below /opt")
    return shutil.which(browser)


def need(condition, sentence: str) -> None:
    """Go on only if the condition holds."""
    if not condition:
        raise Problem(sentence)


def say(text: str) -> None:
    """One line of the transcript."""
    print(text, flush=True)


class Classroom:
    """Accounts, folders and a hub that are there for the time of a `with` block."""

    def __init__(self, names: list[str], pictures: Path | None):
        self.students, self.instructor, self.pictures = names[:2], names[2], pictures
        self.passwords = {name: secrets.token_urlsafe(12) for name in names}
        self.accounts, self.groups = {}, []  # what was made, and must go
        self.folder, self.hub = None, None

    def __enter__(self):
        try:
            self.make_folder()
            self.make_accounts()
            self.make_exchange()
            self.start_hub()
        except BaseException:
            self.__exit__()
            raise
        return self

    def make_folder(self) -> None:
        """What docs/classroom.md puts into /srv/sdpa-class; here in a folder of its own."""
        self.folder = Path(tempfile.mkdtemp(prefix="sdpa-walk-through-", dir="/srv"))
        self.folder.chmod(0o755)
        (self.folder / "hub").mkdir(mode=0o700)
        shutil.copytree(ROOT / "classroom", self.folder / "config", ignore=shutil.ignore_patterns("__pycache__"))
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
        say(f"Accounts {', '.join(self.accounts)} are made, homes are closed to others.")

    def make_exchange(self) -> None:
        """nbgrader asks for 777; the sticky bit keeps students from moving what is not theirs."""
        course = self.folder / "exchange" / "sdpa-course"
        run("install", "-d", "-m", "1777", str(course.parent))
        run("install", "-d", "-m", "755", "-o", self.instructor, "-g", self.instructor, str(course))
        run("install", "-d", "-m", "3733", "-o", self.instructor, "-g", self.instructor, str(course / "inbound"))

    def start_hub(self) -> None:
        """The class's own configuration; only ports differ, and the browser may call JupyterLab's commands."""
        front, hub, proxy = free_ports(3)
        self.address = f"http://127.0.0.1:{front}"
        (self.folder / "walk_through_config.py").write_text(
            "c = get_config()\n"
            f"load_subconfig({str(self.folder / 'config' / 'jupyterhub_config.py')!r})\n"
            f"c.JupyterHub.bind_url = {self.address!r}\n"
            f"c.JupyterHub.hub_bind_url = 'http://127.0.0.1:{hub}'\n"
            f"c.ConfigurableHTTPProxy.api_url = 'http://127.0.0.1:{proxy}'\n"
            "c.Spawner.args = [*c.Spawner.args, '--LabApp.expose_app_in_browser=True']\n"
        )
        environment = {**os.environ, "SDPA_CLASS": str(self.folder), "PATH": f"{BIN}:{os.environ['PATH']}"}
        with open(self.folder / "hub" / "hub.log", "w") as log:
            command = [str(BIN / "jupyterhub"), "-f", str(self.folder / "walk_through_config.py")]
            options = {"cwd": self.folder / "hub", "env": environment, "start_new_session": True}
            self.hub = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, **options)
        end = time.monotonic() + 60
        while time.monotonic() < end and self.hub.poll() is None:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{self.address}/hub/health", timeout=5).close()
                versions = ("jupyterhub", "nbgrader", "jupyterlab")
                say("The hub answers: " + ", ".join(f"{n} {importlib.metadata.version(n)}" for n in versions) + ".")
                return
            time.sleep(0.3)
        raise Problem(f"the hub did not start; its last words: {self.last_words()}")

    def last_words(self) -> str:
        """The end of the hub's log, in one line."""
        lines = (self.folder / "hub" / "hub.log").read_text(errors="replace").strip().splitlines()
        return lines[-1] if lines else "(none)"

    def home(self, name: str) -> Path:
        """Of an account."""
        return Path(self.accounts[name].pw_dir)

    def can_read(self, name: str, path: Path) -> bool:
        """May this account read the file, or list the folder?"""
        command = ("ls" if path.is_dir() else "cat", str(path))
        need(path.exists(), f"{path} is not there, so nobody's rights to it can be tried")
        return subprocess.run(["runuser", "-u", name, "--", *command], cwd="/", capture_output=True).returncode == 0

    def __exit__(self, *_):
        """Remove what was made, and nothing else."""
        if self.hub is not None:
            self.hub.terminate()  # the hub stops its servers and its proxy
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.hub.wait(30)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.hub.pid, signal.SIGKILL)
            self.hub.wait()
        if self.accounts:
            self.end_processes({account.pw_uid for account in self.accounts.values()})
        for name in self.accounts:
            subprocess.run(["userdel", "--remove", name], capture_output=True)
        for group in self.groups:
            subprocess.run(["groupdel", group], capture_output=True)
        if self.folder is not None:
            if self.pictures and (self.folder / "hub" / "hub.log").exists():
                shutil.copy(self.folder / "hub" / "hub.log", self.pictures)
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


def run(*command: str, text: str | None = None) -> None:
    """A command of the system, as root."""
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    need(not done.returncode, f"{command[0]} failed: {done.stderr.strip()}")


def free_ports(count: int) -> list[int]:
    """Ports that nobody uses just now."""
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


class Person:
    """Somebody in front of a browser of their own."""

    def __init__(self, browser, classroom: Classroom, name: str):
        self.classroom, self.name = classroom, name
        self.context = browser.new_context(viewport={"width": 1300, "height": 950})
        self.context.set_default_timeout(PATIENCE)
        self.page = self.context.new_page()

    @classmethod
    def beside(cls, other: "Person") -> "Person":
        """The same person with another tab."""
        person = cls.__new__(cls)
        person.__dict__.update(other.__dict__, page=other.context.new_page())
        return person

    def log_in(self, password: str | None = None) -> None:
        """With the password of the Unix account."""
        self.page.goto(f"{self.classroom.address}/hub/login")
        self.page.fill("#username_input", self.name)
        self.page.fill("#password_input", password or self.classroom.passwords[self.name])
        self.page.click("#login_submit")

    def wait_for_lab(self) -> None:
        """Until JupyterLab stands."""
        self.page.wait_for_url("**/lab**")
        self.page.wait_for_function("() => window.jupyterapp?.restored")
        self.page.evaluate("async () => { await window.jupyterapp.restored; }")

    def command(self, name: str, **arguments) -> None:
        """One of JupyterLab's commands."""
        script = "async ([name, arguments]) => { await window.jupyterapp.commands.execute(name, arguments); }"
        self.page.evaluate(script, [name, arguments])

    def status(self, path: str) -> int:
        """Of a page of the hub, as this person gets it."""
        return self.context.request.get(f"{self.classroom.address}{path}").status

    def picture(self, name: str) -> None:
        """For a person to look at."""
        if self.classroom.pictures:
            self.page.screenshot(path=self.classroom.pictures / f"{self.name}-{name}.png")

    # nbgrader's list of assignments

    def open_list(self) -> None:
        """Open it, or go back to it and read it anew."""
        self.command("nbgrader:open-assignment-list")
        self.page.locator("#refresh_assignments_list").click()

    def press(self, section: str, button: str) -> None:
        """A button in one section of the list: released, fetched or submitted."""
        self.page.locator(f"#{section}_assignments_list").get_by_role("button", name=button, exact=True).first.click()

    # A notebook

    def open_notebook(self) -> None:
        """The one that was fetched, and a kernel that is ready."""
        self.command("docmanager:open", path=f"sdpa-course/{PROBLEM_SET}/{PROBLEM_SET}.ipynb", factory="Notebook")
        self.page.wait_for_function(
            "() => window.jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
        )

    def select(self, grade_id: str, mode: str) -> None:
        """Make a cell the active one, by the name that nbgrader gave it."""
        found = self.page.evaluate(
            """([id, mode]) => {
                const notebook = window.jupyterapp.shell.currentWidget.content;
                const at = notebook.widgets.findIndex(c => c.model.getMetadata('nbgrader')?.grade_id === id);
                if (at < 0) return false;
                notebook.activeCellIndex = at;
                notebook.mode = mode;
                notebook.scrollToItem(at);
                notebook.activate();
                return true;
            }""",
            [grade_id, mode],
        )
        need(found, f"the notebook of {self.name} has no cell {grade_id}")
        self.page.wait_for_timeout(300)

    def write(self, grade_id: str, source: str) -> None:
        """Put an answer into a cell by keyboard."""
        self.select(grade_id, "edit")
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(source)
        kept = self.page.evaluate(
            "() => window.jupyterapp.shell.currentWidget.content.activeCell.model.sharedModel.source"
        )
        need(kept.strip() == source.strip(), f"the answer {grade_id} did not arrive as {self.name} typed it")

    def run_and_save(self) -> None:
        """Every cell, then the file."""
        self.command("notebook:run-all-cells")
        self.page.wait_for_function(
            "() => window.jupyterapp.shell.currentWidget.content.widgets"
            ".every(c => c.model.type !== 'code' || c.model.executionCount)"
        )
        self.command("docmanager:save")

    def printed(self, grade_id: str) -> str:
        """What a cell printed, as it stands on the page."""
        self.select(grade_id, "command")
        return self.page.locator(".jp-Cell.jp-mod-active .jp-OutputArea-output").first.inner_text()

    # A terminal

    def type_command(self, command: str) -> str:
        """Type a command into a terminal of JupyterLab; gives what it said."""
        said = self.classroom.home(self.name) / f".said-{secrets.token_hex(4)}"
        done = said.with_suffix(".status")
        say(f"    $ {command}")
        self.page.locator(".jp-Terminal .xterm-helper-textarea:visible").focus()
        self.page.keyboard.insert_text(f"({command}) > {said} 2>&1; echo $? > {done}")
        self.page.keyboard.press("Enter")
        end = time.monotonic() + PATIENCE / 1000
        while not (done.exists() and done.read_text().strip()):
            need(time.monotonic() < end, f"the command did not end: {command}")
            time.sleep(0.2)
        text = re.sub(r"\x1b\[[0-9;]*m", "", said.read_text(errors="replace"))
        lines = [line.strip() for line in re.split(r"[\r\n]", text) if line.strip()]
        need(done.read_text().strip() == "0", f"`{command}` failed: {lines[-1] if lines else 'without a word'}")
        return text


def solved() -> dict[str, str]:
    """The right answers, as the solutions have them: {name of the cell: source}."""
    path = ROOT / "solutions" / PROBLEM_SET / f"{PROBLEM_SET}.ipynb"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    answers = {}
    for cell in cells:
        marks = cell["metadata"].get("nbgrader", {})
        if marks.get("solution"):
            lines = [line for line in "".join(cell["source"]).splitlines() if not line.strip().startswith("### ")]
            answers[marks["grade_id"]] = "\n".join(lines)
    return answers


def walk(classroom: Classroom, browser_path: str) -> None:
    """All of it, in order."""
    from playwright.sync_api import Error, sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"])
        try:
            instructor = Person(browser, classroom, classroom.instructor)
            first, second = (Person(browser, classroom, name) for name in classroom.students)
            release(instructor)
            hand_in(first, solved(), right=True)
            hand_in(second, {"softmax": WRONG}, right=False)
            try_to_peep(classroom, first, second)
            try_to_cheat(classroom, first, second)
            grade(instructor)
            give_back(classroom, instructor)
            for student, points in zip((first, second), total(), strict=True):
                read_feedback(student, points)
        except Error as error:
            for context in browser.contexts:
                for page in context.pages if classroom.pictures else ():
                    page.screenshot(path=classroom.pictures / f"failed-{secrets.token_hex(2)}.png")
            raise Problem(f"the browser did not get on: {str(error).splitlines()[0]}") from error
        finally:
            browser.close()


def release(instructor: Person) -> None:
    """The instructor logs in and gives the problem set out."""
    instructor.log_in("not the password")
    instructor.page.get_by_text("Invalid username or password").wait_for()
    instructor.log_in()
    instructor.wait_for_lab()
    say(f"{instructor.name} is turned away with a wrong password, logs in with the right one, and opens a terminal.")
    instructor.command("terminal:create-new")
    instructor.page.locator(".jp-Terminal .xterm-screen").wait_for()
    instructor.page.wait_for_timeout(1500)
    instructor.type_command(f"cd ~/course && nbgrader generate_assignment {PROBLEM_SET}")
    instructor.type_command(f"cd ~/course && nbgrader release_assignment {PROBLEM_SET}")
    outbound = instructor.classroom.folder / "exchange" / "sdpa-course" / "outbound" / PROBLEM_SET
    text = (outbound / f"{PROBLEM_SET}.ipynb").read_text(encoding="utf-8")
    need("BEGIN" not in text and "unseen=True" not in text, "what was released has solutions or hidden tests in it")
    say(f"{PROBLEM_SET} is released, without solutions and hidden tests.")


def hand_in(student: Person, answers: dict[str, str], right: bool) -> None:
    """Log in, fetch, answer, look at the checks, submit."""
    student.log_in()
    student.wait_for_lab()
    need(student.status(f"/user/{student.name}/formgrader") == 404, f"{student.name} has a formgrader")
    student.open_list()
    student.press("released", "Fetch")
    student.page.locator("#fetched_assignments_list").get_by_role("button", name="Submit").wait_for()
    student.picture("1-fetched")
    student.open_notebook()
    for grade_id, source in answers.items():
        student.write(grade_id, source)
    student.run_and_save()
    said = student.printed("softmax_large-test")
    student.picture("2-check")
    if right:
        need(said.strip() == "softmax, second check: right.", f"a right answer got this check: {said!r}")
        need("right" in student.printed("entropy-test"), "the check of the entropy did not take a right answer")
    else:
        need(HINT in said, f"the check did not give the hint for this mistake, but {said!r}")
        need("not answered yet" in student.printed("entropy-test"), "an empty answer was not called so")
    say(f"{student.name} logs in, fetches {PROBLEM_SET}, writes {len(answers)} of 7 answers, and reads this check:")
    say("\n".join(f"    | {line}" for line in said.strip().splitlines()))
    student.open_list()
    student.press("fetched", "Submit")
    student.page.locator("#submitted_assignments_list").get_by_text(PROBLEM_SET, exact=True).first.wait_for()
    student.picture("3-submitted")
    say(f"{student.name} has handed in.")


def try_to_peep(classroom: Classroom, first: Person, second: Person) -> None:
    """What the second student must not see of the first one and of the instructor."""
    exchange = classroom.folder / "exchange" / "sdpa-course"
    course = classroom.home(classroom.instructor) / "course"
    closed = {
        f"the work of {first.name}": classroom.home(first.name) / "sdpa-course" / PROBLEM_SET / f"{PROBLEM_SET}.ipynb",
        "the list of submissions": exchange / "inbound",
        "the solutions": course / "solutions" / PROBLEM_SET / f"{PROBLEM_SET}.ipynb",
        "the gradebook": course / "gradebook.db",
        "the hub's own files": classroom.folder / "hub",
    }
    for what, path in closed.items():
        need(not classroom.can_read(second.name, path), f"{second.name} can read {what}: {path}")
    move = ["runuser", "-u", second.name, "--", "mv", str(exchange), f"{exchange}-gone"]
    need(subprocess.run(move, cwd="/", capture_output=True).returncode, f"{second.name} can move the course's exchange")
    need(second.status(f"/user/{first.name}/lab") in (403, 404), f"{second.name} can open the server of {first.name}")
    own = classroom.home(second.name) / "sdpa-course" / PROBLEM_SET / f"{PROBLEM_SET}.ipynb"
    need(classroom.can_read(second.name, own), "not even their own work can be read, so the refusals prove nothing")
    say(f"{second.name} is refused: {', '.join(closed)}, and the server of {first.name}. Students have no formgrader.")


def try_to_cheat(classroom: Classroom, first: Person, second: Person) -> None:
    """The second student makes two submissions by hand, newer than all others, that must not be collected."""
    inbound = classroom.folder / "exchange" / "sdpa-course" / "inbound"
    solutions = classroom.home(classroom.instructor) / "course" / "solutions" / PROBLEM_SET
    stamp = "2099-01-01 00:00:00.000000 UTC"
    forged = inbound / f"{first.name}+{PROBLEM_SET}+{stamp}+x"
    commands = (
        f"mkdir '{forged}'",  # an empty one in the name of the other
        f"echo '{stamp}' > '{forged}/timestamp.txt'",
        f"ln -s {solutions} '{inbound}/ghost+{PROBLEM_SET}+{stamp}+x'",  # nobody's, and a link to the solutions
    )
    done = subprocess.run(["runuser", "-u", second.name, "--", "sh", "-ec", "\n".join(commands)], cwd="/")
    need(not done.returncode, "the submissions that should not be collected could not be made")
    say(
        f"{second.name} makes an empty submission in the name of {first.name}, and one that is a link to the solutions."
    )


def grade(instructor: Person) -> None:
    """Collect and grade by code; the marks must be those that the two have earned."""
    classroom = instructor.classroom
    said = instructor.type_command(f"cd ~/course && nbgrader collect {PROBLEM_SET}")
    need(said.count("is not taken") >= 2, "collecting did not complain about the submissions that are not genuine")
    course = classroom.home(instructor.name) / "course"
    for name in classroom.students:
        text = (course / "submitted" / name / PROBLEM_SET / f"{PROBLEM_SET}.ipynb").read_text(encoding="utf-8")
        need("BEGIN SOLUTION" not in text, f"the submission of {name} was replaced by the solutions")
    say("Both are collected; the two submissions that are not genuine are left where they are.")
    said = instructor.type_command("cd ~/course && sdpa-course grade")
    for line in said.splitlines():
        if line.startswith("sdpa-course:"):
            say(f"    | {line}".replace(str(classroom.home(instructor.name)), "~"))
    for name, expected in zip(classroom.students, BY_CODE.values(), strict=True):
        row = grades(classroom)[name]
        need(float(row["checked by code"]) == expected, f"{name} got {row['checked by code']}, expected {expected}")
        say(f"{name}: {row['state']}, {row['checked by code']} points by code, {row['to be read']} answers to be read.")


def grades(classroom: Classroom) -> dict[str, dict]:
    """grades.csv, a row for each student."""
    with open(classroom.home(classroom.instructor) / "course" / "grades.csv", newline="", encoding="utf-8") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def give_back(classroom: Classroom, instructor: Person) -> None:
    """Read the written answers in the formgrader, then release the feedback."""
    first = classroom.students[0]
    instructor.picture("1-terminal")
    desk = Person.beside(instructor)  # a second tab: the terminal stays open
    desk.page.goto(f"{classroom.address}/user/{instructor.name}/formgrader/gradebook/{PROBLEM_SET}/{PROBLEM_SET}")
    desk.page.get_by_role("link", name="Submission #1").wait_for()
    desk.picture("2-formgrader")
    desk.page.locator("tr", has_text=first).locator("a.name-hidden").click()
    for grade_id, points in READ.items():
        field = desk.page.locator(f"input.score.needs_manual_grade#{grade_id}")  # so marked once its score has arrived
        field.wait_for()
        with desk.page.expect_response(lambda r: r.request.method == "PUT" and "/formgrader/api/grade/" in r.url):
            field.fill(f"{points:g}")
            field.press("Tab")
    desk.picture("3-read")
    desk.page.close()
    given = sum(READ.values())
    say(f"{instructor.name} reads the written answers of {first} in the formgrader and gives {given:g} points.")
    instructor.type_command("cd ~/course && sdpa-course grade")
    for name, expected in zip(classroom.students, total(), strict=True):
        row = grades(classroom)[name]
        need(float(row["score"]) == expected, f"{name} has {row['score']} points in all, expected {expected}")
        say(f"{name}: {row['score']} of {row['of']} points.")
    instructor.type_command(
        f"cd ~/course/submitted && for d in */{PROBLEM_SET}; do"
        " cp $d/timestamp.txt $d/submission_secret.txt ../autograded/$d/; done"
    )
    instructor.type_command(f"cd ~/course && nbgrader generate_feedback {PROBLEM_SET} --force")
    instructor.type_command(f"cd ~/course && nbgrader release_feedback {PROBLEM_SET}")
    pages = classroom.folder / "exchange" / "sdpa-course" / "feedback"
    need(not classroom.can_read(first, pages), "a student can list the feedback of the others")


def total() -> list[float]:
    """What the two have in the end: the second left the written answers blank."""
    right, wrong = BY_CODE.values()
    return [right + sum(READ.values()), wrong]


def read_feedback(student: Person, points: float) -> None:
    """Fetch the page and look at it."""
    student.open_list()
    student.press("submitted", "Fetch Feedback")
    student.page.get_by_text("(view feedback)").wait_for()
    student.picture("4-feedback-there")
    folder = student.classroom.home(student.name) / "sdpa-course" / PROBLEM_SET / "feedback"
    page = next(folder.glob(f"*/{PROBLEM_SET}.html")).relative_to(student.classroom.home(student.name))
    student.command("docmanager:open", path=str(page), factory="HTML Viewer")
    shown = student.page.frame_locator(".jp-HTMLViewer iframe").get_by_text(f"(Score: {points} / 20.0)")
    shown.wait_for()
    student.picture("5-feedback")
    say(f"{student.name} fetches the feedback and reads: {shown.inner_text().strip()}")


if __name__ == "__main__":
    sys.exit(main())
