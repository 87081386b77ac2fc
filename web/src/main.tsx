// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts the page with the data that it contains.
import { render } from "preact";
import { App } from "./App";
import { decodeEmbedded } from "./data/decode";
import "./style.css";

async function start(): Promise<void> {
  const root = document.getElementById("app")!;
  try {
    const first = await decodeEmbedded();
    root.replaceChildren();
    render(<App first={first} />, root);
    document.documentElement.dataset.ready = "yes";
  } catch (error) {
    document.documentElement.dataset.ready = "no";
    root.textContent = `This page cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
  }
}

void start();
