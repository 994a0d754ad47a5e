import assert from 'node:assert/strict'
import { agentCalls } from './agents.ts'
import { Client } from './browser.ts'

/**
 * What the official conformance suite starts as the client that it examines, with the URL of its own server: it has a
 * Postern that is running register that server, list its tools, and call each of them in a run.
 */
const { CONFORMANCE_POSTERN = '', CONFORMANCE_KEY = '', MCP_CONFORMANCE_SCENARIO = '' } = process.env
const url = process.argv.at(-1)
const calls = agentCalls({ client: () => new Client(CONFORMANCE_POSTERN) }, { token: CONFORMANCE_KEY })
const name = MCP_CONFORMANCE_SCENARIO.replaceAll(/[^a-z]/g, '-')
const made = await calls.post('/v1/mcp-servers', { name, url })
assert.equal(made.status, 201, made.text)
const serverId = made.body.id
const listed = await calls.post(`/v1/mcp-servers/${serverId}/refresh`)
assert.equal(listed.status, 200, listed.text)
const tools = listed.body.tools.map((tool: { name: string }) => ({
  ...{ serverId, name: tool.name, approval: 'never' },
}))
if (tools.length > 0) {
  const agentId = await calls.agent({ model: 'stub', tools })
  const { id } = await calls.run(agentId, 'Call them.')
  await calls.ended(id)
  const called = (await calls.steps(id)).filter(({ kind }) => kind === 'tool')
  assert.deepEqual(
    called.map(({ status }) => status),
    tools.map(() => 'succeeded'),
    JSON.stringify(called),
  )
}
process.stdout.write(`called ${tools.length}\n`)
