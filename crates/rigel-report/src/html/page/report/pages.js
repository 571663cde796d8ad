// Which part of the report is shown, by what the address names behind the #: the overview, or one of several runs. A report of
// one run has no parts.

const LEAVES = [...document.querySelectorAll(".leaf")];
const BEGUN = new Set();

/** Makes the charts of a part, when it is shown for the first time. */
function begin(leaf) {
  if (BEGUN.has(leaf)) return;
  BEGUN.add(leaf);
  if (leaf.id === "overview") drawOverview();
  else runPage(leaf, `${leaf.id}-`);
}

/** What the address names, and the part that it is in. */
function asked() {
  const target = document.getElementById(location.hash.slice(1));
  const leaf = target?.closest(".leaf");
  return leaf ? { leaf, target } : { leaf: LEAVES[0], target: LEAVES[0] };
}

function turn() {
  const { leaf, target } = asked();
  LEAVES.forEach((one) => { one.hidden = one !== leaf; });
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#${leaf.id}`) {
      link.setAttribute("aria-current", "page");
      link.scrollIntoView({ block: "nearest", inline: "nearest" });
    } else {
      link.removeAttribute("aria-current");
    }
  }
  begin(leaf);
  drawWaiting();
  if (target === leaf) window.scrollTo(0, 0);
  else target.scrollIntoView();
  return leaf;
}

/** Who follows a link with the keyboard, or has the page read out, goes on where it leads. */
function turnAndGoOn() {
  const heading = turn().querySelector("h1");
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/** On paper all parts come one after the other. */
function printAll() {
  window.addEventListener("beforeprint", () => {
    LEAVES.forEach((leaf) => { leaf.hidden = false; });
    LEAVES.forEach(begin);
  });
  window.addEventListener("afterprint", turn);
}

if (LEAVES.length > 0) {
  start(true, () => {
    turn();
    window.addEventListener("hashchange", turnAndGoOn);
    printAll();
  });
} else {
  const { points, curves } = dataOf("findings");
  start(points.length > 0 || curves.length > 0, () => runPage(document, ""));
}
