// Links, pictures, films and Python lines.
import { copy, element, save, write } from "./dom.js";

const CAPTION = 60; // pixels below the picture

export class Share {
  constructor(app) {
    this.app = app;
    const on = (id, act) => element(id).addEventListener("click", act);
    on("link", () => this.copyLink());
    on("copy", async () =>
      app.announce(
        (await copy(element("python").textContent)) ? "Python lines copied" : "Select the lines and copy them",
      ),
    );
    on("png", () => this.composed().toBlob((blob) => save(blob, `${app.scene.id}.png`)));
    on("film", () => this.film());
  }

  show() {
    const { lines, text } = this.app.current.python();
    write(element("python"), lines);
    write(element("python-text"), text);
  }

  async copyLink() {
    this.app.remember();
    const good = await copy(location.href);
    this.app.announce(good ? "Link copied" : "Copy the address of this page");
    element("link").textContent = good ? "Link copied" : "Copy the address above";
    setTimeout(() => {
      element("link").textContent = "Copy link";
    }, 2000);
  }

  // The picture with its sentence, on the page's background.
  composed() {
    const stage = element("stage");
    const canvas = document.createElement("canvas");
    const { palette } = this.app;
    canvas.width = stage.width;
    canvas.height = stage.height + CAPTION;
    const context = canvas.getContext("2d");
    context.fillStyle = palette.paper;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(stage, 0, 0);
    context.fillStyle = palette.ink;
    context.font = "24px system-ui, sans-serif";
    context.textAlign = "center";
    context.fillText(this.app.current.caption(), canvas.width / 2, stage.height + 0.6 * CAPTION, canvas.width - 20);
    return canvas;
  }

  // Record the picture, on the page's background, until the button is pressed again.
  film() {
    const button = element("film");
    const { app } = this;
    if (this.recorder) {
      this.recorder.stop();
      return;
    }
    if (!window.MediaRecorder || !element("stage").captureStream) {
      app.say("This browser cannot record films.");
      return;
    }
    const parts = [];
    const types = ["video/mp4;codecs=avc1", "video/webm;codecs=vp9", "video/webm", "video/mp4"];
    const type = types.find((name) => MediaRecorder.isTypeSupported(name));
    this.recorder = new MediaRecorder(element("stage").captureStream(30), { mimeType: type, videoBitsPerSecond: 4e6 });
    this.recorder.ondataavailable = (event) => parts.push(event.data);
    this.recorder.onstop = () => {
      this.recorder = null;
      button.textContent = "Record film";
      button.setAttribute("aria-pressed", "false");
      const blob = new Blob(parts, { type });
      button.dataset.bytes = String(blob.size);
      save(blob, `${app.scene.id}.${type.includes("mp4") ? "mp4" : "webm"}`);
    };
    this.recorder.start();
    button.textContent = "Stop and download film";
    button.setAttribute("aria-pressed", "true");
    if (!app.playing) app.play(true);
  }
}
