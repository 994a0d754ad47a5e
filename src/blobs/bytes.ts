/** What was written under a name. */
export interface Written {
  size: number
  /** In hex. */
  sha256: string
}

/** A part of what is there, from the first byte to the last, both included. */
export interface Range {
  first: number
  last: number
}

/** There is nothing of that name, or not any more. */
export class MissingBytesError extends Error {
  override readonly name = 'MissingBytesError'
}

/** There is more than was to be taken. */
export class TooManyBytesError extends Error {
  override readonly name = 'TooManyBytesError'
}

/** Where bytes are kept by name: a folder of this machine, or a storage for many. */
export interface Bytes {
  /** Where that is, for people; no secret is in it. */
  readonly place: string
  /**
   * Keeps what comes. Under the name there is nothing until all of it is on the disk; of what fails nothing stays.
   * @throws TooManyBytesError beyond `most`; what `source` or the storage throws
   */
  write(name: string, source: AsyncIterable<Uint8Array>, most: number): Promise<Written>
  /** Reads what is there. @throws MissingBytesError */
  read(name: string, range?: Range): Promise<AsyncIterable<Uint8Array>>
  /** Removes what is there, and what was left of a write that did not end; nothing being there is no trouble. */
  remove(name: string): Promise<void>
  close(): Promise<void>
}
