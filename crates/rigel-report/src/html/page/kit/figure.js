// A figure of the page: where a chart is drawn, drawn again when something changes, zoomed and read with the keyboard.
// Must not know what it shows.

const FIGURES = [];
/** What the bar for zooming takes below a chart, while it is there. */
const BAR_ROOM = 28;
/** Paper has no pointer. */
let onPaper = false;

/**
 * A figure, when the page has a place of that id for it. `option` gives what ECharts is to draw, or nothing when there is
 * nothing; `choose` is told the `point` of the data item that is clicked, or entered with the keyboard. A data item has
 * its text for tooltip and keyboard in `read`.
 */
function figure(id, option, choose) {
  const stage = document.getElementById(id);
  if (!stage) return;
  const entry = { id, stage, option, choose, chart: null, zoom: [0, 100], bar: false, rooms: {}, step: -1, waits: true };
  FIGURES.push(entry);
  stage.tabIndex = 0;
  stage.addEventListener("keydown", (event) => onKey(entry, event));
}

function draw(entry) {
  // What is not shown has no size: it is drawn when the part of the page that it is in is turned to.
  entry.waits = Boolean(entry.stage.closest("[hidden]:not(figure)"));
  if (entry.waits) return;
  const option = entry.option();
  entry.stage.closest("figure").hidden = !option;
  if (!option) return;
  if (!entry.chart) {
    entry.chart = window.echarts.init(entry.stage, null, { renderer: "svg" });
    entry.chart.on("click", (event) => event.data?.point >= 0 && entry.choose?.(event.data.point));
    entry.chart.on("datazoom", () => onZoom(entry));
    entry.chart.on("restore", () => unzoomed(entry));
    new ResizeObserver(() => entry.chart.resize()).observe(entry.stage);
  }
  if (option.height) {
    entry.stage.style.height = `${option.height}px`;
    delete option.height;
    entry.chart.resize();
  }
  // A tooltip that is shown would be asked for again after its component is gone.
  entry.chart.dispatchAction({ type: "hideTip" });
  entry.rooms = { grid: option.grid.bottom, visualMap: option.visualMap?.bottom };
  unzoomed(entry);
  entry.chart.setOption(option, true);
  entry.stage.dataset.drawn = "yes";
}

function unzoomed(entry) {
  entry.zoom = [0, 100];
  entry.bar = false;
}

/** The bar is below a chart while only a part of it is shown. */
function onZoom(entry) {
  const [{ start, end }] = entry.chart.getOption().dataZoom;
  entry.zoom = [start, end];
  const bar = end - start < 99.9;
  if (bar === entry.bar) return;
  entry.bar = bar;
  const bottom = (room) => ({ bottom: room + (bar ? BAR_ROOM : 0) });
  const { grid, visualMap } = entry.rooms;
  const more = visualMap === undefined ? {} : { visualMap: [bottom(visualMap)] };
  entry.chart.setOption({ dataZoom: [{}, { show: bar }], grid: [bottom(grid)], ...more });
}

const drawAll = (ids) => FIGURES.filter((entry) => !ids || ids.includes(entry.id)).forEach(draw);
const drawWaiting = () => FIGURES.filter((entry) => entry.waits).forEach(draw);

/** What all charts have in common. `label` says to those who cannot see it what it shows. */
function frame(label, more) {
  const { ink, muted, panel } = look();
  // Where there is a legend, the tools have a line of their own.
  const tools = more.legend?.show === false ? 0 : 26;
  const top = onPaper ? 44 + tools / 2 : 44 + tools;
  return {
    animation: false,
    aria: { enabled: true, label: { description: label } },
    textStyle: { color: ink, fontFamily: "system-ui, sans-serif" },
    grid: { left: 12, right: 28, top, bottom: 34, containLabel: true },
    legend: legend(),
    tooltip: {
      trigger: "item", className: "tip", confine: true, backgroundColor: panel, borderColor: muted,
      textStyle: { color: ink, fontSize: 13 }, extraCssText: "white-space: pre-line",
    },
    toolbox: {
      show: !onPaper, right: 0, top: tools, itemSize: 14, iconStyle: { borderColor: muted }, emphasis: { iconStyle: { borderColor: ink } },
      feature: { dataZoom: { yAxisIndex: "none", filterMode: "none", title: { zoom: "Zoom", back: "Back" } }, restore: { title: "Show all" } },
    },
    dataZoom: zooms(),
    ...more,
  };
}

