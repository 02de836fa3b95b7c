import { part } from "./driver/run";

part(0, 4);
