// The one door from the pages to the API.

const { root } = document.documentElement.dataset

/** The address of one of Postern's paths. */
export function at(path) {
  return `${root}${path}`
}

/** A refusal of the API. */
export class Refusal extends Error {
  constructor({ code, details, requestId }, retryAfter) {
    super(code)
    this.code = code
    this.details = details
    this.requestId = requestId
    this.retryAfter = retryAfter
  }
}

export function get(path, query = {}) {
  return call(`${path}?${new URLSearchParams(query)}`, {})
}

export function post(path, body = {}) {
  return call(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

export async function call(path, request) {
  const response = await fetch(at(path), { ...request, cache: 'no-store' }).catch(() => {
    throw new Refusal({ code: 'OFFLINE' })
  })
  const body = await response.json().catch(() => ({}))
  if (response.ok) return body
  throw new Refusal(body.error ?? { code: 'UNKNOWN' }, Number(response.headers.get('retry-after')))
}

/** The token of the link that opened this page; undefined when the address lost it. */
export function tokenOfLink() {
  return new URLSearchParams(location.search).get('token') || undefined
}

/** Whether the API says that the link is not valid any more. */
export function isDeadLink({ code, details }) {
  return details?.field === 'token' && (code === 'VALIDATION_FAILED' || code === 'ENTITY_NOT_FOUND')
}
