import assert from 'node:assert/strict'
import { after, beforeEach, it } from 'node:test'
import { MINUTE } from '#src/core/clock.ts'
import { useAgentTools } from '../support/agent-tools.ts'
import { agentCalls } from '../support/agents.ts'
import { assertError } from '../support/attacks.ts'
import { ask, say } from '../support/chat-server.ts'
import { connectionsEnv, connectReal, connectWild, wildEntry } from '../support/connections.ts'
import { startOAuthProvider } from '../support/oauth-provider.ts'
import { administrator } from '../support/people.ts'
import { onBothEngines, startPostern, testOnOneEngineByDay } from '../support/postern.ts'
import { startWildProvider } from '../support/wild-provider.ts'

const tools = await useAgentTools()
const { mcp, chat } = tools

onBothEngines('a token of a connection that an MCP server refuses', (engine) => {
  const test = testOnOneEngineByDay(engine)
  let started: ReturnType<typeof start> | undefined
  async function start() {
    const [real, wild] = [await startOAuthProvider(), await startWildProvider()]
    const apiHosts = [new URL(mcp.url).host]
    const entry = {
      ...{ issuer: real.issuer, clientId: real.clientId, clientSecretVariable: 'REAL_SECRET', apiHosts },
      ...{ scopes: ['openid', 'offline_access'], authorizeParameters: { prompt: 'consent' } },
    }
    const env = connectionsEnv(
      { real: entry, wild: wildEntry(wild, { apiHosts }) },
      { REAL_SECRET: real.clientSecret, WILD_SECRET: 'wild', ...tools.env },
    )
    return { real, wild, postern: await startPostern(engine, { env }) }
  }
  const running = () => {
    started ??= start()
    return started
  }
  after(async () => {
    const all = await started
    for (const one of [all?.postern, all?.real, all?.wild]) await one?.stop()
  })
  beforeEach(() => tools.reset())

  /** An organization with an MCP server behind a connection, whose tokens the server has its provider judge. */
  async function stand(provider: 'real' | 'wild' = 'real') {
    const { real, wild, postern } = await running()
    const admin = await administrator(postern)
    const calls = agentCalls(postern, admin)
    const connect = {
      real: () => connectReal({ real }, admin, admin.accountId),
      wild: () => connectWild({ wild }, admin),
    }
    const connectionId = await connect[provider]()
    mcp.isAllowed = async (authorization = '') =>
      provider === 'wild' || (await fetch(`${real.issuer}/me`, { headers: { authorization } })).ok
    const { body } = await calls.post('/v1/mcp-servers', { name: 'crm', url: mcp.url, connectionId })
    const list = () => calls.post(`/v1/mcp-servers/${body.id}/refresh`)
    assert.equal((await list()).status, 200)
    const shown = () => String(mcp.received.at(-1)?.headers.authorization).slice('Bearer '.length)
    const agent = () =>
      calls.agent({ model: 'stub', tools: [{ serverId: body.id, name: 'act', approval: 'never' }] })
    return { ...{ real, wild, postern, admin, calls, list, shown, agent }, asked: real.tokenRequests() }
  }

  /** How often each token was shown, the oldest first. */
  const timesShown = () =>
    [...Map.groupBy(mcp.received, ({ headers }) => headers.authorization)].map(([, all]) => all.length)

  test('is renewed once, and what was refused is asked for once more', async () => {
    const { real, list, shown, asked } = await stand()
    await real.endToken(shown())
    mcp.received = []
    const listed = await list()
    assert.deepEqual([listed.status, listed.body.toolCount], [200, 2], listed.text)
    assert.equal(timesShown()[0], 1)
    assert.equal(timesShown().length, 2)
    assert.equal(real.tokenRequests(), asked + 1)
  })

  it('is renewed once for all who were refused at the same time', async () => {
    const { real, list, shown, asked } = await stand()
    await real.endToken(shown())
    const answers = await Promise.all(Array.from({ length: 6 }, list))
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array(6).fill(200),
    )
    assert.deepEqual([real.tokenRequests(), real.reuses()], [asked + 1, 0])
  })

  test('is renewed in the middle of a run: the call that was refused is made, once and by the same key', async () => {
    const { real, calls, shown, agent, asked } = await stand()
    let acted = 0
    mcp.tools = mcp.tools.map((tool) => ({
      ...tool,
      call() {
        acted += 1
        return { content: [{ type: 'text', text: 'acted' }] }
      },
    }))
    chat.answer = async ({ messages }, response) => {
      if (messages.some(({ role }) => role === 'tool')) return say(response, 'Done.')
      await real.endToken(shown())
      // From here on the handshake goes through, and the call itself is what is refused.
      const isAllowed = mcp.isAllowed
      mcp.isAllowed = async (authorization) =>
        mcp.received.at(-1)?.method === 'tools/call' ? isAllowed(authorization) : true
      ask(response, [['crm__act', '{"id":7}']])
    }
    const run = await calls.ended((await calls.run(await agent(), 'Act.')).id)
    assert.deepEqual([run.status, run.output], ['succeeded', 'Done.'])
    const [, step] = await calls.steps(run.id)
    assert.deepEqual(
      [step?.name, step?.status, step?.text, step?.tries],
      ['crm__act', 'succeeded', 'acted', 1],
    )
    assert.equal(acted, 1)
    const sent = tools.called()
    assert.equal(sent.length, 2)
    assert.deepEqual(sent[0], sent[1])
    assert.equal(real.tokenRequests(), asked + 1)
  })

  test('ends as before when another one is refused as well, and no newer one is asked for within a minute', async () => {
    const { real, postern, calls, list, agent, asked } = await stand()
    const id = await agent()
    mcp.isAllowed = () => false
    assertError(await list(), 'MCP_CLIENT_UNAVAILABLE', { reason: 'unauthorized' })
    assert.equal(real.tokenRequests(), asked + 1)
    assertError(await list(), 'MCP_CLIENT_UNAVAILABLE', { reason: 'unauthorized' })
    mcp.isAllowed = () => mcp.received.at(-1)?.method !== 'tools/call'
    const run = await calls.ended((await calls.run(id, 'Act.')).id)
    const [, step] = await calls.steps(run.id)
    assert.deepEqual([run.status, step?.status, step?.reason], ['succeeded', 'failed', 'unauthorized'])
    assert.equal(real.tokenRequests(), asked + 1)
    postern.clock.advance(MINUTE)
    mcp.isAllowed = () => false
    assertError(await list(), 'MCP_CLIENT_UNAVAILABLE', { reason: 'unauthorized' })
    assert.equal(real.tokenRequests(), asked + 2)
  })

  test('ends with the reason of the connection when its provider has taken the access back', async () => {
    const { real, admin, calls, list, asked } = await stand()
    await real.takeBack(admin.accountId)
    assertError(await list(), 'MCP_CLIENT_UNAVAILABLE', { reason: 'connection_integration_revoked' })
    assert.equal(real.tokenRequests(), asked + 1)
    const { body } = await calls.get('/v1/connections')
    assert.equal(body.data[0].status, 'revoked')
  })

  test('ends as before where nothing can renew it', async () => {
    const { wild: provider } = await running()
    provider.grant = { refresh_token: undefined }
    const { wild, list } = await stand('wild')
    const before = wild.asked.length
    mcp.isAllowed = () => false
    mcp.received = []
    assertError(await list(), 'MCP_CLIENT_UNAVAILABLE', { reason: 'unauthorized' })
    assert.deepEqual([wild.asked.length, timesShown().length], [before, 1])
  })
})
