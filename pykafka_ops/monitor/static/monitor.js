// Shows every round as it comes, and listens to keys. Without it the page is loaded every 15 s.
(() => {
  'use strict';
  const refresh = async () => {
    const answer = await fetch(location.href, {headers: {Accept: 'text/html'}});
    if (!answer.ok) throw new Error(String(answer.status));
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const fresh = page.getElementById('main'), main = document.getElementById('main');
    const typing = document.activeElement;
    if (!fresh || (typing && typing.tagName === 'INPUT')) return;
    main.replaceChildren(...fresh.childNodes);
    document.documentElement.dataset.rounds = Number(document.documentElement.dataset.rounds || 0) + 1;
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
  const rounds = new EventSource('/api/v1/stream');
  rounds.addEventListener('round', () => { refresh().catch(lost); });
  rounds.addEventListener('error', lost);
  rounds.addEventListener('open', () => { refresh().catch(lost); });
  let going = false;
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === 'INPUT') return;
    const places = {o: 0, g: 1, t: 2, b: 3};
    if (event.key === '/') {
      const box = document.getElementById('search');
      if (box) { event.preventDefault(); box.focus(); }
    } else if (going && event.key in places) {
      const link = document.querySelectorAll('nav a:not(.cluster)')[places[event.key]];
      if (link) location.href = link.href;
    }
    going = event.key === 'g' && !going;
  });
})();
