// The play page inside a page is light or dark as the page is.
const frames = document.querySelectorAll("iframe.play");
const follow = () => {
  const { theme } = document.documentElement.dataset;
  for (const frame of frames) {
    const wanted = `${frame.dataset.src}&theme=${theme === "dark" ? "dark" : "light"}`;
    if (frame.getAttribute("src") !== wanted) frame.setAttribute("src", wanted);
  }
};
if (frames.length) {
  for (const frame of frames) frame.dataset.src = frame.getAttribute("src");
  new MutationObserver(follow).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  follow();
}
