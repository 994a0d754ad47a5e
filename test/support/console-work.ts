import assert from 'node:assert/strict'
import type { Call } from './browser.ts'
import type { Person } from './people.ts'
import type { Postern } from './postern.ts'

/** Text that would do something, if any screen took it for markup. */
export const HOSTILE = '<img src=x onerror=alert(1)>"><script>alert(2)</script> {{7*7}}'

const HANDBOOK = `# Returns

Goods may be sent back within thirty days. ${HOSTILE}

# Shipping

Parcels leave the house within two days, and take three more to arrive.
`

/** Calls of one person that must succeed. They wait for the work that they begin. */
export function callsOf(postern: Pick<Postern, 'client'>, { token }: Pick<Person, 'token'>) {
  const client = postern.client()
  async function call(path: string, more: Call = {}) {
    const answer = await client.call(path, {
      token,
      ...more,
      headers: { prefer: 'wait=30', ...more.headers },
    })
    assert.ok(answer.status < 300, `${path}: ${answer.status} ${answer.text}`)
    return answer.body
  }
  return {
    get: (path: string) => call(path),
    post: (path: string, body: unknown = {}) => call(path, { body }),
    patch: (path: string, body: unknown) => call(path, { method: 'PATCH', body }),
    /** Uploads a text, and waits until it has been read. @returns the file's id */
    async upload(name: string, body: string, type = 'text/markdown'): Promise<string> {
      const headers = { 'content-type': type }
      return (await call(`/v1/files?name=${encodeURIComponent(name)}`, { method: 'POST', body, headers })).id
    },
  }
}

/** Fills an organization with a file, a base, an agent and its runs. @returns ids by the path of their screen */
export async function fillWork(
  postern: Pick<Postern, 'client'>,
  person: Person,
): Promise<Record<string, string>> {
  const { post, upload } = callsOf(postern, person)
  const file = await upload('Handbook <img src=x onerror=alert(1)>.md', HANDBOOK)
  const base = await post('/v1/knowledge-bases', { name: 'Handbook' })
  const documents = `/v1/knowledge-bases/${base.id}/documents`
  const document = await post(documents, { fileId: file })
  await post(documents, { name: 'Nothing', text: '. . .' })
  const agent = await post('/v1/agents', {
    name: 'Helper',
    instructions: `Answer in one sentence. ${HOSTILE}`,
    knowledgeBaseIds: [base.id],
  })
  const conversation = await post('/v1/conversations', { title: 'Returns' })
  const runs = `/v1/agents/${agent.id}/runs`
  await post(runs, { input: `How long do parcels take? ${HOSTILE}` })
  const run = await post(runs, { input: 'How long may goods be sent back?', conversationId: conversation.id })
  const server = await post('/v1/mcp-servers', { name: 'crm', url: 'https://mcp.example.com/mcp' })
  return {
    '/agents/:id': agent.id,
    '/runs/:id': run.id,
    '/conversations/:id': conversation.id,
    '/mcp-servers/:id': server.id,
    '/files/:id': file,
    '/knowledge/:id': base.id,
    '/documents/:id': document.id,
  }
}
