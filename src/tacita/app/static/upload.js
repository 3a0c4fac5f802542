// A file to the server as it is: streamed from the disk, its name in a header and not in the address.
export function send(file, to, { sent = () => {}, refused = () => {}, done = (next) => location.assign(next) } = {}) {
  const request = new XMLHttpRequest();
  request.open("PUT", to);
  request.setRequestHeader("X-File-Name", encodeURIComponent(file.name));
  request.setRequestHeader("Content-Type", "application/octet-stream");
  request.responseType = "json";
  request.upload.addEventListener("progress", (event) => {
    if (event.lengthComputable) sent(Math.floor((100 * event.loaded) / event.total));
  });
  request.addEventListener("load", () => {
    if (request.response?.next) done(request.response.next);
    else refused(request.response?.message || `${request.status}`, request.response?.language || "");
  });
  request.addEventListener("error", () => refused(""));
  request.send(file);
}
