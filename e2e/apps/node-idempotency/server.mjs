// A form that a script posts as JSON to Express, with @node-idempotency/core as documented, and a file with one expense a line.
import { Idempotency, IdempotencyError } from "@node-idempotency/core";
import { MemoryStorageAdapter } from "@node-idempotency/storage-adapter-memory";
import express from "express";
import { appendFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";

const file = `${process.env.DATA}/expenses`;
const expenses = [];
const idempotency = new Idempotency(new MemoryStorageAdapter());
const app = express();

app.get("/expenses/new", (request, response) => {
	response.send(`<!DOCTYPE html>
<html lang="en"><title>Expenses</title>
<h1>New expense</h1>
<form method="post" action="/expenses">
  <p><label>Title <input name="title" required></label></p>
  <p><label>Note <input name="note"></label></p>
  <p><button>Save</button> <span role="status"></span></p>
</form>
<script>
  const form = document.forms[0];
  const headers = { "Content-Type": "application/json", "Idempotency-Key": crypto.randomUUID() };
  form.onsubmit = async (event) => {
    event.preventDefault();
    try {
      const body = JSON.stringify(Object.fromEntries(new FormData(form)));
      const answer = await fetch(form.action, { method: "POST", headers, body });
      if (!answer.ok) throw await answer.text();
      location = "/expenses/" + (await answer.json()).id;
    } catch (error) {
      form.querySelector("[role=status]").textContent = "Not saved: " + error;
    }
  };
</script>
</html>`);
});

app.post("/expenses", express.json(), express.urlencoded(), async ({ method, path, headers, body }, response) => {
	const request = { method, path, headers, body };
	try {
		const before = await idempotency.onRequest(request);
		if (before) return response.status(before.additional.status).send(before.body);
	} catch (error) {
		if (!(error instanceof IdempotencyError)) throw error;
		return response.status(error.code === "REQUEST_IN_PROGRESS" ? 409 : 422).send(error.message);
	}
	await appendFile(file, JSON.stringify(body) + "\n");
	const created = { id: expenses.push(body) };
	await idempotency.onResponse(request, { body: created, additional: { status: 201 } });
	if (headers["content-type"] === "application/json") return response.status(201).send(created);
	response.redirect(303, `/expenses/${created.id}`); // without JavaScript, and therefore without a key
});

app.get("/expenses/:id", (request, response) => {
	const expense = expenses[request.params.id - 1];
	if (!expense) return response.sendStatus(404);
	response.send(`<!DOCTYPE html><html lang="en"><title>Expenses</title><h1>${expense.title.replaceAll("<", "&lt;")}</h1></html>`);
});

appendFileSync(file, "");
app.listen(8092, "127.0.0.1");
