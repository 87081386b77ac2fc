// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files out of the page: CSV, SVG, PNG.

function download(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const field = (value: unknown): string => {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** RFC 4180, as `inmem report --format csv`. */
export function saveCsv(name: string, rows: unknown[][]): void {
  const text = rows.map((row) => row.map(field).join(",")).join("\r\n");
  download(`${name}.csv`, new Blob([text, "\r\n"], { type: "text/csv" }));
}

/** Copies what the style sheet says of each element into the copy. */
function standalone(svg: SVGSVGElement): SVGSVGElement {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const from = [svg, ...svg.querySelectorAll<SVGElement>("*")];
  const to = [copy, ...copy.querySelectorAll<SVGElement>("*")];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const key of ["fill", "stroke", "stroke-width", "font-size", "font-family", "opacity", "text-anchor"]) {
      const value = style.getPropertyValue(key);
      if (value) to[i].setAttribute(key, value);
    }
  });
  const { width, height } = svg.getBoundingClientRect();
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  return copy;
}

const svgText = (svg: SVGSVGElement): string => new XMLSerializer().serializeToString(standalone(svg));

const saveSvgText = (name: string, text: string): void =>
  download(`${name}.svg`, new Blob([text], { type: "image/svg+xml" }));

/** A picture of the page. */
export const saveSvg = (name: string, svg: SVGSVGElement): void => saveSvgText(name, svgText(svg));

/** One that was drawn to be saved, with all its styles. */
export const saveDrawing = (name: string, svg: SVGElement): void =>
  saveSvgText(name, new XMLSerializer().serializeToString(svg));

export async function savePng(name: string, from: SVGSVGElement | HTMLCanvasElement): Promise<void> {
  const canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d")!;
  const ground = getComputedStyle(document.body).backgroundColor;
  const fill = () => {
    pen.fillStyle = ground;
    pen.fillRect(0, 0, canvas.width, canvas.height);
  };
  if (from instanceof HTMLCanvasElement) {
    canvas.width = from.width;
    canvas.height = from.height;
    fill();
    pen.drawImage(from, 0, 0);
  } else {
    const { width, height } = from.getBoundingClientRect();
    const scale = Math.min(2, 8000 / Math.max(width, height, 1));
    canvas.width = width * scale;
    canvas.height = height * scale;
    const image = new Image();
    image.src = URL.createObjectURL(new Blob([svgText(from)], { type: "image/svg+xml" }));
    await image.decode();
    fill();
    pen.drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(image.src);
  }
  canvas.toBlob((blob) => blob && download(`${name}.png`, blob), "image/png");
}
