// Cuts the engine's output into frames: a little-endian u32 length and that many bytes (protocol/wire.proto).
import * as l10n from '@vscode/l10n';

/** Longest frame that either side may send. */
export const FRAME_BYTES_MAX = 16 << 20;
const HEADER_BYTES = 4;

/** `payload` with its length in front. Throws RangeError when it is longer than a frame may be. */
export function frame(payload: Uint8Array): Uint8Array {
  if (payload.length > FRAME_BYTES_MAX) {
    throw new RangeError(
      l10n.t('a message of {0} bytes exceeds the frame limit of {1}', payload.length, FRAME_BYTES_MAX),
    );
  }
  const bytes = new Uint8Array(HEADER_BYTES + payload.length);
  new DataView(bytes.buffer).setUint32(0, payload.length, true);
  bytes.set(payload, HEADER_BYTES);
  return bytes;
}

/** Collects chunks as they arrive and gives each whole frame once. Holds at most one frame and one chunk. */
export class FrameReader {
  private chunks: Uint8Array[] = [];
  private length = 0;

  /** The payloads that `chunk` completes. Throws RangeError when a frame announces more than FRAME_BYTES_MAX bytes. */
  push(chunk: Uint8Array): Uint8Array[] {
    this.chunks.push(chunk);
    this.length += chunk.length;
    const payloads: Uint8Array[] = [];
    for (;;) {
      const size = this.sizeOfNext();
      if (size === undefined || this.length < HEADER_BYTES + size) return payloads;
      payloads.push(this.take(HEADER_BYTES + size).subarray(HEADER_BYTES));
    }
  }

  private sizeOfNext(): number | undefined {
    if (this.length < HEADER_BYTES) return undefined;
    if (this.chunks[0]!.length < HEADER_BYTES) this.chunks = [joined(this.chunks)];
    const first = this.chunks[0]!;
    const size = new DataView(first.buffer, first.byteOffset, HEADER_BYTES).getUint32(0, true);
    if (size > FRAME_BYTES_MAX) {
      throw new RangeError(
        l10n.t('the engine announced a frame of {0} bytes; {1} is the limit', size, FRAME_BYTES_MAX),
      );
    }
    return size;
  }

  private take(count: number): Uint8Array {
    const all = this.chunks.length === 1 ? this.chunks[0]! : joined(this.chunks);
    const rest = all.subarray(count);
    this.chunks = rest.length > 0 ? [rest] : [];
    this.length = rest.length;
    return all.subarray(0, count);
  }
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
