// reply.js - replies of providers, read while they go by.
//
// A reader sees the chunks of a reply and gives JSON in the end: the reply, or the list of its
// events. What it keeps is bounded, and a fault in here stays here: `over` and `fault` say why there
// is nothing to read.

/** The reader for a reply, by what it says of itself. `limit`: how many bytes it may keep. */
export function readerOf(reply, limit) {
  const type = reply.headers.get("content-type") ?? "";
  if (/^text\/event-stream/i.test(type)) return new ServerEvents(limit);
  if (/ndjson|jsonl|json-seq|stream\+json/i.test(type)) return new Lines(limit);
  if (/^application\/vnd\.amazon\.eventstream/i.test(type)) return new Frames(limit);
  return new Whole(limit);
}

// What all have: how much is kept, and that a fault in here stays here.
class Reader {
  over; // why there is nothing to read, if there was too much
  fault;
  #kept = 0;

  constructor(limit) {
    this.limit = limit;
  }

  see(chunk) {
    if (this.over || this.fault) return;
    try {
      this.take(chunk);
    } catch (error) {
      this.drop();
      this.fault = String(error?.message ?? error);
    }
  }

  // Counts what is kept; false: it is too much now.
  keep(n) {
    this.#kept += n;
    if (this.#kept <= this.limit) return true;
    this.drop();
    this.over = `the reply has more than ${this.limit} bytes to keep`;
    return false;
  }
}

/** A reply that is one text. */
export class Whole extends Reader {
  #decoder = new TextDecoder();
  #text = "";

  take(chunk) {
    if (this.keep(chunk.byteLength)) this.#text += this.#decoder.decode(chunk, { stream: true });
  }

  drop() {
    this.#text = "";
  }

  json() {
    return this.#text + this.#decoder.decode();
  }
}

// A stream of events has its counts in few of them: those, the first and the last are kept.
const counts = /[uU]sage\w*"\s*:\s*[{[]/;

class Events extends Reader {
  #events = [];
  #last;

  event(text) {
    const wanted = this.#events.length === 0 || counts.test(text);
    if (wanted && !this.keep(text.length)) return;
    if (wanted) this.#events.push(text);
    this.#last = wanted ? undefined : text;
  }

  drop() {
    this.#events = [];
    this.#last = undefined;
  }

  end() {}

  json() {
    this.end();
    const all = this.#last === undefined ? this.#events : [...this.#events, this.#last];
    return all.length ? `[${all.join(",")}]` : undefined;
  }
}

// One JSON text a line.
class Lines extends Events {
  #decoder = new TextDecoder();
  #rest = "";

  // A long line that comes in many chunks is put together once.
  take(chunk) {
    this.#rest += this.#decoder.decode(chunk, { stream: true });
    if (chunk.includes(10) || chunk.includes(13)) this.#split(false);
    if (this.#rest.length > this.limit) this.keep(this.#rest.length);
  }

  #split(ended) {
    const lines = this.#rest.split(/\r\n|\n|\r/);
    this.#rest = ended ? "" : lines.pop();
    for (const line of lines) this.line(line);
  }

  line(text) {
    if (text.trim()) this.event(text);
  }

  drop() {
    super.drop();
    this.#rest = "";
  }

  end() {
    this.#rest += this.#decoder.decode();
    this.#split(true);
  }
}

// Server-sent events: what is said of `data:` until an empty line.
class ServerEvents extends Lines {
  #data = [];
  #size = 0;

  line(text) {
    if (text === "") return this.#dispatch();
    if (!text.startsWith("data:")) return undefined;
    this.#data.push(text.slice(5));
    this.#size += text.length;
    if (this.#size > this.limit) this.keep(this.#size);
    return undefined;
  }

  // Some say `[DONE]` in the end, which is no event.
  #dispatch() {
    const text = this.#data.join("\n").trim();
    this.#data = [];
    this.#size = 0;
    if (text.startsWith("{")) this.event(text);
  }

  drop() {
    super.drop();
    this.#data = [];
  }

  end() {
    super.end();
    this.#dispatch();
  }
}

// AWS's event streams: the length of all (4 bytes) and of the headers (4), a checksum (4), the
// headers (name and value with their lengths), the payload, a checksum (4).
class Frames extends Events {
  #bytes = new Uint8Array(0); // of which #size are there
  #size = 0;
  #wanted = 16; // before there is a frame to look at

  take(chunk) {
    this.#add(chunk);
    let at = 0;
    while (
      this.#size - at >= this.#wanted &&
      (this.#wanted = this.#sizeAt(at)) <= this.#size - at
    ) {
      this.#frame(this.#bytes.subarray(at, at + this.#wanted));
      at += this.#wanted;
      this.#wanted = 16;
    }
    this.#bytes.copyWithin(0, at, this.#size);
    this.#size -= at;
    if (this.#wanted > this.limit) this.keep(this.#wanted);
  }

  #add(chunk) {
    const size = this.#size + chunk.length;
    if (size > this.#bytes.length) {
      const wider = new Uint8Array(2 * size);
      wider.set(this.#bytes.subarray(0, this.#size));
      this.#bytes = wider;
    }
    this.#bytes.set(chunk, this.#size);
    this.#size = size;
  }

  // Of the frame that begins there, as it says itself.
  #sizeAt(at) {
    const size = new DataView(this.#bytes.buffer, at).getUint32(0);
    if (size < 16) throw new Error("no frame of an event stream");
    return size;
  }

  #frame(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const payload = 12 + view.getUint32(4);
    const decoder = new TextDecoder();
    const text = (from, to) => decoder.decode(bytes.subarray(from, to));
    let name;
    for (let at = 12; at < payload && !name;) {
      const value = at + 1 + bytes[at];
      if (bytes[value] !== 7) break; // all headers that matter are texts
      const end = value + 3 + view.getUint16(value + 1);
      if (text(at + 1, value) === ":event-type") name = text(value + 3, end);
      at = end;
    }
    if (name) this.event(`{${JSON.stringify(name)}:${text(payload, bytes.length - 4)}}`);
  }

  drop() {
    super.drop();
    this.#bytes = new Uint8Array(0);
    this.#size = 0;
  }
}
