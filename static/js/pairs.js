// A config's JSON as pairs in their order, and back: an object of JavaScript's would sort keys that are numbers, and lose what the
// server takes for an error.
const SPACE = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

export function parse(text) {
  let at = 0;
  const take = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  const next = (sign) => {
    take(SPACE);
    const here = text[at] === sign;
    if (here) at++;
    return here;
  };
  const wrong = (what) => {
    const before = text.slice(0, at).split("\n");
    return {error: `This is not JSON: line ${before.length}, column ${before.at(-1).length + 1}: ${what}.`};
  };
  const pairs = [];
  const seen = new Set();
  if (!next("{")) return wrong("a config begins with {");
  while (!next("}")) {
    if (pairs.length && !next(",")) return wrong("a comma or } is missing");
    take(SPACE);
    const key = take(STRING);
    if (key === undefined) return wrong("a key in quotes is missing");
    if (!next(":")) return wrong("a colon is missing");
    take(SPACE);
    const value = take(STRING) ?? take(SCALAR);
    if (value === undefined) return wrong("a value has to be a text in quotes");
    const name = JSON.parse(key);
    if (seen.has(name)) return {error: `${name} stands here twice: which of the two is meant?`};
    seen.add(name);
    pairs.push([name, value === "null" ? null : value.startsWith('"') ? JSON.parse(value) : value]);
  }
  take(SPACE);
  return at === text.length ? {pairs} : wrong("there is something behind the last }");
}

export function write(pairs) {
  if (!pairs.length) return "{}";
  return `{\n${pairs.map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(",\n")}\n}`;
}
