// Added to every page by the proxy of make dev: it loads the page again when the app has changed, and shows what the
// compiler says. A page on which somebody has typed is never loaded again unasked.

(() => {
  const { version } = document.currentScript.dataset;

  let typed = false;
  addEventListener("input", () => { typed = true; });
  addEventListener("submit", () => { typed = false; });

  let events;

  // An open connection would keep the page from being kept for Back and Forward.
  addEventListener("pagehide", () => events.close());
  addEventListener("pageshow", listen);

  function listen() {
    events = new EventSource("/_dev/events");
    events.onmessage = ({ data }) => {
      const now = JSON.parse(data);
      if (now.wrong) {
        show(now.wrong);
      } else if (String(now.version) === version) {
        show("");
      } else if (typed) {
        show("The app has changed. Load this page again to see it: what you have typed would be lost.");
      } else {
        location.reload();
      }
    };
  }

  // show shows a text over the page, or takes it away. Styles that a script sets need no permission of the page.
  function show(text) {
    const id = "dev-message";
    document.getElementById(id)?.remove();
    if (!text) return;
    const message = document.createElement("pre");
    message.id = id;
    message.setAttribute("role", "alert");
    message.textContent = text;
    Object.assign(message.style, {
      position: "fixed", inset: "auto 0 0 0", zIndex: "2147483647", maxHeight: "60vh", overflow: "auto", margin: "0",
      padding: "1rem", background: "#7a0c0c", color: "#fff", font: "14px/1.5 ui-monospace, monospace", whiteSpace: "pre-wrap",
    });
    document.body.append(message);
  }
})();