function legend() {
  const { ink, line } = look();
  return {
    type: "scroll", top: 0, left: 0, right: 8, formatter: brought, textStyle: { color: ink },
    pageTextStyle: { color: ink }, pageIconColor: ink, pageIconInactiveColor: line,
  };
}

/** The wheel zooms only with Ctrl, so that the page can be scrolled over a chart; others drag over a part with the tool in the corner. The bar moves what is shown. */
function zooms() {
  const { muted, line, panel } = look();
  const bar = {
    type: "slider", show: false, xAxisIndex: 0, filterMode: "none", height: 12, bottom: 6, showDataShadow: false, brushSelect: false,
    borderColor: line, fillerColor: `${muted}40`, backgroundColor: panel, textStyle: { color: muted },
    handleStyle: { color: panel, borderColor: muted }, moveHandleSize: 4, showDetail: false,
  };
  return [{ type: "inside", xAxisIndex: 0, filterMode: "none", zoomOnMouseWheel: "ctrl", moveOnMouseMove: true, moveOnMouseWheel: false }, bar];
}

/** An axis with its name beside it. */
function axis(name, more) {
  const { ink, muted, line } = look();
  return {
    type: "value", name, nameLocation: "middle", nameGap: 26, nameTextStyle: { color: ink },
    axisLine: { show: true, lineStyle: { color: muted } }, axisTick: { lineStyle: { color: muted } },
    axisLabel: { color: muted, hideOverlap: true, fontSize: onPaper ? 10 : 12 }, splitLine: { lineStyle: { color: line } }, ...more,
  };
}

/** The axis of what was measured, upright, its name above it. */
const upright = (name, more) => axis(name, { nameLocation: "end", nameGap: 10, nameTextStyle: { color: look().ink, align: "left" }, ...more });

/** A text that a tooltip shows as it is. */
function tip(text) {
  const element = document.createElement("div");
  element.textContent = text;
  return element;
}

/** The tooltip of a series whose data items have their text in `read`. */
const TOLD = { formatter: (at) => tip(at.data.read) };

/** Every data item that the keyboard can step to, line by line. */
function steps(entry) {
  const series = entry.chart.getOption().series;
  const hidden = entry.chart.getOption().legend?.[0]?.selected ?? {};
  return series.flatMap((one, seriesIndex) =>
    one.data.flatMap((item, dataIndex) => (item?.read && hidden[one.name] !== false ? [{ seriesIndex, dataIndex, item }] : [])));
}

function onKey(entry, event) {
  if (!entry.chart || event.ctrlKey || event.metaKey || event.altKey || event.target !== entry.stage) return;
  const moves = { ArrowRight: 1, ArrowLeft: -1, ArrowUp: 1, ArrowDown: -1 };
  const all = steps(entry);
  if (event.key in moves && all.length > 0) {
    entry.step = entry.step < 0 ? 0 : (entry.step + moves[event.key] + all.length) % all.length;
    const { seriesIndex, dataIndex, item } = all[entry.step];
    entry.chart.dispatchAction({ type: "showTip", seriesIndex, dataIndex });
    document.getElementById("spoken").textContent = item.read;
  } else if (event.key === "Enter" && all[entry.step]?.item.point >= 0) {
    entry.choose?.(all[entry.step].item.point);
  } else if ("+-0=".includes(event.key)) {
    zoomBy(entry, event.key);
  } else if (event.key === "Escape") {
    entry.chart.dispatchAction({ type: "hideTip" });
  } else {
    return;
  }
  event.preventDefault();
}

function zoomBy(entry, key) {
  const [start, end] = entry.zoom;
  const middle = (start + end) / 2;
  const half = ((end - start) / 2) * (key === "-" ? 2 : 0.5);
  entry.zoom = key === "0" ? [0, 100] : [Math.max(0, middle - half), Math.min(100, middle + half)];
  entry.chart.dispatchAction({ type: "dataZoom", start: entry.zoom[0], end: entry.zoom[1] });
}
