// The clock and the task queue of simulated pages: what an application does next is run when the driver lets it, and
// time passes only
// while nothing else is left to do, so that nothing is waited for.
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";

interface Task {
  at: number;
  order: number;
  run: () => void;
  owner: unknown;
}

const realNow = Date.now.bind(Date);
const RealDate = Date;

export class Time {
  #now: number;
  #tasks = new Map<number, Task>();
  #order = 0;
  /** How many requests wait for the real server. */
  outside = 0;

  /** real has time pass as it does outside, for a server that works meanwhile. */
  constructor(
    start: number,
    readonly real: boolean,
  ) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  add(delay: number, run: () => void, owner?: unknown): number {
    const order = ++this.#order;
    this.#tasks.set(order, { at: this.#now + Math.max(0, Number(delay) || 0), order, run, owner });
    return order;
  }

  remove(id: unknown) {
    this.#tasks.delete(Number(id));
  }

  /** forget drops what an owner has left to do. */
  forget(owner: unknown) {
    for (const [id, t] of this.#tasks) if (t.owner === owner) this.#tasks.delete(id);
  }

  /** due runs what is due, once, and reports whether there was something. */
  async due(): Promise<boolean> {
    await turn();
    const due = [...this.#tasks.values()]
      .filter((t) => t.at <= this.#now)
      .sort((a, b) => a.at - b.at || a.order - b.order);
    for (const t of due) {
      if (!this.#tasks.delete(t.order)) continue;
      t.run();
      await undefined;
    }
    await turn();
    return due.length > 0;
  }

  /** pass goes to the next time at which something happens, not beyond an end, and reports whether there was one. */
  async pass(end: number): Promise<boolean> {
    await sleep(1); // what jsdom does by itself
    if (this.outside > 0 || this.real) {
      const began = realNow();
      await sleep(this.outside > 0 ? 2 : 5);
      if (this.real) this.#now += Math.max(1, realNow() - began);
      return this.#now <= end;
    }
    const next = Math.min(...[...this.#tasks.values()].map((t) => t.at));
    if (next > end) {
      this.#now = Math.max(this.#now, end);
      return false;
    }
    this.#now = Math.max(this.#now, next);
    return true;
  }

  /** run has an amount of time pass. */
  async run(ms: number): Promise<void> {
    for (const end = this.#now + ms; ;) {
      while (await this.due());
      const next = Math.min(...[...this.#tasks.values()].map((t) => t.at));
      if (next > end) {
        this.#now = Math.max(this.#now, end);
        return;
      }
      this.#now = Math.max(this.#now, next);
    }
  }

  /** until waits until something holds. It fails once nothing more happens, or after a limit. */
  async until<T>(holds: () => T | Promise<T>, what: () => string, limit = this.real ? 20_000 : 60_000): Promise<T> {
    for (const end = this.#now + limit; ;) {
      const value = await holds();
      if (value) return value;
      if (await this.due()) continue;
      if (!(await this.pass(end)) && !(await holds())) throw new Error(`waited in vain for ${what()}`);
    }
  }

  /** clock has what a window has of time. */
  clock(owner: unknown) {
    const add = this.add.bind(this);
    const later =
      (once: boolean) =>
      (run: (...a: unknown[]) => void, delay = 0, ...args: unknown[]) => {
        let id = 0;
        const call = () => {
          if (!once) {
            // The same id, as it is what clears it.
            const at = this.#now + Math.max(1, delay);
            this.#tasks.set(id, { at, order: id, run: call, owner });
          }
          run(...args);
        };
        id = add(once ? delay : Math.max(1, delay), call, owner);
        return id;
      };
    class Channel {
      port1 = {
        onmessage: null as ((e: object) => void) | null,
        postMessage: (data: unknown) => void add(0, () => this.port2.onmessage?.({ data }), owner),
        close() {},
        start() {},
      };
      port2 = {
        onmessage: null as ((e: object) => void) | null,
        postMessage: (data: unknown) => void add(0, () => this.port1.onmessage?.({ data }), owner),
        close() {},
        start() {},
      };
    }
    const origin = this.#now;
    return {
      setTimeout: later(true),
      setInterval: later(false),
      clearTimeout: (id: unknown) => this.remove(id),
      clearInterval: (id: unknown) => this.remove(id),
      requestAnimationFrame: (run: (t: number) => void) => this.add(16, () => run(this.#now - origin), owner),
      cancelAnimationFrame: (id: unknown) => this.remove(id),
      setImmediate: undefined,
      MessageChannel: Channel,
      Date: this.date(),
      performance: {
        now: () => this.#now - origin,
        mark() {},
        measure() {},
        timeOrigin: origin,
        getEntriesByType: () => [],
      },
    };
  }

  date(): DateConstructor {
    const now = () => this.#now;
    return class extends RealDate {
      constructor(...args: []) {
        super(...((args.length === 0 ? [now()] : args) as []));
      }
      static now() {
        return now();
      }
    } as DateConstructor;
  }
}
