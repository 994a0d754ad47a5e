/** The test vector of docs/webhooks.md: a call that fits its secret. */
export const VECTOR = {
  secret: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
  headers: `webhook-id: evt_0198c1f2-8a4e-7b3c-9d21-5f0e7c6a1b42
webhook-timestamp: 1795000000
webhook-signature: v1,BNlkIer3OPARYpALhOyYbbzs7mAnunXt3P6/LPsem/8=
X-Service-Signature: sha256=229ff095e5d2e7a9ac02dba1e97223f700ae8c6ba6d3a6bef740cb9f3b07b323`,
  body: '{"id":"evt_0198c1f2-8a4e-7b3c-9d21-5f0e7c6a1b42","type":"agent.run.completed","createdAt":"2026-11-18T10:26:40.000Z","data":{"agentId":"agent_1","runId":"run_1","status":"succeeded","durationMs":1234,"output":"Grüße ✓"}}',
}

/** Headers as people paste them: lines `name: value`, curl's `-H 'name: value'`, or JSON. */
export function readHeaders(text: string): Record<string, string> {
  const json = jsonHeaders(text)
  if (json !== undefined) return json
  const found: Record<string, string> = {}
  for (const line of text.split('\n')) {
    const bare = line
      .trim()
      .replace(/^(-H|--header)\s+/, '')
      .replace(/\s*\\$/, '')
      .replace(/^(["'])(.*)\1$/, '$2')
    const at = bare.indexOf(':')
    if (at > 0) found[bare.slice(0, at).trim().toLowerCase()] = bare.slice(at + 1).trim()
  }
  return found
}

function jsonHeaders(text: string): Record<string, string> | undefined {
  if (!text.trim().startsWith('{')) return undefined
  try {
    const entries = Object.entries(JSON.parse(text) as object)
    return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)]))
  } catch {
    return undefined
  }
}

/** The bytes of a base64 text, line breaks allowed; undefined for any other text. */
export function bytesOf(base64: string): Uint8Array | undefined {
  try {
    const plain = base64.replace(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/')
    return Uint8Array.from(atob(plain), (letter) => letter.charCodeAt(0))
  } catch {
    return undefined
  }
}
