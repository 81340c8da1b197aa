// Before the first paint, so that no page flashes in the other theme. "auto" follows the system.
(() => {
  const THEMES = ["auto", "light", "dark"];
  const ICONS = {auto: "theme", light: "light", dark: "dark"};
  const stored = () => {
    try {
      return localStorage.getItem("drover-theme") ?? "auto";
    } catch {
      return "auto";
    }
  };

  const apply = (theme) => {
    document.documentElement.dataset.theme = theme;
    const button = document.getElementById("theme");
    if (!button) return;
    button.lastElementChild.textContent = theme;
    button.title = button.ariaLabel = `Theme: ${theme}`;
    const use = button.querySelector("use");
    use.setAttribute("href", use.getAttribute("href").replace(/#.*/, `#${ICONS[theme]}`));
  };

  const next = () => {
    const theme = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length];
    try {
      localStorage.setItem("drover-theme", theme);
    } catch {
      // Without storage it lasts as long as the page.
    }
    apply(theme);
  };

  apply(stored());
  addEventListener("DOMContentLoaded", () => {
    apply(stored());
    document.getElementById("theme")?.addEventListener("click", next);
  });
})();
