import type { DocumentedEvent } from '../../http/openapi/document.ts'
import { Type } from '../../http/schema/type.ts'

const Id = (prefix: string) => Type.String({ description: `An id that starts with ${prefix}_.` })
const Role = Type.String({ maxLength: 40 })

const Ended = Type.Object({ connectionId: Id('con'), provider: Type.String(), reason: Type.String() })

interface EventType extends DocumentedEvent {
  /** Only the platform publishes it. */
  isOwnFact: boolean
}

/** The built-in event types (specification 6, decisions: webhooks), each with its schema and an example. */
export const EVENT_TYPES = [
  {
    type: 'agent.run.completed',
    isOwnFact: false,
    description: 'An agent finished a run.',
    schema: Type.Object({
      agentId: Type.String(),
      runId: Type.String(),
      status: Type.String({ examples: ['succeeded'] }),
      durationMs: Type.Integer({ minimum: 0 }),
      output: Type.String(),
      // Optional, because platforms that run agents elsewhere publish the event without them.
      finishReason: Type.Optional(
        Type.Union([Type.String({ enum: ['stop', 'length', 'refused'] }), Type.Null()], {
          description: '`length`: the answer was cut at `maxOutputTokens`.',
        }),
      ),
      conversationId: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      metadata: Type.Optional(Type.Object({}, { additionalProperties: true })),
      error: Type.Optional(
        Type.Union([
          Type.Object({
            code: Type.String(),
            message: Type.String(),
            details: Type.Object({ reason: Type.Union([Type.String(), Type.Null()]) }),
          }),
          Type.Null(),
        ]),
      ),
    }),
    example: {
      ...{ agentId: 'agent_1', runId: 'run_1', status: 'succeeded', durationMs: 1_234, output: 'Done.' },
      finishReason: 'stop',
      ...{ conversationId: null, metadata: {}, error: null },
    },
  },
  {
    type: 'agent.run.waiting',
    isOwnFact: false,
    description: 'A run of an agent waits for a person to decide about a call of a tool.',
    schema: Type.Object({
      agentId: Type.String(),
      runId: Type.String(),
      stepId: Type.String(),
      tool: Type.String(),
    }),
    example: { agentId: 'agent_1', runId: 'run_1', stepId: 'step_1', tool: 'shop__refund' },
  },
  {
    type: 'file.processed',
    isOwnFact: false,
    description: 'A file was processed.',
    // Open, because platforms that process files elsewhere may add members.
    schema: Type.Object({
      fileId: Type.Optional(Type.String()),
      name: Type.Optional(Type.String()),
      mediaType: Type.Optional(Type.String()),
      sizeBytes: Type.Optional(Type.Integer({ minimum: 0 })),
      status: Type.Optional(Type.String({ examples: ['processed', 'failed'] })),
      durationMs: Type.Optional(Type.Integer({ minimum: 0 })),
      error: Type.Optional(
        Type.Union([
          Type.Object({
            code: Type.String(),
            reason: Type.Union([Type.String(), Type.Null()]),
            message: Type.Optional(Type.String({ description: 'The cause, and the remedy.' })),
          }),
          Type.Null(),
        ]),
      ),
    }),
    example: {
      fileId: 'fil_0198c1f2-8a4e-7b3c-9d21-5f0e7c6a1b42',
      name: 'report.pdf',
      mediaType: 'application/pdf',
      sizeBytes: 48_213,
      status: 'processed',
      durationMs: 212,
      error: null,
    },
  },
  {
    type: 'webhook.test',
    isOwnFact: true,
    description: 'A webhook was tested.',
    schema: Type.Object({}),
    example: { message: 'This is a test.' },
  },
  {
    type: 'webhook.received',
    isOwnFact: true,
    description: 'An external system called the inbound path of a webhook.',
    schema: Type.Object({
      method: Type.String(),
      query: Type.Record(Type.String(), Type.Unknown()),
      headers: Type.Record(Type.String(), Type.String()),
      contentType: Type.Union([Type.String(), Type.Null()]),
      bodyEncoding: Type.String({
        enum: ['json', 'text', 'base64'],
        description: 'The form of `body`: a JSON value, text, or base64.',
      }),
      body: Type.Unknown({ description: 'For convenience: read by a JSON reader, numbers may lose digits.' }),
      bodyText: Type.Optional(Type.String({ description: 'The body to the byte, in UTF-8.' })),
      bodyBase64: Type.Optional(
        Type.String({ description: 'The body to the byte, where `bodyText` is not there.' }),
      ),
    }),
    example: {
      method: 'POST',
      query: {},
      headers: { 'user-agent': 'curl/8.0' },
      contentType: 'application/json',
      bodyEncoding: 'json',
      body: { ok: true },
      bodyText: '{"ok":true}',
    },
  },
  {
    type: 'webhook.disabled',
    isOwnFact: true,
    description: 'A webhook was disabled because its destination answered 410 Gone.',
    schema: Type.Object({ webhookId: Id('whk'), reason: Type.String() }),
    example: { webhookId: 'whk_0198c1f2-8a4e-7b3c-9d21-5f0e7c6a1b42', reason: 'gone' },
  },
  {
    type: 'invitation.created',
    isOwnFact: true,
    description: 'A person was invited to the organization.',
    schema: Type.Object({
      invitationId: Id('inv'),
      email: Type.String(),
      role: Role,
      inviterId: Type.Union([Type.String(), Type.Null()]),
    }),
    example: {
      invitationId: 'inv_0198c1f2-8a4e-7b3c-9d21-5f0e7c6a1b42',
      email: 'grace@acme.test',
      role: 'member',
      inviterId: 'acc_0198c1f2-8a4e-7b3c-9d21-5f0e7c6a1b43',
    },
  },
  {
    type: 'invitation.accepted',
    isOwnFact: true,
    description: 'An invited person joined the organization.',
    schema: Type.Object({ invitationId: Id('inv'), accountId: Id('acc'), email: Type.String(), role: Role }),
    example: {
      invitationId: 'inv_0198c1f2-8a4e-7b3c-9d21-5f0e7c6a1b42',
      accountId: 'acc_0198c1f2-8a4e-7b3c-9d21-5f0e7c6a1b43',
      email: 'grace@acme.test',
      role: 'member',
    },
  },
  {
    type: 'member.role_changed',
    isOwnFact: true,
    description: 'The role of a member changed.',
    schema: Type.Object({ accountId: Id('acc'), from: Role, to: Role }),
    example: { accountId: 'acc_0198c1f2-8a4e-7b3c-9d21-5f0e7c6a1b43', from: 'member', to: 'administrator' },
  },
  {
    type: 'member.removed',
    isOwnFact: true,
    description: 'A member was removed from the organization.',
    schema: Type.Object({ accountId: Id('acc') }),
    example: { accountId: 'acc_0198c1f2-8a4e-7b3c-9d21-5f0e7c6a1b43' },
  },
  {
    type: 'mcp_server.changed',
    isOwnFact: true,
    description:
      'An MCP server describes tools otherwise than they were accepted. They are off until they are accepted.',
    schema: Type.Object({ serverId: Id('mcp'), name: Type.String(), tools: Type.Array(Type.String()) }),
    example: { serverId: 'mcp_0198c1f2-8a4e-7b3c-9d21-5f0e7c6a1b42', name: 'crm', tools: ['find_customer'] },
  },
  {
    type: 'connection.expired',
    isOwnFact: true,
    description: 'The access of a connection ended, and cannot be refreshed. It must be authorized again.',
    schema: Ended,
    example: {
      connectionId: 'con_0198c1f2-8a4e-7b3c-9d21-5f0e7c6a1b42',
      provider: 'acme',
      reason: 'lifetime',
    },
  },
  {
    type: 'connection.revoked',
    isOwnFact: true,
    description: 'The provider of a connection no longer accepts its tokens. It must be authorized again.',
    schema: Ended,
    example: {
      connectionId: 'con_0198c1f2-8a4e-7b3c-9d21-5f0e7c6a1b42',
      provider: 'acme',
      reason: 'invalid_grant',
    },
  },
  {
    type: 'document.indexed',
    isOwnFact: true,
    description: 'The indexing of a document of a knowledge base has ended, well or not.',
    schema: Type.Object({
      documentId: Id('doc'),
      knowledgeBaseId: Id('knb'),
      name: Type.String(),
      status: Type.String({ enum: ['indexed', 'failed'] }),
      chunks: Type.Integer({ minimum: 0, description: 'Passages of it that are found now.' }),
      durationMs: Type.Integer({ minimum: 0 }),
      error: Type.Union([
        Type.Object({
          code: Type.String(),
          reason: Type.Union([Type.String(), Type.Null()]),
          message: Type.String({ description: 'The cause, and the remedy.' }),
        }),
        Type.Null(),
      ]),
    }),
    example: {
      documentId: 'doc_0198c1f2-8a4e-7b3c-9d21-5f0e7c6a1b42',
      knowledgeBaseId: 'knb_0198c1f2-8a4e-7b3c-9d21-5f0e7c6a1b43',
      name: 'Terms of delivery',
      status: 'indexed',
      chunks: 12,
      durationMs: 240,
      error: null,
    },
  },
] as const satisfies EventType[]
