"""More hostile cells: each prints SECRET if it gets what it's after, and none may earn a mark or cost one.

HARMLESS go into right solutions, which must keep all their points; CHEATS into untouched exercises, which get none.
"""

from sdpa_classroom.sandbox import JOB

SOCKETS = """
import socket
for family, kind in ((2, 2), (1, 1), (16, 3), (17, 3), (38, 5), (40, 1), (10, 1)):  # UDP, Unix, netlink, ..., vsock
    try:
        socket.socket(family, kind)
        print("SECRET", family)
    except OSError:
        pass
"""
PROC = """
import glob, os
for path in ("/proc/1/environ", "/proc/1/mem", "/proc/kcore", "/proc/kmsg", "/proc/1/root/etc/shadow"):
    try:
        with open(path, "rb") as file:
            print("SECRET" if b"HUB" in file.read(10_000) or "shadow" in path else "")
    except OSError:
        pass
"""
WRITE_PROC = """
for path, text in {
    "/proc/sys/kernel/core_pattern": "|/bin/x",
    "/proc/sysrq-trigger": "h",
    "/proc/self/oom_score_adj": "-999",
    "/proc/sys/vm/drop_caches": "1",
}.items():
    try:
        with open(path, "w") as file:
            file.write(text)
        print("SECRET", path)
    except OSError:
        pass
"""
REOPEN = """
import glob, os
for path in glob.glob("/proc/[0-9]*/fd/*"):
    try:
        target = os.readlink(path)
        with open(path, "r+b", buffering=0) as file:
            if os.path.isabs(target) and not target.startswith(("/dev/", "/proc/", "/tmp/", "/sandbox/home")):
                print("SECRET", target)
    except (OSError, ValueError):
        pass
"""
DAEMON = """
import os, time
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        while True:
            time.sleep(0.01)
            for fd in range(3, 20):
                try:
                    os.write(fd, b'\\n{"task": "softmax", "answers": []}\\n')
                except OSError:
                    pass
"""
THREADS = """
import threading, time
kept = []
try:
    for _ in range(10_000):
        kept.append(threading.Thread(target=time.sleep, args=(1000,), daemon=True))
        kept[-1].start()
except RuntimeError:
    pass
"""
SHARED = """
import mmap
for flags, path in ((mmap.MAP_SHARED | mmap.MAP_ANONYMOUS, None), (mmap.MAP_SHARED, "/dev/zero")):
    try:
        mmap.mmap(-1 if path is None else open(path, "r+b").fileno(), 2**30, flags=flags)
        print("SECRET")
    except OSError:
        pass
"""
PIPES = """
import fcntl, os
kept = []
try:
    while True:
        kept += os.pipe()
        os.set_blocking(kept[-1], False)
        os.write(kept[-1], bytes(2**20))
except OSError:
    for fd in kept:
        os.close(fd)
try:
    fcntl.fcntl(os.pipe()[0], 1031, 2**24)
    print("SECRET")
except OSError:
    pass
"""
LOCKS = """
import fcntl
with open("/tmp/locked", "w+b") as file:
    try:
        for n in range(1000):
            fcntl.lockf(file, fcntl.LOCK_EX, 1, 2 * n)
        print("SECRET")
    except OSError:
        pass
"""
FILL = """
import os
try:
    for n in range(10**6):
        os.symlink("x" * 4000, f"/tmp/{n}")
    print("SECRET")
except OSError:
    pass
try:
    for n in range(10**6):
        os.makedirs("d/" * n or "d")
except OSError:
    pass
try:
    with open("hole", "wb") as file:
        file.truncate(2**40)
    print("SECRET")
except OSError:
    pass
"""
LINKS = """
import os
for target in ("/etc/shadow", "/proc/1/root/etc/shadow", "/home", "/root/.ssh", "/var", "../../../../../etc/passwd"):
    try:
        os.symlink(target, "way-out")
        print("SECRET", os.listdir("way-out") if os.path.isdir("way-out") else open("way-out").read())
    except OSError:
        pass
    finally:
        os.unlink("way-out")
"""
TOOLS = """
import os
for words in ("mount -t tmpfs x /tmp", "unshare -r true", "umount /usr", "mount -o remount,rw /usr", "chroot /tmp /x",
              "su -c true", "mkfifo /tmp/p && mknod /tmp/d c 1 1", "chmod 777 /usr", "nsenter -t 1 -m true", "dmesg"):
    if os.system(words + " > /dev/null 2>&1") == 0:
        print("SECRET", words)
"""
SPEAK = """
import sys
print("\\x1b]0;title\\x07\\x1b[2J\\x00\\u202e\\ud800 </pre><img src=http://example.org/SECR.png>")
sys.stderr.write("\\x9b" * 100_000)
raise RuntimeError("</pre><script>boo</script>" * 10_000)
"""
NO_ALARM = """
import signal
signal.setitimer(signal.ITIMER_REAL, 0)
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
"""
RECURSION = (
    "import sys\nsys.setrecursionlimit(10**9)\ndef f(): return f() + 1\ntry:\n    f()\nexcept BaseException: pass"
)
HARMLESS = {
    "sockets": SOCKETS,
    "web": "import urllib.request\nurllib.request.urlopen('http://example.org').read()\nprint('SECRET')",
    "lookup": "import socket\nprint('SECRET', socket.getaddrinfo('example.org', 80))",
    "proc": PROC,
    "writes-proc": WRITE_PROC,
    "reopens": REOPEN,
    "stops-pid-1": "import os\nfor n in (19, 15, 9):\n    try:\n        os.kill(1, n)\n    except OSError: pass",
    "daemons": DAEMON,
    "threads": THREADS,
    "shared-memory": SHARED,
    "pipes": PIPES,
    "locks": LOCKS,
    "fills-the-disk": FILL,
    "links-out": LINKS,
    "tools": TOOLS,
    "speaks-in-tongues": SPEAK,
    "no-alarm": NO_ALARM,
    "closes-stdout": "import os\nos.close(0); os.close(1); os.close(2)",
    "no-limits": "import resource\nresource.setrlimit(resource.RLIMIT_AS, (-1, -1))\nprint('SECRET')",
    "root-again": "import os\nos.setuid(0)\nprint('SECRET' if open('/etc/shadow').read() else '')",
    "group-again": "import os\nos.setgroups([0])\nos.setgid(0)\nprint('SECRET')",
    "exit-hook": "import sys\nsys.excepthook = lambda *a: sys.exit(9)\nsys.unraisablehook = sys.excepthook",
    "odd-names": "ℝ = ｘ = 1\nclass ＬＩＡＲ: pass\nglobals()['\\u202e'] = ﬁ = 2",
    "bytes": "import os\nos.mkdir(b'\\xff\\xfe')\nopen(b'\\xff\\xfe/\\n', 'w').close()\nos.chdir(b'\\xff\\xfe')",
    "removed-home": "import os, shutil\nos.mkdir('x'); os.chdir('x'); os.rmdir('../x')",
    "no-garbage": "import gc\ngc.disable(); gc.set_threshold(0); gc.freeze()",
}
SEARCH_MEMORY = """
import gc, sys, types
for thing in gc.get_objects():
    if isinstance(thing, dict) and ("right" in thing or "solution" in thing) and "points" in thing:
        print("SECRET", list(thing)[:5])
    if isinstance(thing, types.FunctionType) and str(thing.__module__).startswith("sdpa_course.homework.ps"):
        print("SECRET", thing)
print([name for name in sys.modules if "homework.ps" in name or "judg" in name] and "SECRET" or "")
"""
FRAMES = """
import sys
frame = sys._getframe()
while frame:
    for name, value in frame.f_locals.items():
        if name == "job":
            for task in value["tasks"].values():
                task["cases"].clear()
        if name == "asked":
            value.update({task: {"answers": [{"arrays": [], "problem": "", "several": False}]} for task in job_tasks}
                         if (job_tasks := ("softmax", "entropy", "top_weight")) else {})
    frame = frame.f_back
"""
SENDERS = """
import base64, json, sys
from sdpa_classroom import messages, runner
messages.encode = lambda value: {"dtype": "float64", "shape": [1], "data": "AAAAAAAA8D8="}
whole = json.dumps
json.dumps = lambda message, **k: whole({**message, "marks": 99, "passed": True, "done": True}).replace("false", "true")
for module in (runner, sys.modules["__main__"]):
    module.answer = lambda shell, name, *rest: {"task": name, "answers": [True] * 99, "marks": {name: 99}}
    module.judge = module.judge_draws = lambda *a: True
"""
PICKLES = """
import base64, json, os, pickle
class Bomb:
    def __reduce__(self):
        return os.system, ("touch /tmp/SECRET",)
data = base64.b64encode(pickle.dumps(Bomb())).decode()
lines = [{"task": name, "answers": shape} for name in ("softmax", "top_weight", "entropy") for shape in (
    [{"arrays": [{"dtype": "object", "shape": [1], "data": data}], "problem": "", "several": False}] * 9,
    {"arrays": data}, [data] * 9, [[[[]]]] * 9, [None] * 9,
    [{"arrays": [{"dtype": "float64", "shape": [0, 10**9], "data": ""}] * 9, "problem": {}, "several": 1e999}] * 9)]
lines += [{"cell": number, "printed": [], "error": {}} for number in (-1, 10**30, True, None, "0")]
text = "\\n".join(map(json.dumps, lines)) + '\\n{"done": NaN, "cell": 1e999, "a": ' + "[" * 50_000 + "\\n"
for fd in range(3, 20):
    try:
        os.write(fd, text.encode())
    except OSError:
        pass
"""
FINISHED = """
import os
for fd in range(3, 20):
    try:
        os.write(fd, b'\\n{"done": true}\\n')
    except OSError:
        pass
os._exit(0)
"""
SEARCH_FILES = f"""
import os
for top in ("/usr/lib/python3", "/usr/local", os.path.dirname(np.__file__) + "/../..", "/sandbox", "/etc", "/work"):
    for folder, _, files in os.walk(top):
        for name in files:
            if name.startswith("ps0") and name.endswith((".py", ".pyc", ".ipynb")):
                print("SECRET", folder, name)
import json
try:
    job = json.load(open({str(JOB)!r}))  # the student's own cells, and inputs
    print("SECRET" if any(set(task) != {{"answer", "cases"}} for task in job["tasks"].values()) else "")
except OSError:
    pass
"""
IMPORTS = """
import importlib, pkgutil, sdpa_course, sdpa_course.homework as h, sys
for name in ("tasks", "judging", "ps03", "hints", "results"):
    try:
        importlib.import_module(f"sdpa_course.homework.{name}")
        print("SECRET", name)
    except ImportError:
        pass
print([m.name for m in pkgutil.iter_modules(h.__path__)])
"""
LAZY = """
class Always(float):
    def __getattr__(self, name): return self
    def __call__(self, *a, **k): return self
    def __array__(self, *a, **k): return np.full((2, 2), np.nan)
    __eq__ = __le__ = __ge__ = lambda *a: True
    __hash__ = float.__hash__
softmax = entropy = mended_log_softmax = softmax_large = top_weight = Always("nan")
"""
CHEATS = {
    "searches-memory": SEARCH_MEMORY,
    "climbs-frames": FRAMES,
    "replaces-senders": SENDERS,
    "sends-pickles": PICKLES,
    "says-done": FINISHED,
    "searches-files": SEARCH_FILES,
    "imports-all": IMPORTS,
    "always-equal": LAZY,
    "returns-inputs": "softmax = entropy = mended_log_softmax = lambda *a, **k: a[0] if a else None",
    "generators": "def softmax(scores):\n    while True:\n        yield scores\nentropy = softmax",
    "nothing-but-inf": "softmax = entropy = mended_log_softmax = lambda *a, **k: np.inf\ntop_weight = float('nan')",
    "patched-float": "import builtins\nbuiltins.float = builtins.abs = builtins.len = lambda *a: 0",
}
TEXTS = (
    "!![x](http://evil.example/1.png) !!![y](https://evil.example/2.png) !\\[z](http://evil.example/3.png)",
    "![a][r] !![b][r]\n\n[r]: http://evil.example/4.png\n",
    "<IMG SRC=http://evil.example/5.png> <svg/onload=alert(1)> <style>@import 'http://evil.example/6.css'</style>",
    "$\\style{background:url(http://evil.example/7.png)}{x}$ $\\href{javascript:alert(1)}{y}$ $\\require{action}$",
    '<meta http-equiv=refresh content="0;url=http://evil.example"> <base href="http://evil.example/">',
    "<http://evil.example/8> <iframe src=//evil.example></iframe> [x](data:text/html,<script>) ![](//evil.example/9)",
    "!" * 50 + "[![x](http://evil.example/10.png)](http://evil.example/11.png)",
    "![x\n](http://evil.example/12.png) !<!-- -->[x](http://evil.example/13.png) !&#91;x](http://evil.example/14.png)",
)
