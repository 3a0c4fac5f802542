"""What everybody must be able to read and reach, looked for in a page as a browser has drawn it."""

# Contrast of text, names of controls, order of headings, one place for each id: what tools call serious.
FAULTS = """() => {
  const faults = [];
  const shown = (e) => e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length;
  const hidden = (e) => { const b = e.getBoundingClientRect(); return b.width <= 1 || b.height <= 1; };
  const numbers = (c) => (c.match(/[\\d.]+/g) || []).map(Number);
  const linear = (v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => [r, g, b].map((v) => linear(v / 255))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const grounds = new Map([[null, [255, 255, 255]]]);
  const behind = (e) => {
    if (!grounds.has(e)) {
      const c = numbers(getComputedStyle(e).backgroundColor);
      grounds.set(e, c.length === 3 || c[3] === 1 ? c : behind(e.parentElement));
    }
    return grounds.get(e);
  };
  for (const e of document.querySelectorAll("body *")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !shown(e) || hidden(e) || e.closest("[hidden], option")) continue;
    const style = getComputedStyle(e), svg = e instanceof SVGElement;
    const [a, b] = [light(numbers(svg ? style.fill : style.color)), light(behind(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const large = parseFloat(style.fontSize) >= 24;
    if (ratio < (large ? 3 : 4.5) && !e.closest("[disabled], [aria-disabled]")) {
      faults.push(`contrast ${ratio.toFixed(2)}: ${e.textContent.trim().slice(0, 40)}`);
    }
  }
  const controls = "input:not([type=hidden]), select, textarea, button, a[href], progress";
  for (const e of document.querySelectorAll(controls)) {
    const label = e.labels?.[0]?.textContent.trim();
    const named = e.getAttribute("aria-label") || label || e.textContent.trim() || e.title;
    if (!named || (e.tagName === "SELECT" && !e.getAttribute("aria-label") && !e.labels?.length)) {
      faults.push(`no name: ${e.outerHTML.slice(0, 80)}`);
    }
  }
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  for (const id of ids.filter((id, i) => ids.indexOf(id) !== i)) faults.push(`two of id ${id}`);
  let level = 0;
  for (const e of document.querySelectorAll("h1, h2, h3, h4")) {
    const own = Number(e.tagName[1]);
    if (own > level + 1) faults.push(`heading ${own} after ${level}: ${e.textContent}`);
    level = own;
  }
  if (document.querySelectorAll("h1").length !== 1) faults.push("not one h1");
  if (document.querySelectorAll("main").length !== 1) faults.push("not one main");
  if (!document.documentElement.lang) faults.push("no language");
  for (const e of document.querySelectorAll("[tabindex]")) {
    if (e.tabIndex > 0) faults.push("an order of its own");
  }
  const beyond = document.documentElement.scrollWidth - innerWidth;
  if (beyond > 0) faults.push(`wider than the window by ${beyond}`);
  return faults;
}"""


def faults(page):
    """What somebody could not read, name or reach."""
    return page.evaluate(FAULTS)


def everywhere(page):
    """What could not be read or reached of a screen, in every language and theme and at both widths."""
    found, chosen = {}, page.locator("html").get_attribute("data-theme")
    for language in ("pt", "ca", "zh", "en"):
        if page.get_by_test_id("language").input_value() != language:
            with page.expect_navigation():
                page.get_by_test_id("language").select_option(language)
        # a window is dressed sooner than drawn at another width
        for width in (1280, 1920):
            page.set_viewport_size({"width": width, "height": 900})
            for theme in ("light", "dark"):
                page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
                if told := faults(page):
                    found[language, theme, width] = told
    page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", chosen)
    return found
