// Sorting, filtering and copying of tables; the page is complete without.
(() => {
  const exact = (cell) => {
    const raw = cell.dataset.v;
    if (raw === undefined || raw === 'null') return raw === 'null' ? null : cell.textContent.trim();
    const value = Number(raw);
    return raw !== '' && !Number.isNaN(value) ? value : raw;
  };
  const compare = (a, b) => {
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    if (typeof a === 'number' && typeof b === 'number') return a - b;
    return String(a).localeCompare(String(b), 'en', { numeric: true });
  };
  // Where the clipboard is closed (a file in some browsers) an area of text takes its place.
  const copied = async (text) => {
    try { await navigator.clipboard.writeText(text); return true; } catch { /* below */ }
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  };
  const copier = (what, text) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.setAttribute('aria-label', `Copy ${what}`);
    button.addEventListener('click', async () => {
      button.textContent = await copied(text()) ? 'Copied' : 'Not copied';
    });
    return button;
  };
  const seen = (cell) => getComputedStyle(cell).display !== 'none';
  const plain = (cell) => String(cell.tagName === 'TD' || cell.scope === 'row' ? exact(cell) ?? '' : cell.textContent);
  const lines = (table) => [...table.rows].filter((row) => !row.hidden)
    .map((row) => [...row.cells].filter(seen).map((cell) => plain(cell).replace(/\s+/g, ' ')).join('\t')).join('\n');
  for (const code of document.querySelectorAll('code.command')) {
    const text = code.textContent;
    code.after(copier('the command', () => text));
  }
  for (const table of document.querySelectorAll('table')) {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener('click', () => {
        const down = head.getAttribute('aria-sort') !== 'descending';
        heads.forEach((other) => other.removeAttribute('aria-sort'));
        head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
        const rows = [...body.rows].map((row) => [exact(row.cells[column]), row]);
        rows.sort(([a], [b]) => (a === null || b === null ? compare(a, b) : down ? compare(b, a) : compare(a, b)));
        body.append(...rows.map(([, row]) => row));
      });
    });
    const box = table.closest('.scroll'), name = box.getAttribute('aria-label');
    const tools = document.createElement('div');
    tools.className = 'tools';
    box.before(tools);
    const columns = box.parentElement.querySelector('.columns');
    if (columns) tools.append(columns);
    if (body.rows.length >= 12) {
      const filter = document.createElement('input');
      filter.type = 'search';
      filter.className = 'filter';
      filter.placeholder = 'Filter';
      filter.setAttribute('aria-label', `Filter ${name}`);
      filter.addEventListener('input', () => {
        const wanted = filter.value.toLowerCase();
        for (const row of body.rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
      });
      tools.append(filter);
    }
    tools.append(copier(name, () => lines(table)));
  }
})();
