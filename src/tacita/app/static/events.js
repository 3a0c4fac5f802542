// The one stream of a page: whoever is interested says on(event, hear).
const heard = new Map();
let stream = null;

export function on(event, hear) {
  if (!heard.has(event)) {
    heard.set(event, []);
    if (stream) listen(event);
  }
  heard.get(event).push(hear);
}

function listen(event) {
  stream.addEventListener(event, (message) => {
    const told = JSON.parse(message.data);
    for (const hear of heard.get(event)) hear(told);
  });
}

export function connect() {
  // the page knows all events up to the one that it was drawn after
  stream = new EventSource(`/events?after=${document.body.dataset.lastEvent}`);
  for (const event of heard.keys()) listen(event);
  addEventListener("pagehide", () => stream.close());
}
