// What speaks against a point, in words and as a mark. Must not judge.

/** The flags of a point in words; nothing when there are none. */
function flagWords({ flags, invalid }) {
  return [...(invalid ? ["not to be used"] : []), ...flags].join(", ");
}

/** What a mark of the point has to show: numbers that must not be used, or a flag of its own. */
function stateOf({ invalid, own }) {
  if (invalid) return "bad";
  return own ? "care" : undefined;
}
