// Mark pictures more than twice as wide as high, which need scrolling on a phone.
for (const picture of document.querySelectorAll(".bd-article img")) {
  const mark = () => picture.classList.toggle("wide", picture.naturalWidth > 2.2 * picture.naturalHeight);
  if (picture.complete) mark();
  else picture.addEventListener("load", mark);
}
