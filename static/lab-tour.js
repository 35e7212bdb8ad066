// The first step of the tour counts the presses of the form's button, since most presses are never sent. The page after the answer
// shows the number. The last step shares the picture.
const form = document.querySelector("form[data-form-url]");
let presses = 0;

function keep() {
  document.cookie = `lab-presses=${presses}; path=${new URL("..", import.meta.url).pathname}; max-age=900; samesite=strict`;
}

if (form) {
  keep();
  document.addEventListener(
    "submit",
    ({ target, submitter }) => {
      if (target !== form || submitter?.hasAttribute("formaction")) return; // another line
      presses += 1;
      keep();
    },
    { capture: true }, // before the form lock, which stops it
  );
}

const share = document.querySelector("[data-lab-share-url]");
if (share && navigator.canShare) offer();

async function offer() {
  const text = share.dataset.labSays;
  const picture = await fetch(share.dataset.labShareUrl).then((answer) => answer.blob());
  const whole = { text, files: [new File([picture], "onlyonce.svg", { type: picture.type })] };
  const shared = navigator.canShare(whole) ? whole : { text };
  share.hidden = false;
  share.addEventListener("click", () => navigator.share(shared).catch(() => {})); // cancelled
}
