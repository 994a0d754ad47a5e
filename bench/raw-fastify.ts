import fastify from 'fastify'
import { generateKeyPair, SignJWT } from 'jose'

/**
 * The raw limits of HTTP: a bare Fastify with one route that signs an ES256 JWT of the same claims, and two that
 * answer with the schema and the body of a `GET` of Postern's, and do nothing else.
 */
const server = fastify()
const { privateKey } = await generateKeyPair('ES256')
const organization = {
  id: 'org_0198c1f2-8a4e-7b3c-9d21-5f0e7c6a1b42',
  name: 'Acme',
  plan: 'unlimited',
  role: 'administrator',
  createdAt: '2026-11-20T09:00:00.000Z',
}
const text = { type: 'string' }
const shape = {
  type: 'object',
  properties: { id: text, name: text, plan: text, role: text, createdAt: text },
}
const page = {
  type: 'object',
  properties: { data: { type: 'array', items: shape }, nextCursor: { type: ['string', 'null'] } },
}

server.get('/readyz', async () => ({ status: 'ok' }))
server.get(
  '/token',
  { schema: { response: { 200: { type: 'object', properties: { token: text, expiresAt: text } } } } },
  async () => {
    const token = await new SignJWT({ sid: organization.id, org_id: organization.id, role: 'administrator' })
      .setProtectedHeader({ alg: 'ES256', kid: 'key', typ: 'at+jwt' })
      .setIssuer('http://localhost:3000')
      .setAudience('http://localhost:3000')
      .setSubject(organization.id)
      .setJti(organization.id)
      .setIssuedAt()
      .setExpirationTime('60m')
      .sign(privateKey)
    return { token, expiresAt: organization.createdAt }
  },
)
const anything = { type: 'object', additionalProperties: true }
const eventType = {
  name: 'file.processed',
  description: 'A file was processed.',
  schema: { type: 'object', properties: {} },
  example: { fileId: 'file_1', name: 'report.pdf', status: 'processed' },
  builtIn: true,
  publishable: true,
  createdAt: null,
}
const eventTypeShape = {
  type: 'object',
  properties: {
    name: text,
    description: text,
    schema: anything,
    example: anything,
    builtIn: { type: 'boolean' },
    publishable: { type: 'boolean' },
    createdAt: { type: ['string', 'null'] },
  },
}
server.get('/event-type', { schema: { response: { 200: eventTypeShape } } }, async () => eventType)
server.get('/organizations', { schema: { response: { 200: page } } }, async () => ({
  data: [organization],
  nextCursor: null,
}))
await server.listen({ host: '127.0.0.1', port: Number(process.argv[2]) })
