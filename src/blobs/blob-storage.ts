/** The result of a write. */
export interface WrittenBlob {
  size: number
  /** In hexadecimal. */
  sha256: string
}

/** A range of bytes; both ends are included. */
export interface ByteRange {
  first: number
  last: number
}

/** No blob has this name. */
export class MissingBlobError extends Error {
  override readonly name = 'MissingBlobError'
}

/** The source has more bytes than `most`. */
export class BlobTooLargeError extends Error {
  override readonly name = 'BlobTooLargeError'
}

/** Storage of bytes by name: a folder, or S3. */
export interface BlobStorage {
  /** Where the storage is, for people; without secrets. */
  readonly place: string
  /**
   * Writes the bytes of `source`. The name exists only once all of them are flushed to disk; a failed write leaves nothing.
   * @throws BlobTooLargeError beyond `most`; the errors of `source` and of the storage
   */
  write(name: string, source: AsyncIterable<Uint8Array>, most: number): Promise<WrittenBlob>
  /** Reads bytes. @throws MissingBlobError */
  read(name: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array>>
  /** Removes bytes, including those of an incomplete write. A missing name is no error. */
  remove(name: string): Promise<void>
  close(): Promise<void>
}
