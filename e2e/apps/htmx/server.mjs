// A form that htmx posts, as its documentation shows, and a file with one expense a line.
import express from "express";
import { appendFileSync, readFileSync } from "node:fs";

const file = `${process.env.DATA}/expenses`;
const app = express();
const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const all = () => readFileSync(file, "utf8").split("\n").filter(Boolean).map(JSON.parse);

app.use("/htmx.js", express.static(`${process.env.DATA}/node_modules/htmx.org/dist/htmx.min.js`));

app.get("/expenses/new", (request, response) => {
	response.send(`<!DOCTYPE html>
<html lang="en"><title>Expenses</title>
<script src="/htmx.js"></script>
<h1>New expense</h1>
<form method="post" action="/expenses" hx-post="/expenses" hx-target="#saved">
  <p><label>Title <input name="title" required></label></p>
  <p><label>Note <input name="note"></label></p>
  <p><button>Save</button></p>
</form>
<div id="saved"></div>
</html>`);
});

app.post("/expenses", express.urlencoded(), (request, response) => {
	appendFileSync(file, JSON.stringify(request.body) + "\n");
	if (request.get("HX-Request")) return response.send(`<p>Saved: ${escape(request.body.title)}</p>`);
	response.redirect(303, `/expenses/${all().length}`); // without JavaScript
});

app.get("/expenses/:id", (request, response) => {
	const expense = all()[request.params.id - 1];
	if (!expense) return response.sendStatus(404);
	response.send(`<!DOCTYPE html><html lang="en"><title>Expenses</title><h1>${escape(expense.title)}</h1></html>`);
});

appendFileSync(file, "");
app.listen(8101, "127.0.0.1");
