import { readFileSync } from "node:fs";
import { notFound } from "next/navigation";

export const dynamic = "force-dynamic";

export default async function Expense({ params }) {
	const { id } = await params;
	const line = readFileSync(`${process.env.DATA}/expenses`, "utf8").split("\n")[id - 1];
	if (!line) notFound();
	return <h1>{JSON.parse(line).title}</h1>;
}
