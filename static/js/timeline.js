// What lies under the pointer, or has the focus, on a timeline is written below it: exactly when, how long and why.
export function start() {
  for (const name of ["pointerover", "focusin"]) {
    document.addEventListener(name, ({target}) => {
      const line = target.closest?.("figure")?.querySelector("[data-tell]");
      if (line) line.textContent = target.dataset.tip ?? "";
    });
  }
}
