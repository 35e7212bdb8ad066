// Fixtures for scenarios of one's own: a wire between the browser and the app that holds and cuts the form, a mark for the records of
// each test, and the number of records with it. See docs/e2e-other-apps.md.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test as base } from "@playwright/test";

export { expect };

/** The wire knows the form by the mark in its body. All other requests pass. */
export class Wire {
  constructor(readonly proxy: string, private readonly steers: string) {}

  /** Holds each form, or the app's answer, or the page after a redirect, until release. */
  hold = (at: "before the app" | "after the app" | "before the next page") => this.steer(`hold?at=${at}`);
  /** Lets pass what is held, in the order of arrival. */
  release = () => this.steer("release");
  /** Breaks the connection of the next form. Nothing passes until heal. */
  cut = (at: "before the request" | "inside the request" | "before the answer" | "inside the answer") => this.steer(`cut?at=${at}`);
  heal = () => this.steer("heal");

  /** The number of forms that the browser has sent. */
  posts = async () => Number(await this.ask("posts"));
  /** Waits until the browser has nothing more to load. */
  settled = () => expect.poll(() => this.ask("quiet"), { intervals: [50], timeout: 30_000 }).toBe("true");

  /** Makes a gesture that may send the form once more, and waits until it has, or half a second. */
  async again(gesture: () => Promise<unknown>) {
    const before = await this.posts();
    await gesture();
    for (const end = Date.now() + 500; (await this.posts()) === before && Date.now() < end; );
  }

  private steer = async (how: string) => void (await this.ask(how, "POST"));

  private async ask(what: string, method = "GET") {
    const answer = await fetch(`${this.steers}/${what}`, { method });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.text();
  }
}

interface Fixtures {
  mark: string;
  wire: Wire;
  /** Counts the records with the mark on a page, by a CSS selector of one record. */
  records: (page: string, record: string) => Promise<number>;
}

export const test = base.extend<Fixtures>({
  mark: async ({}, use) => use("E2E" + randomBytes(6).toString("hex")),
  wire: async ({ mark }, use) => {
    const program = process.env.E2E_PROGRAM ?? join(__dirname, "../bin/e2e.test");
    const running = spawn(program, ["-test.run=^TestWireIsSteered$"], {
      cwd: join(__dirname, ".."), env: { ...process.env, E2E_WIRE: mark }, stdio: ["pipe", "pipe", "inherit"],
    });
    const ended = new Promise((resolve) => running.once("close", resolve));
    const started = await new Promise<string>((resolve, reject) => {
      createInterface(running.stdout).on("line", (line) => line.startsWith("{") && resolve(line)).once("close", () => reject("no wire"));
    });
    const { proxy, steers } = JSON.parse(started);
    await use(new Wire(proxy, steers));
    running.stdin.end();
    await ended;
  },
  proxy: async ({ wire }, use) => use({ server: wire.proxy }),
  records: async ({ context, mark }, use) =>
    use(async (path, record) => {
      const list = await context.newPage();
      await list.goto(path);
      const found = await list.locator(record).filter({ hasText: mark }).count();
      await list.close();
      return found;
    }),
});
