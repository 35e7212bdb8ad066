migrate((app) => {
  app.save(new Collection({
    type: "base", id: "pbc_expenses", name: "expenses",
    fields: [{ type: "text", name: "title", required: true }, { type: "text", name: "note" }],
  }));
});
