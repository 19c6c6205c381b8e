// In every page: how long it takes from an event until what was wanted is painted, in ms. What is
// wanted is in sessionStorage, and so is the answer: it may be on another page.
(() => {
  'use strict';
  const begin = (event) => {
    if (!sessionStorage.wanted) return;
    sessionStorage.begun = performance.timeOrigin + event.timeStamp;
  };
  for (const kind of ['keydown', 'click', 'wheel']) addEventListener(kind, begin, {capture: true, passive: true});
  const there = ({selector, text, href, scrolled, focused}) => {
    if (scrolled !== undefined) return scrollY > scrolled;
    if (href && !decodeURIComponent(location.href).includes(href)) return false;
    const found = document.querySelector(selector);
    if (focused) return found !== null && document.activeElement === found;
    return Boolean(found?.textContent.includes(text ?? ''));
  };
  const painted = new MessageChannel();
  painted.port1.onmessage = () => {  // comes behind the frame
    sessionStorage.took = performance.timeOrigin + performance.now() - Number(sessionStorage.begun);
  };
  const look = () => {
    if (sessionStorage.wanted && sessionStorage.begun && there(JSON.parse(sessionStorage.wanted))) {
      sessionStorage.removeItem('wanted');
      painted.port2.postMessage(null);
    }
    requestAnimationFrame(look);
  };
  look();
})();
