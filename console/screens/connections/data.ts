import type { Connection, ConnectionProvider } from '#sdk/postern.ts'
import { useData } from '../../app/data/cache.ts'
import { useList } from '../../app/data/list.ts'
import { postern } from '../../app/data/postern.ts'
import { to } from '../../app/router.ts'

export const useConnections = () =>
  useList<Connection>('connections', (how) => postern.connections.list({ limit: 50 }, how))

export const useConnection = (id: string) =>
  useData<Connection>(`connections/${id}`, (how) => postern.connections.read(id, how))

/** The providers that the operator has configured. */
export const useProviders = (isWanted: boolean) =>
  useData<ConnectionProvider[]>(
    isWanted ? 'providers' : undefined,
    async (how) => (await postern.connections.providers(how).page()).data,
  )

/** Sends the browser to the provider, from where it comes back to the list. */
export async function connect(provider: string): Promise<void> {
  const redirectUrl = `${location.origin}${to('/connections')}`
  const { authUrl } = await postern.connections.authorize({ provider, redirectUrl })
  if (/^https?:$/.test(URL.parse(authUrl)?.protocol ?? '')) location.assign(authUrl)
}
