// Sorting and filtering of tables; the page is complete without.
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
    if (body.rows.length < 12) continue;
    const filter = document.createElement('input');
    filter.type = 'search';
    filter.className = 'filter';
    filter.placeholder = 'Filter';
    filter.setAttribute('aria-label', `Filter ${table.closest('.scroll').getAttribute('aria-label')}`);
    filter.addEventListener('input', () => {
      const wanted = filter.value.toLowerCase();
      for (const row of body.rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
    });
    table.closest('section').insertBefore(filter, table.closest('section').firstChild);
  }
})();
