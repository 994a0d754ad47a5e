import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ChatServer, startChatServer } from '../support/chat-server.ts'
import { type StubServer, startMcpServer } from '../support/mcp-server.ts'
import { createModel, createTools } from './run-script.ts'
import { judgeRuns } from './run-verdict.ts'
import { startRuns } from './runs.ts'
import type { ScenarioOptions } from './scenario.ts'
import type { Stand } from './stand.ts'
import type { EngineName } from './store.ts'
import type { Verdict } from './verdict.ts'
import { type Begun, type Kind, killWork } from './work-killed.ts'

/** Credits are taken, and there are enough of them. */
const PLANS = {
  plans: {
    rich: {
      requestsPerMinute: null,
      modules: ['webhooks', 'files', 'knowledge', 'agents'],
      creditsPerCycle: 10_000_000,
    },
  },
}

function plansFile(): string {
  const file = join(tmpdir(), `postern-plans-${crypto.randomUUID()}.json`)
  writeFileSync(file, JSON.stringify(PLANS))
  process.once('exit', () => rmSync(file, { force: true }))
  return file
}

/**
 * Kills servers that step runs. The model and the tools survive, and record their calls.
 * @param beside work of another kind that the same servers do at the same time
 */
export async function killRuns(
  engine: EngineName,
  options: ScenarioOptions,
  beside?: Kind,
): Promise<Verdict> {
  const [chat, mcp] = [await startChatServer(), await startMcpServer()]
  try {
    chat.answer = createModel(options.seed)
    mcp.tools = createTools(options.seed)
    return await killWork(engine, options, {
      env: {
        ...chat.env,
        MCP_ALLOWED_NETWORKS: '127.0.0.0/8',
        PLANS_FILE: plansFile(),
        DEFAULT_PLAN: 'rich',
      },
      async begin(stand, urls) {
        const runs = startRuns(stand, urls, await makeAgent(stand, mcp))
        const own: Begun = {
          count: () => runs.started.length,
          stop: runs.stop,
          judge: () => judgeRuns(stand, runs, mcp),
        }
        return beside === undefined ? own : together(own, await beside.begin(stand, urls))
      },
    })
  } finally {
    await endAll(chat, mcp)
  }
}

/** Two kinds of work as one: enough of it is acknowledged when enough of each is. */
function together(one: Begun, other: Begun): Begun {
  return {
    count: () => Math.min(one.count(), other.count()),
    async stop() {
      await Promise.all([one.stop(), other.stop()])
    },
    async judge() {
      const [first, second] = [await one.judge(), await other.judge()]
      return {
        failures: [...first.failures, ...second.failures],
        figures: { ...first.figures, ...second.figures },
      }
    },
  }
}

/** An agent of the model: a tool that may be repeated, two that may not, and one that a person is asked about. Two are parallel. */
async function makeAgent({ call }: Stand, { url }: StubServer): Promise<string> {
  const { body: server } = await call('/v1/mcp-servers', { name: 'crm', url })
  await call(`/v1/mcp-servers/${server.id}/refresh`, {})
  const tool = (name: string, approval: 'always' | 'never') => ({
    ...{ serverId: server.id, name, approval, approvers: 'key' },
    repeatable: name === 'find',
    parallel: name === 'find' || name === 'act',
  })
  const names = ['find', 'act', 'sell', 'pay']
  const tools = names.map((name) => tool(name, name === 'pay' ? 'always' : 'never'))
  const { status, body } = await call('/v1/agents', { name: 'Torture', model: 'stub', tools })
  if (status !== 201) throw new Error(`no agent: ${JSON.stringify(body)}`)
  return String(body.id)
}

async function endAll(chat: ChatServer, mcp: StubServer): Promise<void> {
  await chat.stop()
  await mcp.stop()
}
