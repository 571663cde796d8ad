// Unpacks the library, lets the page draw, follows the reader's colours. The page says what it lacks when that fails.
// Must not know what is drawn.

/** The figures that lie in the page under an id. */
const dataOf = (id) => JSON.parse(document.getElementById(id).textContent);

/** The library lies compressed in the page; the policy of the page knows its digest. */
async function unpack() {
  const packed = Uint8Array.from(atob(document.getElementById("library").textContent.trim()), (c) => c.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(unpacked).text();
  document.head.append(script);
}

function fill(select, all) {
  select.replaceChildren(...all.map(([value, text]) => new Option(text, value)));
}

/** Pixels of a chart that fit on A4 and on letter. */
const PAPER = { width: 660 };

/** Light or dark as the system asks, unless the reader chose; paper is always light. */
function followTheme() {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const ways = ["auto", "light", "dark"];
  button.hidden = false;
  button.addEventListener("click", () => {
    const next = ways[(ways.indexOf(root.dataset.theme ?? "auto") + 1) % ways.length];
    root.dataset.theme = next;
    button.textContent = `Colours: ${next}`;
    drawAll();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawAll());
  onEveryPrint();
}

/** Paper is light, and shows what is folded; but the flags have a list of their own there. */
function onEveryPrint() {
  const root = document.documentElement;
  let theme;
  let opened = [];
  window.addEventListener("beforeprint", () => {
    theme = root.dataset.theme ?? "auto";
    root.dataset.theme = "light";
    onPaper = true;
    drawAll();
    opened = [...document.querySelectorAll("details:not([open], .flag)")];
    opened.forEach((one) => { one.open = true; });
    // Printing does not wait for the next frame, in which the charts would be painted.
    FIGURES.forEach(({ chart }) => {
      chart?.resize(PAPER);
      chart?.getZr().refreshImmediately();
    });
  });
  window.addEventListener("afterprint", () => {
    root.dataset.theme = theme;
    onPaper = false;
    opened.forEach((one) => { one.open = false; });
    FIGURES.forEach(({ chart }) => chart?.resize({ width: "auto", height: "auto" }));
    drawAll();
  });
}

/** Every page begins here: `draw` makes its charts when there is anything to draw. */
async function start(hasCharts, draw) {
  const root = document.documentElement;
  try {
    if (hasCharts) {
      await unpack();
      root.classList.add("drawn");
      draw();
    }
    followTheme();
    root.dataset.ready = "yes";
  } catch (error) {
    root.classList.remove("drawn");
    for (const place of document.querySelectorAll(".no-charts")) {
      place.textContent = `The charts cannot be drawn here: ${error.message}. The tables hold every number.`;
    }
    root.dataset.ready = "failed";
  }
}
