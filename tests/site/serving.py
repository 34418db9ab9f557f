"""A folder of files on 127.0.0.1, as a web server gives them out: texts compressed. For the tests and for a look.

python -m tests.site.serving [folder] [port]
"""

import gzip
import io
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

TYPES = {  # a browser takes scripts and WebAssembly under no other name, and a machine's own table may not have them
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".json": "application/json",
    ".ipynb": "application/json",
    ".wasm": "application/wasm",
    ".whl": "application/octet-stream",
    ".svg": "image/svg+xml",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
}


class Files(SimpleHTTPRequestHandler):
    """Files, without a line of log for each."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | TYPES
    protocol_version = "HTTP/1.1"  # keeps connections: a page of JupyterLite asks for hundreds of files

    def send_head(self):
        """A text goes out compressed, like from the servers that sites live on."""
        path = Path(self.translate_path(self.path))
        if path.suffix not in (".html", ".css", ".js", ".json", ".svg") or not path.is_file():
            return super().send_head()
        packed = gzip.compress(path.read_bytes(), 6)
        self.send_response(200)
        for name, value in (("Content-Encoding", "gzip"), ("Content-Length", str(len(packed)))):
            self.send_header(name, value)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.end_headers()
        return io.BytesIO(packed)

    def log_message(self, *args) -> None:
        """Nothing."""


class Server(ThreadingHTTPServer):
    """Many requests at once; a browser that goes away in the middle of one is no event."""

    daemon_threads = True

    def handle_error(self, request, client_address) -> None:
        """Nothing, if the browser left."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Serving:
    """`with Serving(folder) as address:` — the folder at http://127.0.0.1:…, without a slash at the end."""

    def __init__(self, folder: Path, port: int = 0):
        self.server = Server(("127.0.0.1", port), partial(Files, directory=str(folder)))
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self) -> str:
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self.address

    def __exit__(self, *exception) -> None:
        self.server.shutdown()
        self.server.server_close()


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2] / "build" / "site")
    serving = Serving(folder, int(sys.argv[2]) if len(sys.argv) > 2 else 8080)
    print(f"{folder} at {serving.address}, Ctrl-C stops it", flush=True)
    serving.server.serve_forever()
