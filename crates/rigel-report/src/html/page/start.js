// Unpacks the library, fills in what can be chosen, draws everything. The page says what it lacks when that fails.

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

function listen() {
  const point = document.getElementById("point");
  fill(point, POINTS.map((one, index) => [index, pointName(one) + (one.invalid ? " ✕" : one.own ? " !" : "")]));
  point.addEventListener("change", () => choose(Number(point.value)));
  for (const own of ["small", "large"]) {
    document.getElementById(`own-${own}`).addEventListener("change", () => {
      CHOSEN.own = own;
      choose(CHOSEN.point);
    });
  }
  const level = document.getElementById("latency-level");
  if (level) {
    const other = FOUND.has_small ? "Large" : "Small";
    fill(level, latencyLevels().map((one) => [one, `${other}=${one}`]));
    level.addEventListener("change", () => drawAll(["latency"]));
  }
  for (const button of document.querySelectorAll("button[data-point]")) {
    button.addEventListener("click", () => {
      choose(Number(button.dataset.point));
      document.getElementById("one-point").scrollIntoView();
    });
  }
}

function register() {
  figure("iops", iopsCurves);
  figure("mbps", mbpsCurves);
  figure("latency", latencyCurves);
  figure("search-small", () => searchCurve("small"));
  figure("search-large", () => searchCurve("large"));
  figure("heat-iops", () => matrix("small", "iops", " IOPS", number, brief));
  figure("heat-mbps", () => matrix("large", "mbps", " MBPS", number, brief));
  figure("heat-latency", () => matrix(FOUND.has_small ? "small" : "large", "mean", "", time, briefTime));
  figure("loss-small", () => interference("small"));
  figure("loss-large", () => interference("large"));
  figure("histogram", histogram);
  figure("percentiles", percentiles);
  figure("latency-time", latencyOverTime);
  figure("inside", inside);
  figure("run-small", () => overTheRun("small"));
  figure("run-large", () => overTheRun("large"));
}

/** Pixels of a chart that fit on A4 and on letter. */
const PAPER = 660;

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
  let before;
  window.addEventListener("beforeprint", () => {
    before = root.dataset.theme ?? "auto";
    root.dataset.theme = "light";
    drawAll();
    document.querySelectorAll("details").forEach((table) => { table.open = true; });
    // Printing does not wait for the next frame, in which the charts would be painted.
    FIGURES.forEach(({ chart }) => {
      chart?.resize({ width: PAPER });
      chart?.getZr().refreshImmediately();
    });
  });
  window.addEventListener("afterprint", () => {
    root.dataset.theme = before;
    FIGURES.forEach(({ chart }) => chart?.resize({ width: "auto" }));
    drawAll();
  });
}

async function start() {
  const root = document.documentElement;
  try {
    if (POINTS.length > 0 || FOUND.curves.length > 0) {
      await unpack();
      root.classList.add("drawn");
      listen();
      register();
      drawAll();
      if (POINTS.length > 0) choose(FOUND.first);
    }
    followTheme();
    root.dataset.ready = "yes";
  } catch (error) {
    root.classList.remove("drawn");
    document.getElementById("no-charts").textContent = `The charts cannot be drawn here: ${error.message}. The tables hold every number.`;
    root.dataset.ready = "failed";
  }
}

start();
