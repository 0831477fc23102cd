// Questions to the server of this page.
export async function ask(what, question = {}) {
  let reply;
  try {
    reply = await fetch(`/api/${what}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(question),
    });
  } catch {
    throw new Error("hyperna play does not answer: is it still running in the terminal?");
  }
  const found = await reply.json();
  if (!reply.ok) throw new Error(found.error);
  return found;
}

export const element = (id) => document.getElementById(id);

export function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
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
