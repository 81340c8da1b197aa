// Of tabs that do not fit, as on a phone, the open one is in sight.

export function start() {
  show();
  document.addEventListener("htmx:after:swap", show);
}

function show() {
  for (const tab of document.querySelectorAll(".tabs [aria-current]")) {
    const tabs = tab.parentElement;
    const hidden = tab.offsetLeft < tabs.scrollLeft || tab.offsetLeft + tab.offsetWidth > tabs.scrollLeft + tabs.clientWidth;
    if (hidden) tabs.scrollLeft = tab.offsetLeft - (tabs.clientWidth - tab.offsetWidth) / 2;
  }
}
