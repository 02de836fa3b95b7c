import { part } from "./driver/run";

part(2, 4);
