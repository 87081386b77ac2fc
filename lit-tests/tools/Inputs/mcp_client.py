# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mcp_client.py INMEM OLD NEW: talks to `inmem mcp` through the Python SDK of the Model Context Protocol."""

import asyncio
import json
import subprocess
import sys

from mcp import ClientSession, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client


async def talk(inmem, old, new):
    def output(*words):
        return subprocess.run([inmem, *words], capture_output=True, text=True, check=True).stdout

    async with (
        stdio_client(StdioServerParameters(command=inmem, args=["mcp"])) as (read, write),
        ClientSession(read, write) as session,
    ):

        async def call(tool, **arguments):
            answer = await session.call_tool(tool, arguments)
            return answer.is_error, answer.content[0].text

        hello = await session.initialize()
        print("server:", hello.server_info.name)
        print(", ".join(tool.name for tool in (await session.list_tools()).tools))
        for tool, arguments, words in (
            ("report", {"file": new}, ("report", "--format", "markdown", new)),
            ("sites", {"file": new, "top": 3}, ("report", "--format", "markdown", "--by", "site", "--top", "3", new)),
        ):
            same = await call(tool, **arguments) == (False, output(*words))
            print(f"{tool}:", "as the command says" if same else "something else")
            if tool == "sites":
                failed, text = await call("findings", file=new)
                print("findings:", len(json.loads(text)) if not failed else text)
        failed, text = await call("diff", old=old, new=new)
        print("diff:", "an error" if failed else text)
        failed, _ = await call("report", file="nowhere.inmem")
        print("no such file:", "an error" if failed else "an answer")
        try:
            await call("nothing")
            print("no such tool: an answer")
        except MCPError:
            print("no such tool: refused")


asyncio.run(talk(*sys.argv[1:]))
