/* The picture of a position: in a page, this file is the one of its game (lab/tracing/page_file.py). */

import { stillDrawing } from "../../../client/web/boards/shapes.js";

/** @param {string} position
 *  @returns {SVGElement} */
export const picture = (position) => stillDrawing(1, 1, `picture ${position}`);
