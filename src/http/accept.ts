interface Asking {
  headers: { accept?: string | undefined }
}

/** Whether a request prefers CSV. */
export function wantsCsv(request: Asking): boolean {
  return asksFor('text/csv', request)
}

/** Whether a request accepts a type by name and does not prefer JSON. */
export function asksFor(type: string, { headers }: Asking): boolean {
  const wish = qualityOf(type, headers.accept)
  return wish > 0 && wish >= qualityOf('application/json', headers.accept)
}

/** The quality value of a type (RFC 9110 12.5.1); 0 where it is not named. */
function qualityOf(type: string, accept = ''): number {
  for (const range of accept.toLowerCase().split(',')) {
    const [name, ...parameters] = range.split(';').map((part) => part.trim())
    if (name !== type) continue
    const given = parameters.find((parameter) => parameter.startsWith('q='))
    return given === undefined ? 1 : Number(given.slice(2)) || 0
  }
  return 0
}
