import type { ClientMetadata } from './client-rules.ts'

/** The client id of the command line; every server knows it without a registration. */
export const CLI_CLIENT = 'postern-cli'

/** The grant type of RFC 8628. */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** Public clients of Postern itself, which have no row. */
const BUILT_IN: ReadonlyMap<string, ClientMetadata> = new Map([
  [
    CLI_CLIENT,
    {
      client_id: CLI_CLIENT,
      client_name: 'The Postern command line',
      redirect_uris: [],
      grant_types: [DEVICE_GRANT, 'refresh_token'],
      response_types: [],
      token_endpoint_auth_method: 'none',
    },
  ],
])

export function findBuiltIn(id: string): ClientMetadata | undefined {
  return BUILT_IN.get(id)
}

export function isBuiltIn(id: string): boolean {
  return BUILT_IN.has(id)
}
