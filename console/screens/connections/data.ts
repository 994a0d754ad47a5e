import type { Connection } from '#sdk/postern.ts'
import { useData } from '../../app/data/cache.ts'
import { useList } from '../../app/data/list.ts'
import { baseUrl, postern } from '../../app/data/postern.ts'
import { to } from '../../app/router.ts'

export const useConnections = () =>
  useList<Connection>('connections', (how) => postern.connections.list({ limit: 50 }, how))

export const useConnection = (id: string) =>
  useData<Connection>(`connections/${id}`, (how) => postern.connections.read(id, how))

const AUTHORIZE = '/v1/connections/oauth/authorize'

interface Document {
  paths: Record<string, { post?: { requestBody?: { content?: Record<string, { schema?: object }> } } }>
  components?: { schemas?: Record<string, { properties?: { provider?: { enum?: string[] } } }> }
}

/** The providers that the operator has configured, as the API's own document names them. */
export function useProviders(isWanted: boolean) {
  return useData<string[]>(isWanted ? 'providers' : undefined, async ({ signal }) => {
    const response = await fetch(`${baseUrl}/openapi.json`, { signal: signal ?? null })
    const { paths, components } = (await response.json()) as Document
    const schema = Object.values(paths[AUTHORIZE]?.post?.requestBody?.content ?? {})[0]?.schema
    const name = (schema as { $ref?: string } | undefined)?.$ref?.split('/').at(-1)
    const whole = name === undefined ? schema : components?.schemas?.[name]
    return (
      (whole as { properties?: { provider?: { enum?: string[] } } } | undefined)?.properties?.provider
        ?.enum ?? []
    )
  })
}

/** Sends the browser to the provider, from where it comes back to the list. */
export async function connect(provider: string): Promise<void> {
  const redirectUrl = `${location.origin}${to('/connections')}`
  const { authUrl } = await postern.connections.authorize({ provider, redirectUrl })
  if (/^https?:$/.test(URL.parse(authUrl)?.protocol ?? '')) location.assign(authUrl)
}
