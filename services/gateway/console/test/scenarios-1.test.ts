import { part } from "./driver/run";

part(1, 4);
