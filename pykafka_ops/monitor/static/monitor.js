// Shows every round as it comes, follows links and filters without loading the page anew, and listens
// to keys. Without it all of that works as in any browser, and the page is loaded every 15 s.
(() => {
  'use strict';
  const root = document.documentElement;
  const typing = () => ['INPUT', 'TEXTAREA', 'SELECT'].includes(document.activeElement?.tagName);
  const isLive = (page) => !('still' in page.documentElement.dataset)
    && page.querySelector('script[src="/static/monitor.js"]') !== null;

  // -- what came takes the place of what is shown ---------------------------------------------------

  // Children of `fresh` replace those of `old`, but for the form that somebody types into, and what
  // is the same: a browser need not lay that out again.
  const swap = (old, fresh, form) => {
    const way = form && [...old.children].find((child) => child.contains(form));
    const came = [...fresh.childNodes], there = [...old.childNodes];
    const at = way ? came.findIndex((node) => node.querySelector?.('#filter')) : -1;
    if (at >= 0) {
      for (const node of there) if (node !== way) node.remove();
      way.before(...came.slice(0, at));
      way.after(...came.slice(at + 1));
      if (way !== form) swap(way, came[at], form);
    } else if (came.length === there.length) {
      there.forEach((node, i) => { if (!node.isEqualNode(came[i])) node.replaceWith(came[i]); });
    } else old.replaceChildren(...came);
  };
  const scrolled = (main) => [...main.querySelectorAll('.scroll')].map((box) => [box.scrollLeft, box.scrollTop]);
  const show = (page) => {
    const fresh = page.getElementById('main'), main = document.getElementById('main');
    const active = document.activeElement, form = typing() && main.contains(active) ? active.closest('form') : null;
    if (form && !fresh.querySelector('#filter')) return;
    const places = scrolled(main), focused = active?.getAttribute('href');
    swap(main, fresh, form);
    [...main.querySelectorAll('.scroll')].forEach((box, i) => { if (places[i]) [box.scrollLeft, box.scrollTop] = places[i]; });
    if (focused && document.activeElement === document.body) {
      [...main.querySelectorAll('a')].find((link) => link.getAttribute('href') === focused)?.focus({preventScroll: true});
    }
  };
  const fetched = async (address) => {
    const answer = await fetch(address, {headers: {Accept: 'text/html'}});
    if (answer.status === 401) { location.reload(); return null; }  // the login has ended
    if (answer.redirected) return null;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    if (!page.getElementById('main')) throw new Error(String(answer.status));
    return page;
  };

  // -- every round ----------------------------------------------------------------------------------

  const refresh = async () => {
    const asked = location.href;
    const page = await fetched(asked);
    if (!page || location.href !== asked || going) return;
    show(page);
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

  // -- links and filters: one request at a time, the newest wish is the next ------------------------

  let going = false, wish = null;
  const go = async (address, how) => {
    if (going) { wish = [address, how]; return; }
    going = true;
    try {
      const page = await fetched(address);
      if (!page || !isLive(page)) { location.href = address; return; }
      const other = new URL(address).pathname !== shown;
      if (how === 'push') history.pushState(null, '', address);
      if (how === 'replace') history.replaceState(null, '', address);
      arrive(page, other);
    } catch { location.href = address; } finally { going = false; }
    if (wish) { const next = wish; wish = null; go(...next); }
  };
  let shown = location.pathname;
  const arrive = (page, other) => {
    shown = location.pathname;
    document.title = page.title;
    if (!other) { show(page); return; }
    for (const part of ['.bar', '#main', 'footer']) document.querySelector(part).replaceWith(page.querySelector(part));
    document.getElementById('main').focus({preventScroll: true});
    scrollTo(0, 0);
  };
  const ours = (address) => address.origin === location.origin && address.pathname.startsWith('/c/') && !address.hash;
  const asked = (form) => {
    const address = new URL(form.action || location.href);
    address.search = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== '')).toString();
    return address.href;
  };
  const isFilter = (form) => form?.querySelector('#filter') && form.method === 'get';
  if (isLive(document)) {
    const rounds = new EventSource('/api/v1/stream');
    rounds.addEventListener('round', () => { refresh().catch(lost); });
    rounds.addEventListener('error', lost);
    let before = false;  // what came with the page is new
    rounds.addEventListener('open', () => { if (before) refresh().catch(lost); before = true; });
    addEventListener('click', (event) => {
      const link = event.target.closest?.('a[href]');
      if (!link || event.button || event.defaultPrevented || !ours(link)) return;
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      go(link.href, 'push');
    });
    addEventListener('input', (event) => {
      const form = event.target.form;
      if (isFilter(form) && !event.isComposing) go(asked(form), 'replace');
    });
    addEventListener('submit', (event) => {
      const form = event.target;
      if (form.method !== 'get' || !ours(new URL(form.action || location.href))) return;
      event.preventDefault();
      go(asked(form), 'push');
    });
    addEventListener('popstate', () => { go(location.href, ''); });
  }

  // -- keys -----------------------------------------------------------------------------------------

  const step = (by) => {
    const rows = [...document.querySelectorAll('#main tbody tr')].filter((row) => row.querySelector('a'));
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    rows[at < 0 ? 0 : at + by]?.querySelector('a').focus();
  };
  let way = false;
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape' && typing()) { document.activeElement.blur(); return; }
    if (typing()) return;
    if (event.key === '/' || event.key === 'f') {
      const box = document.getElementById(event.key === '/' ? 'search' : 'filter');
      if (box) { event.preventDefault(); box.focus(); box.select(); }
    } else if (way) {
      document.querySelector(`nav a[data-key="${CSS.escape(event.key)}"]`)?.click();
    } else if (event.key === 'j' || event.key === 'k') step(event.key === 'j' ? 1 : -1);
    way = event.key === 'g' && !way;
  });
})();
