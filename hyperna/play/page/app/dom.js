// Small helpers for elements of the page.
export const element = (id) => document.getElementById(id);

export function make(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

export function button(label, act) {
  const made = make("button", { type: "button", textContent: label });
  made.addEventListener("click", act);
  return made;
}

// The value of a group of radio buttons.
export const chosen = (name) => document.querySelector(`[name=${name}]:checked`).value;

export function choose(name, value) {
  for (const radio of document.querySelectorAll(`[name=${name}]`)) radio.checked = radio.value === value;
}

// Write a text only where it changes: screen readers read every change.
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function save(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
