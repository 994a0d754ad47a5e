/** The result of a write. */
export interface Written {
  size: number
  /** In hex. */
  sha256: string
}

/** A range of bytes, from the first to the last, both included. */
export interface Range {
  first: number
  last: number
}

/** There are no bytes of that name. */
export class MissingBytesError extends Error {
  override readonly name = 'MissingBytesError'
}

/** The source has more bytes than `most`. */
export class TooManyBytesError extends Error {
  override readonly name = 'TooManyBytesError'
}

/** Storage of bytes by name: a folder, or S3. */
export interface Bytes {
  /** The place, for people; without secrets. */
  readonly place: string
  /**
   * Writes the bytes of `source`. The name exists only once all of them are on the disk; a failed write leaves nothing.
   * @throws TooManyBytesError beyond `most`; the errors of `source` and of the storage
   */
  write(name: string, source: AsyncIterable<Uint8Array>, most: number): Promise<Written>
  /** Reads bytes. @throws MissingBytesError */
  read(name: string, range?: Range): Promise<AsyncIterable<Uint8Array>>
  /** Removes bytes, and the rest of a write that did not end. Missing bytes are no error. */
  remove(name: string): Promise<void>
  close(): Promise<void>
}
