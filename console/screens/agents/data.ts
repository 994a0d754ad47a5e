import type { Agent, AgentVersion, McpServer, Model } from '#sdk/postern.ts'
import { useMay } from '../../app/access.ts'
import { type Data, outdate, put, useData } from '../../app/data/cache.ts'
import { toFailure } from '../../app/data/failure.ts'
import { type Listed, useList } from '../../app/data/list.ts'
import { postern } from '../../app/data/postern.ts'
import { textOf } from '../../app/words.ts'
import { toast } from '../../parts/toast.tsx'

export function useAgents(): Listed<Agent> {
  const mayRead = useMay()('agents:read')
  return useList(mayRead ? 'agents' : undefined, (how) => postern.agents.list({ limit: 100 }, how))
}

/**
 * Names of agents by the ids in the rows of a list. An agent that is not on the first page of agents is read by its id.
 * @returns the name of an id; a few words for an agent that is deleted
 */
export function useAgentNames(ids: readonly unknown[]): (id: unknown) => string {
  const mayRead = useMay()('agents:read')
  const first = useAgents()
  const known = new Map(first.rows.map(({ id, name }) => [String(id), textOf(name)]))
  const others = [...new Set(ids.map(textOf))].filter((id) => !known.has(id)).sort()
  const isWanted = first.data !== undefined && others.length > 0
  const { data } = useData(isWanted ? `agent-names ${others}` : undefined, (how) =>
    Promise.all(
      others.map(async (id): Promise<[string, string]> => {
        const read = postern.agents.read(id, how).then(({ name }) => textOf(name))
        return [
          id,
          await read.catch((failure) => (toFailure(failure).status === 404 ? 'a deleted agent' : id)),
        ]
      }),
    ),
  )
  for (const [id, name] of data ?? []) known.set(id, name)
  return (id) => known.get(textOf(id)) ?? (mayRead ? '…' : textOf(id))
}

export function useAgent(id: string | undefined): Data<Agent> {
  return useData(id === undefined ? undefined : `agent ${id}`, (how) => postern.agents.read(id ?? '', how))
}

export function useVersions(id: string): Listed<AgentVersion> {
  return useList(`agent-versions ${id}`, (how) => postern.agents.versions(id, { limit: 20 }, how))
}

export function useModels(): Data<Model[]> {
  return useData('models', async (how) => (await postern.models.list({}, how).page()).data)
}

/** The MCP servers with their tools, where the person may read them. */
export function useToolServers(mayRead: boolean): Data<McpServer[]> {
  return useData(mayRead ? 'mcp-servers with tools' : undefined, async (how) => {
    const { data } = await postern.mcpServers.list({ limit: 100 }, how).page()
    return Promise.all(data.map(({ id }) => postern.mcpServers.read(id, how)))
  })
}

/** Shows what a change has made of an agent. */
export function changedTo(agent: Agent): void {
  put(`agent ${agent.id}`, agent)
  outdate('agents')
  outdate(`agent-versions ${agent.id}`)
  toast(`New runs use version ${agent.version}`)
}
