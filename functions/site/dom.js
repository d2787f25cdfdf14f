/** Elements without markup in strings: nothing that a source says can become HTML. */

/** h("a.link", {href: "x", onclick: f}, "text", child): properties set, `aria-*` and `data-*` as attributes. */
export function h(name, properties, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key in element && !key.includes("-")) element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const $ = (id) => document.getElementById(id);

/** "3 days ago" from seconds. */
export function ago(seconds) {
  const steps = [[60, "second"], [60, "minute"], [24, "hour"], [7, "day"], [4.35, "week"], [12, "month"], [Infinity, "year"]];
  let value = Math.max(seconds, 0);
  for (const [size, unit] of steps) {
    if (value < size) {
      const count = Math.floor(value);
      return unit === "second" ? "just now" : `${count} ${unit}${count === 1 ? "" : "s"} ago`;
    }
    value /= size;
  }
  return "";
}

/** The address if a link to it is safe and leads somewhere, else "". */
export function safeLink(url) {
  return /^https?:\/\//i.test(url ?? "") ? url : "";
}

export const count = (number, one, many = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
