/** The parts of `oidc-provider` that tests use; it ships no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  interface Details {
    grantId?: string
    params: Record<string, string | undefined>
  }

  interface Revocable {
    revokeByGrantId(grantId: string): Promise<void>
  }

  // biome-ignore lint/style/noDefaultExport: the module's own shape.
  export default class Provider {
    constructor(issuer: string, configuration: object)
    Client: { prototype: { redirectUriAllowed(uri: string): boolean } }
    AccessToken: Revocable & { find(value: string): Promise<{ destroy(): Promise<void> } | undefined> }
    RefreshToken: Revocable
    Grant: new (of: {
      accountId: string
      clientId: string
    }) => { addOIDCScope(scope: string): void; save(): Promise<string> }
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Details>
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
    on(event: string, listener: () => void): void
  }
}
