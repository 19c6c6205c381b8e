// Shows every round as it comes, and listens to keys. Without it the page is loaded every 15 s.
(() => {
  'use strict';
  const root = document.documentElement;
  const typing = () => ['INPUT', 'TEXTAREA', 'SELECT'].includes(document.activeElement?.tagName);
  const scrolled = (main) => [...main.querySelectorAll('.scroll')].map((box) => [box.scrollLeft, box.scrollTop]);
  const refresh = async () => {
    const answer = await fetch(location.href, {headers: {Accept: 'text/html'}});
    if (answer.status === 401) { location.reload(); return; }  // the login has ended
    if (!answer.ok) throw new Error(String(answer.status));
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const fresh = page.getElementById('main'), main = document.getElementById('main');
    if (!fresh || (typing() && main.contains(document.activeElement))) return;
    const places = scrolled(main), focused = document.activeElement?.getAttribute('href');
    main.replaceChildren(...fresh.childNodes);
    [...main.querySelectorAll('.scroll')].forEach((box, i) => { if (places[i]) [box.scrollLeft, box.scrollTop] = places[i]; });
    if (focused && document.activeElement === document.body) {
      [...main.querySelectorAll('a')].find((link) => link.getAttribute('href') === focused)?.focus({preventScroll: true});
    }
    root.dataset.rounds = Number(root.dataset.rounds || 0) + 1;
  };
  const lost = () => {
    const main = document.getElementById('main');
    if (main.querySelector('[data-lost]')) return;
    const said = document.createElement('p');
    said.className = 'stale bad';
    said.dataset.lost = '';
    said.setAttribute('role', 'alert');
    said.textContent = 'STALE: the monitor does not answer, all of this is old';
    main.prepend(said);
  };
  if (!('still' in document.documentElement.dataset)) {
    const rounds = new EventSource('/api/v1/stream');
    rounds.addEventListener('round', () => { refresh().catch(lost); });
    rounds.addEventListener('error', lost);
    rounds.addEventListener('open', () => { refresh().catch(lost); });
  }
  let going = false;
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape' && typing()) { document.activeElement.blur(); return; }
    if (typing()) return;
    if (event.key === '/' || event.key === 'f') {
      const box = document.getElementById(event.key === '/' ? 'search' : 'filter');
      if (box) { event.preventDefault(); box.focus(); box.select(); }
    } else if (going) {
      const link = document.querySelector(`nav a[data-key="${CSS.escape(event.key)}"]`);
      if (link) location.href = link.href;
    }
    going = event.key === 'g' && !going;
  });
})();
