// The page of a run: what can be chosen in it, and every figure. Last of the parts that are the body of `runPage`.

const redraw = (names) => drawAll(names.map((name) => ids + name));

function listen() {
  const point = part("point");
  fill(point, POINTS.map((one, index) => [index, pointName(one) + (one.invalid ? " ✕" : one.own ? " !" : "")]));
  point.addEventListener("change", () => choose(Number(point.value)));
  for (const own of FOUND.axes) {
    part(`own-${own.name}`).addEventListener("change", () => {
      CHOSEN.own = own;
      choose(CHOSEN.point);
    });
  }
  for (const own of FOUND.classes) {
    const level = part(`latency-level${suffixOf(own)}`);
    if (!level) continue;
    fill(level, besides(own).map((one) => [one, one]));
    level.addEventListener("change", () => redraw([`latency${suffixOf(own)}`]));
  }
  for (const button of root.querySelectorAll("button[data-point]")) {
    button.addEventListener("click", () => {
      choose(Number(button.dataset.point));
      part("one-point").scrollIntoView();
    });
  }
}

/** The figures of one class. */
const figuresOf = (own) => ({
  [`rate-${own.name}`]: () => rateCurves(own),
  [`heat-${own.name}`]: () => matrix(own, "rate", ` ${own.unit}`, number, brief),
  [`loss-${own.name}`]: () => interference(own),
  [`run-${own.name}`]: () => overTheRun(own),
  [`latency${suffixOf(own)}`]: () => latencyCurves(own),
});

const FIGURES_OF_RUN = {
  "matrix-latency": () => matrix(MAIN, "mean", "", time, briefTime),
  ...Object.fromEntries(FOUND.curves.map((curve) => [`search-${curve.class.name}`, () => searchCurve(curve.class.name)])),
  histogram,
  percentiles,
  "latency-time": latencyOverTime,
  inside,
  ...Object.assign({}, ...FOUND.classes.map(figuresOf)),
  ...Object.fromEntries((FOUND.slo?.bounds ?? []).map((bound, place) => [`slo-${place}`, () => sloCurve(bound)])),
};

if (POINTS.length > 0) listen();
Object.entries(FIGURES_OF_RUN).forEach(([name, option]) => figure(ids + name, option, choose));
redraw(Object.keys(FIGURES_OF_RUN));
if (POINTS.length > 0) choose(FOUND.first);
