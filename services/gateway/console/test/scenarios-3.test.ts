import { part } from "./driver/run";

part(3, 4);
