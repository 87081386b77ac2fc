# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A proxy in front of a server of S3, which drops connections and changes bytes of bodies when a test tells it to."""
import contextlib
import select
import socket
import threading

BODY = b"\r\n\r\n"


class Proxy:
    """Takes connections in a thread of its own. Each request with a body takes the next of `faults`:
    a number cuts its connection after that many bytes of the body, "corrupt" changes the first one."""

    def __init__(self, port):
        self.server, self.faults, self.done = port, [], []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with contextlib.suppress(OSError), client, socket.create_connection(("127.0.0.1", self.server)) as server:
            while ready := select.select([client, server], [], [])[0]:
                if server in ready:
                    data = server.recv(65536)
                    if not data:
                        return
                    client.sendall(data)
                if client in ready and not self.forward(client, server):
                    return

    def forward(self, client, server):
        """Passes one request's head and body on; False: the connection is cut, or was closed."""
        head = b""
        while BODY not in head:
            data = client.recv(65536)
            if not data:
                return False
            head += data
        head, _, body = head.partition(BODY)
        sizes = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        left = int(sizes[0]) if sizes else 0
        fault = self.faults.pop(0) if left and self.faults else None
        if fault is not None:
            self.done.append(fault)
        server.sendall(head + BODY)
        passed = 0
        while True:
            if body and fault == "corrupt":
                body, fault = bytes([body[0] ^ 1]) + body[1:], None
            if isinstance(fault, int) and passed + len(body) >= fault:
                server.sendall(body[:fault - passed])
                return False
            server.sendall(body)
            passed += len(body)
            if passed >= left:
                return True
            body = client.recv(65536)
            if not body:
                return False
