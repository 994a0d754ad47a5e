import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** How the official client agrees on a protocol: the one of 2026-07-28, or one that begins with `initialize`. */
export const PROTOCOLS = { new: { mode: { pin: '2026-07-28' } }, old: { mode: 'legacy' } } as const
export type Protocol = keyof typeof PROTOCOLS

/** The official client, connected. */
export async function connectMcp(url: string, token: string, protocol: Protocol): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, {
    versionNegotiation: PROTOCOLS[protocol],
  } as ClientOptions)
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), {
    authProvider: { token: async () => token },
  })
  await client.connect(transport)
  return client
}
