"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($("data").textContent);
  // A name written from right to left must not carry the words beside it along.
  const alone = (words) => "\u2068" + words + "\u2069";
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const floats = (text) => new Float32Array(bytes(text).buffer);
  const make = (tag, words, cls) => {
    const e = document.createElement(tag);
    if (words !== undefined) e.textContent = words;
    if (cls) e.className = cls;
    return e;
  };
  const n = data.n;
  const scores = data.scores.map(floats);
  const columns = data.columns.map((c) => c.levels
    ? { name: c.name, levels: c.levels, codes: new Uint16Array(bytes(c.codes).buffer) }
    : { name: c.name, numbers: c.wide ? new Float64Array(bytes(c.numbers).buffer) : floats(c.numbers) });
  const short = (v) => Math.abs(v) >= 1e4 && Math.abs(v) < 1e9 ? Number(v.toPrecision(5)).toLocaleString("en") : (Math.abs(v) >= 1e9 || (v !== 0 && Math.abs(v) < 1e-3)) ? v.toExponential(2) : String(+v.toPrecision(5));

  // -- choices ---------------------------------------------------------------------------------------------------
  const brief = (v) => Math.abs(v) >= 100 ? short(Math.round(v)) : short(+v.toPrecision(3));
  const fill = (select, names, chosen) => {
    names.forEach((name, j) => { const o = make("option", name); o.value = j; select.append(o); });
    select.value = chosen;
  };
  const one = scores.length === 1;
  fill($("axis-x"), data.axes, data.start[0]);
  fill($("axis-y"), one ? ["(spread out)"] : data.axes, one ? 0 : data.start[1]);
  const colourNames = ["none", ...columns.map((c) => c.name)];
  const targetPlace = columns.findIndex((c) => c.name === data.target);
  fill($("colour"), colourNames, columns.findIndex((c) => c.name === data.colour) + 1);
  const jitter = new Float32Array(n);
  let seed = 12345;
  for (let i = 0; i < n; i++) { seed = (seed * 1103515245 + 12345) % 2147483648; jitter[i] = seed / 2147483648 - 0.5; }

  // -- state -----------------------------------------------------------------------------------------------------
  const canvas = $("plot"), screen = canvas.getContext("2d");
  let pen = screen, X, Y, view, home, selected = null, pointed = null, tool = "lasso", path = null, colours = [], shapes = [], colourOf;
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const RAMP = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
  const ramp = (t) => {  // of the whole range, the part that stands out from the ground
    const from = Number(css("--ramp-from")), to = Number(css("--ramp-to"));
    const u = (from + (to - from) * Math.min(Math.max(t, 0), 1)) * 4, i = Math.min(Math.floor(u), 3), f = u - i;
    return "rgb(" + RAMP[i].map((v, k) => Math.round(v + f * (RAMP[i + 1][k] - v))).join(",") + ")";
  };

  const range = (v) => {
    let low = Infinity, high = -Infinity;
    for (let i = 0; i < n; i++) { if (v[i] < low) low = v[i]; if (v[i] > high) high = v[i]; }
    if (!(high > low)) { low -= 1; high += 1; }
    const pad = 0.06 * (high - low);
    return [low - pad, high + pad];
  };
  const setAxes = () => {
    X = scores[+$("axis-x").value];
    Y = one ? jitter : scores[+$("axis-y").value];
    home = { x: range(X), y: one ? [-2, 2] : range(Y) };
    reset();
  };
  const reset = () => {
    view = { x: home.x.slice(), y: home.y.slice() };
    if (data.square) level();
    draw();
  };
  const level = () => { // a map has one scale for both coordinates
    const w = canvas.clientWidth - 56, h = canvas.clientHeight - 46;
    const sx = (view.x[1] - view.x[0]) / w, sy = (view.y[1] - view.y[0]) / h, s = Math.max(sx, sy);
    for (const [k, size] of [["x", w], ["y", h]]) {
      const mid = (view[k][0] + view[k][1]) / 2;
      view[k] = [mid - s * size / 2, mid + s * size / 2];
    }
  };
  const box = () => ({ left: 48, top: 10, right: canvas.clientWidth - 8, bottom: canvas.clientHeight - 36 });
  const px = (v) => { const b = box(); return b.left + (v - view.x[0]) / (view.x[1] - view.x[0]) * (b.right - b.left); };
  const py = (v) => { const b = box(); return b.bottom - (v - view.y[0]) / (view.y[1] - view.y[0]) * (b.bottom - b.top); };
  const ux = (p) => { const b = box(); return view.x[0] + (p - b.left) / (b.right - b.left) * (view.x[1] - view.x[0]); };
  const uy = (p) => { const b = box(); return view.y[0] + (b.bottom - p) / (b.bottom - b.top) * (view.y[1] - view.y[0]); };

  // -- colours ---------------------------------------------------------------------------------------------------
  const PALETTE = 10, SHAPES = ["dot", "square", "triangle", "diamond", "cross"];
  const coloured = () => columns[+$("colour").value - 1];
  const setColours = () => {
    const c = coloured(), legend = $("legend");
    legend.replaceChildren();
    shapes = [];
    pointed = null;
    $("by").textContent = c && c.name === data.colour ? data.colour_words : "";
    if (!c) { colours = [css("--accent")]; colourOf = () => 0; return; }
    if (c.levels) {
      colours = c.levels.map((_, j) => css("--c" + (j % PALETTE)));
      shapes = c.levels.map((_, j) => SHAPES[Math.floor(j / PALETTE) % SHAPES.length]);
      colourOf = (i) => c.codes[i];
      c.levels.forEach((name, j) => {
        const b = make("button"), s = make("span", undefined, "swatch " + shapes[j]);
        for (const [event, place] of [["pointerenter", j], ["pointerleave", null], ["focus", j], ["blur", null]]) {
          b.addEventListener(event, () => { pointed = place; soon(); });
        }
        s.style.background = colours[j];
        b.type = "button";
        b.append(s, make("span", name));
        b.setAttribute("aria-pressed", "false");
        b.addEventListener("click", () => {
          const on = b.getAttribute("aria-pressed") !== "true";
          legend.querySelectorAll("button").forEach((o) => o.setAttribute("aria-pressed", "false"));
          b.setAttribute("aria-pressed", String(on));
          const hit = new Uint8Array(n);
          for (let i = 0; i < n; i++) hit[i] = c.codes[i] === j ? 1 : 0;
          select(on ? hit : null);
        });
        legend.append(b);
      });
      return;
    }
    const sorted = c.numbers.slice().filter((v) => v === v).sort();
    const low = sorted[Math.floor(sorted.length * 0.02)], high = sorted[Math.ceil(sorted.length * 0.98) - 1];
    colours = Array.from({ length: 64 }, (_, j) => ramp(j / 63));
    colours.push(css("--quiet"));
    colourOf = (i) => c.numbers[i] !== c.numbers[i] ? 64 : Math.min(Math.max(Math.round((c.numbers[i] - low) / ((high - low) || 1) * 63), 0), 63);
    const bar = make("span", undefined, "ramp");
    bar.style.background = "linear-gradient(90deg," + [0, .25, .5, .75, 1].map(ramp).join(",") + ")";
    const scale = make("span", undefined, "scale");
    scale.append(make("span", brief(low)), bar, make("span", brief(high)));
    legend.append(scale);
  };

  // -- drawing ---------------------------------------------------------------------------------------------------
  const ticks = (low, high, count) => {
    const raw = (high - low) / count, p = 10 ** Math.floor(Math.log10(raw));
    const step = p * [1, 2, 2.5, 5, 10].find((m) => m * p >= raw), out = [];
    for (let t = Math.ceil(low / step) * step; t <= high; t += step) out.push(Math.abs(t) < step * 1e-9 ? 0 : t);
    return out;
  };
  const regionsShown = () => data.regions && $("regions").checked && +$("axis-x").value === 0 && +$("axis-y").value === 1;
  const drawRegions = (b) => {
    const r = data.regions, codes = bytes(r.codes), s = r.size;
    const column = columns[targetPlace];
    const dx = (r.x[1] - r.x[0]) / (s - 1), dy = (r.y[1] - r.y[0]) / (s - 1);
    pen.globalAlpha = 0.13;
    for (let j = 0; j < s; j++) {
      for (let i = 0; i < s; i++) {
        const name = r.classes[codes[j * s + i]], place = column && column.levels ? column.levels.indexOf(name) : codes[j * s + i];
        pen.fillStyle = css("--c" + (Math.max(place, 0) % PALETTE));
        let run = 1;
        while (i + run < s && codes[j * s + i + run] === codes[j * s + i]) run++;
        const x0 = px(r.x[0] + (i - 0.5) * dx), x1 = px(r.x[0] + (i + run - 0.5) * dx), y0 = py(r.y[0] + (j + 0.5) * dy), y1 = py(r.y[0] + (j - 0.5) * dy);
        const a = Math.max(x0, b.left), c = Math.min(x1, b.right), d = Math.max(y0, b.top), e = Math.min(y1, b.bottom);
        if (c > a && e > d) pen.fillRect(Math.round(a), Math.round(d), Math.round(c) - Math.round(a), Math.round(e) - Math.round(d));
        i += run - 1;
      }
    }
    pen.globalAlpha = 1;
  };
  const draw = () => {
    const ratio = window.devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
    if (pen === screen && (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio))) {
      canvas.width = Math.round(w * ratio);
      canvas.height = Math.round(h * ratio);
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, w, h);
    const b = box(), soft = css("--soft");
    pen.save();
    pen.beginPath(); pen.rect(b.left, b.top, b.right - b.left, b.bottom - b.top); pen.clip();
    if (regionsShown()) drawRegions(b);
    pen.restore();
    pen.font = "11px system-ui, sans-serif";
    pen.strokeStyle = css("--line"); pen.fillStyle = soft; pen.lineWidth = 1;
    pen.textAlign = "center"; pen.textBaseline = "top";
    for (const t of ticks(view.x[0], view.x[1], Math.max(3, Math.floor(w / 110)))) {
      const x = Math.round(px(t)) + .5;
      pen.beginPath(); pen.moveTo(x, b.top); pen.lineTo(x, b.bottom); pen.stroke();
      pen.fillText(short(t), x, b.bottom + 5);
    }
    pen.textAlign = "right"; pen.textBaseline = "middle";
    if (!one) for (const t of ticks(view.y[0], view.y[1], 5)) {
      const y = Math.round(py(t)) + .5;
      pen.beginPath(); pen.moveTo(b.left, y); pen.lineTo(b.right, y); pen.stroke();
      pen.fillText(short(t), b.left - 5, y);
    }
    pen.textAlign = "center"; pen.textBaseline = "bottom";
    pen.fillText(data.axes[+$("axis-x").value], (b.left + b.right) / 2, h - 2);
    pen.textAlign = "left"; pen.textBaseline = "top";
    if (!one) pen.fillText("↑ " + data.axes[+$("axis-y").value], b.left + 4, b.top + 1);
    drawPoints(b);
    if (path && path.length > 1) {
      pen.beginPath();
      path.forEach(([x, y], j) => j ? pen.lineTo(x, y) : pen.moveTo(x, y));
      pen.closePath();
      pen.strokeStyle = css("--accent"); pen.setLineDash([4, 3]); pen.stroke(); pen.setLineDash([]);
      pen.globalAlpha = .08; pen.fillStyle = css("--accent"); pen.fill(); pen.globalAlpha = 1;
    }
  };
  const MARKS = {
    dot: (x, y, r) => { pen.moveTo(x + r, y); pen.arc(x, y, r, 0, 6.2832); },
    square: (x, y, r) => pen.rect(x - 0.9 * r, y - 0.9 * r, 1.8 * r, 1.8 * r),
    triangle: (x, y, r) => { pen.moveTo(x, y - 1.2 * r); pen.lineTo(x + 1.1 * r, y + 0.8 * r); pen.lineTo(x - 1.1 * r, y + 0.8 * r); pen.closePath(); },
    diamond: (x, y, r) => { pen.moveTo(x, y - 1.3 * r); pen.lineTo(x + 1.3 * r, y); pen.lineTo(x, y + 1.3 * r); pen.lineTo(x - 1.3 * r, y); pen.closePath(); },
    cross: (x, y, r) => { pen.rect(x - 1.2 * r, y - 0.4 * r, 2.4 * r, 0.8 * r); pen.rect(x - 0.4 * r, y - 1.2 * r, 0.8 * r, 2.4 * r); },
  };
  const put = (list, size, alpha, shape) => {
    pen.globalAlpha = alpha;
    if (size > 3) {
      const mark = MARKS[shape || "dot"];
      pen.beginPath();
      for (let j = 0; j < list.length; j += 2) mark(list[j], list[j + 1], size / 2);
      pen.fill();
    } else for (let j = 0; j < list.length; j += 2) pen.fillRect(list[j] - size / 2, list[j + 1] - size / 2, size, size);
    pen.globalAlpha = 1;
  };
  const drawCloud = (A, B, toX, toY, b, size) => {
    const groups = colours.map(() => []), dim = [];
    for (let i = 0; i < n; i++) {
      const x = toX(A[i]), y = toY(B[i]);
      if (x < b.left || x > b.right || y < b.top || y > b.bottom) continue;
      const quiet = (selected && !selected[i]) || (pointed !== null && colourOf(i) !== pointed);
      (quiet ? dim : groups[colourOf(i)]).push(x, y);
    }
    pen.fillStyle = css("--quiet");
    put(dim, size, .6);
    groups.forEach((list, j) => { pen.fillStyle = colours[j]; put(list, size, n > 20000 ? .6 : .85, shapes[j]); });
  };
  // Where points would hide each other, how many there are: on a scale of logarithms, one hue
  const drawDensity = (b) => {
    const side = 4, across = Math.ceil((b.right - b.left) / side), up = Math.ceil((b.bottom - b.top) / side);
    const counts = new Uint32Array(across * up);
    let top = 1;
    for (let i = 0; i < n; i++) {
      if (selected && !selected[i]) continue;
      const u = Math.floor((px(X[i]) - b.left) / side), v = Math.floor((py(Y[i]) - b.top) / side);
      if (u >= 0 && u < across && v >= 0 && v < up) top = Math.max(top, ++counts[v * across + u]);
    }
    pen.fillStyle = css("--accent");
    counts.forEach((count, place) => {
      if (!count) return;
      pen.globalAlpha = 0.12 + 0.88 * Math.log1p(count) / Math.log1p(top);
      pen.fillRect(b.left + (place % across) * side, b.top + Math.floor(place / across) * side, side, side);
    });
    pen.globalAlpha = 1;
  };
  const haloed = (words, x, y) => {
    pen.strokeStyle = css("--panel"); pen.lineWidth = 3; pen.lineJoin = "round";
    pen.strokeText(words, x, y);
    pen.fillText(words, x, y);
    pen.lineWidth = 1;
  };
  const drawNames = (b) => {
    pen.fillStyle = css("--ink"); pen.textAlign = "left"; pen.textBaseline = "middle"; pen.font = "11.5px system-ui, sans-serif";
    const taken = [], points = [];
    for (let i = 0; i < n; i++) points.push([px(X[i]), py(Y[i])]);
    const free = (left, y, w, own) => // no other name and no point of another row is covered
      left >= b.left && left + w <= b.right && y > b.top + 6 && y < b.bottom - 6 &&
      !taken.some(([a, c, v]) => Math.abs(v - y) < 13 && left < c + 2 && left + w > a - 2) &&
      !points.some(([a, v], j) => j !== own && Math.abs(v - y) < 7 && a > left - 3 && a < left + w + 3);
    for (let i = 0; i < n; i++) {
      const [x, y] = points[i], words = data.names[i].length > 24 ? data.names[i].slice(0, 23) + "…" : data.names[i], w = pen.measureText(words).width;
      if (x < b.left || x > b.right || y < b.top || y > b.bottom || (selected && !selected[i])) continue;
      const place = [[x + 6, y], [x - 6 - w, y], [x - w / 2, y - 12], [x - w / 2, y + 12]].find(([left, v]) => free(left, v, w, i));
      if (!place) continue;
      taken.push([place[0], place[0] + w, place[1]]);
      haloed(words, place[0], place[1]);
    }
  };
  const middle = (values) => values.sort((a, b) => a - b)[values.length >> 1];
  const MOST_CENTRES = 60, MOST_NUMBERS = 40;
  const drawCentres = (b) => { // ten colours tell ten classes apart; their names tell the others
    const c = coloured(), places = c.levels.map(() => [[], []]);
    for (let i = 0; i < n; i++) { places[c.codes[i]][0].push(px(X[i])); places[c.codes[i]][1].push(py(Y[i])); }
    pen.textAlign = "center"; pen.textBaseline = "middle"; pen.font = "600 12px system-ui, sans-serif"; pen.fillStyle = css("--ink");
    const taken = [], order = c.levels.map((_, j) => j).filter((j) => places[j][0].length && (pointed === null || pointed === j));
    order.sort((i, j) => places[j][0].length - places[i][0].length); // of names that would cover each other, that of the larger class is written
    for (const j of order) {
      const half = pen.measureText(c.levels[j]).width / 2, y = middle(places[j][1]);
      const x = Math.max(Math.min(middle(places[j][0]), b.right - half - 2), b.left + half + 2);
      if (taken.some(([a, z, v]) => Math.abs(v - y) < 13 && x - half < z && x + half > a)) continue;
      taken.push([x - half, x + half, y]);
      haloed(c.levels[j], x, y);
    }
  };
  const drawPoints = (b) => {
    const c = coloured();
    pen.save();
    pen.beginPath(); pen.rect(b.left, b.top, b.right - b.left, b.bottom - b.top); pen.clip();
    if ($("density").checked && !c) drawDensity(b);
    else drawCloud(X, Y, px, py, b, n > 20000 ? 2 : n > 4000 ? 3 : n > 800 ? 4 : 6);
    if (data.labels && data.names && $("names").checked) drawNames(b);
    if (c && c.levels && c.levels.length > PALETTE && c.levels.length <= MOST_CENTRES && $("names").checked) drawCentres(b);
    pen.restore();
  };

  // -- small multiples: other pairs of the first directions, each a button that draws it large -----------------------
  const pairs = [];
  const makePairs = () => {
    const axes = data.pairs || [];
    for (const [a, b] of axes) {
      const button = make("button", undefined, "mini"), small = make("canvas");
      button.type = "button";
      button.setAttribute("aria-label", "Draw " + data.axes[b] + " against " + data.axes[a]);
      button.append(small, make("span", data.axes[b] + " against " + data.axes[a]));
      button.addEventListener("click", () => { $("axis-x").value = a; $("axis-y").value = b; setAxes(); canvas.scrollIntoView({ block: "nearest" }); });
      $("pairs").append(button);
      pairs.push([small, a, b]);
    }
    $("more-pairs").hidden = !axes.length;
  };
  const drawPairs = () => {
    const ratio = window.devicePixelRatio || 1;
    for (const [small, a, b] of pairs) {
      const w = small.clientWidth, h = small.clientHeight;
      if (!w) continue;
      small.width = Math.round(w * ratio); small.height = Math.round(h * ratio);
      pen = small.getContext("2d");
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      const [x0, x1] = range(scores[a]), [y0, y1] = range(scores[b]);
      const frame = { left: 0, top: 0, right: w, bottom: h };
      drawCloud(scores[a], scores[b], (v) => (v - x0) / (x1 - x0) * w, (v) => h - (v - y0) / (y1 - y0) * h, frame, n > 800 ? 2 : 4);
    }
    pen = screen;
  };

  // -- selection -------------------------------------------------------------------------------------------------
  const inside = (x, y) => {
    let hit = false;
    for (let i = 0, j = path.length - 1; i < path.length; j = i++) {
      const [xi, yi] = path[i], [xj, yj] = path[j];
      if ((yi > y) !== (yj > y) && x < (xj - xi) * (y - yi) / (yj - yi) + xi) hit = !hit;
    }
    return hit;
  };
  const select = (hit) => {
    selected = hit && hit.some((v) => v) ? hit : null;
    if (!selected) $("legend").querySelectorAll("button").forEach((o) => o.setAttribute("aria-pressed", "false"));
    draw(); drawPairs(); list(); setApart();
    document.querySelectorAll("svg [data-row]").forEach((e) => e.classList.toggle("hot", Boolean(selected && selected[placeOf.get(+e.dataset.row)])));
  };
  const filter = () => {
    const text = $("filter").value.trim(), hit = new Uint8Array(n);
    let trouble = "";
    $("legend").querySelectorAll("button").forEach((o) => o.setAttribute("aria-pressed", "false"));
    if (text) {
      try {
        const is = rowFilter(text, { columns, axes: data.axes, scores, names: data.names });
        for (let i = 0; i < n; i++) hit[i] = is(i) ? 1 : 0;
      } catch (error) { trouble = error.message; }
    }
    select(hit);
    if (trouble) $("count").textContent = trouble + " " + $("filter-help").textContent;
    else if (text && !selected) $("count").textContent = "No row matches " + text + ".";
  };
  const example = () => {
    const c = columns.find((o) => o.numbers), w = columns.find((o) => o.levels && o.levels.length > 1);
    const parts = [];
    if (c) parts.push(c.name + " > " + short(c.numbers.slice().sort()[Math.floor(n / 2)]));
    if (w) parts.push(w.name + " != " + w.levels[0]);
    if (!parts.length) parts.push(data.axes[0] + " > 0");
    const joined = parts.join(" and ");
    return "Such as " + (joined.length > 70 ? parts[0] : joined) + (data.names ? ", or a name." : ".");
  };
  const placeOf = new Map(Array.from({ length: n }, (_, i) => [data.rows ? data.rows[i] : i, i]));
  const hint = () => $("legend").querySelector("button") ? "Draw around points, choose a kind in the legend, or write what to select" : "Draw around points, or write what to select";
  const MOST = 200;
  const cell = (c, i) => c.levels ? c.levels[c.codes[i]] : (c.numbers[i] !== c.numbers[i] ? "" : short(c.numbers[i]));
  const decimals = scores.map((s) => { // one number of them for a whole column, so that points are below each other
    const usual = s.map((v) => Math.abs(v) || 0).sort()[s.length >> 1];
    return usual >= 1e5 || usual < 1e-3 ? null : Math.min(6, Math.max(0, 3 - Math.floor(Math.log10(usual))));
  });
  const written = (j, i) => decimals[j] === null ? short(scores[j][i]) : scores[j][i].toFixed(decimals[j]);
  const rowName = (i) => data.names ? data.names[i] : String((data.rows ? data.rows[i] : i) + 1);
  const list = () => {
    const head = make("tr");
    [["row", ""], ...data.axes.slice(0, 3).map((a) => [a, "n"]), ...columns.map((c) => [c.name, c.levels ? "" : "n"])].forEach(([name, cls]) => {
      const th = make("th", name, cls); th.scope = "col"; head.append(th);
    });
    $("rows-head").replaceChildren(head);
    const body = document.createDocumentFragment();
    let count = 0;
    for (let i = 0; i < n; i++) {
      if (selected && !selected[i]) continue;
      if (++count > MOST) continue;
      const tr = make("tr"), th = make("th", rowName(i));
      th.scope = "row"; tr.append(th);
      scores.slice(0, 3).forEach((s, j) => tr.append(make("td", written(j, i), "n")));
      columns.forEach((c) => tr.append(make("td", cell(c, i), c.levels ? "" : "n")));
      body.append(tr);
    }
    $("rows-body").replaceChildren(body);
    const rows = count.toLocaleString("en");
    $("count").textContent = (selected ? rows + (count === 1 ? " row is" : " rows are") + " selected" : hint())
      + (count > MOST ? "; the first " + MOST + " are listed." : ".");
  };
  const setApart = () => {
    const place = $("apart");
    place.replaceChildren();
    const names = document.querySelectorAll("svg [data-column]");
    names.forEach((e) => e.classList.remove("hot"));
    if (!selected) return;
    const found = [];
    for (const c of columns) {
      if (c.levels) {
        const all = new Float64Array(c.levels.length), ours = new Float64Array(c.levels.length);
        let m = 0;
        for (let i = 0; i < n; i++) { all[c.codes[i]]++; if (selected[i]) { ours[c.codes[i]]++; m++; } }
        c.levels.forEach((name, j) => {
          const p = all[j] / n, sd = Math.sqrt(p * (1 - p));
          if (sd > 0) found.push([c.name + " = " + name, (ours[j] / m - p) / sd]);
        });
        continue;
      }
      let s = 0, q = 0, k = 0, t = 0, m = 0;
      for (let i = 0; i < n; i++) { const v = c.numbers[i]; if (v !== v) continue; s += v; k++; if (selected[i]) { t += v; m++; } }
      const mean = s / k;
      for (let i = 0; i < n; i++) { const v = c.numbers[i]; if (v === v) q += (v - mean) ** 2; }
      const sd = Math.sqrt(q / k);
      if (sd > 0 && m) found.push([c.name, (t / m - mean) / sd]);
    }
    found.sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
    const shown = found.slice(0, 8), top = Math.max(...shown.map((f) => Math.abs(f[1])), 1e-9);
    const hot = new Set(shown.filter((f) => Math.abs(f[1]) > 0.5).map((f) => f[0]));
    names.forEach((e) => e.classList.toggle("hot", hot.has(e.dataset.column)));
    place.append(make("h3", "What sets them apart"), make("p", "Mean of the selected rows minus that of all, in standard deviations. The loadings below show these columns in bold.", "note"));
    const grid = make("div", undefined, "apart");
    for (const [name, d] of shown) {
      const label = make("span", name, "name"), track = make("span", undefined, "track"), bar = make("span", undefined, d < 0 ? "fill minus" : "fill");
      label.title = name + ": " + (d >= 0 ? "+" : "") + d.toFixed(2);
      bar.style.width = Math.abs(d) / top * 50 + "%";
      bar.style[d < 0 ? "right" : "left"] = "50%";
      track.append(bar);
      track.setAttribute("role", "img");
      track.setAttribute("aria-label", label.title);
      grid.append(label, track, make("span", (d >= 0 ? "+" : "−") + Math.abs(d).toFixed(2), "n"));
    }
    place.append(grid);
  };

  // -- hands -----------------------------------------------------------------------------------------------------
  let pending = false, was = null;
  const soon = () => { if (!pending) { pending = true; requestAnimationFrame(() => { pending = false; draw(); if (pointed !== was) { was = pointed; drawPairs(); } }); } };
  const at = (e) => { const r = canvas.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; };
  let last = null;
  canvas.addEventListener("pointerdown", (e) => {
    canvas.setPointerCapture(e.pointerId);
    last = at(e);
    path = tool === "lasso" && !e.shiftKey ? [last] : null;
    $("tip").hidden = true;
  });
  canvas.addEventListener("pointermove", (e) => {
    const p = at(e);
    if (!last) { hover(p); return; }
    if (path) path.push(p);
    else {
      const dx = ux(last[0]) - ux(p[0]), dy = uy(last[1]) - uy(p[1]);
      view.x = view.x.map((v) => v + dx); view.y = view.y.map((v) => v + dy);
      last = p;
    }
    soon();
  });
  canvas.addEventListener("pointerup", () => {
    if (path) {
      const hit = new Uint8Array(n);
      if (path.length > 3) for (let i = 0; i < n; i++) hit[i] = inside(px(X[i]), py(Y[i])) ? 1 : 0;
      path = null;
      select(hit);
    }
    last = null;
  });
  canvas.addEventListener("pointerleave", () => { $("tip").hidden = true; });
  const zoom = (f, cx, cy) => {
    view.x = view.x.map((v) => cx + (v - cx) * f); view.y = view.y.map((v) => cy + (v - cy) * f);
    soon();
  };
  canvas.addEventListener("wheel", (e) => {
    if (!e.ctrlKey && !e.metaKey && document.activeElement !== canvas) return; // a page must scroll past
    e.preventDefault();
    const [x, y] = at(e);
    zoom(e.deltaY > 0 ? 1.15 : 1 / 1.15, ux(x), uy(y));
  }, { passive: false });
  canvas.addEventListener("keydown", (e) => {
    const step = 0.1, w = view.x[1] - view.x[0], h = view.y[1] - view.y[0];
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    if (moves[e.key]) {
      const [a, b] = moves[e.key];
      view.x = view.x.map((v) => v + a * step * w); view.y = view.y.map((v) => v + b * step * h);
    } else if (e.key === "+" || e.key === "=") zoom(1 / 1.2, view.x[0] + w / 2, view.y[0] + h / 2);
    else if (e.key === "-") zoom(1.2, view.x[0] + w / 2, view.y[0] + h / 2);
    else if (e.key === "0") reset();
    else if (e.key === "Escape") select(null);
    else return;
    e.preventDefault();
    soon();
  });
  const hover = ([x, y]) => {
    let best = -1, near = 100;
    for (let i = 0; i < n; i++) {
      const d = (px(X[i]) - x) ** 2 + (py(Y[i]) - y) ** 2;
      if (d < near) { near = d; best = i; }
    }
    const tip = $("tip");
    tip.hidden = best < 0;
    if (best < 0) return;
    const c = columns[+$("colour").value - 1];
    tip.textContent = (data.names ? "" : "row ") + alone(rowName(best)) + (c ? " · " + alone(c.name) + ": " + alone(cell(c, best)) : "");
    tip.style.left = Math.min(x + 12, canvas.clientWidth - 170) + "px";
    tip.style.top = y + 12 + "px";
  };
  const setTool = (name) => {
    tool = name;
    $("lasso").setAttribute("aria-pressed", String(name === "lasso"));
    $("move").setAttribute("aria-pressed", String(name === "move"));
  };
  $("lasso").addEventListener("click", () => setTool("lasso"));
  $("move").addEventListener("click", () => setTool("move"));
  $("reset").addEventListener("click", reset);
  $("clear").addEventListener("click", () => { $("filter").value = ""; select(null); });
  $("filter").addEventListener("change", filter);
  $("filter").addEventListener("search", filter);
  $("filter-help").textContent = example();
  $("axis-x").addEventListener("change", setAxes);
  $("axis-y").addEventListener("change", setAxes);
  $("colour").addEventListener("change", () => { setColours(); select(null); });
  $("regions").addEventListener("change", draw);
  if (data.regions) $("regions").parentElement.hidden = false;
  $("density").addEventListener("change", draw);
  const counted = data.labels && data.names && n > MOST_NUMBERS && data.names.every((name) => /^\d+$/.test(name));
  if (counted) $("names").checked = false; // numbers of many rows say little, and cover the points
  $("names").addEventListener("change", draw);
  $("density").checked = n > 20000;
  $("density").parentElement.hidden = n <= 5000;
  $("names").parentElement.hidden = !(data.labels && data.names) && !columns.some((c) => c.levels && c.levels.length > PALETTE);

  // -- files -------------------------------------------------------------------------------------------------------
  $("save-rows").addEventListener("click", () => {
    const lines = [csvLine(["row", ...data.axes, ...columns.map((c) => c.name)])];
    for (let i = 0; i < n; i++) {
      if (selected && !selected[i]) continue;
      const cells = columns.map((c) => c.levels ? c.levels[c.codes[i]] : c.numbers[i] !== c.numbers[i] ? "" : +c.numbers[i].toPrecision(c.numbers instanceof Float64Array ? 17 : 7));
      lines.push(csvLine([rowName(i), ...scores.map((s) => +s[i].toPrecision(7)), ...cells]));
    }
    saveFile("rows.csv", lines, "text/csv");
  });
  $("save-svg").addEventListener("click", () => {
    const written = new SvgPen(canvas.clientWidth, canvas.clientHeight, screen);
    written.fillStyle = css("--panel");
    written.fillRect(0, 0, written.width, written.height);
    pen = written;
    draw();
    pen = screen;
    saveFile("scores.svg", [String(written)], "image/svg+xml");
  });
  $("save-png").addEventListener("click", () => {
    const copy = document.createElement("canvas"), on = copy.getContext("2d");
    copy.width = canvas.width; copy.height = canvas.height;
    on.fillStyle = css("--panel");
    on.fillRect(0, 0, copy.width, copy.height);
    on.drawImage(canvas, 0, 0);
    copy.toBlob((blob) => saveFile("scores.png", [blob], "image/png"));
  });
  document.querySelectorAll("details").forEach((d) => {
    const numbers = d.querySelector("table"), button = make("button", "Save as CSV");
    if (!numbers) return;
    button.type = "button";
    button.addEventListener("click", () => {
      const lines = [...numbers.rows].map((row) => csvLine([...row.cells].map((c) => c.textContent)));
      saveFile((numbers.caption ? numbers.caption.textContent.toLowerCase().replace(/[^a-z]+/g, "-") : "numbers") + ".csv", lines, "text/csv");
    });
    d.append(button);
  });
  $("copy").addEventListener("click", async () => {
    const words = $("code").textContent;
    try { await navigator.clipboard.writeText(words); } catch {
      const range = document.createRange(); range.selectNodeContents($("code"));
      const s = getSelection(); s.removeAllRanges(); s.addRange(range);
      document.execCommand("copy");
    }
    $("copy").textContent = "Copied";
    setTimeout(() => { $("copy").textContent = "Copy"; }, 1500);
  });
  new ResizeObserver(() => { if (data.square) reset(); else draw(); drawPairs(); }).observe(canvas);
  const repaint = () => {
    const pressed = [...$("legend").querySelectorAll("button")].findIndex((b) => b.getAttribute("aria-pressed") === "true");
    setColours();
    if (pressed >= 0) $("legend").querySelectorAll("button")[pressed].setAttribute("aria-pressed", "true");
    draw();
    drawPairs();
  };
  const paper = (on) => { document.documentElement.classList.toggle("paper", on); repaint(); }; // ink for white paper
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  addEventListener("beforeprint", () => paper(true));
  addEventListener("afterprint", () => paper(false));

  makePairs();
  setColours();
  setAxes();
  drawPairs();
  list();
  if (parent !== window) { // in a frame: whoever holds it may show the page whole
    const tell = () => {
      const height = Math.ceil(document.body.offsetHeight);
      if (height > 0) parent.postMessage({ eigenlensHeight: height + 32 }, "*");
      else setTimeout(tell, 50); // not laid out yet
    };
    tell(); // a frame that is out of sight hears of no change before it is seen
    new ResizeObserver(tell).observe(document.body);
  }
})();
