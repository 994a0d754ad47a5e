import { lineOfUrl, shortUrl } from '../app/words.ts'

const phone = globalThis.matchMedia?.('(max-width: 40rem)')

/** A URL in a list, on one line: cut in its middle where it is long, and whole when pointed at. It is no link. */
export function Url({ of }: { of: unknown }) {
  return <span title={shortUrl(of)}>{lineOfUrl(of, phone?.matches ? 26 : 48)}</span>
}
