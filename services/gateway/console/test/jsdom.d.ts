// What is used of jsdom, which has no types.
declare module "jsdom" {
  export class VirtualConsole {
    on(event: "jsdomError", call: (e: Error) => void): void;
  }

  export class JSDOM {
    constructor(html: string, options: { url: string; virtualConsole: VirtualConsole; contentType: string });
    readonly window: object;
  }
}
