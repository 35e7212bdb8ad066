import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";

// The browser is BROWSER_PATH, Debian's, or Playwright's own: npx playwright install chromium
const executablePath = process.env.BROWSER_PATH ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path));

export default defineConfig({ use: { baseURL: process.env.APP_URL, launchOptions: { executablePath } } });
