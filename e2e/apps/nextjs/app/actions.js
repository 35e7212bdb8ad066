"use server";
// The server action of the form. A file has one expense a line.
import { appendFileSync, readFileSync } from "node:fs";
import { redirect } from "next/navigation";

export async function create(form) {
	const file = `${process.env.DATA}/expenses`;
	appendFileSync(file, JSON.stringify({ title: form.get("title"), note: form.get("note") }) + "\n");
	redirect(`/expenses/${readFileSync(file, "utf8").split("\n").length - 1}`);
}
