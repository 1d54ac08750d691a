"use strict";
// Files that the page makes itself: nothing is asked of any network.
const saveFile = (name, parts, type) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(parts, { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};
// A text that a spreadsheet would take for a formula gets an apostrophe in front; numbers stay as they are.
const csvLine = (cells) => cells.map((v) => {
  const text = (typeof v === "string" && /^[=+\-@\t\r]/.test(v) && (v.trim() === "" || Number.isNaN(Number(v.replace(/[,%]/g, "")))) ? "'" : "") + String(v);
  return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}).join(",") + "\r\n";

// A pen that writes SVG where the canvas draws: what the drawing of the page uses, and no more.
class SvgPen {
  constructor(width, height, measure) {
    this.width = width; this.height = height; this.measure = measure;
    this.parts = []; this.path = ""; this.dash = ""; this.groups = 0; this.clips = 0; this.kept = [];
    this.globalAlpha = 1; this.lineWidth = 1; this.fillStyle = this.strokeStyle = "#000";
    this.font = "11px sans-serif"; this.textAlign = "left"; this.textBaseline = "alphabetic";
  }
  escape(text) { return String(text).replace(/[&<>"]/g, (c) => "&#" + c.charCodeAt(0) + ";"); }
  round(v) { return String(Math.round(v * 100) / 100); }
  setTransform() {}
  clearRect() {}
  setLineDash(pattern) { this.dash = pattern.join(" "); }
  save() { this.kept.push(this.groups); }
  restore() { for (const before = this.kept.pop(); this.groups > before; this.groups--) this.parts.push("</g>"); }
  clip() {
    const id = "clip" + ++this.clips;
    this.parts.push(`<clipPath id="${id}"><path d="${this.path}"/></clipPath><g clip-path="url(#${id})">`);
    this.groups++;
  }
  beginPath() { this.path = ""; }
  moveTo(x, y) { this.path += `M${this.round(x)} ${this.round(y)}`; }
  lineTo(x, y) { this.path += `L${this.round(x)} ${this.round(y)}`; }
  closePath() { this.path += "Z"; }
  rect(x, y, w, h) { this.path += `M${this.round(x)} ${this.round(y)}h${this.round(w)}v${this.round(h)}h${this.round(-w)}Z`; }
  arc(x, y, r) { const [a, d] = [this.round(r), this.round(2 * r)]; this.path += `M${this.round(x + r)} ${this.round(y)}a${a} ${a} 0 1 1 ${-d} 0a${a} ${a} 0 1 1 ${d} 0Z`; }
  fill() { if (this.path) this.parts.push(`<path d="${this.path}" fill="${this.fillStyle}" fill-opacity="${this.globalAlpha}"/>`); }
  stroke() {
    const dash = this.dash ? ` stroke-dasharray="${this.dash}"` : "";
    if (this.path) this.parts.push(`<path d="${this.path}" fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}"${dash}/>`);
  }
  fillRect(x, y, w, h) { this.beginPath(); this.rect(x, y, w, h); this.fill(); }
  words(text, x, y, paint) {
    const anchor = { left: "start", center: "middle", right: "end" }[this.textAlign];
    const drop = { top: "0.9em", middle: "0.32em", bottom: "-0.2em", alphabetic: "0" }[this.textBaseline];
    this.parts.push(`<text x="${this.round(x)}" y="${this.round(y)}" dy="${drop}" text-anchor="${anchor}" style="font:${this.escape(this.font)}" ${paint}>${this.escape(text)}</text>`);
  }
  fillText(text, x, y) { this.words(text, x, y, `fill="${this.fillStyle}"`); }
  strokeText(text, x, y) { this.words(text, x, y, `fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}" stroke-linejoin="round"`); }
  measureText(text) { this.measure.font = this.font; return this.measure.measureText(text); }
  toString() {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}">` + this.parts.join("") + "</svg>\n";
  }
}
