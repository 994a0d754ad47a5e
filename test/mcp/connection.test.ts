import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { assertError } from '../support/attacks.ts'
import { connectionsEnv, connectWild, wildEntry } from '../support/connections.ts'
import { type StubServer, startMcpServer } from '../support/mcp-server.ts'
import { administrator } from '../support/people.ts'
import { onOneEngineByDay, type Postern, startPostern } from '../support/postern.ts'
import { startWildProvider, type WildProvider } from '../support/wild-provider.ts'

onOneEngineByDay('an MCP server with a connection', (engine) => {
  let started:
    | Promise<{ postern: Postern; wild: WildProvider; stub: StubServer; other: StubServer }>
    | undefined
  const all = () => {
    started ??= (async () => {
      const [wild, stub, other] = [await startWildProvider(), await startMcpServer(), await startMcpServer()]
      const entry = wildEntry(wild, { apiHosts: [new URL(stub.url).host] })
      const env = connectionsEnv({ wild: entry }, { WILD_SECRET: 'wild' })
      const postern = await startPostern(engine, { env: { ...env, MCP_ALLOWED_NETWORKS: '127.0.0.0/8' } })
      return { postern, wild, stub, other }
    })()
    return started
  }
  after(async () => {
    const running = await started
    await running?.postern.stop()
    for (const one of [running?.wild, running?.stub, running?.other]) await one?.stop()
  })

  it('is called with its token, which goes to the hosts of its provider alone, and to nobody once it is gone', async () => {
    const { postern, wild, stub, other } = await all()
    stub.tools = [{ name: 'find' }]
    const admin = await administrator(postern)
    const { token } = admin
    const connectionId = await connectWild({ wild }, admin)
    const make = async (name: string, url: string) => {
      const answer = await postern.client().post('/v1/mcp-servers', { name, url, connectionId }, { token })
      assert.equal(answer.status, 201, answer.text)
      return `/v1/mcp-servers/${answer.body.id}/refresh`
    }
    const refresh = await make('crm', stub.url)
    const listed = await postern.client().post(refresh, undefined, { token })
    assert.equal(listed.body.toolCount, 1, listed.text)
    const shown = new Set(stub.received.map(({ headers }) => headers.authorization))
    assert.equal(shown.size, 1)
    assert.match(String([...shown][0]), /^Bearer .+/)
    const secret = String([...shown][0]).slice('Bearer '.length)
    assert.ok(!listed.text.includes(secret) && !postern.log().includes(secret))
    // Another host gets nothing, not even a request.
    const elsewhere = await postern.client().post(await make('erp', other.url), undefined, { token })
    assertError(elsewhere, 'MCP_CLIENT_UNAVAILABLE', { reason: 'connection_validation_failed' })
    assert.equal(other.received.length, 0)
    await postern.client().delete(`/v1/connections/${connectionId}`, { token })
    stub.received = []
    const gone = await postern.client().post(refresh, undefined, { token })
    assertError(gone, 'MCP_CLIENT_UNAVAILABLE', { reason: 'connection_entity_not_found' })
    assert.equal(stub.received.length, 0)
  })

  it('is not taken with a connection of another organization', async () => {
    const { postern, wild, stub } = await all()
    const [admin, stranger] = [await administrator(postern), await administrator(postern)]
    const connectionId = await connectWild({ wild }, admin)
    const body = { name: 'crm', url: stub.url, connectionId }
    const answer = await postern.client().post('/v1/mcp-servers', body, { token: stranger.token })
    assertError(answer, 'ENTITY_NOT_FOUND', { field: 'connectionId' })
  })
})
