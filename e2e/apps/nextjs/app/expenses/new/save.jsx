"use client";
import { useFormStatus } from "react-dom";

export function Save() {
	const { pending } = useFormStatus();
	return <button disabled={pending}>Save</button>;
}
