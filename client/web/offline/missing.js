/* The page that is shown for an address that leads nowhere, in the reader's language. */

import { byId, put } from "../page/dom.js";
import { words } from "../texts/words.js";

document.title = `${words.missing.title} · Plyhouse`;
put(byId("title"), words.missing.title);
put(byId("what"), words.missing.what);
put(byId("home"), words.missing.home);
