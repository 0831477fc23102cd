// Questions to hyperna play, where this page comes from it.
export class Server {
  // `served` says whether there is one.
  constructor(served) {
    this.served = served;
  }

  async ask(what, question, signal = null) {
    let reply;
    try {
      const headers = { "Content-Type": "application/json" };
      reply = await fetch(`/api/${what}`, { method: "POST", headers, body: JSON.stringify(question), signal });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Error("hyperna play does not answer: is it still running in the terminal?");
    }
    const found = await reply.json();
    if (!reply.ok) throw new Error(found.error);
    return found;
  }
}
