// What functions find in a browser, and not in each version of Node.
import { exactJSON } from "./driver/json";

globalThis.JSON = exactJSON;
