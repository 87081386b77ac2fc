// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts `inmem lsp`, and shows what the protocol has no place for: heat in the gutter and a tree of findings.
import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";

const selector = [
  { scheme: "file", language: "c" },
  { scheme: "file", language: "cpp" },
];

interface Finding {
  rule: string;
  severity: "high" | "medium" | "low";
  about: string;
  message: string;
  advice: string;
  saves: string;
  function: string | null;
  docs?: string;
  uri?: string;
  line?: number;
}

/** Findings of the trace, the most at stake first. */
class Findings implements vscode.TreeDataProvider<Finding> {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly client: LanguageClient) {}

  refresh(): void {
    this.changed.fire();
  }

  async getChildren(of?: Finding): Promise<Finding[]> {
    return of || !this.client.isRunning() ? [] : this.client.sendRequest<Finding[]>("inmem/findings");
  }

  getTreeItem(of: Finding): vscode.TreeItem {
    const item = new vscode.TreeItem(`${of.rule}: ${of.about}`);
    item.description = of.saves || of.message;
    item.iconPath = new vscode.ThemeIcon(of.severity === "high" ? "warning" : "info");
    const text = new vscode.MarkdownString();
    text.appendText(`${of.message}\n\n${of.saves}\n\n${of.advice}`);
    if (of.docs) text.appendMarkdown(`\n\n[${of.rule}](${of.docs})`);
    item.tooltip = text;
    if (of.uri !== undefined && of.line !== undefined) {
      const at = new vscode.Position(of.line, 0);
      item.resourceUri = vscode.Uri.parse(of.uri);
      item.command = {
        command: "vscode.open",
        title: "Open",
        arguments: [item.resourceUri, { selection: new vscode.Range(at, at) }],
      };
    }
    return item;
  }
}

/** Colours of lines, from a few per mille of all bytes or blocks to a half and more. */
class Heat {
  private readonly levels = [
    { from: 0, colour: "#f2c94c55" },
    { from: 0.01, colour: "#f2c94caa" },
    { from: 0.05, colour: "#f2994a" },
    { from: 0.2, colour: "#eb5757" },
    { from: 0.5, colour: "#b3001b" },
  ].map(({ from, colour }) => ({
    from,
    type: vscode.window.createTextEditorDecorationType({
      gutterIconPath: vscode.Uri.parse(
        `data:image/svg+xml,${encodeURIComponent(
          `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="16"><rect x="2" width="5" height="16" fill="${colour}"/></svg>`,
        )}`,
      ),
      gutterIconSize: "contain",
      overviewRulerColor: colour,
      overviewRulerLane: vscode.OverviewRulerLane.Left,
    }),
  }));
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly client: LanguageClient) {}

  /** Soon, and once for several reasons. */
  refresh(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => vscode.window.visibleTextEditors.forEach((editor) => void this.paint(editor)), 100);
  }

  private async paint(editor: vscode.TextEditor): Promise<void> {
    if (!this.client.isRunning() || vscode.languages.match(selector, editor.document) === 0) return;
    const wanted = vscode.workspace.getConfiguration("inmem").get("heat", true);
    const rows = wanted
      ? await this.client.sendRequest<{ line: number; share: number }[]>("inmem/heat", {
          textDocument: { uri: this.client.code2ProtocolConverter.asUri(editor.document.uri) },
        })
      : [];
    this.levels.forEach(({ from, type }, i) => {
      const to = this.levels[i + 1]?.from ?? Infinity;
      editor.setDecorations(
        type,
        rows.filter(({ share }) => share >= from && share < to).map(({ line }) => new vscode.Range(line, 0, line, 0)),
      );
    });
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.levels.forEach(({ type }) => type.dispose());
  }
}

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const settings = vscode.workspace.getConfiguration("inmem");
  client = new LanguageClient(
    "inmem",
    "inmem",
    { command: settings.get("path", "inmem"), args: ["lsp"] },
    {
      documentSelector: selector,
      initializationOptions: settings,
      synchronize: { configurationSection: "inmem" },
    },
  );
  const findings = new Findings(client);
  const heat = new Heat(client);
  context.subscriptions.push(
    heat,
    vscode.window.registerTreeDataProvider("inmem.findings", findings),
    client.onNotification("inmem/changed", () => {
      findings.refresh();
      heat.refresh();
    }),
    vscode.window.onDidChangeVisibleTextEditors(() => heat.refresh()),
    vscode.workspace.onDidChangeTextDocument(() => heat.refresh()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("inmem")) heat.refresh();
    }),
  );
  await client.start();
}

export async function deactivate(): Promise<void> {
  if (client?.isRunning()) await client.stop();
}
