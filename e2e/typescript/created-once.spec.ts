import { expect, test } from "./created-once";

test("two clicks create one record", async ({ mark, page, records, wire }) => {
  await page.goto("/expenses/new");
  await page.getByLabel("Title").fill(`Desk ${mark}`);
  const button = await page.getByRole("button", { name: "Save", exact: true }).boundingBox();
  const click = () => page.mouse.click(button!.x + 9, button!.y + 9); // Playwright finds no elements while a page is loading
  await wire.hold("before the app"); // the app seems slow, so people click again
  await wire.again(click);
  await wire.again(click);
  await wire.release();
  await wire.settled();
  expect(await records("/expenses", "li")).toBe(1);
});
