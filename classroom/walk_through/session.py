"""Somebody without a browser: the same login, server and kernel, over https and a WebSocket."""

import json
import secrets
import ssl
import time
from urllib.parse import quote, urlsplit

import requests
import websocket
from machine import need
from room import Classroom

PATIENCE = 120  # seconds for anything: the machine may be busy


class KernelGone(Exception):
    """The kernel died while it ran something."""


class Session:
    """One account's server and a kernel on it."""

    def __init__(self, classroom: Classroom, name: str):
        self.classroom, self.name = classroom, name
        self.certificate = str(classroom.hub.certificate)
        self.web = requests.Session()
        self.web.verify, self.web.trust_env = self.certificate, False  # nothing of the machine's own settings
        self.url = f"{classroom.hub.address}/user/{quote(name)}"
        self.socket = self.kernel = None

    def log_in(self) -> None:
        """With the password of the Unix account; the server is up when this returns."""
        login = f"{self.classroom.hub.address}/hub/login"
        self.web.get(login)
        form = {"username": self.name, "password": self.classroom.passwords[self.name]}
        self.web.post(login, data={**form, "_xsrf": self.token("/hub/")})
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            page = self.web.get(f"{self.url}/lab")
            if page.ok and urlsplit(page.url).path.startswith(f"/user/{self.name}/lab"):
                return
            time.sleep(0.2)
        need(False, f"the server of {self.name} did not start: {page.status_code} {page.url}")

    def token(self, path: str) -> str:
        """What a form must send back, so that other sites can't send it."""
        return next(c.value for c in self.web.cookies if c.name == "_xsrf" and c.path.rstrip("/") == path.rstrip("/"))

    def start_kernel(self) -> None:
        """A Python of its own, and the WebSocket that a page would open."""
        token = {"X-XSRFToken": self.token(f"/user/{self.name}/")}
        answer = self.web.post(f"{self.url}/api/kernels", json={"name": "python3"}, headers=token)
        need(answer.ok, f"{self.name} gets no kernel: {answer.status_code} {answer.text[:200]}")
        self.kernel = answer.json()["id"]
        cookies = "; ".join(f"{c.name}={c.value}" for c in self.web.cookies if f"/user/{self.name}/".startswith(c.path))
        self.socket = websocket.create_connection(
            f"{self.url.replace('https', 'wss')}/api/kernels/{self.kernel}/channels",
            cookie=cookies,
            origin=self.classroom.hub.address,
            timeout=PATIENCE,
            sslopt={"ca_certs": self.certificate, "cert_reqs": ssl.CERT_REQUIRED},
        )
        self.run("pass")

    def run(self, code: str) -> str:
        """Run code in the kernel; gives what it printed, an error's last line included."""
        number = secrets.token_hex(8)
        header = {"msg_id": number, "msg_type": "execute_request", "username": "", "session": number, "version": "5.3"}
        content = {"code": code, "silent": False, "store_history": False, "allow_stdin": False}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"}
        self.socket.send(json.dumps(message))
        said = ""
        while True:
            message = json.loads(self.socket.recv())
            if message["content"].get("execution_state") in ("restarting", "autorestarting", "dead"):
                raise KernelGone
            if message["parent_header"].get("msg_id") != number:
                continue
            if message["msg_type"] == "stream":
                said += message["content"]["text"]
            if message["msg_type"] == "error":
                said += f"{message['content']['ename']}: {message['content']['evalue']}\n"
            if message["content"].get("execution_state") == "idle":
                return said

    def kernels(self) -> int:
        """How many kernels the server has."""
        return len(self.web.get(f"{self.url}/api/kernels").json())

    def close(self) -> None:
        """What closing the page would do; the server goes on."""
        if self.socket:
            self.socket.close()
        self.web.close()
