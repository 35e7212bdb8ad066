// AdminJS with one table, as in its documentation.
import { Adapter, Database, Resource } from "@adminjs/sql";
import AdminJSExpress from "@adminjs/express";
import AdminJS from "adminjs";
import express from "express";

const { APP_USER, APP_PASSWORD } = process.env;
AdminJS.registerAdapter({ Database, Resource });
const database = await new Adapter("mysql2", { host: "127.0.0.1", port: 8094, user: "root", database: "expenses" }).init();
const admin = new AdminJS({ rootPath: "/admin", resources: [{ resource: database.table("expenses") }] });
const router = AdminJSExpress.buildAuthenticatedRouter(
	admin,
	{
		authenticate: (email, password) => (email === APP_USER && password === APP_PASSWORD ? { email } : null),
		cookiePassword: APP_PASSWORD.padEnd(32, "."),
	},
	null,
	{ secret: APP_PASSWORD, resave: false, saveUninitialized: true },
);
express().use(admin.options.rootPath, router).listen(8099, "127.0.0.1");
