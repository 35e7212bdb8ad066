// A form that Turbo sends, as its handbook shows, and a file with one expense a line.
import express from "express";
import { appendFileSync, readFileSync } from "node:fs";

const file = `${process.env.DATA}/expenses`;
const app = express();
const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const all = () => readFileSync(file, "utf8").split("\n").filter(Boolean).map(JSON.parse);
const page = (body) => `<!DOCTYPE html>
<html lang="en"><head><title>Expenses</title><script type="module" src="/turbo.js"></script></head>
<body>${body}</body></html>`;

app.use("/turbo.js", express.static(`${process.env.DATA}/node_modules/@hotwired/turbo/dist/turbo.es2017-esm.js`));

app.get("/expenses/new", (request, response) => {
	response.send(page(`<h1>New expense</h1>
<form method="post" action="/expenses">
  <p><label>Title <input name="title" required></label></p>
  <p><label>Note <input name="note"></label></p>
  <p><button>Save</button></p>
</form>`));
});

app.post("/expenses", express.urlencoded(), (request, response) => {
	appendFileSync(file, JSON.stringify(request.body) + "\n");
	response.redirect(303, `/expenses/${all().length}`);
});

app.get("/expenses/:id", (request, response) => {
	const expense = all()[request.params.id - 1];
	if (!expense) return response.sendStatus(404);
	response.send(page(`<h1>${escape(expense.title)}</h1><p><a href="/expenses/new">New expense</a></p>`));
});

appendFileSync(file, "");
app.listen(8102, "127.0.0.1");
