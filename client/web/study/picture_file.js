/* A small picture of a position as a file of its own: the style sheet's colours are written into it. */

import { saveFile } from "../page/save_file.js";

const LOOK = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-linecap", "stroke-linejoin", "opacity", "font-family",
  "font-size", "font-weight", "text-anchor", "visibility", "display"];
const WIDTH = 640; // pixels that a program shows at first; the picture itself has no size

/** Save a drawing as an SVG file.
 *  @param {SVGElement} drawing
 *  @param {string} name */
export function savePicture(drawing, name) {
  const stage = document.createElement("div");
  stage.className = "off-stage";
  stage.append(drawing);
  document.body.append(stage); // styles are only known of what stands in the page
  for (const each of [drawing, ...drawing.querySelectorAll("*")]) {
    const styles = getComputedStyle(each);
    for (const look of LOOK) each.setAttribute(look, styles.getPropertyValue(look));
    each.removeAttribute("class");
  }
  drawing.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  drawing.setAttribute("width", String(WIDTH));
  drawing.removeAttribute("aria-hidden");
  const file = new Blob([new XMLSerializer().serializeToString(drawing)], { type: "image/svg+xml" });
  stage.remove();
  saveFile(file, `${name}.svg`);
}
