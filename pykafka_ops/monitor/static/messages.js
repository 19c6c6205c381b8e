// Follows a topic: records as they are written, the newest on top, a bounded number of them.
(() => {
  'use strict';
  const place = document.getElementById('tail');
  if (!place) return;
  const most = 200, shortest = 300;
  const rows = place.querySelector('tbody'), said = place.querySelector('[role=status]');
  const start = place.querySelector('[data-start]'), pause = place.querySelector('[data-pause]');
  const table = place.querySelector('.scroll');
  const hidden = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\uffff]/g;
  const visible = (text) => text.replace(hidden, (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
  const short = (text) => visible(text.length > shortest ? text.slice(0, shortest) + '…' : text);
  let source = null, paused = false, held = 0, sums = null, trouble = '';
  const tell = () => {
    const words = [source ? (paused ? 'paused' : 'following') : 'ended'];
    if (sums) {
      words.push(`${sums.looked} looked at`, `${sums.shown} shown`);
      if (sums.dropped) words.push(`${sums.dropped} dropped: they came too fast`);
      if (sums.skipped) words.push(`${sums.skipped} offsets passed over`);
    }
    if (held) words.push(`${held} came while paused`);
    if (trouble) words.push(trouble);
    said.textContent = words.join(', ');
  };
  const cell = (row, text, href) => {
    const made = row.insertCell(), inner = document.createElement('bdi');
    inner.textContent = text;
    if (href) {
      const link = document.createElement('a');
      link.href = href;
      link.append(inner);
      made.append(link);
    } else made.append(inner);
    return made;
  };
  const show = (record) => {
    if (paused) { held += 1; return; }
    const row = rows.insertRow(0);
    cell(row, String(record.partition)).className = 'right';
    cell(row, String(record.offset), `${place.dataset.page}/${record.partition}/${record.offset}`).className = 'right';
    cell(row, record.timestamp === null ? '-' : new Date(record.timestamp).toISOString());
    cell(row, short(record.key.text));
    cell(row, short(record.value.text + (record.value.error ? ` (${record.value.error})` : '')));
    while (rows.rows.length > most) rows.deleteRow(-1);
  };
  const end = () => { if (source) source.close(); source = null; start.textContent = 'Follow live'; pause.hidden = true; tell(); };
  const begin = () => {
    trouble = ''; held = 0; sums = null; paused = false;
    pause.textContent = 'Pause';
    source = new EventSource(place.dataset.url);
    source.addEventListener('record', (event) => {
      try { show(JSON.parse(event.data)); } catch { trouble = 'a record could not be read'; }
      tell();
    });
    source.addEventListener('progress', (event) => { sums = JSON.parse(event.data); tell(); });
    source.addEventListener('done', end);
    source.addEventListener('error', (event) => {
      trouble = event.data ? visible(JSON.parse(event.data).message) : 'the monitor does not answer, trying again';
      tell();
    });
    source.addEventListener('open', () => { trouble = ''; tell(); });
    start.textContent = 'End';
    pause.hidden = false;
    table.hidden = false;
    tell();
  };
  start.addEventListener('click', () => { if (source) end(); else begin(); });
  pause.addEventListener('click', () => {
    paused = !paused;
    pause.textContent = paused ? 'Go on' : 'Pause';
    if (!paused) held = 0;
    tell();
  });
  place.hidden = false;
  if (location.hash === '#live') begin();
})();
