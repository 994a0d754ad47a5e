/** Headers of a request: `Headers`, or an object by name. */
export type HeadersLike = Headers | { [name: string]: string | readonly string[] | undefined }

export const utf8 = new TextEncoder()

export function join(prefix: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const first = utf8.encode(prefix)
  const whole = new Uint8Array(first.length + body.length)
  whole.set(first)
  whole.set(body, first.length)
  return whole
}

/** The bytes of base64; undefined for any other text. */
export function decode(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  } catch {
    return undefined
  }
}

export function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}

/** A header by its name in lower case; undefined where it is missing or empty. */
export function headerOf(headers: HeadersLike, name: string): string | undefined {
  const found =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([one]) => one.toLowerCase() === name)?.[1]
  return (typeof found === 'object' ? found?.[0] : found) || undefined
}
