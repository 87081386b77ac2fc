# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command with a debuginfod server at hand: debuginfod.py FOLDER CACHE COMMAND...

FOLDER has what the server has: buildid/HEX/debuginfo. CACHE is the client's, and empty.
"""

import functools
import http.server
import os
import subprocess
import sys
import threading


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


folder, cache, *command = sys.argv[1:]
with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as server:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    environment = dict(os.environ, DEBUGINFOD_URLS=f"http://127.0.0.1:{server.server_port}",
                       DEBUGINFOD_CACHE_PATH=os.path.abspath(cache))
    for proxy in "http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy":
        environment.pop(proxy, None)
    status = subprocess.run(command, env=environment).returncode
    server.shutdown()
sys.exit(status)
