"use strict";
// What a person writes to select rows: mpg > 25 and hp > 90, 20 < mpg < 25, mpg between 20 and 25, cyl != 4, name contains
// "Fiat", kind not in (a, b), or words alone, which are looked for in names and words. `table` has columns (name and numbers, or name, levels and codes),
// axes, scores, names. Returns a function of the row; throws an Error that says what cannot be read.
const rowFilter = (text, table) => {
  const low = (v) => v.toLowerCase().replace(/\s+/g, " ").trim();
  const exact = new Map(), loose = new Map(); // a name as it is written, and those that differ in capitals alone
  table.axes.forEach((name, j) => exact.set(name, { name, numbers: table.scores[j] }));
  table.columns.forEach((c) => exact.set(c.name, c));
  for (const c of exact.values()) loose.set(low(c.name), [...(loose.get(low(c.name)) || []), c]);
  for (const name of table.names ? ["name", "row"] : []) if (!loose.has(name)) {
    exact.set(name, { name, names: table.names });
    loose.set(name, [exact.get(name)]);
  }
  const byLength = [...loose.keys()].sort((a, b) => b.length - a.length);
  const KEYWORDS = new Set(["and", "or", "not", "contains", "in", "is", "between"]);
  const SIGNS = /^(<=|>=|!=|<>|==|=|<|>|≤|≥|≠)/;
  const SAME = { "<>": "!=", "≠": "!=", "==": "=", "≤": "<=", "≥": ">=" };
  const quoted = (v) => "\u201c" + v + "\u201d";

  const nameAt = (rest) => {
    const start = rest.toLowerCase();
    return byLength.find((name) => start.startsWith(name) && /^($|[\s()<>=!≤≥≠,])/.test(rest.slice(name.length)));
  };
  const tokens = [];
  for (let rest = text.trim(); rest; rest = rest.trimStart()) {
    const first = rest[0], sign = rest.match(SIGNS), name = nameAt(rest);
    if (`"'\``.includes(first) || first === "\u201c") {
      const end = rest.indexOf(first === "\u201c" ? "\u201d" : first, 1);
      if (end < 0) throw new Error("A quotation mark is not closed: " + rest);
      tokens.push({ kind: "text", text: rest.slice(1, end) });
      rest = rest.slice(end + 1);
    } else if (name !== undefined) {
      tokens.push({ kind: "text", text: rest.slice(0, name.length) });
      rest = rest.slice(name.length);
    } else if (sign) {
      tokens.push({ kind: "sign", text: SAME[sign[0]] || sign[0] });
      rest = rest.slice(sign[0].length);
    } else if ("(),".includes(first)) {
      tokens.push({ kind: first, text: first });
      rest = rest.slice(1);
    } else {
      const word = rest.match(/^[^\s()<>=!≤≥≠,]+/) || [first];
      const is = word[0].toLowerCase(), place = tokens[tokens.length - 1];
      if (KEYWORDS.has(is)) tokens.push({ kind: is, text: word[0] });
      else if (place && place.kind === "words") place.text += " " + word[0];
      else tokens.push({ kind: "words", text: word[0] });
      rest = rest.slice(word[0].length);
    }
  }

  let at = 0;
  const next = (kind) => (tokens[at] && tokens[at].kind === kind ? tokens[at++] : null);
  const value = (after) => {
    const found = next("text") || next("words");
    if (!found) throw new Error("Something is missing after " + quoted(after) + ".");
    return found.text;
  };
  const distance = (a, b) => {
    let row = Array.from({ length: b.length + 1 }, (_, j) => j);
    for (let i = 1; i <= a.length; i++) {
      const last = row;
      row = [i];
      for (let j = 1; j <= b.length; j++) row.push(Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] !== b[j - 1])));
    }
    return row[b.length];
  };
  const column = (name) => {
    const alike = loose.get(low(name)) || [], found = exact.get(name) || alike[0];
    if (alike.length > 1 && !exact.has(name)) throw new Error("Write one of these names as it is: " + alike.map((c) => quoted(c.name)).join(", ") + ".");
    if (found) return found;
    const near = [...exact.values()].map((c) => [distance(low(name), low(c.name)), c.name]).sort((a, b) => a[0] - b[0])[0];
    const hint = near && near[0] <= 2 + name.length / 4 ? " Did you mean " + quoted(near[1]) + "?" : "";
    throw new Error("There is no column " + quoted(name) + " on this page." + hint);
  };
  const words = (c, is) => {
    if (c.names) return (i) => is(low(c.names[i]));
    const hit = c.levels.map((level) => is(low(level)));
    return (i) => hit[c.codes[i]];
  };
  const number = (c, written) => {
    const v = Number(written.replace(",", "."));
    if (v !== v || written.trim() === "") throw new Error(c.name + " is a column of numbers, and " + quoted(written) + " is not a number.");
    return c.numbers instanceof Float64Array ? v : Math.fround(v); // numbers are kept in single precision
  };
  const ORDER = { "<": (a, b) => a < b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b, "=": (a, b) => a === b, "!=": (a, b) => a !== b };
  const compared = (c, sign, written) => {
    if (c.numbers) {
      const v = number(c, written), is = ORDER[sign];
      return (i) => is(c.numbers[i], v);
    }
    if (sign !== "=" && sign !== "!=") throw new Error(c.name + " is a column of words: use =, !=, in or contains.");
    const wanted = low(written);
    return words(c, (w) => (w === wanted) === (sign === "="));
  };
  const contained = (c, part) => {
    if (c.numbers) throw new Error(c.name + " is a column of numbers: use <, >, = or !=.");
    return words(c, (w) => w.includes(low(part)));
  };
  const listed = () => {
    const values = [];
    if (!next("(")) throw new Error("After " + quoted("in") + " comes a list in parentheses: in (a, b).");
    do values.push(value("in (")); while (next(","));
    if (!next(")")) throw new Error("A parenthesis is not closed.");
    return values;
  };
  const anywhere = (part) => {
    const wanted = low(part);
    const worded = table.columns.filter((c) => c.levels).map((c) => words(c, (w) => w.includes(wanted)));
    if (table.names) worded.push((i) => low(table.names[i]).includes(wanted));
    return (i) => worded.some((is) => is(i));
  };
  const listing = (name) => {
    if (next("contains")) return contained(column(name), value("contains"));
    next("in");
    const c = column(name), any = listed().map((v) => compared(c, "=", v));
    return (i) => any.some((is) => is(i));
  };
  const TURNED = { "<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!=" };
  const turned = (written, sign) => { // 20 < mpg, and 20 < mpg < 25
    const c = column(value(sign)), first = compared(c, TURNED[sign], written), more = next("sign");
    if (!more) return first;
    const second = compared(c, more.text, value(more.text));
    return (i) => first(i) && second(i);
  };
  const test = () => {
    const left = next("text") || next("words");
    if (!left) throw new Error(tokens[at] ? quoted(tokens[at].text) + " cannot stand here." : "Something is missing at the end.");
    const sign = next("sign");
    if (sign && !loose.has(low(left.text)) && Number(left.text) === Number(left.text)) return turned(left.text, sign.text);
    if (sign) return compared(column(left.text), sign.text, value(sign.text));
    if (next("between")) {
      const c = column(left.text), least = compared(c, ">=", value("between"));
      if (!next("and")) throw new Error("After " + quoted("between") + " come two numbers: between 20 and 25.");
      const most = compared(c, "<=", value("and"));
      return (i) => least(i) && most(i);
    }
    if (tokens[at] && tokens[at].kind === "not" && tokens[at + 1] && ["in", "contains"].includes(tokens[at + 1].kind)) {
      at++;
      const is = listing(left.text);
      return (i) => !is(i);
    }
    if (tokens[at] && ["in", "contains"].includes(tokens[at].kind)) return listing(left.text);
    if (next("is")) {
      const c = column(left.text), no = next("not");
      if (low(value("is")) !== "missing") throw new Error("After " + quoted("is") + " comes missing, or not missing.");
      const is = c.numbers ? (i) => c.numbers[i] !== c.numbers[i] : words(c, (w) => w === "missing");
      return (i) => is(i) !== Boolean(no);
    }
    return anywhere(left.text);
  };
  const negated = () => {
    if (next("not")) { const is = negated(); return (i) => !is(i); }
    if (!next("(")) return test();
    const is = either();
    if (!next(")")) throw new Error("A parenthesis is not closed.");
    return is;
  };
  const both = () => {
    const parts = [negated()];
    while (next("and")) parts.push(negated());
    return parts.length === 1 ? parts[0] : (i) => parts.every((is) => is(i));
  };
  const either = () => {
    const parts = [both()];
    while (next("or")) parts.push(both());
    return parts.length === 1 ? parts[0] : (i) => parts.some((is) => is(i));
  };
  const found = either();
  if (at < tokens.length) throw new Error("This cannot be read from " + quoted(tokens[at].text) + " on.");
  return found;
};
