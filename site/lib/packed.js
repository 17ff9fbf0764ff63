// packed.js - files that may be packed by gzip.

const LONGEST = 200_000_000; // bytes, unpacked

/** The text of a file, packed or not; one that is too long, or would be once unpacked, is not read to its end. */
export async function textOf(blob) {
  const [a, b] = new Uint8Array(await blob.slice(0, 2).arrayBuffer());
  let size = 0;
  const counted = new TransformStream({ transform(part, out) {
    size += part.length;
    if (size > LONGEST) throw new RangeError(`longer than ${LONGEST / 1e6} MB`);
    out.enqueue(part);
  } });
  const stream = a === 0x1f && b === 0x8b ? blob.stream().pipeThrough(new DecompressionStream("gzip")) : blob.stream();
  return new Response(stream.pipeThrough(counted)).text();
}
