// Colours, marks and lines: taken from the style of the page, so that light, dark and print come from one place.
// Must not know what is drawn.

const styled = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The colours of the page as they are now. */
function look() {
  const names = ["ink", "muted", "paper", "panel", "line", "bad", "care", "good", "accent"];
  return Object.fromEntries(names.map((name) => [name, styled(`--${name}`)]));
}

/** Okabe and Ito's colours, which people with any colour vision tell apart, while there are enough of them. */
const FEW = 8;
/** Cividis, which grows evenly in lightness for everybody. */
const EVEN = ["#00204d", "#173b6f", "#414d6b", "#62646f", "#7d7c78", "#9b9574", "#bcae6b", "#dfc85a", "#ffea46"];
const MARKS = ["circle", "rect", "triangle", "diamond", "roundRect", "emptyCircle", "emptyRect", "emptyTriangle"];
const DASHES = ["solid", "dashed", "dotted"];

const rgb = (hex) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));

/** A colour of the even scale; `share` from 0 to 1. */
function even(share) {
  const place = Math.min(Math.max(share, 0), 1) * (EVEN.length - 1);
  const below = Math.min(Math.floor(place), EVEN.length - 2);
  const [from, to] = [rgb(EVEN[below]), rgb(EVEN[below + 1])];
  const mixed = from.map((part, at) => Math.round(part + (to[at] - part) * (place - below)));
  return `rgb(${mixed.join(",")})`;
}

/** Text that can be read on a colour of the even scale. */
const inkOn = (share) => (share > 0.55 ? "#111111" : "#ffffff");

/** Colour, mark and dash of line `index` of `count`. Marks differ, too: colour is never all that tells lines apart. */
function lineLook(index, count) {
  const dark = styled("--scheme") === "dark";
  const share = count > 1 ? index / (count - 1) : 0;
  const color = count <= FEW ? styled(`--c${index}`) : even(dark ? 0.35 + 0.65 * share : 0.85 * share);
  return { color, mark: count <= FEW ? MARKS[index] : "circle", dash: DASHES[Math.floor(index / FEW) % DASHES.length] };
}
