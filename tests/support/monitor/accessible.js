// What is wrong with a page for those who see little, or use no mouse: a list of sentences.
(() => {
  const wrong = [];
  const all = (what, within = document) => [...within.querySelectorAll(what)];
  const named = (element) => `${element.tagName} ${element.className.baseVal ?? element.className} "${element.textContent.trim().slice(0, 40)}"`;
  const seen = (element) => element.getClientRects().length > 0;

  for (const one of all('input:not([type=hidden]), select, textarea')) {
    if (!one.labels.length && !one.getAttribute('aria-label')) wrong.push(`no label: ${named(one)}`);
  }
  const levels = all('h1, h2, h3, h4').map((one) => Number(one.tagName[1]));
  if (levels.filter((level) => level === 1).length !== 1) wrong.push(`not one h1: ${levels}`);
  levels.reduce((before, level) => { if (level > before + 1) wrong.push(`headings skip a level: ${levels}`); return level; }, 0);
  for (const table of all('table')) {
    if (!table.tHead || all('th', table.tHead).some((head) => head.scope !== 'col')) wrong.push('a table without headers');
  }
  if (all('main').length !== 1) wrong.push('not one main');
  for (const nav of all('nav')) if (!nav.getAttribute('aria-label')) wrong.push('a nav without a name');
  for (const svg of all('svg')) {
    if (svg.closest('svg svg') || svg.getAttribute('aria-hidden')) continue;
    if (svg.getAttribute('role') === 'img' ? !svg.querySelector('title') : !svg.parentElement.closest('svg')) wrong.push(`a picture without words: ${named(svg)}`);
  }
  for (const box of all('main *, header *')) {
    const flow = getComputedStyle(box).overflowX;
    if ((flow === 'auto' || flow === 'scroll') && box.scrollWidth > box.clientWidth && box.tabIndex < 0 && !box.querySelector('a')) {
      wrong.push(`cannot be scrolled by keys: ${named(box)}`);
    }
  }
  for (const one of all('[style]')) wrong.push(`a style of its own: ${named(one)}`);
  for (const link of all('a[href]')) if (!link.textContent.trim()) wrong.push(`a link without words: ${link.href}`);
  const ids = all('[id]').map((one) => one.id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) wrong.push(`an id twice: ${id}`);

  const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const found = channels(getComputedStyle(at).backgroundColor);
      if (found.length < 4 || found[3] > 0) return found;
    }
    return [255, 255, 255];
  };
  for (const one of all('body *')) {
    const text = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!text || !seen(one) || one.closest('svg') || one.closest('.hidden, .skip')) continue;
    const style = getComputedStyle(one);
    const [high, low] = [light(channels(style.color)), light(ground(one))].sort((a, b) => b - a);
    const ratio = (high + 0.05) / (low + 0.05), size = parseFloat(style.fontSize);
    if (ratio < (size >= 24 ? 3 : 4.5)) wrong.push(`contrast ${ratio.toFixed(2)}: ${named(one)}`);
  }
  return wrong;
})()
