import { create } from "../../actions";
import { Save } from "./save";

export default function New() {
	return (
		<form action={create}>
			<h1>New expense</h1>
			<p><label>Title <input name="title" required /></label></p>
			<p><label>Note <input name="note" /></label></p>
			<p><Save /></p>
		</form>
	);
}
